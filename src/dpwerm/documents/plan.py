"""A plan in plain words, small tables and a figure, all simulated before any data is touched."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes

from dpwerm.choose.settle import outcome_of
from dpwerm.documents.drawing import (
    INK,
    LINE,
    SMALL,
    headed,
    labelled,
    panels,
    save,
    shades,
    short,
    styled,
)
from dpwerm.documents.summary import odds_words
from dpwerm.plan.expected import MOST_ROWS, Answer, Expected, Settled, Spread
from dpwerm.privacy.budget import Budget, total
from dpwerm.study.study import Study
from dpwerm.text import aligned, underlined, wrapped

WITHOUT = "without privacy"
COLUMNS = ("right arm, %", "80 in 100 trials", "value, %", "80 in 100 trials")

Curve = Mapping[str, Expected]
"""What is expected at each ε, "inf" for no privacy."""


def opening(study: Study, n: int | None) -> list[str]:
    """Return the title and where every number below it comes from."""
    people = "" if n is None else f" with {counted(n)}"
    words = (
        "Nothing was read but the study file. All figures come from simulated trials inside its "
        "bounds, other ones than those on which settings are chosen, and cost no privacy. They "
        "take for granted that there is something to learn: in them the gain from one arm to the "
        "other varies between people by 0.2 to 0.7 of half the benefit's range. And that benefits "
        f"lie {_benefits_lie(study)}. A real trial may be easier or harder (docs/plan.md)."
    )
    title = f"Plan for {study.name or study.id}{people}"
    return [*underlined(title), "", *wrapped(words)]


def _benefits_lie(study: Study) -> str:
    """Return where the simulated benefits lie, on the scale of the benefit."""
    outcome = outcome_of(study.declaration())
    lower, upper = (end + 0.0 for end in study.benefit.range)  # never -0
    if outcome.spread:
        return "anywhere in their range: if you know where to expect them, declare centre"
    middle = lower + (1 + outcome.around) * (upper - lower) / 2
    changed = study.benefit.transform != "identity" or study.benefit.direction != "larger"
    scale = f"{lower:.4g} to {upper:.4g}{' after transform and direction' if changed else ''}"
    where = "the centre, " if math.isclose(middle, study.benefit.centre) else ""
    around = f"around {where}{middle:.4g} on a scale of {scale}"
    return f"{around}: if you expect them elsewhere, declare centre"


def counted(n: int) -> str:
    """Return a number of people in words."""
    return "1 person" if n == 1 else f"{n:,} people"


def expectation(found: Mapping[str, tuple[Settled, Expected]], n: int) -> list[str]:
    """Return the table of accuracy and value by ε, and how to read it."""
    rows: list[tuple[str, ...]] = [("epsilon", *COLUMNS, "mechanism")]
    for epsilon, (settled, last) in found.items():
        name = "no privacy" if epsilon == "inf" else epsilon
        rows.append((name, *_figures(last.accuracy, last.value), settled.spec.mechanism))
    rows.append(("one arm for all", *_figures(last.single_accuracy, last.single_value), ""))
    lines = [
        f"What to expect of a rule learned from {counted(n)}:",
        "",
        *aligned(rows),
        "",
        *wrapped(
            "Right arm: the share of people who are given the arm that is better for them. Value: "
            "of what the better arm for each gains over a coin for each, the share that is "
            f"attained. Both are means over {last.trials} simulated trials; ± is the error of the "
            "simulation (95 %), and 80 in 100 trials lie in the range beside it. One arm for all: "
            "the better single arm for everybody, without looking at features."
        ),
    ]
    if last.rows < n:
        rest = "" if last.rows == MOST_ROWS else " (or the first 32 columns stand for all)"
        lines += wrapped(
            f"Each trial was simulated with {last.rows:,} rows that stand for {n:,} people{rest}: "
            "with all of them the figures would be slightly better."
        )
    return lines


def _figures(accuracy: Spread, value: Spread) -> tuple[str, ...]:
    return tuple(text for one in (accuracy, value) for text in (mean_of(one), range_of(one)))


def mean_of(one: Spread) -> str:
    """Return a mean in % with the simulation's error."""
    return f"{100 * one.mean:.1f} ± {100 * one.half:.1f}"


