"""The validation sheet: all tests of how a score ranks, judged by the limits of its user."""
