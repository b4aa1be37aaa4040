"""Monitoring: whether a score ranks worse than it did at first, period after period."""

from capcurve.studies.monitoring.chart import ControlChart, control_chart

__all__ = ["ControlChart", "control_chart"]
