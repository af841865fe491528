"""A plan: what to expect of a rule before any data is touched, all of it simulated."""

import math
from collections.abc import Iterator, Mapping, Sequence

from dpwerm.choose.settle import MOST_COLUMNS, outcome_of
from dpwerm.documents.document import Block, Document, Facts, Paragraph, Section, Table
from dpwerm.documents.method import called, rows_of
from dpwerm.documents.plan_tables import (
    COLUMNS,
    RANGE,
    by_features,
    by_scale,
    counted,
    figures,
    mean_of,
    range_of,
)
from dpwerm.documents.summary import odds_words
from dpwerm.plan.assumed import half_range
from dpwerm.plan.desk import Desk
from dpwerm.plan.expected import Expected, Settled
from dpwerm.plan.smallest import MOST_HARM, WORTH_GAIN, Aim, Answer
from dpwerm.privacy.budget import Budget, total
from dpwerm.releases.tightness import AMONG
from dpwerm.simulate.scale import FITTING_SD
from dpwerm.study.study import Study
from dpwerm.study.variables import Benefit
from dpwerm.text import at_most, number

WITHOUT = "without privacy"
EPSILONS = ("0.1", "0.2", "0.5", "1", "2", "5", "inf")
MUCH_TOO_WIDE = 1.5
"""From so many times too wide on a plan says how wide bounds are."""

USUAL = "1"
"""The ε at which a plan is looked into where none is asked for."""


def plan_document(desk: Desk, n: int | None, epsilon: str | None, aim: Aim | None) -> Document:
    """Return the plan of a study.

    With an aim the smallest ε for n people is found, or the smallest n at ε; without one, what to
    expect of n people at ε, or at several.
    """
    study = desk.study
    found = expectation(desk, n or 1, epsilon)
    if aim is not None:
        found = aimed(desk, aim, n, epsilon)
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
    read = (
        "Nothing was read but the study file. All figures come from synthetic trials inside its "
        "bounds, other ones than those on which hyperparameters are chosen, and cost no privacy. "
    )
    benefit = study.benefit
    if benefit.expected_sd is not None:
        times = FITTING_SD * half_range(benefit) / benefit.expected_sd
        wide = f"{times:.2g} times too wide" if times >= MUCH_TOO_WIDE else "not too wide"
        varies = "how much the arms' difference varies between people is left to chance"
        if benefit.expected_effect_sd is not None:
            varies = "what one arm gains over the other varies between people with an sd of "
            varies += f"{number(benefit.expected_effect_sd)}"
        return (
            f"{read}They take for granted what the study expects: within an arm the benefit has an "
            f"sd of {number(benefit.expected_sd)} {unit_of(benefit)}, for which the bounds are "
            f"{wide}, and {varies}. Both are guesses; if the trial differs, so does what it gives. "
            "All else is left to chance: where benefits lie, who is better off with which arm, "
            "which features matter, and how well their bounds fit (docs/plan.md)."
        )
    return (
        f"{read}They take for granted that there is something to learn. A third of them is "
        "declared tightly: there the gain from one arm to the other varies between people by "
        f"{_gains_vary(study)}, which is 0.2 to 0.7 of half the benefit's range, and benefits lie "
        f"{_benefits_lie(study)}. In the others bounds are far too wide, benefits lie anywhere "
        "inside them, and what both arms share may matter more than the arm. A real trial may be "
        "easier or harder: declare expected_sd and expected_effect_sd if the protocol knows them "
        "(docs/plan.md)."
    )


def unit_of(benefit: Benefit) -> str:
    """Return the units of the benefit after its transform."""
    unit = f"the log of {benefit.column}" if benefit.transform == "log" else benefit.column
    return f"units of {unit}"


def _gains_vary(study: Study) -> str:
    """Return how much gains vary in the synthetic trials, on the scale of the benefit."""
    half = half_range(study.benefit)
    least, most = (number(share * half, digits=2) for share in (0.2, 0.7))
    return f"{least} to {most} {unit_of(study.benefit)}"


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


def aimed(desk: Desk, aim: Aim, n: int | None, epsilon: str | None) -> Iterator[Block]:
    """Yield the smallest ε or n that reaches an aim."""
    if n is not None:
        found = desk.smallest_epsilon(aim, n)
        yield Paragraph(answer_words(found, f"with {counted(n)}", "epsilon"))
        if found.reached:
            yield from odds([found.place], desk.study.relation)
        yield from over_total(desk.study, [found.place])
    elif epsilon is not None:
        fixed = WITHOUT if epsilon == "inf" else f"at epsilon = {epsilon}"
        answer = desk.smallest_n(aim, epsilon)
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
        for form in settled.forms:
            yield from hyperparameters(form, n)
        if settled.spec.is_outcome_weighted:
            yield from clips(desk.clips(epsilon, n), settled.clip)
    finite = [one for one in found if one != "inf"]
    if finite:
        looked_into = epsilon if epsilon in found else USUAL if USUAL in found else finite[-1]
        yield from by_scale(desk, looked_into, n)
        if epsilon is not None:
            yield from by_features(desk, looked_into, n)
    yield from odds(wanted, desk.study.relation)


