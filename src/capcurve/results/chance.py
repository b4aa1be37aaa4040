"""What chance leaves of a summary's numbers: their intervals, and why there may be none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from capcurve.counts import NotHeldError
from capcurve.inference import Interval, confidence_interval

if TYPE_CHECKING:
    from collections.abc import Iterable

    from capcurve.counts import Amounts, Ranking

SHARES = (0.1, 0.2, 0.5)
TOP = SHARES[0]
CAPTURED = {f"captured_{round(100 * q)}": q for q in SHARES}
LIFT = f"lift_{round(100 * TOP)}"
MEAN_OF_TOP = f"mean_of_top_{round(100 * TOP)}"
QUICK = ("accuracy_ratio", "roc_auc", *CAPTURED, LIFT)
# That of KS takes resampling: for a score, not for each of ten thousand segments.
HEADLINES = (*QUICK, "ks")


def intervals_of(
    counts: Ranking | Amounts,
    near: Ranking | Amounts,
    names: Iterable[str],
    *,
    level: float,
    prevalence: float | None,
) -> tuple[dict[str, Interval], str | None]:
    """Return the interval of each headline number, or none and why there are none.

    `near` are counts with fewer cells that agree with them at the shares.
    """
    found: dict[str, Interval] = {}
    for name in names:
        try:
            found[name] = _interval(counts, near, name, found, level=level, prevalence=prevalence)
        except NotHeldError:
            continue
        except ValueError as why:
            # Such as weights of which nobody said what they mean; the message says what to do.
            return {}, str(why)
    return found, None


def _interval(
    counts: Ranking | Amounts,
    near: Ranking | Amounts,
    name: str,
    found: dict[str, Interval],
    **asked: Any,
) -> Interval:
    if name in CAPTURED:
        return confidence_interval(near, "captured_response", q=CAPTURED[name], **asked)
    if name == LIFT:
        first = next(iter(CAPTURED))
        captured = found.get(first) or _interval(counts, near, first, found, **asked)
        return captured.over(TOP, captured.estimate / TOP)
    if name == MEAN_OF_TOP:
        return confidence_interval(counts, "mean_amount", q=TOP, level=asked["level"])
    # The order inside each class is the same whatever the prevalence.
    return confidence_interval(near if name == "ks" else counts, name, level=asked["level"])
