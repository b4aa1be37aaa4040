"""Arithmetic that knows no counts: exact sums, orders, types, and numbers as they are written."""
