"""A plan: what to expect of a rule before any data is touched, all of it simulated."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes

from dpwerm.choose.settle import MOST_COLUMNS, outcome_of
from dpwerm.documents.document import (
    Block,
    Document,
    Drawing,
    Facts,
    Paragraph,
    Picture,
    Section,
    Table,
)
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
    svg_text,
)
from dpwerm.documents.method import called, rows_of
from dpwerm.documents.summary import odds_words
from dpwerm.plan.desk import Desk
from dpwerm.plan.expected import Answer, Expected, Settled, Spread
from dpwerm.privacy.budget import Budget, total
from dpwerm.study.study import Study
from dpwerm.text import at_most, number

WITHOUT = "without privacy"
EPSILONS = ("0.1", "0.2", "0.5", "1", "2", "5", "inf")
RANGE = "80 in 100 trials"
COLUMNS = ("gain, %", RANGE, "harm, %", "right arm, %", RANGE)

Curve = Mapping[str, Expected]
"""What is expected at each ε, "inf" for no privacy."""


def plan_document(desk: Desk, n: int | None, epsilon: str | None, target: float | None) -> Document:
    """Return the plan of a study.

    With a target the smallest ε for n people is found, or the smallest n at ε; without one, what to
    expect of n people at ε, or at several.
    """
    study = desk.study
    found = expectation(desk, n or 1, epsilon)
    if target is not None:
        found = targeted(desk, target, n, epsilon)
    people = "" if n is None else f" with {counted(n)}"
    blocks = (Paragraph(opening(study)), *found)
    return Document(
        "plan",
        f"Plan for {study.name or study.id}{people}",
        (Section("plan", "", blocks),),
        about="Simulated before any data is touched",
        made_from="the study file alone",
    )


def opening(study: Study) -> str:
    """Return where every number of a plan comes from."""
    return (
        "Nothing was read but the study file. All figures come from synthetic trials inside its "
        "bounds, other ones than those on which hyperparameters are chosen, and cost no privacy. "
        "They take for granted that there is something to learn. A third of them is declared "
        "tightly: there the gain from one arm to the other varies between people by "
        f"{_gains_vary(study)}, which is 0.2 to 0.7 of half the benefit's range, and benefits lie "
        f"{_benefits_lie(study)}. In the others bounds are far too wide, benefits lie anywhere "
        "inside them, and what both arms share may matter more than the arm. A real trial may be "
        "easier or harder (docs/plan.md)."
    )


def _gains_vary(study: Study) -> str:
    """Return how much gains vary in the synthetic trials, on the scale of the benefit."""
    lower, upper = study.benefit.range
    least, most = (number(share * (upper - lower) / 2, digits=2) for share in (0.2, 0.7))
    column = study.benefit.column
    unit = f"the log of {column}" if study.benefit.transform == "log" else column
    return f"{least} to {most} units of {unit}"


def _benefits_lie(study: Study) -> str:
    """Return where the simulated benefits lie, on the scale of the benefit."""
    outcome = outcome_of(study.declaration())
    lower, upper = (end + 0.0 for end in study.benefit.range)  # never -0
    if outcome.spread:
        return "anywhere in their range"
    middle = lower + (1 + outcome.around) * (upper - lower) / 2
    changed = study.benefit.transform != "identity" or study.benefit.direction != "larger"
    scale = f"{number(lower)} to {number(upper)}"
    scale += " after transform and direction" if changed else ""
    where = "the centre, " if math.isclose(middle, study.benefit.centre) else ""
    return f"around {where}{number(middle)} on a scale of {scale}"


def counted(n: int) -> str:
    """Return a number of people in words."""
    return "1 person" if n == 1 else f"{n:,} people"


def targeted(desk: Desk, target: float, n: int | None, epsilon: str | None) -> Iterator[Block]:
    """Yield the answer to a target."""
    if n is not None:
        found = desk.smallest_epsilon(target, n)
        yield Paragraph(answer_words(found, f"with {counted(n)}", "epsilon"))
        if found.reached:
            yield from odds([found.place], desk.study.relation)
        yield from over_total(desk.study, [found.place])
    elif epsilon is not None:
        fixed = WITHOUT if epsilon == "inf" else f"at epsilon = {epsilon}"
        answer = desk.smallest_n(target, epsilon)
        yield Paragraph(answer_words(answer, fixed, "number of people"))
        yield from odds([epsilon], desk.study.relation)
        yield from over_total(desk.study, [epsilon])


def expectation(desk: Desk, n: int, epsilon: str | None) -> Iterator[Block]:
    """Yield what to expect of n people, and at one ε what a fit would use."""
    wanted = EPSILONS if epsilon is None else tuple(dict.fromkeys((epsilon, "inf")))
    found, refused = desk.over(wanted, n)
    yield from expected_table(found, n)
    yield from map(Paragraph, refused)
    yield from share_taken(next(iter(found.values()))[0])
    yield from over_total(desk.study, wanted)
    if epsilon is not None:
        settled, _ = found[epsilon]
        yield from hyperparameters(settled, n)
        if settled.spec.is_outcome_weighted:
            yield from clips(desk.clips(epsilon, n), settled.clip)
    yield from odds(wanted, desk.study.relation)


def expected_table(found: Mapping[str, tuple[Settled, Expected]], n: int) -> Iterator[Block]:
    """Yield the table of accuracy and value by ε, and how to read it."""
    rows: list[tuple[str, ...]] = []
    for epsilon, (settled, last) in found.items():
        name = "no privacy" if epsilon == "inf" else epsilon
        rows.append((name, *_figures(last), settled.spec.weighting.name, settled.spec.mechanism))
    single = (mean_of(last.single_accuracy), range_of(last.single_accuracy))
    rows.append(("one arm for all", "0", "", "0", *single, "", ""))
    caption = f"What to expect of a rule learned from {counted(n)}:"
    yield Table(caption, ("epsilon", *COLUMNS, "estimator", "mechanism"), tuple(rows))
    yield Paragraph(
        "Gain: of what the better arm for each gains over the better single arm for everybody, the "
        "share that is attained; below 0 the rule is worse than that arm. Harm: the share of rules "
        "that are worse by more than 1 % of it. Right arm: the share of people who are given the "
        f"arm that is better for them. All are means over {last.trials} synthetic trials; ± is the "
        "error of the simulation (95 %), and 80 in 100 trials lie in the range beside it. One arm "
        "for all: the better single arm for everybody, without looking at features."
    )
    if last.rows < n:
        rest = ""
        if next(iter(found.values()))[0].question.encoding.n_columns > MOST_COLUMNS:
            rest = f", and with {MOST_COLUMNS} columns that stand for all"
        yield Paragraph(
            f"Each trial was simulated with {last.rows:,} rows that stand for {n:,} people{rest}: "
            "with all of them the figures would be slightly better."
        )


def _figures(one: Expected) -> tuple[str, ...]:
    gain, right = ((mean_of(part), range_of(part)) for part in (one.gain, one.accuracy))
    return (*gain, f"{100 * one.harm:.0f}", *right)


def mean_of(one: Spread) -> str:
    """Return a mean in % with the simulation's error."""
    return f"{100 * one.mean:.1f} ± {100 * one.half:.1f}"


