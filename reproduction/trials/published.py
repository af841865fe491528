"""What the paper prints in its Table I: six rows for each of two trials."""

from dataclasses import dataclass

from reproduction.published import data_rows
from reproduction.summary import rounded


@dataclass(frozen=True)
class PublishedRow:
    """One published row: the value over repeats, the allocation, and the agreement at ε = ∞."""

    study: str
    n: int
    gamma: float
    epsilon: str
    value: float
    deviation: float | None
    allocated: tuple[int, int]
    concordance: float | None
    p_value: str


def published_rows(study: str = "") -> list[PublishedRow]:
    """Return the published rows of one trial, "sjcrh" or "cyp_guides", or of both."""

    def number(text: str) -> float | None:
        return float(text) if text else None

    return [
        PublishedRow(
            row["study"],
            int(row["n"]),
            float(row["gamma"]),
            row["epsilon"],
            float(row["value_mean"]),
            number(row["value_sd"]),
            (int(row["allocated_first"]), int(row["allocated_second"])),
            number(row["concordance"]),
            row["p_value"],
        )
        for row in data_rows("table1")
        if study in ("", row["study"])
    ]


def published_flat(study: str) -> list[dict[str, object]]:
    """Return a trial's published rows for the CSV."""
    return [
        {
            "trial": study,
            "method": "published",
            "variant": "published",
            "epsilon": row.epsilon,
            "gamma": f"{row.gamma:g}",
            "repeats": 200,
            "value": row.value,
            "value_half": ""
            if row.deviation is None
            else rounded(1.972 * row.deviation / 200**0.5),
            "value_sd": "" if row.deviation is None else row.deviation,
            "one_release": "",
            "second_arm": row.allocated[0],
            "first_arm": row.allocated[1],
            "concordance": "" if row.concordance is None else row.concordance,
            "log10_p": "",
        }
        for row in published_rows(study)
    ]
