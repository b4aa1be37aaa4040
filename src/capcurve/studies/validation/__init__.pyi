from .judgement import (
    SheetTest as SheetTest,
    TestLimits as TestLimits,
    read_limits as read_limits,
)
from .sheet import (
    Input as Input,
    Section as Section,
    ValidationSheet as ValidationSheet,
    schema as schema,
)
from .validating import validate as validate
