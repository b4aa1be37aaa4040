"""Says where the project is, and makes of the README what a package index shows."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

OURS = r"(?!https?:|#)([^)\s]+)"
LINK = re.compile(rf"\[([^\]]+)\]\({OURS}\)")
PICTURE = re.compile(r'<img src="(?!https?:)([^"]+)"([^>]*)>\n*')


class CustomMetadataHook(MetadataHookInterface):
    """Names addresses and README of the package, all by the one line of pyproject.toml."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Set the addresses and the README, as Markdown."""
        repository = self.config.get("repository")
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        shown = for_index(text, repository, metadata["version"])
        metadata["readme"] = {"content-type": "text/markdown", "text": shown}
        metadata["urls"] = addresses(repository)


def addresses(repository: str | None) -> dict[str, str]:
    """Return the addresses that an index shows beside the package: none without a repository."""
    if not repository:
        return {}
    return {
        "Repository": repository,
        "Issues": f"{repository}/issues",
        "Changelog": f"{repository}/blob/HEAD/CHANGELOG.md",
        "Security": f"{repository}/blob/HEAD/SECURITY.md",
    }


def for_index(text: str, repository: str | None, version: str) -> str:
    """Return the text with addresses that work anywhere; what has none becomes plain text."""
    if not repository:
        return PICTURE.sub("", LINK.sub(r"\1", text))
    files, pictures = f"{repository}/blob/v{version}/", f"{repository}/raw/v{version}/"
    linked = LINK.sub(rf"[\1]({files}\2)", text)
    return PICTURE.sub(rf'<img src="{pictures}\1"\2>\n\n', linked)
