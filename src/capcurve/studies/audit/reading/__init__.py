"""Reading somebody's binned table: from columns, frames and csv files, as it was printed."""

from capcurve.studies.audit.reading.table import read_table
from capcurve.studies.audit.reading.texts import cell_in

__all__ = ["cell_in", "read_table"]