def expected_table(found: Mapping[str, tuple[Settled, Expected]], n: int) -> Iterator[Block]:
    """Yield the table of accuracy and value by ε, and how to read it."""
    rows: list[tuple[str, ...]] = []
    for epsilon, (settled, last) in found.items():
        name = "no privacy" if epsilon == "inf" else epsilon
        used = [(one.spec.weighting.name, one.spec.mechanism) for one in settled.forms]
        both = (" or ".join(dict.fromkeys(words)) for words in zip(*used, strict=True))
        rows.append((name, *figures(last), *both))
    single = (mean_of(last.single_accuracy), range_of(last.single_accuracy))
    rows.append(("one arm for all", "0", "", "0", *single, "", ""))
    caption = f"What to expect of a rule learned from {counted(n)}:"
    yield Table(caption, ("epsilon", *COLUMNS, "estimator", "mechanism"), tuple(rows))
    yield Paragraph(
        "Gain: of what the better arm for each gains over the better single arm for everybody, the "
        "share that is attained; below 0 the rule is worse than that arm. Harm: the share of rules "
        "that are worse by more than 1 % of it. Right arm: the share of people who are given the "
        f"arm that is better for them. All are means over {last.trials} synthetic trials; ± is the "
        "error of the simulation (95 %), and the range beside it holds 80 in 100 trials of either "
        "kind, with features declared tightly and not. One arm for all: the better single arm for "
        "everybody, without looking at features."
    )
    if last.rows < n:
        rest = ""
        if next(iter(found.values()))[0].question.encoding.n_columns > MOST_COLUMNS:
            rest = f", and with {MOST_COLUMNS} columns that stand for all"
        yield Paragraph(
            f"Each trial was simulated with {last.rows:,} rows that stand for {n:,} people{rest}: "
            "with all of them the figures would be slightly better."
        )


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
        **{name.replace("_", " "): str(cost) for name, cost in settled.parts.items()},
    }
    whole, part = settled.cost, ""
    if settled.propensity_part is not None:
        whole, part = total(settled.propensity_part, whole), f" for the rule's part, {whole}"
    at = f"at {whole}" if whole.is_private else WITHOUT
    where = ""
    if "tightness" in settled.parts and spec.chosen is not None:
        loose = AMONG[1] in spec.chosen.reason
        where = f", where the private tightness finds bounds {'far too wide' if loose else 'tight'}"
    yield Facts(tuple(rows.items()), f"What a fit {at} with {counted(n)} would use{part}{where}:")
    if spec.chosen is None:
        yield Paragraph("The study sets gamma, so nothing is chosen by simulation.")


def clips(found: Mapping[float, tuple[Settled, Expected]], used: float) -> Iterator[Block]:
    """Yield the effect of V: accuracy and value at other clips, all else chosen anew."""
    rows = []
    for share, (settled, one) in found.items():
        clip = number(settled.declared.benefit.clip)
        mark = "used" if abs(share - used) < 1e-9 else ""
        rows.append((clip, f"{share:.0%}", *figures(one), mark))
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
    aim, found = aim_words(answer.aim), answer.found
    figures = (
        f"gain {mean_of(found.gain)} % ({RANGE}: {range_of(found.gain)} %), harm "
        f"{100 * found.harm:.0f} %, right arm {mean_of(found.accuracy)} % ({RANGE}: "
        f"{range_of(found.accuracy)} %)"
    )
    if not answer.reached:
        tried, way = "", ", plan for more people"
        if isinstance(answer.place, int):
            tried, way = f" up to {answer.place:,}", "" if fixed == WITHOUT else ", raise epsilon"
        lower = "Ask for less" if answer.aim.accuracy is None else "Lower the target"
        return (
            f"No {what}{tried} reaches {aim} {fixed}: even {_place(answer.place)} the synthetic "
            f"trials reach {figures}. {lower}{way}, or change what the study measures."
        )
    number = f"{answer.place:,}" if isinstance(answer.place, int) else answer.place
    text = f"The smallest {what} for {aim} {fixed} is {number}"
    if answer.place == "inf":
        text = f"Only without privacy is {aim} reached {fixed}"
    step = "That is the smallest value tried."
    if answer.below is not None:
        place, last = answer.below
        reached = f"right arm is {mean_of(last.accuracy)} %"
        if answer.aim.accuracy is None:
            reached = f"gain is {mean_of(last.gain)} % and harm {100 * last.harm:.0f} %"
        step = f"One step below, {_place(place)}, {reached}."
    return f"{text}: {figures}. {step} {FIGURES_MEAN}"


FIGURES_MEAN = (
    "Gain: the share attained of what the better arm for each gains over one arm for everybody; "
    "harm: the share of rules worse than that arm. ± is the error of the simulation (95 %)."
)


def aim_words(aim: Aim) -> str:
    """Return what is aimed at."""
    if aim.accuracy is not None:
        return f"{100 * aim.accuracy:g} % of people with their better arm"
    return (
        f"a rule worth having (gain at least {WORTH_GAIN:.0%}, harm at most {MOST_HARM:.0%})"
    ).replace("%", " %")


def _place(place: str | int) -> str:
    if isinstance(place, int):
        return f"with {counted(place)}"
    return WITHOUT if place == "inf" else f"at epsilon = {place}"
