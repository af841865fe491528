"""The same experiment many times: between which numbers its table can lie.

For a real trial each run draws its noise anew. For a simulated one each run has another trial too.
A published number agrees with a run of ours if it lies between the smallest and the largest of all.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from reproduction.artefact import Verdict
from reproduction.summary import Summary, rounded
from reproduction.trials.published import PublishedRow
from reproduction.trials.table import Measured

WORDS = {"mean": "value", "deviation": "SD", "second": "majority", "concordance": "concordance"}
FORMATS = {"mean": "{:.3f}", "deviation": "{:.3f}", "second": "{:.0f}", "concordance": "{:.3f}"}


@dataclass(frozen=True)
class Runs:
    """Rows of many runs at one ε."""

    rows: Sequence[Measured]

    def ends(self, measure: str) -> tuple[float, float]:
        """Return the smallest and the largest number of a measure."""
        numbers = [float(getattr(row, measure)) for row in self.rows]
        return min(numbers), max(numbers)

    def middle(self, measure: str) -> float:
        """Return the mean over runs."""
        return sum(float(getattr(row, measure)) for row in self.rows) / len(self.rows)

    def holds(self, measure: str, number: float) -> bool:
        """Whether a published number, rounded as it is printed, lies between the ends."""
        low, high = self.ends(measure)
        slack = 0.0 if measure == "second" else 0.0005
        return low - slack <= number <= high + slack

    def words(self, measure: str) -> str:
        """Return both ends in words."""
        low, high = (FORMATS[measure].format(end) for end in self.ends(measure))
        return low if low == high else f"{low} to {high}"


def by_epsilon(runs: Sequence[Sequence[Measured]]) -> dict[str, Runs]:
    """Return the rows of all runs by their ε."""
    found: dict[str, list[Measured]] = {}
    for run in runs:
        for row in run:
            found.setdefault(row.epsilon, []).append(row)
    return {epsilon: Runs(rows) for epsilon, rows in found.items()}


def printed(row: PublishedRow) -> dict[str, float]:
    """Return what a published row has of each measure."""
    measures = {
        "mean": row.value,
        "deviation": row.deviation,
        "second": float(row.allocated[0]),
        "concordance": row.concordance,
    }
    return {name: number for name, number in measures.items() if number is not None}


def compared(name: str, published: Sequence[PublishedRow], runs: dict[str, Runs]) -> list[Verdict]:
    """Return for each published row whether all its numbers lie between those of the runs."""
    verdicts = []
    for row in published:
        if row.epsilon not in runs:
            continue
        found, numbers = runs[row.epsilon], printed(row)
        outside = [one for one, number in numbers.items() if not found.holds(one, number)]
        budget = "without privacy" if row.epsilon == "inf" else f"ε = {row.epsilon}"
        claim = ", ".join(f"{WORDS[one]} {FORMATS[one].format(numbers[one])}" for one in numbers)
        ours = "; ".join(f"{WORDS[one]} {found.words(one)}" for one in numbers)
        text = f"{len(found.rows)} runs: {ours}."
        if outside:
            text += f" Not among them: {', '.join(WORDS[one] for one in outside)}."
        verdicts.append(Verdict(f"{name}, {budget}: {claim}.", not outside, text))
    return verdicts


def flat_runs(
    trial: str, method: str, runs: dict[str, Runs], gamma: str
) -> list[dict[str, object]]:
    """Return means over runs for the CSV; value ± half is a 95 % interval over runs."""
    rows: list[dict[str, object]] = []
    for epsilon, found in runs.items():
        values = Summary.of(np.array([row.mean for row in found.rows]))
        rows.append(
            {
                "trial": trial,
                "method": method,
                "variant": f"mean over {len(found.rows)} runs",
                "epsilon": epsilon,
                "gamma": gamma,
                "repeats": len(found.rows),
                "value": rounded(values.mean),
                "value_half": rounded(values.half),
                "value_sd": rounded(found.middle("deviation")),
                "one_release": rounded(found.middle("single")),
                "second_arm": rounded(found.middle("second")),
                "first_arm": rounded(found.middle("first")),
                "concordance": rounded(found.middle("concordance")),
            }
        )
    return rows
