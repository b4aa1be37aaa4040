"""Reading somebody's binned table: from columns, frames and csv files, as it was printed."""

from capcurve.studies.audit.reading.numbers import number_in
from capcurve.studies.audit.reading.table import read_table

__all__ = ["number_in", "read_table"]
