"""What audits found, in words: a table, what it rests on, and the verdict."""

import math
from collections.abc import Sequence
from typing import Any

from dpwerm.audit.attack import Audited
from dpwerm.audit.suite import Cell
from dpwerm.text import aligned, wrapped

HEADER = ("", "", "claimed", "at least", "at least, real", "ratio", "verdict")
WITHIN = 2.0
"""How near the claim a bound is asked to come."""

Found = Sequence[tuple[Cell, Audited]]


def rows_of(found: Found) -> list[tuple[str, ...]]:
    """Return the rows of a table, its header first."""
    return [HEADER, *(_row(cell, one) for cell, one in found)]


def _row(cell: Cell, one: Audited) -> tuple[str, ...]:
    ratio = f"{one.ratio:.2f}" if math.isfinite(one.ratio) else "none"
    exact = "" if one.exact_lower is None else f"{one.exact_lower:.2f}"
    claimed = f"{one.claim.epsilon}"
    return cell.name, cell.setting, claimed, f"{one.lower:.2f}", exact, ratio, one.verdict


def lines(found: Found) -> list[str]:
    """Return the table and what it says."""
    return ["Claimed epsilon, and what it is at least:", *aligned(rows_of(found)), "", *_end(found)]


def _end(found: Found) -> list[str]:
    """Return how the bounds were found, and how many claims hold."""
    audits = [one for _, one in found]
    first = audits[0]
    broken = [cell.key for cell, one in found if not one.holds]
    asked = [one for cell, one in found if cell.asked]
    near = sum(one.ratio <= WITHIN for one in asked)
    confirmed = [one for one in audits if one.exact_lower is not None]
    sure = _share(first.confidence)
    method = (
        f"{first.runs:,} simulated releases of each on its worst pair, half to choose the attack "
        f"and half to judge it; bounds by guesses of a coin, confidence {sure}."
    )
    said = [method]
    if confirmed:
        some = "each" if len(confirmed) == len(audits) else f"{len(confirmed)} of them"
        said.append(
            f"At least, real: by the same attack on {confirmed[0].exact_runs:,} real releases of "
            f"{some}."
        )
    said.append(
        f"{len(audits) - len(broken)} of {len(audits)} claims hold."
        + (f" Within a factor of {WITHIN:g}: {near} of {len(asked)}." if asked else "")
    )
    if broken:
        said.append(f"BROKEN: {'; '.join(broken)}.")
    return [line for text in said for line in wrapped(text)]


def passed(found: Found) -> bool:
    """Whether every claim holds."""
    return all(one.holds for _, one in found)


def plain(found: Found) -> list[dict[str, Any]]:
    """Return everything as plain data for a file."""
    return [
        {
            "name": cell.name,
            "setting": cell.setting,
            "claim": one.claim.plain(),
            "dimension": one.dimension,
            "lower": one.lower,
            "exact_lower": one.exact_lower,
            "runs": one.runs,
            "exact_runs": one.exact_runs,
            "pair": one.pair,
            "statistic": one.statistic,
            "confidence": one.confidence,
            "verdict": one.verdict,
        }
        for cell, one in found
    ]


def _share(confidence: float) -> str:
    """Return a confidence, or one minus what is missing where it is very near 1."""
    missing = 1.0 - confidence
    return f"{confidence:g}" if missing >= 1e-5 else f"1 - {missing:.0e}"