def range_of(one: Spread) -> str:
    """Return the 10th and the 90th percentile in %."""
    return f"{100 * one.low:.0f} to {100 * one.high:.0f}"


def odds(epsilons: Sequence[str], relation: str) -> Iterator[Block]:
    """Yield what each finite ε means for a reader's odds."""
    bet = "two possible rows of a person"
    if relation == "add_remove":
        bet = "a person being in the data and not"
    told = [(one, odds_words(Budget.of(one).epsilon)) for one in epsilons if one != "inf"]
    if told:
        yield Facts(tuple(told), f"What epsilon means for a reader's odds between {bet}:")


def hyperparameters(settled: Settled, n: int) -> Iterator[Block]:
    """Yield what a fit would use."""
    spec, encoding, benefit = settled.spec, settled.encoding, settled.declared.benefit
    units = "log units" if benefit.transform == "log" else f"the units of {benefit.column}"
    floor, radius = settled.declared.treatment.pi_min, spec.weighting.domain(encoding).radius
    saturation = f"learned from the middle 1/{encoding.saturation:g} of each number's range"
    threshold = f"coefficients below {settled.threshold:g} of the largest become 0"
    own = rows_of(spec.weighting, spec.loss, spec.regularizer, benefit)
    gamma, weights = number(spec.gamma), f"at most {at_most(spec.weight_bound, 4)}"
    if spec.is_outcome_weighted:
        clip = f"V = {number(benefit.clip)} in {units}, {settled.clip:.0%} of the largest"
        own = {"estimator": called(spec.weighting), "clip": clip}
        gamma += f", which is {number(settled.gamma)} W"
        weights = f"at most W = V/pi_min = {number(benefit.clip)}/{number(floor)} = "
        weights += at_most(spec.weight_bound, 4)
    rows = {
        "mechanism": spec.mechanism,
        "gamma": gamma,
        **own,
        "intercept": f"a column of {encoding.intercept:g}" if encoding.intercept else "none",
        "saturation": "none" if encoding.saturation == 1 else saturation,
        "threshold": threshold if settled.threshold else "none",
        "weights": weights,
        "row norm": f"at most r = {at_most(radius, 4)}",
    }
    whole, part = spec.budget, ""
    if settled.propensity_part is not None:
        whole, part = total(settled.propensity_part, whole), f" for the rule's part, {whole}"
    at = f"at {whole}" if whole.is_private else WITHOUT
    yield Facts(tuple(rows.items()), f"What a fit {at} with {counted(n)} would use{part}:")
    if spec.chosen is None:
        yield Paragraph("The study sets gamma, so nothing is chosen by simulation.")


