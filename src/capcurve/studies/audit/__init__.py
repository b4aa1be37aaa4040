"""Audit of somebody's binned table: what it allows, and whether its numbers can be true."""

from capcurve.studies.audit.audit import Audit, audit_table
from capcurve.studies.audit.banding import BandingLoss, banding_loss
from capcurve.studies.audit.records import CellFix, Claim, Range

__all__ = ["Audit", "BandingLoss", "CellFix", "Claim", "Range", "audit_table", "banding_loss"]
