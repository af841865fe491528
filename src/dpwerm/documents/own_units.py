"""A rule and its benefit in the units of the table: what each feature adds, and what a clip does.

A number adds so much for a step that people think in: for one unit where its declared range has a
few of them, else for a power of ten. Digits follow the largest term of the score.
"""

import math
from dataclasses import dataclass
from decimal import Decimal

from dpwerm.features.blocks import NumberBlock
from dpwerm.releases.release import Release
from dpwerm.study.treatment import Declaration
from dpwerm.study.variables import Benefit
from dpwerm.text import listed, natural_step, number, on_scale


@dataclass(frozen=True)
class Row:
    """One line of a score: of the constant, of a number, or of a level.

    name : that of the release's ``own_units``; feature : "" for the constant; values : the range or
    the level; adds : what it adds; span : that over the whole range
    """

    name: str
    feature: str
    values: str
    adds: str
    span: str = ""


def score_rows(release: Release, *, found: bool = False) -> list[Row]:
    """Return what each feature adds to a score, in the columns' own units.

    found : whether the ranges of numbers are private ones, of which all digits say nothing
    """
    own, error = release.own_units(), score_error(release)
    rows = [Row("intercept", "", "", number(own["intercept"], error, sign=True))]
    for block in release.encoding.blocks:
        if isinstance(block, NumberBlock):
            rows.append(_slope(block, own[block.name], error, found=found))
            continue
        for name, level in zip(block.own_names, block.levels, strict=True):
            adds = number(own[name], error, sign=True)
            rows.append(Row(name, block.name, level.name, adds))
    return rows


def score_error(release: Release) -> float:
    """Return how fine a score needs to be told: a hundredth of its largest term."""
    return float(max(max(abs(low), abs(high)) for low, high in release.terms()) / 100)


def _slope(block: NumberBlock, slope: float, error: float, *, found: bool) -> Row:
    width = block.upper - block.lower
    step = natural_step(width)
    adds = number(Decimal(slope) * step, error * float(step) / width, sign=True)
    unit = "unit" if step == 1 else number(step)
    ends = block.lower, block.upper
    values = " to ".join(on_scale(end, width) if found else declared(end) for end in ends)
    span = number(slope * width, error, sign=True)
    return Row(block.name, block.name, values, f"{adds} per {unit}", span)


def declared(value: float) -> str:
    """Return a declared number with all its digits, as a study file has it: 20240101 is a date."""
    return number(value, digits=15).replace(",", "")


def clip_words(benefit: Benefit) -> str:
    """Say what the clip does, in the units of the benefit's column; "" where it does nothing."""
    (lower, upper), width = benefit.bounds, benefit.bounds[1] - benefit.bounds[0]
    least = 0.0 if benefit.weights == "nonnegative" else -benefit.clip
    low, high = sorted(_in_column(benefit, benefit.centre + v) for v in (least, benefit.clip))
    cuts = [("above", high)] if high < upper else []
    cuts += [("below", low)] if low > lower else []
    if not cuts:
        return ""
    ends = [(side, on_scale(end, width)) for side, end in cuts]
    told = listed([f"one {side} {end} counted as {end}" for side, end in ends])
    return f"In learning, a benefit ({benefit.column}) {told.removeprefix('one ')}."


def one_side_words(benefit: Benefit) -> str:
    """Say when a clip around the middle of the range may leave nothing to learn from, "" elsewhere.

    A rule file has the centre as a number, so one that was declared to be the middle counts alike.
    """
    (lower, upper), column = benefit.range, benefit.column
    is_middle = math.isclose(benefit.centre, lower + (upper - lower) / 2, abs_tol=1e-12)
    if benefit.weights != "signed" or not is_middle or benefit.clip >= benefit.largest_clip:
        return ""
    width = benefit.bounds[1] - benefit.bounds[0]
    ends = sorted(_in_column(benefit, benefit.centre + v) for v in (-benefit.clip, benefit.clip))
    low, high = (on_scale(end, width) for end in ends)
    return (
        "The middle of the declared range counts as neither good nor bad. If most people's "
        f"{column} lies below {low}, or most above {high}, most counted alike, and the rule has "
        f"learned little or nothing from {column}."
    )


def _in_column(benefit: Benefit, value: float) -> float:
    """Return a benefit after transform and direction in the units of its column."""
    turned = -value if benefit.direction == "smaller" else value
    return math.exp(turned) if benefit.transform == "log" else turned


def centre_in_column(benefit: Benefit) -> str:
    """Return what counts as neither good nor bad, in the units of the benefit's column."""
    width = benefit.bounds[1] - benefit.bounds[0]
    return on_scale(_in_column(benefit, benefit.centre), width)


def no_weight_words(declaration: Declaration) -> str:
    """Say who may have weight 0 by what is declared: any number of people, and they still count."""
    benefit, centre = declaration.benefit, centre_in_column(declaration.benefit)
    worse = "below" if benefit.direction == "larger" else "above"
    at = f"{centre} or {worse}" if benefit.weights == "nonnegative" else f"exactly {centre}"
    return zero_words(declaration, also=f"{benefit.column} is {at}")


def zero_words(declaration: Declaration, *, chances: bool = True, also: str = "") -> str:
    """Say who has weight 0: whoever lacks what is needed, and ``also`` others.

    chances : whether the probability of the arm received is needed
    """
    treatment, column = declaration.treatment, declaration.benefit.column
    missing = [f"{treatment.column} is missing or no declared arm", f"{column} is missing"]
    if chances and treatment.propensity_column is not None:
        missing.append(f"{treatment.propensity_column} is missing")
    return (
        "Any number of them may have had weight 0, and so no say in the rule: everybody whose "
        f"{listed([*missing, *([also] if also else [])], 'or')}. They count as people all the "
        "same. How many they were is not published."
    )
