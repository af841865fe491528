"""What a rule may pay for besides its fit: private ranges before it, a guard after it.

Each takes a share of ε that was fixed before a row was read. The ranges that are released take the
place of the declared bounds; the guard may put one arm for everybody in the place of the rule.
"""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from dpwerm.arrays import FloatArray
from dpwerm.errors import ParameterError
from dpwerm.features.encoding import Encoding
from dpwerm.mechanisms.contract import Stage
from dpwerm.privacy.budget import Budget
from dpwerm.privacy.randomness import BitSource
from dpwerm.releases.certificate import Specification
from dpwerm.releases.guard import Guard, mechanism, units_of
from dpwerm.releases.kinds import Finding
from dpwerm.releases.ranges import (
    BENEFIT,
    FEATURES,
    Ranges,
    benefit_column,
    number_columns,
    numbers_of,
    steps,
)
from dpwerm.releases.release import Rule
from dpwerm.releases.tightness import AMONG, TOGETHER, Tightness
from dpwerm.releases.tightness import law as law_of_tightness
from dpwerm.study.propensity import NoPropensity, RidgePropensity
from dpwerm.study.treatment import Declaration, received_probabilities
from dpwerm.weighting.trial import Trial, second_arm


def check_parts(
    parts: Mapping[str, Budget],
    spec: Specification,
    encoding: Encoding,
    declaration: Declaration | None,
) -> None:
    """Raise if private ranges or a guard cannot be had with what is fixed; nothing is read.

    spec : with the estimator; encoding : as the fit has it, but for the ranges
    """
    if not parts:
        return
    if declaration is None:
        raise ParameterError(f"{' and '.join(parts)} need a treatment and a benefit")
    within = [name for name in parts if name != "tightness"]
    if within and spec.weighting.form != "residual":
        raise ParameterError(
            f"{' and '.join(within)} need a regression, and the estimator is "
            f"{spec.weighting.name}: name estimator contrast or arm-wise"
        )
    numbers, filled = len(number_columns(encoding)), columns_to_fill(declaration, encoding)
    for name, count in (
        ("tightness", len(filled)),
        ("ranges", 1),
        ("feature_ranges", numbers),
    ):
        if name not in parts:
            continue
        if not spec.relation.publishes_n:
            raise ParameterError(f"{name}: needs relation replace_one, because it divides by n")
        if not count:
            raise ParameterError(f"{name}: there is no number, so leave it out")
        if name == "tightness":
            law_of_tightness(count, 1, parts[name])
        else:
            steps(count, parts[name])
    if "guard" not in parts:
        return
    if not encoding.intercept:
        raise ParameterError("a guard needs an intercept, which one arm for everybody is")
    model = declaration.treatment.propensity
    if isinstance(model, NoPropensity | RidgePropensity):
        raise ParameterError(
            "a guard needs probabilities of the arms that no other person's record moves, and "
            f"propensity is {model.model!r}: declare others, or leave the guard out"
        )
    mechanism(parts["guard"], spec.relation)


SHARES = ("tightness", "ranges", "feature_ranges", "guard")
"""What may be paid for beside a rule, in the order in which it is drawn."""

RANGES = {BENEFIT: "ranges", FEATURES: "feature_ranges"}
"""What pays for which private ranges."""


def columns_to_fill(declared: Declaration, encoding: Encoding) -> dict[str, tuple[str, ...]]:
    """Return the names of what a tightness is of: numbers, and the benefit if it is one.

    A benefit with two values fills its bounds whatever they are.
    """
    own = () if declared.benefit.values == 2 else (BENEFIT,)
    numbers = tuple(one.name for one in number_columns(encoding))
    return {of: names for of, names in ((BENEFIT, own), (FEATURES, numbers)) if names}


def tightness_of(
    parts: Mapping[str, Budget],
    declared: Declaration,
    encoding: Encoding,
    trial: Trial,
    bits: BitSource,
    on_stage: Stage,
) -> Tightness | None:
    """Return the private tightness, None if none is paid for."""
    if "tightness" not in parts:
        return None
    on_stage("private tightness")
    u = {
        BENEFIT: declared.benefit.scaled(trial.outcome)[:, None],
        FEATURES: numbers_of(encoding, trial.encode),
    }
    columns = columns_to_fill(declared, encoding)
    return Tightness.released(columns, u, parts["tightness"], bits.substream())


def range_of_benefit(
    parts: Mapping[str, Budget],
    declared: Declaration,
    trial: Trial,
    bits: BitSource,
    on_stage: Stage,
) -> Ranges | None:
    """Return the private range of the benefit, None if none is paid for."""
    if "ranges" not in parts:
        return None
    on_stage("private range of the benefit")
    u, columns = declared.benefit.scaled(trial.outcome), benefit_column(declared.benefit)
    return Ranges.released(BENEFIT, columns, u[:, None], parts["ranges"], bits.substream())