def range_of(one: Spread) -> str:
    """Return the 10th and the 90th percentile in %."""
    return f"{100 * one.low:.0f} to {100 * one.high:.0f}"


def odds(epsilons: Sequence[str], relation: str) -> list[str]:
    """Return what each finite ε means for a reader's odds."""
    bet = "two possible rows of a person"
    if relation == "add_remove":
        bet = "a person being in the data and not"
    told = [(one, odds_words(Budget.of(one).epsilon)) for one in epsilons if one != "inf"]
    head = f"What epsilon means for a reader's odds between {bet}:"
    return [head, "", *aligned(told)] if told else []


def settings(settled: Settled, n: int) -> list[str]:
    """Return what a fit would use."""
    spec, encoding, benefit = settled.spec, settled.encoding, settled.declared.benefit
    units = "log units" if benefit.transform == "log" else f"the units of {benefit.column}"
    weights = (
        f"{benefit.clip:.4g}/{settled.declared.treatment.pi_min:.4g} = {spec.weight_bound:.4g}"
    )
    saturation = f"learned from the middle 1/{encoding.saturation:g} of each number's range"
    threshold = f"coefficients below {settled.threshold:g} of the largest become 0"
    rows = {
        "mechanism": spec.mechanism,
        "gamma": f"{spec.gamma:.4g}, which is {settled.gamma:.4g} W",
        "clip": f"V = {benefit.clip:.4g} in {units}, {settled.clip:.0%} of the largest",
        "intercept": f"a column of {encoding.intercept:g}" if encoding.intercept else "none",
        "saturation": "none" if encoding.saturation == 1 else saturation,
        "threshold": threshold if settled.threshold else "none",
        "weights": f"at most W = V/pi_min = {weights}",
        "row norm": f"at most r = {encoding.domain.radius:.4g}",
    }
    whole, part = spec.budget, ""
    if settled.propensity_part is not None:
        whole, part = total(settled.propensity_part, whole), f" for the rule's part, {whole}"
    at = f"at {whole}" if whole.is_private else WITHOUT
    head = f"What a fit {at} with {counted(n)} would use{part}:"
    lines = [head, "", *aligned(list(rows.items()))]
    if spec.chosen is None:
        lines += ["", "The study sets gamma, so nothing is chosen by simulation."]
    return lines


def clips(found: Mapping[float, tuple[Settled, Expected]], used: float) -> list[str]:
    """Return the effect of V: accuracy and value at other clips, all else chosen anew."""
    rows: list[tuple[str, ...]] = [("V", "share", *COLUMNS, "")]
    for share, (settled, one) in found.items():
        clip = f"{settled.declared.benefit.clip:.4g}"
        mark = "used" if abs(share - used) < 1e-9 else ""
        rows.append((clip, f"{share:.0%}", *_figures(one.accuracy, one.value), mark))
    return [
        "The effect of the clip V, everything else chosen anew for each:",
        "",
        *aligned(rows),
        "",
        *wrapped(
            "A small V needs less noise, but treats a large benefit like a moderate one. Where "
            "large benefits are rare and decide which arm is better, choose a larger V than this "
            "table suggests."
        ),
    ]


def share_taken(settled: Settled) -> list[str]:
    """Say what a propensity model of the same people takes, and what is not simulated."""
    if settled.declared.treatment.propensity is None:
        return []
    taken = ""
    if settled.propensity_part is not None:
        taken = f"The private propensity model takes {settled.propensity_part} and leaves "
        taken += f"{settled.spec.budget} for the rule. "
    return wrapped(
        f"{taken}Propensities are taken as known in the simulated trials: a model's own error "
        "would come on top."
    )


def over_total(study: Study, epsilons: Sequence[str]) -> list[str]:
    """Say which ε are above the study's total."""
    if study.budget is None:
        return []
    allowed = study.budget.epsilon
    if not allowed:
        symbol = "rho" if study.budget.rho else "mu"
        return wrapped(
            f"The study's total is in {symbol} and has no epsilon, so a fit needs --{symbol}: one "
            "at an epsilon is refused unless [budget] declares epsilon, too."
        )
    above = [one for one in epsilons if one != "inf" and Budget.of(one).epsilon > allowed]
    if not above:
        return []
    return wrapped(f"Above the study's total of {allowed}, which fit refuses: {', '.join(above)}.")


