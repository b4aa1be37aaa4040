"""Studies: each answers one question with counts, as a result that shows itself."""