def ranges_of_features(
    parts: Mapping[str, Budget],
    encoding: Encoding,
    trial: Trial,
    bits: BitSource,
    on_stage: Stage,
) -> Ranges | None:
    """Return the private ranges of the numbers among the features, None if none are paid for."""
    if "feature_ranges" not in parts:
        return None
    on_stage("private ranges of the features")
    rows, columns = numbers_of(encoding, trial.encode), number_columns(encoding)
    return Ranges.released(FEATURES, columns, rows, parts["feature_ranges"], bits.substream())


def guarded(
    rule: Rule,
    budget: Budget | None,
    inside: Declaration,
    trial: Trial,
    X: FloatArray,
    bits: BitSource,
) -> Rule:
    """Return the rule after the private choice between it and each arm; as it is without a budget.

    inside : the declaration inside the private ranges
    X : the rows that were fitted, encoded
    """
    if budget is None:
        return rule
    release, treatment = rule.release, inside.treatment
    encoding, weighting = release.encoding, release.certificate.design
    grid = 2.0**release.exponent
    theta = np.array([float(k) * grid for k in release.integers])
    middle = weighting.middle(theta, encoding.learning_rows(X), encoding)
    residual = inside.benefit.scaled(trial.outcome) - middle
    second = second_arm(inside, trial, declared_encoding(rule), rule.propensity)
    probability = received_probabilities(treatment, trial.arm, second)
    units = units_of(trial.arm, residual, probability, treatment.pi_min)
    told = np.where(rule.arms_for(release.score(X)) == rule.arms[1], 1.0, -1.0)
    guard = Guard.of(units, told, budget, release.certificate.relation, bits.substream())
    return replace(rule, release=replace(release, everybody=guard.sign), guard=guard)


# -- what a rule file must say ---------------------------------------------------------------


def declared_encoding(rule: Rule) -> Encoding:
    """Return the encoding with the bounds that were declared, before private ranges."""
    encoding = rule.release.encoding
    for one in rule.ranges:
        if one.of == FEATURES:
            encoding = one.undone(encoding)
    return encoding


def ranges_findings(rule: Rule) -> list[Finding]:
    """Return the checks of private ranges: of these rows, and those inside which the fit ran."""
    certificate, used = rule.release.certificate, rule.release.encoding
    found = []
    for one in rule.ranges:
        what = f"private ranges, {one.of}"
        found.append(Finding(f"{what}: n", one.n, certificate.n))
        if one.of == BENEFIT:
            declared = benefit_column(rule.declaration.benefit)
            found.append(Finding(f"{what}: column", one.columns, declared))
            continue
        names = [column.name for column in one.columns]
        numbers = [column.name for column in number_columns(used)]
        found.append(Finding(f"{what}: columns", names, numbers))
        if names == numbers:
            derived = one.encoding(one.undone(used)).to_dict()
            found.append(Finding(f"{what}: bounds of the fit", used.to_dict(), derived))
    if len({one.of for one in rule.ranges}) < len(rule.ranges):
        found.append(Finding("private ranges", "twice of the same", "once of each"))
    return found


def tightness_findings(rule: Rule) -> list[Finding]:
    """Return the checks of a private tightness: of these rows and columns, and what it decided."""
    one, certificate = rule.tightness, rule.release.certificate
    reason = "" if certificate.chosen is None else certificate.chosen.reason
    said = [words in reason for words in AMONG]
    if one is None:
        return [Finding("tightness", "none", "one that decided")] if any(said) else []
    names = columns_to_fill(rule.declaration, declared_encoding(rule))
    if TOGETHER in one.columns:
        names = {TOGETHER: tuple(each for some in names.values() for each in some)}
    return [
        Finding("tightness: n", one.n, certificate.n),
        Finding("tightness: columns", one.columns, names),
        Finding("tightness: answer for it", said, [one.tight, not one.tight]),
    ]


def parts_findings(rule: Rule) -> list[Finding]:
    """Return the checks of all that is beside the rule: chosen and paid for, as a fit allows."""
    certificate = rule.release.certificate
    paid: dict[str, Budget] = {} if rule.tightness is None else {"tightness": rule.tightness.budget}
    paid |= {RANGES[one.of]: one.budget for one in rule.ranges}
    paid |= {} if rule.guard is None else {"guard": rule.guard.budget}
    chosen = [] if certificate.chosen is None else certificate.chosen.settings
    found = [Finding(f"{name}, chosen", name in paid, True) for name in SHARES if name in chosen]
    if not paid:
        return found
    allowed = said = "as a fit allows"
    try:
        spec = certificate.specification()
        check_parts(paid, spec, declared_encoding(rule), rule.declaration)
    except ParameterError as error:
        said = str(error)
    return [*found, Finding(" and ".join(paid), said, allowed)]


def guard_findings(rule: Rule) -> list[Finding]:
    """Return the check that a rule gives what its guard chose."""
    chosen = 0 if rule.guard is None else rule.guard.sign
    if rule.guard is None and not rule.release.everybody:
        return []
    return [Finding("guard, one arm for everybody", rule.release.everybody, chosen)]
