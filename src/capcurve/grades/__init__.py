"""What a validator asks of grades: stability, order of rates, homogeneity and concentration."""

from capcurve.grades.adjacent import adjacent_grades
from capcurve.grades.concentration import Concentration, grade_concentration
from capcurve.grades.homogeneity import GradeHomogeneity, grade_homogeneity_test
from capcurve.grades.stability import Stability, population_stability, psi

__all__ = [
    "Concentration",
    "GradeHomogeneity",
    "Stability",
    "adjacent_grades",
    "grade_concentration",
    "grade_homogeneity_test",
    "population_stability",
    "psi",
]
