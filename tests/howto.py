"""The code that a how-to page shows, as it is run."""

import re
from pathlib import Path

HOWTO = Path(__file__).parents[1] / "docs" / "howto"


def blocks(page):
    """Return the Python blocks of a page, without those that doctest runs."""
    text = (HOWTO / page).read_text(encoding="utf-8")
    found = re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    return [block for block in found if not block.startswith(">>>")]


def run(page, number, space):
    """Run a block of a page with these names, and keep what it makes."""
    exec(compile(blocks(page)[number], f"{page}, block {number}", "exec"), space)  # noqa: S102
    return space