def clips(found: Mapping[float, tuple[Settled, Expected]], used: float) -> Iterator[Block]:
    """Yield the effect of V: accuracy and value at other clips, all else chosen anew."""
    rows = []
    for share, (settled, one) in found.items():
        clip = number(settled.declared.benefit.clip)
        mark = "used" if abs(share - used) < 1e-9 else ""
        rows.append((clip, f"{share:.0%}", *_figures(one), mark))
    caption = "The effect of the clip V, everything else chosen anew for each:"
    yield Table(caption, ("V", "share", *COLUMNS, ""), tuple(rows))
    yield Paragraph(
        "A small V needs less noise, but treats a large benefit like a moderate one. Where large "
        "benefits are rare and decide which arm is better, choose a larger V than this table "
        "suggests."
    )


def share_taken(settled: Settled) -> Iterator[Block]:
    """Say what a propensity model of the same people takes, and what is not simulated."""
    if settled.declared.treatment.propensity is None:
        return
    taken = ""
    if settled.propensity_part is not None:
        taken = f"The private propensity model takes {settled.propensity_part} and leaves "
        taken += f"{settled.spec.budget} for the rule. "
    known = "Propensities are taken as known in the synthetic trials: a model's own error would "
    known += "come on top."
    if not settled.spec.weighting.uses_probabilities:
        known = "Arms are drawn by lot in the synthetic trials: confounding would come on top."
    yield Paragraph(f"{taken}{known}")


def over_total(study: Study, epsilons: Sequence[str]) -> Iterator[Block]:
    """Say which ε are above the study's total."""
    if study.budget is None:
        return
    allowed = study.budget.epsilon
    if not allowed:
        symbol = "rho" if study.budget.rho else "mu"
        yield Paragraph(
            f"The study's total is in {symbol} and has no epsilon, so a fit needs --{symbol}: one "
            "at an epsilon is refused unless [budget] declares epsilon, too."
        )
        return
    above = [one for one in epsilons if one != "inf" and Budget.of(one).epsilon > allowed]
    if above:
        refused = f"Above the study's total of {allowed}, which fit refuses:"
        yield Paragraph(f"{refused} {', '.join(above)}.")


def answer_words(answer: Answer[str] | Answer[int], fixed: str, what: str) -> str:
    """Return the smallest ε or n in words; ``fixed``: what was given, ``what``: what is asked."""
    aim = f"{100 * answer.target:g} % of people with their better arm"
    reached = f"{mean_of(answer.found.accuracy)} %"
    trial = f"80 in 100 trials: {range_of(answer.found.accuracy)} %"
    if not answer.reached:
        tried, way = "", ", plan for more people"
        if isinstance(answer.place, int):
            tried, way = f" up to {answer.place:,}", "" if fixed == WITHOUT else ", raise epsilon"
        return (
            f"No {what}{tried} reaches {aim} {fixed}: even {_place(answer.place)} the synthetic "
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
    return f"{text}: {reached} ({trial}). {step} {error}"


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


def with_picture(document: Document, curves: Mapping[int, Curve], n: int) -> Document:
    """Return a plan with its figure at the end."""
    figure, ((axes,),) = panels(7.6, 4.6)
    draw_plan(curves, n, axes)
    words = f"Lines rise with epsilon, one for each of {', '.join(f'{one:,}' for one in curves)} "
    words += "people; the table holds the numbers."
    caption = f"People given their better arm by epsilon; the band holds 80 in 100 trials of {n:,}."
    section = document.sections[0]
    blocks = (*section.blocks, Picture(caption, words, Drawing(svg_text(figure))))
    return replace(document, sections=(replace(section, blocks=blocks),))


@styled()
def save_plan(curves: Mapping[int, Curve], n: int, title: str, path: Path) -> None:
    """Write the figure; the ending of the path decides the format."""
    figure, ((axes,),) = panels(7.6, 4.6)
    draw_plan(curves, n, axes)
    headed(
        axes,
        f"{short(title, 80)}\nmean over synthetic trials ± simulation error; band: 80 in 100 "
        f"trials of {n:,} people",
    )
    save(figure, path)
