"""One HTML document that loads nothing: its frame, its style, and what it may do."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

# Nothing may load, run or be sent, but the style and the script whose fingerprints stand here.
# Pictures of its own making are turned into PNG through data: URLs.
POLICY = "default-src 'none'; {script}style-src 'sha256-{style}'; {images}base-uri 'none'; "
POLICY += "form-action 'none'"
_SLOT = re.compile("@(policy|title|style|head|main|foot|script)@")
# What is no prose: pictures, tables, whose cells do not wrap, and tags; and numbers and dates with
# a hyphen inside, where a browser would begin a new line.
_NO_PROSE = re.compile("(<svg.*?</svg>|<table.*?</table>|<[^>]*>)", re.DOTALL)
_HYPHENATED = re.compile(r"(?<![\w-])(\d[\w.]*(?:-\d[\w.]*)+)")
SCRIPT = '<script type="application/json" id="data">{data}</script>\n<script>{script}</script>\n'


def document(
    *, title: str, head: str, main: str, foot: str, data: Mapping[str, object] | None = None
) -> str:
    """Return the document; all parts are HTML.

    With data it has the script of the page, which reads them; without, it has none and its policy
    allows none.
    """
    style, script = asset("page.css"), "" if data is None else asset("page.js")
    policy = POLICY.format(
        script=f"script-src 'sha256-{_fingerprint(script)}'; " if script else "",
        style=_fingerprint(style),
        images="img-src data:; " if script else "",
    )
    scripts = SCRIPT.format(data=as_slot(data), script=script) if data is not None else ""
    shown = {"head": head, "main": main, "foot": foot}
    parts = {"policy": policy, "title": title, "style": style, "script": scripts}
    parts |= {name: unbroken(part) for name, part in shown.items()}
    return _SLOT.sub(lambda found: parts[found[1]], asset("page.html"))


def unbroken(html: str) -> str:
    """Return HTML in whose prose no line ends inside a date or a number.

    Examples
    --------
    >>> unbroken("<p title='1-2'>in 2025-01, p = 3.9e-12</p>")
    "<p title='1-2'>in <span class=whole>2025-01</span>, p = <span class=whole>3.9e-12</span></p>"
    """
    parts = _NO_PROSE.split(html)
    parts[::2] = [_HYPHENATED.sub(r"<span class=whole>\1</span>", part) for part in parts[::2]]
    return "".join(parts)


def as_slot(data: Mapping[str, object]) -> str:
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
    return (files("capcurve.show") / "assets" / name).read_text(encoding="utf-8").strip()


def _fingerprint(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")
