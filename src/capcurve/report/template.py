"""The one HTML document: head, still content, a slot of JSON, and a script it vouches for."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from functools import cache
from importlib.resources import files
from typing import Any

# Nothing may load, run or be sent, but the style and the script whose fingerprints stand here.
# Pictures of its own making are turned into PNG through data: URLs.
POLICY = (
    "default-src 'none'; script-src 'sha256-{script}'; style-src 'sha256-{style}'; "
    "img-src data:; base-uri 'none'; form-action 'none'"
)
_SLOT = re.compile("@(policy|title|style|head|still|notes|tables|foot|data|script)@")


def document(*, title: str, data: dict[str, Any], **markup: str) -> str:
    """Return the document: `markup` is head, still, notes, tables and foot."""
    script, style = asset("page.js"), asset("page.css")
    parts = {
        "policy": POLICY.format(script=_fingerprint(script), style=_fingerprint(style)),
        "title": title,
        "style": style,
        **markup,
        "data": as_slot(data),
        "script": script,
    }
    return _SLOT.sub(lambda found: parts[found[1]], asset("page.html"))


def as_slot(data: dict[str, Any]) -> str:
    r"""Return values as JSON that cannot end the element it stands in.

    Examples
    --------
    >>> as_slot({"name": "</script>"})
    '{"name":"\\u003c/script>"}'
    """
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c")


@cache
def asset(name: str) -> str:
    """Return a file that is shipped with the package."""
    return (files("capcurve.report") / "assets" / name).read_text(encoding="utf-8").strip()


def _fingerprint(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")
