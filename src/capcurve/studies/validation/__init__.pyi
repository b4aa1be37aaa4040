from .ecb import EcbTable as EcbTable
from .ecb_lines import ecb_lgd as ecb_lgd
from .given import Input as Input
from .judgement import (
    SheetTest as SheetTest,
    TestLimits as TestLimits,
    read_limits as read_limits,
)
from .sections import Section as Section
from .sheet import (
    ValidationSheet as ValidationSheet,
    schema as schema,
)
from .validating import validate as validate
