r"""Half-widths of the privacy noise in coefficients, also where its law depends on the data.

For output perturbation the law of the noise is public, and a release knows its half-widths. Those
of a regression, whose score is a part or a difference of what is released, are drawn from that law,
and no trial is needed. Under objective perturbation the noise in θ passes through the curvature of
the data, so its law is sensitive. What it may be is simulated:

.. math:: \theta^* - \hat\theta \approx -(\nabla^2 F)^{-1} b, \qquad
          t_j = \varphi_j \cdot \text{quantile of } |\theta^*_j - \hat\theta_j|

with F that of random trials inside the declared bounds, and the quantile over trials and draws of
b. Nothing goes in but a released rule: its certificate, encoding and declaration say what was known
before a row was read. Features of one kind look alike by that, so they share one t. Where the score
is made of several released coefficients, as in arm-wise regression, θ is what the score uses.

``simultaneous`` is the ± of the privacy noise: in 95 of 100 releases the noise of no coefficient
goes beyond it. What stands out is judged by ``dpwerm.documents.null_trials``, chance included.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

import numpy as np

from dpwerm.arrays import FloatArray
from dpwerm.choose.hyperparameters import Hyperparameters
from dpwerm.choose.question import ANY, FEWEST_ROWS, TIGHT, Question
from dpwerm.choose.search import Rehearsal
from dpwerm.choose.settle import SPREAD, outcome_of
from dpwerm.draws import Draws
from dpwerm.errors import ParameterError
from dpwerm.features.encoding import Encoding
from dpwerm.mechanisms.contract import Calibration
from dpwerm.objective.losses import Loss
from dpwerm.parameters import real
from dpwerm.releases.certificate import calibration_of
from dpwerm.releases.release import Rule
from dpwerm.simulate.engine.released import inside_noise, outside_noise
from dpwerm.simulate.synthetic import generator
from dpwerm.solve.batch import minimise_batch
from dpwerm.solve.batch_problems import BatchProblems
from dpwerm.text import number

IN_THE_MIDDLE = 1e-9
"""A centre this near to the middle of the range, in units of half of it, is the middle."""


def question_of(rule: Rule) -> Question:
    """Return the question of a released rule, everything fixed, in units of W.

    Of a tuned rule, n and the budget are those of the fit that was released. Where a tightness
    found that bounds are tight, synthetic trials are.
    """
    certificate, encoding = rule.release.certificate, rule.release.encoding
    if certificate.n is None:
        raise ParameterError("the rule does not say from how many people it was learned")
    spec, declaration = certificate.specification(), rule.declaration
    outcome = outcome_of(declaration)
    fixed = Hyperparameters.used(spec, encoding, declaration.benefit, rule.release.threshold)
    # The file does not say whether a centre in the middle was declared, so it counts as left open:
    # a rule file and the rule it was written from have the same outcome.
    left_open = outcome.signed and abs(outcome.centre) < IN_THE_MIDDLE
    by_design = declaration.treatment.probabilities is not None
    spread = SPREAD if left_open and not by_design else 0.0
    outcome = replace(outcome, spread=spread, degree=int(fixed.degree or 1))
    tight = rule.tightness is not None and rule.tightness.tight
    form = TIGHT if tight else ANY
    return Question(spec, encoding, certificate.n, outcome, fixed, form=form)


def calibration_for(rule: Rule, question: Question) -> Calibration:
    """Return the calibration of the rule's mechanism for W = 1: γ and the noise scale with W."""
    certificate = rule.release.certificate
    return question.calibration(question.fixed, certificate.gamma / certificate.weight_bound)


SEED = 95026
"""Of the trials and the noise here; hyperparameters are chosen on trials of another seed."""

EFFORT = 2e9
"""Rows times squared columns times fits; beyond it fewer rows stand for all, and count for more."""

MOST_ROWS = 1_000
MOST_COEFFICIENTS = 64
NEAR = 0.01
"""How near to each minimiser, as a share of what the noise does to a coefficient."""

UNKNOWN = "the loss or the hyperparameters of the rule are not known to this installation"
MIDDLE = (0.1, 0.9)
QUANTILE: Final = "median_unbiased"


