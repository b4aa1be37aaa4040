"""Audit of somebody's binned table: what it allows, and whether its numbers can be true."""

from capcurve.studies.audit.audit import audit_table
from capcurve.studies.audit.banding import BandingLoss, banding_loss
from capcurve.studies.audit.records import CellFix as CellFix, Claim, Range
from capcurve.studies.audit.shown import Audit

__all__ = ["Audit", "BandingLoss", "Claim", "Range", "audit_table", "banding_loss"]
