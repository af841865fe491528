"""Measured rows as flat numbers, for a CSV."""

import math

from scipy.stats import t as student

from reproduction.summary import rounded
from reproduction.trials.table import Measured


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