def answer_words(answer: Answer[str] | Answer[int], fixed: str, what: str) -> list[str]:
    """Return the smallest ε or n in words; ``fixed``: what was given, ``what``: what is asked."""
    aim = f"{100 * answer.target:g} % of people with their better arm"
    reached = f"{mean_of(answer.found.accuracy)} %"
    trial = f"80 in 100 trials: {range_of(answer.found.accuracy)} %"
    if not answer.reached:
        tried, way = "", ", plan for more people"
        if isinstance(answer.place, int):
            tried, way = f" up to {answer.place:,}", "" if fixed == WITHOUT else ", raise epsilon"
        return wrapped(
            f"No {what}{tried} reaches {aim} {fixed}: even {_place(answer.place)} the simulated "
            f"trials reach {reached} ({trial}). Lower the target{way}, or change what the study "
            "measures."
        )
    number = f"{answer.place:,}" if isinstance(answer.place, int) else answer.place
    text = f"The smallest {what} for {aim} {fixed} is {number}"
    if answer.place == "inf":
        text = f"Only without privacy is {aim} reached {fixed}"
    step = "That is the smallest value tried."
    if answer.below is not None:
        place, found = answer.below
        step = f"One step below, {_place(place)} it is {mean_of(found.accuracy)} %."
    error = "± is the error of the simulation (95 %)."
    return wrapped(f"{text}: {reached} ({trial}). {step} {error}")


def _place(place: str | int) -> str:
    if isinstance(place, int):
        return f"with {counted(place)}"
    return WITHOUT if place == "inf" else f"at epsilon = {place}"


@styled()
def draw_plan(curves: Mapping[int, Curve], n: int, axes: Axes) -> None:
    """Draw a line for each number of people, ± the simulation's error, labelled at its start.

    For n itself a band holds 80 in 100 trials.
    """
    finite = [epsilon for epsilon in next(iter(curves.values())) if epsilon != "inf"]
    xs = [float(epsilon) for epsilon in finite]
    aside = xs[-1] * 2.2  # where the points without privacy stand
    starts: list[tuple[float, int]] = []
    for (people, curve), colour in zip(sorted(curves.items()), shades(len(curves)), strict=True):
        spreads = [curve[epsilon].accuracy for epsilon in finite]
        means, halves = [100 * s.mean for s in spreads], [100 * s.half for s in spreads]
        wide = 2.4 if people == n else 1.4
        if people == n:
            low, high = [100 * s.low for s in spreads], [100 * s.high for s in spreads]
            axes.fill_between(xs, low, high, color=LINE, alpha=0.13, linewidth=0)
        bars: dict[str, Any] = {"color": colour, "elinewidth": 1.0}
        axes.errorbar(xs, means, yerr=halves, marker="o", linewidth=wide, **bars)
        starts.append((means[0], people))
        if "inf" in curve:
            bare = curve["inf"].accuracy
            end = 100 * bare.mean
            axes.errorbar([aside], [end], yerr=[100 * bare.half], marker="D", **bars)
            axes.plot([xs[-1], aside], [means[-1], end], color=colour, linestyle=":", linewidth=1)
    _label(starts, xs[0], axes)
    axes.set_xscale("log")
    axes.set_xticks([*xs, aside], [*finite, "no\nprivacy"])
    axes.minorticks_off()
    axes.set_xlim(xs[0] / 2.4, aside * 1.4)
    labelled(axes, across="ε of the release (log scale)", up="people given their better arm, %")


def _label(starts: Sequence[tuple[float, int]], x: float, axes: Axes) -> None:
    """Write each number of people before the start of its line, far enough from the next one."""
    low, high = axes.get_ylim()
    gap, place = (high - low) / 18, float("-inf")
    for start, people in sorted(starts):
        place = max(start, place + gap)
        name = f"n = {people:,}"
        axes.text(x / 1.1, place, name, color=INK, ha="right", va="center", fontsize=SMALL)


@styled()
def save_plan(curves: Mapping[int, Curve], n: int, title: str, path: Path) -> None:
    """Write the figure; the ending of the path decides the format."""
    figure, ((axes,),) = panels(7.6, 4.6)
    draw_plan(curves, n, axes)
    headed(
        axes,
        f"{short(title, 80)}\nmean over simulated trials ± simulation error; band: 80 in 100 "
        f"trials of {n:,} people",
    )
    save(figure, path)
