"""Reading somebody's binned table: from columns, frames and csv files, as it was printed."""

from capcurve.studies.audit.reading.table import read_table
from capcurve.studies.audit.reading.texts import number_in

__all__ = ["number_in", "read_table"]
