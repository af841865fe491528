"""How a rule was learned, in words: its estimator, what that rests on, and what its score means.

Centre, clip and sides of the centre are words of outcome weighted learning alone. A regression has
an estimator to be named, a width T in the benefit's own units, and a score that is shrunk.
"""

from collections.abc import Mapping
from typing import Protocol

from dpwerm.documents.own_units import clip_words, no_weight_words, one_side_words, zero_words
from dpwerm.objective.regularizers import ArmPenalty
from dpwerm.releases.ranges import BENEFIT
from dpwerm.releases.release import Rule
from dpwerm.study.variables import Benefit
from dpwerm.text import number
from dpwerm.weighting.contract import OUTCOME_WEIGHTED, Weighting

CURVES = {2.0: "squares of numbers", 3.0: "squares and cubes of numbers"}


def is_outcome_weighted(rule: Rule) -> bool:
    """Whether a rule comes from outcome weighted learning, with its centre and clip."""
    return rule.release.certificate.weighting is None


def called(design: Weighting) -> str:
    """Return what an estimator is called."""
    if design.name == OUTCOME_WEIGHTED.name:
        return "outcome weighted learning"
    return f"{design.name} regression" if design.form == "residual" else design.name


def rests_on(design: Weighting) -> str:
    """Return what an estimator rests on, "" if it does not say."""
    curves = CURVES.get(design.parameters.get("degree", 1.0))
    return design.rests_on + (f"; what both arms share may bend, by {curves}" if curves else "")


def learning_words(rule: Rule, *, brief: bool = False) -> str:
    """Say how the rule was learned: the clip of outcome weights, or estimator and width.

    brief : leave out the width
    """
    if is_outcome_weighted(rule):
        return clip_words(rule.declaration.benefit)
    design = rule.release.certificate.design
    rests = f", which rests on {rests_on(design)}" if design.rests_on else ""
    words = f"The rule was learned by {called(design)}{rests}."
    width = _width(rule.release.certificate.loss, rule.fitted_benefit)
    if width and not brief:
        words += " The pull of one person's benefit stops growing where the fit misses it by more "
        words += f"than about T = {width}."
    return words


def warning_words(rule: Rule) -> str:
    """Say when a clip around the middle may leave nothing to learn from; "" for regressions."""
    return one_side_words(rule.declaration.benefit) if is_outcome_weighted(rule) else ""


def unweighted_words(rule: Rule) -> str:
    """Say who may have weight 0 by what is declared."""
    if is_outcome_weighted(rule):
        return no_weight_words(rule.declaration)
    design = rule.release.certificate.design
    return zero_words(rule.declaration, chances=design.uses_probabilities)


def unit_of(benefit: Benefit) -> str:
    """Return the unit of a benefit after its transform."""
    log = "" if benefit.transform == "identity" else f"the {benefit.transform} of "
    return f"units of {log}{benefit.column}"


def shrunk_unit(rule: Rule) -> float | None:
    """Return times what a score is the shrunk difference between the arms, in the benefit's units.

    None where a score is no such difference.
    """
    lower, upper = rule.fitted_benefit.range
    factor = rule.release.certificate.design.difference
    return factor * (upper - lower) / 2 if factor else None


def shrunk_words(rule: Rule) -> str:
    """Say what a score is in the benefit's units, "" where it is nothing there."""
    unit, (first, second) = shrunk_unit(rule), rule.arms
    if unit is None:
        return ""
    return (
        f"A score times {number(unit)} is by how many {unit_of(rule.declaration.benefit)} "
        f"{second!r} is better than {first!r}, shrunk towards 0 by penalty and noise: a score, "
        "shrunk, and no estimate of an effect."
    )


class Named(Protocol):
    """One of a registry, or its record: a loss or a penalty."""

    @property
    def name(self) -> str:
        """Its name."""

    @property
    def parameters(self) -> Mapping[str, float]:
        """Its parameters."""


def method_rows(rule: Rule) -> dict[str, str]:
    """Return a row for each part of a regression; none for outcome weights."""
    certificate = rule.release.certificate
    parts = certificate.design, certificate.loss, certificate.regularizer
    private = any(one.of == BENEFIT for one in rule.ranges)
    return rows_of(*parts, rule.fitted_benefit, private=private)


def rows_of(
    design: Weighting, loss: Named, penalty: Named, benefit: Benefit, *, private: bool = False
) -> dict[str, str]:
    """Return a row for each part of a regression; none for outcome weights.

    private : whether the benefit's bounds are those of a private range
    """
    if design.name == OUTCOME_WEIGHTED.name:
        return {}
    rests = f"; rests on {rests_on(design)}" if design.rests_on else ""
    rows = {"estimator": f"{called(design)}{rests}"}
    width = _width(loss, benefit)
    if width:
        share, kind = number(loss.parameters["width"]), "private range" if private else "range"
        rows["width"] = f"T = {width}, {share} of half the {kind}"
    if "mean" in design.parameters:
        mean = number(design.parameters["mean"], digits=6)
        rows["mean"] = "none" if mean == "0" else f"a column of {mean} for the benefit's mean"
    if penalty.name == ArmPenalty.name:
        shared, between = (number(penalty.parameters[key]) for key in ("main", "contrast"))
        rows["penalty"] = f"{shared} gamma on what the arms share, {between} gamma between them"
        if "bend" in penalty.parameters:
            bend = number(penalty.parameters["bend"])
            rows["penalty"] += f"; on shared curves {bend} times the first"
    return rows


def _width(loss: Named, benefit: Benefit) -> str:
    """Return T in the benefit's own units, "" for a loss without one."""
    width = loss.parameters.get("width")
    if width is None:
        return ""
    lower, upper = benefit.range
    return f"{number(width * (upper - lower) / 2, digits=3)} {unit_of(benefit)}"
