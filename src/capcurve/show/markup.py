"""A table of text: its headings and cells as people read them, and as Markdown, LaTeX and HTML."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from capcurve.show.columns import heading, show
from capcurve.show.format import printable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# Signs that pdflatex does not read in text, or fonts of text lack, each with its name in formulas.
LATEX_SIGNS = """
≥ geq ≤ leq ≠ neq ≈ approx ± pm × times · cdot ÷ div √ surd ∑ sum ∞ infty ∈ in ∂ partial
→ rightarrow ← leftarrow ↑ uparrow ↓ downarrow ↔ leftrightarrow ⇒ Rightarrow
α alpha β beta γ gamma δ delta ε epsilon ζ zeta η eta θ theta ι iota κ kappa λ lambda μ mu ν nu
ξ xi π pi ρ rho σ sigma τ tau υ upsilon φ phi χ chi ψ psi ω omega
Γ Gamma Δ Delta Θ Theta Λ Lambda Ξ Xi Π Pi Σ Sigma Υ Upsilon Φ Phi Ψ Psi Ω Omega
"""
# What LaTeX takes for something else.
LATEX = str.maketrans(
    {
        **{letter: f"\\{letter}" for letter in "&%$#_{}"},
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "\\": r"\textbackslash{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        "−": r"\ensuremath{-}",
        **{
            sign: f"\\ensuremath{{\\{name}}}"
            for sign, name in re.findall(r"(\S) (\w+)", LATEX_SIGNS)
        },
    }
)
# What ends a cell, begins a tag, code, emphasis or the address of a link, or stands for a sign.
_ACTING = re.compile(
    r"[|`]|\\(?=[^\w\s])|<(?=[A-Za-z!/?])|\*(?=\S)|(?<![A-Za-z0-9])_(?=\S)|~(?=~)|\](?=[(\[:])"
    r"|&(?=#?\w+;)"
)


@dataclass(frozen=True, slots=True)
class TextGrid:
    """A table of text."""

    heads: list[str]  # what stands above each column
    columns: list[list[str]]  # the cells, column by column
    right: list[bool]  # which columns are numbers, aligned to the right

    @property
    def rows(self) -> list[tuple[str, ...]]:
        """The cells, row by row."""
        return list(zip(*self.columns, strict=True))


def grid(columns: Mapping[str, Sequence[object]]) -> TextGrid:
    """Return columns as they are shown.

    >>> grid({"score_from": [0.1, None], "rate": [0.25, 1.0]}).rows
    [('0.1', '25.0%'), ('-', '100.0%')]
    """
    columns = _by_grade(columns)
    return TextGrid(
        [heading(name) for name in columns],
        [[show(name, value) for value in column] for name, column in columns.items()],
        [_is_right(column) for column in columns.values()],
    )


def _by_grade(columns: Mapping[str, Sequence[object]]) -> Mapping[str, Sequence[object]]:
    """Return columns with one column of grades in place of the two ends of each bin of grades.

    >>> dict(_by_grade({"bin": [1, 2], "score_from": ["C", "B"], "score_to": ["C", "A"]}))
    {'bin': [1, 2], 'grade': ['C', 'B to A']}
    """
    first, last = (columns.get(f"score_{side}", ()) for side in ("from", "to"))
    if not first or not last or not all(isinstance(grade, str) for grade in (*first, *last)):
        return columns
    ends = zip(first, last, strict=True)
    grades = [str(a) if a == b else f"{a} to {b}" for a, b in ends]
    return {
        "grade" if name == "score_from" else name: grades if name == "score_from" else column
        for name, column in columns.items()
        if name != "score_to"
    }


def _is_right(column: Sequence[object]) -> bool:
    return any(isinstance(value, int | float) for value in column) or all(
        value is None for value in column
    )


def to_markdown(columns: Mapping[str, Sequence[object]]) -> str:
    """Return columns as a Markdown table, written for people.

    >>> print(to_markdown({"bin": [1, 2], "rate": [0.25, None]}))
    | bin | rate |
    | --: | ---: |
    | 1 | 25.0% |
    | 2 | - |
    """
    shown = grid(columns)
    rules = [
        "-" * max(len(head) - 1, 2) + ":" if right else "---"
        for head, right in zip(shown.heads, shown.right, strict=True)
    ]
    lines = [[*map(in_markdown, row)] for row in (shown.heads, *shown.rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in (lines[0], rules, *lines[1:]))


def in_markdown(text: str) -> str:
    """Return text in which nothing acts as Markdown or HTML."""
    return _ACTING.sub(r"\\\g<0>", printable(text))


def to_latex(
    columns: Mapping[str, Sequence[object]], caption: str | None = None, *, booktabs: bool = True
) -> str:
    r"""Return columns as a LaTeX table with the rules of the package booktabs, or plain ones.

    >>> print(to_latex({"grade": ["A&B"], "rate": [0.25]}))
    \begin{tabular}{lr}
    \toprule
    grade & rate \\
    \midrule
    A\&B & 25.0\% \\
    \bottomrule
    \end{tabular}
    """
    shown = grid(columns)
    # At the start of a row these would be read as an option of the rule or the row before it.
    head, *rows = [
        re.sub(r"^[\[*]", r"{\g<0>}", " & ".join(map(in_latex, row))) + r" \\"
        for row in (shown.heads, *shown.rows)
    ]
    sides = "".join("r" if right else "l" for right in shown.right)
    top, middle, bottom = r"\toprule", r"\midrule", r"\bottomrule"
    if not booktabs:
        top = middle = bottom = r"\hline"
    lines = [rf"\begin{{tabular}}{{{sides}}}", top, head, middle, *rows, bottom, r"\end{tabular}"]
    if caption is not None:
        said = in_latex(caption)
        lines = [r"\begin{table}", rf"\caption{{{said}}}", r"\centering", *lines, r"\end{table}"]
    return "\n".join(lines)


def in_latex(text: str) -> str:
    """Return text as LaTeX prints it."""
    return printable(text).translate(LATEX)


def to_html(columns: Mapping[str, Sequence[object]], caption: str | None = None) -> str:
    """Return columns as an HTML table whose style needs no style sheet.

    >>> to_html({"rate": [0.25]}).count("<td")
    1
    """
    shown = grid(columns)
    sides = [f' style="text-align:{"right" if right else "left"}"' for right in shown.right]
    head, *rows = [
        "".join(
            f"<{tag}{side}>{escape(printable(text))}</{tag}>"
            for side, text in zip(sides, row, strict=True)
        )
        for tag, row in (("th", shown.heads), *(("td", row) for row in shown.rows))
    ]
    said = "" if caption is None else f"<caption>{escape(printable(caption))}</caption>"
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    return f"<table>{said}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
