"""``python -m benchmarks.audit FOUND.json``: what docs/audit.md says was found.

FOUND.json is what ``dpwerm audit --out FOUND.json`` wrote; nothing is measured here.
"""

import json
import math
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.page import fill
from dpwerm.audit.suite import cells
from dpwerm.documents.audit import WITHIN
from dpwerm.text import wrapped

CELLS = cells()
PAGE = Path(__file__).parents[1] / "docs" / "audit.md"


@dataclass(frozen=True)
class Bounds:
    """The two bounds of one cell, and its claim."""

    claim: float
    lower: float
    exact: float | None

    @property
    def ratio(self) -> float:
        """The claim over the larger bound."""
        most = max(self.lower, self.exact or 0.0)
        return self.claim / most if most > 0 else math.inf


def bounds_in(found: list[dict[str, Any]]) -> dict[str, Bounds]:
    """Return the bounds by the key of their cell."""
    return {
        f"{one['name']}, {one['setting']}": Bounds(
            float(one["claim"]["epsilon"]), one["lower"], one["exact_lower"]
        )
        for one in found
    }


def summary(found: list[dict[str, Any]], bounds: dict[str, Bounds]) -> str:
    """Return how many claims hold and how many bounds come near."""
    asked = [key for key in bounds if CELLS[key].asked]
    far = [key for key in asked if bounds[key].ratio > WITHIN]
    tried = [bounds[key] for key in asked if bounds[key].exact is not None]
    confirmed = [one for one in tried if WITHIN * (one.exact or 0.0) >= one.claim]
    real = max(one["exact_runs"] for one in found)
    holds = sum(one["verdict"] == "holds" for one in found)
    first = found[0]
    text = (
        f"{holds} of {len(found)} claims hold. Of the {len(asked)} cells that are asked to, "
        f"{len(asked) - len(far)} come within a factor of {WITHIN:g} of the claim, by "
        f"{first['runs']:,} simulated releases of each. {len(tried)} of them are confirmed by "
        f"{real:,} real releases, which come within a factor of {WITHIN:g} by themselves in "
        f"{len(confirmed)}. Confidence {first['confidence']:g} for each cell."
    )
    if far:
        text += f" Not within {WITHIN:g}: {'; '.join(f'`{key}`' for key in far)}."
    return "\n".join(wrapped(text))


def main(path: Path) -> None:
    """Fill the page."""
    found = json.loads(path.read_text(encoding="utf-8"))
    fill(PAGE, "summary", summary(found, bounds_in(found)))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