@dataclass(frozen=True, eq=False)
class SimulatedHalfWidths:
    """Half-widths of the noise in each effect, on synthetic trials.

    pointwise : (p,), over all trials and draws; low, high : (p,), the 10 % and 90 % points over
    trials of each trial's own half-width: what the unknown data may change; simultaneous : (p,),
    c·pointwise, with P(max_j |d_j|/pointwise_j ≤ c) = coverage over all trials and draws: no
    coefficient goes beyond it; inside : whether the noise passes through the curvature of the data
    """

    pointwise: FloatArray
    low: FloatArray
    high: FloatArray
    simultaneous: FloatArray
    problems: int
    draws: int
    coverage: float
    inside: bool = True

    @property
    def among_trials(self) -> tuple[FloatArray, FloatArray]:
        """What ``simultaneous`` is in 8 of 10 trials, each (p,)."""
        wider = self.simultaneous / self.pointwise
        return wider * self.low, wider * self.high

    @property
    def words(self) -> str:
        """Say what the half-widths are, and what they are not."""
        if not self.inside:
            return (
                "± is simulated by the exact law of the noise, which does not depend on the data: "
                "the privacy noise moved no coefficient by more than its ± in "
                f"{100 * self.coverage:g} of 100 releases. It is not sampling error."
            )
        least = number((self.low / self.pointwise).min(), digits=2)
        most = number((self.high / self.pointwise).max(), digits=2)
        return (
            f"± is simulated: on {self.problems} synthetic trials inside the same bounds, none "
            "of them yours, the privacy noise moved no coefficient by more than its ± in "
            f"{100 * self.coverage:g} of 100 releases. It is not sampling error. The real "
            "half-width depends on the data, so it is sensitive and not published. In 8 of 10 "
            f"synthetic trials it lay between {least} and {most} times the value shown."
        )


def simultaneous(rule: Rule, simulated: SimulatedHalfWidths | None = None) -> FloatArray | None:
    """Return the ± of each effect, by the law of the noise or simulated; None if it is not known.

    In 95 of 100 releases the noise of no effect goes beyond it. All 0 where there is no noise.
    """
    exact = rule.release.effect_half_widths(simultaneous=True)
    return simulated.simultaneous if exact is None and simulated is not None else exact


def why_not(rule: Rule) -> str:
    """Return in plain words why nothing is simulated for a rule, "" where something is."""
    found = _obstacle(rule)
    return f"Nothing is simulated: {found}." if found else ""


def _obstacle(rule: Rule) -> str:
    certificate = rule.release.certificate
    if not certificate.budget.is_private:
        return "no noise was added"
    if rule.release.half_width() is not None:
        return "the law of the noise is public, so its half-width is exact"
    return _no_law(rule) if certificate.perturbation is None else no_trials(rule)


def _no_law(rule: Rule) -> str:
    """Return why nothing is drawn from the public law of the noise, "" where it is."""
    try:
        _calibration(rule)
    except ParameterError:
        return UNKNOWN
    return _too_many(len(rule.release.encoding.coefficient_names))


def _too_many(count: int) -> str:
    if count <= MOST_COEFFICIENTS:
        return ""
    many = f"the rule has {count} coefficients"
    return f"{many}, and a report simulates at most {MOST_COEFFICIENTS}"


def no_trials(rule: Rule) -> str:
    """Return why there are no synthetic trials of a rule, "" where there are."""
    certificate = rule.release.certificate
    if certificate.n is None:
        return "under add_remove the number of people is sensitive and not in the rule"
    count = certificate.dimension
    if certificate.weighting is not None:  # a score is made of several, and they are not counted
        count = len(rule.release.encoding.coefficient_names)
    if found := _too_many(count):
        return found
    try:
        if certificate.design.options is None:
            return f"there are no synthetic trials for the design {certificate.design.name}"
        calibration_for(rule, question_of(rule))
    except ParameterError:
        return UNKNOWN
    return ""


def simulated_half_widths(
    rule: Rule, *, coverage: float = 0.95, problems: int = 96, draws: int = 50
) -> SimulatedHalfWidths | None:
    """Return the simulated half-widths of the noise, None where ``why_not`` gives a reason.

    The same rule has the same answer at each call. problems, draws : random trials, and releases of
    each, at least 2.
    """
    if not 0 < real("coverage", coverage) < 1:
        raise ParameterError(f"coverage must be above 0 and below 1, not {coverage:g}")
    if min(problems, draws) < 2:
        raise ParameterError("problems and draws must be at least 2")
    if why_not(rule):
        return None
    encoding = rule.release.encoding
    inside = rule.release.certificate.perturbation is not None
    sizes_of = _sizes_on_trials if inside else _sizes_by_law
    sizes = sizes_of(rule, problems, draws) * encoding.stretch
    pointwise, low, high = (np.empty(sizes.shape[-1]) for _ in range(3))
    for places in alike(encoding):
        pointwise[places] = np.quantile(sizes[..., places], coverage, method=QUANTILE)
        low[places], high[places] = _middle(sizes[..., places], coverage)
    low, high = np.minimum(low, pointwise), np.maximum(high, pointwise)
    most = np.quantile((sizes / pointwise).max(axis=-1), coverage, method=QUANTILE)
    joint = np.maximum(most, 1.0) * pointwise
    return SimulatedHalfWidths(pointwise, low, high, joint, problems, draws, coverage, inside)


