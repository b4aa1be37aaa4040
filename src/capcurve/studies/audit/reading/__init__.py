"""Reading somebody's binned table: from columns, frames and csv files, as it was printed."""

from capcurve.studies.audit.reading.table import other_readings, read_table
from capcurve.studies.audit.reading.texts import cell_in

__all__ = ["cell_in", "other_readings", "read_table"]
