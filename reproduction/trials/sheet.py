"""Measured rows in words, for pages, and as flat numbers, for a CSV."""

import math

import numpy as np
from scipy.stats import t as student

from reproduction.summary import rounded
from reproduction.trials.measures import allocation, standard_error
from reproduction.trials.table import Measured
from reproduction.trials.trial import OpenTrial


def cells(row: Measured) -> list[str]:
    """Return a row in words; without privacy the error of sampling takes the place of the SD."""
    return [
        row.method,
        row.epsilon if row.private else "∞",
        f"{row.mean:#.4g}",
        f"{row.deviation:.2g}" if row.private else f"SE {row.error:.2g}",
        f"{row.single:.3f}" if row.private else "",
        f"{row.second}:{row.first}",
        f"{row.concordance:.3f}" if row.private else "",
    ]


def header(arms: tuple[str, str]) -> list[str]:
    """Return the names of the columns, with the arms in the order in which they are counted."""
    first, second = arms
    majority = f"majority {second}:{first}"
    return ["method", "ε", "value", "SD", "one release", majority, "concordance"]


def fixed(trial: OpenTrial) -> list[list[str]]:
    """Return the rows of treating everybody alike, with the sampling error of the value."""
    rows = []
    for arm, sign in zip(trial.arms, (-1.0, 1.0), strict=True):
        everybody = np.full(trial.n, sign)
        error = standard_error(trial.influence(everybody))
        share = "{}:{}".format(*allocation(everybody))
        value = f"{trial.value(everybody):#.4g}"
        rows.append([f"{arm} for everybody", "", value, f"SE {error:.2g}", "", share, ""])
    return rows


def flat(trial: str, method: str, row: Measured, gamma: str) -> dict[str, object]:
    """Return a row for the CSV, four significant digits; value ± half is a 95 % interval.

    gamma : γ, or in words by what the automatic one was multiplied
    """
    half = 0.0
    if row.repeats > 1:
        quantile = float(student.ppf(0.975, row.repeats - 1))
        half = quantile * row.deviation / math.sqrt(row.repeats)
    return {
        "trial": trial,
        "method": method,
        "variant": row.method,
        "epsilon": row.epsilon,
        "gamma": gamma,
        "repeats": row.repeats,
        "value": rounded(row.mean),
        "value_half": rounded(half),
        "value_sd": rounded(row.deviation),
        "one_release": rounded(row.single),
        "second_arm": row.second,
        "first_arm": row.first,
        "concordance": rounded(row.concordance),
        "log10_p": "" if row.log10_p is None else rounded(row.log10_p),
    }
