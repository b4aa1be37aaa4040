"""Audit of somebody's binned table: what it allows, and whether its numbers can be true."""