def simulated_by_law(rule: Rule) -> SimulatedHalfWidths | None:
    """Return the half-widths that are drawn from a public law without a trial, None for others."""
    inside = rule.release.certificate.perturbation is not None
    return None if inside else simulated_half_widths(rule)


def _calibration(rule: Rule) -> Calibration:
    """Return the calibration of the release."""
    certificate = rule.release.certificate
    return calibration_of(certificate.specification(), rule.release.encoding, certificate.n)


def _sizes_by_law(rule: Rule, problems: int, draws: int) -> FloatArray:
    """Return |Z| of every draw and coefficient of the score, (B, R, p), Z the noise that is added.

    It is the same for every trial.
    """
    release, calibration = rule.release, _calibration(rule)
    base = Draws.of((problems, draws), calibration.facts.dimension, generator(SEED, 2))
    moved = outside_noise(calibration, base)
    return np.asarray(np.abs(release.certificate.design.rules(moved, release.encoding)))


def _sizes_on_trials(rule: Rule, problems: int, draws: int) -> FloatArray:
    """Return |θ* − θ̂| of every trial, draw and coefficient of the score, (B, R, p)."""
    question = question_of(rule)
    calibration = calibration_for(rule, question)
    spec, encoding = question.designed(question.fixed)
    p = calibration.facts.dimension
    affordable = EFFORT / (problems * draws * p**2)
    rows = question.rows(affordable, MOST_ROWS, fewest=max(FEWEST_ROWS, 5 * p))
    rng = generator(SEED, 1)
    trials = question.trials(problems, rows, rng)
    rehearsal = Rehearsal(question, trials, draws, (SEED, 2), question.n / rows)
    data = rehearsal.problems(question.fixed)
    moved = _moved(data, spec.loss, calibration, Draws.of((problems, draws), p, generator(SEED, 2)))
    return np.asarray(np.abs(spec.weighting.rules(moved, encoding)))


def _moved(data: BatchProblems, loss: Loss, calibration: Calibration, draws: Draws) -> FloatArray:
    """Return θ* − θ̂ of noise b inside the objective, (B, R, P)."""
    b = inside_noise(calibration, draws)
    if b is None:  # a certificate with noise inside is of a mechanism that has some
        raise ParameterError(f"mechanism {calibration.mechanism} has no noise inside the objective")
    facts = calibration.facts
    # A gradient of at most γτ does NEAR of what b does, whatever the curvature.
    solve = partial(
        minimise_batch,
        data,
        loss,
        facts.gamma,
        tolerance=NEAR * float(b.std(axis=(0, 1)).min()) / facts.gamma,
        regularizer=facts.regularizer,
    )
    return np.asarray(solve(linear_term=b).theta - solve().theta[:, None])


def _middle(sizes: FloatArray, coverage: float) -> FloatArray:
    """Return the 10 % and 90 % points over trials of each trial's own half-width; (B, R, k) in.

    A half-width from R draws scatters even where all trials are alike. What two halves of the
    draws agree on does not, so the points move towards the middle by that share of the spread.
    """
    whole, even, odd = (
        np.log(np.quantile(part, coverage, axis=1, method=QUANTILE))
        for part in (sizes, sizes[:, ::2], sizes[:, 1::2])
    )
    agreed = float(np.mean((even - even.mean()) * (odd - odd.mean())))
    total = float(whole.var())
    share = np.sqrt(min(max(agreed, 0.0) / total, 1.0)) if total > 0 else 0.0
    centre = np.median(whole)
    return np.asarray(np.exp(centre + share * (np.quantile(whole, MIDDLE) - centre)))


def alike(encoding: Encoding) -> Iterator[list[int]]:
    """Yield the places of coefficients that look alike: the intercept, and each kind of feature."""
    start = int(encoding.intercept > 0)
    if start:
        yield [0]
    kinds: dict[tuple[str, int], list[int]] = {}
    for block in encoding.blocks:
        kind = (type(block).__name__, block.width)
        kinds.setdefault(kind, []).extend(range(start, start + block.width))
        start += block.width
    yield from kinds.values()
