"""The pages' examples are tests; what builds the site and what it leaves behind are not."""

collect_ignore = ["_build", "_ext", "conf.py", "gallery", "reference/api"]
