"""Arithmetic that knows no counts: exact sums, orders, types, and how numbers are written."""
