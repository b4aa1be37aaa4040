"""What the engines that hold lazy frames each do in their own way."""

from capcurve.input.engines.limits import MOST_CELLS, TooManyCellsError

__all__ = ["MOST_CELLS", "TooManyCellsError"]
