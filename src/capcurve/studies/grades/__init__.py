"""Grade scales: their design, order, stability, homogeneity, concentration and moves."""

from capcurve.studies.grades.concentration import Concentration, grade_concentration
from capcurve.studies.grades.design import design_grades
from capcurve.studies.grades.grade_rates import (
    GradeHomogeneity,
    adjacent_grades,
    grade_homogeneity_test,
)
from capcurve.studies.grades.grade_scale import GradeScale
from capcurve.studies.grades.migration import Migration, migration_table
from capcurve.studies.grades.pooling import pool_periods
from capcurve.studies.grades.stability import Stability
from capcurve.studies.grades.stability_by_period import StabilityByPeriod, population_stability, psi

__all__ = [
    "Concentration",
    "GradeHomogeneity",
    "GradeScale",
    "Migration",
    "Stability",
    "StabilityByPeriod",
    "adjacent_grades",
    "design_grades",
    "grade_concentration",
    "grade_homogeneity_test",
    "migration_table",
    "pool_periods",
    "population_stability",
    "psi",
]
