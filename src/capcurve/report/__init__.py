"""Documents people open: the notebook card and the page that is sent around."""

from capcurve.report.notebook import render_card
from capcurve.report.page import render_page

__all__ = ["render_card", "render_page"]
