from . import (
    audit as audit,
    change as change,
    evaluation as evaluation,
    grades as grades,
    monitoring as monitoring,
    unknown as unknown,
    validation as validation,
)
