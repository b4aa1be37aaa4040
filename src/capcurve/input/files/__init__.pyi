from .cells import (
    match_levels as match_levels,
    read_case_cells as read_case_cells,
    read_cells as read_cells,
    read_partial_cells as read_partial_cells,
    read_saved as read_saved,
)
from .reading import read_columns as read_columns
from .sources import Files as Files

__all__ = ["Files"]
