"""Makes of the README what a package index shows: it has neither our files nor our pictures."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

OURS = r"(?!https?:|#)([^)\s]+)"
LINK = re.compile(rf"\[([^\]]+)\]\({OURS}\)")
PICTURE = re.compile(r'<img src="(?!https?:)([^"]+)"([^>]*)>\n*')


class CustomMetadataHook(MetadataHookInterface):
    """Names the README of the package; pyproject.toml says where our files can be seen."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Set the README, as Markdown."""
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        shown = for_index(text, self.config.get("links"), self.config.get("pictures"))
        metadata["readme"] = {"content-type": "text/markdown", "text": shown}


def for_index(text: str, links: str | None, pictures: str | None) -> str:
    """Return the text with addresses that work anywhere; what has none becomes plain text.

    `links` and `pictures` are the addresses below which our files can be read and loaded.
    """
    linked = LINK.sub(rf"[\1]({links}\2)" if links else r"\1", text)
    return PICTURE.sub(rf'<img src="{pictures}\1"\2>\n\n' if pictures else "", linked)
