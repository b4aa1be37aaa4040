"""Tells PyInstaller, which freezes programs, where to read what belongs to the package."""

from pathlib import Path


def hook_folders() -> list[str]:
    """Return the folder of `hook-capcurve.py`, by which PyInstaller finds it."""
    return [str(Path(__file__).parent)]
