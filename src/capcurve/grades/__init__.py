"""Rating grades over time: how cases move between them, and periods as one sample."""

from capcurve.grades.migration import Migration, migration_table
from capcurve.grades.pooling import pool_periods

__all__ = ["Migration", "migration_table", "pool_periods"]
