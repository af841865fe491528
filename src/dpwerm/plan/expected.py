r"""What a fit of a study would use at some ε and n, and what it may be worth, before any data.

The hyperparameters are those of a fit, asked for the planned number of people in the place of a
table. Nothing is read but the study file. What the rule may be worth is measured on fresh simulated
trials inside the bounds, fitted as planned:

.. math:: \text{share of attainable value} = \frac{V(T) - V(coin)}{V^* - V(coin)}
          = \frac{E[|\Delta(x)| (1(right) - 1(wrong))]}{E|\Delta(x)|}

Δ(x) is what one arm gains over the other. 0 is a coin for everybody, 1 the better arm for each. The
trials and their noise have another seed than those on which hyperparameters are chosen, so what won
by chance there does not win by chance here.
"""

import math
from collections.abc import Hashable
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from dpwerm.arrays import BoolArray, FloatArray
from dpwerm.choose.grid import floor_of
from dpwerm.choose.hyperparameters import Hyperparameters
from dpwerm.choose.question import Question
from dpwerm.choose.search import Rehearsal
from dpwerm.choose.settle import fixed_clip, narrowed
from dpwerm.errors import ParameterError
from dpwerm.estimators.parameters import declaration_of, problem_of
from dpwerm.estimators.treatment_rule import PrivateTreatmentRule
from dpwerm.mechanisms.contract import Stage, no_progress
from dpwerm.plan.assumed import Assumed
from dpwerm.privacy.budget import AnyBudget, Budget
from dpwerm.privacy.sensitivity import LARGEST_N
from dpwerm.problem import Problem
from dpwerm.releases.parts import SHARES
from dpwerm.simulate.judged import HARMS_BELOW, MOST_LOST, SyntheticTrials
from dpwerm.simulate.synthetic import generator
from dpwerm.study.study import Study
from dpwerm.weighting.trial import split


@dataclass(frozen=True, kw_only=True)
class Settled(Problem):
    """A planned fit: a settled problem with the rule's own budget, and the question behind it.

    ``loose`` is never set: ``or_loose`` is the fit that takes its place there.

    question : public, with everything fixed, in units of W
    propensity_part : what a private propensity model would take of the budget, None without one
    """

    question: Question
    propensity_part: Budget | None = None
    or_loose: "Settled | None" = None

    @property
    def forms(self) -> tuple["Settled", ...]:
        """The fit itself, and the one where the released tightness is small."""
        return (self,) if self.or_loose is None else (self, self.or_loose)

    @property
    def threshold(self) -> float:
        """Below this share of the largest, coefficients would be set to 0."""
        return self.hyperparameters.threshold or 0.0

    @property
    def clip(self) -> float:
        """V as a share of the largest clip."""
        return self.question.fixed.clip or 1.0

    @property
    def rows_key(self) -> tuple[Hashable, ...]:
        """What the rows of a fit depend on: equal keys share their problems."""
        spec = self.spec
        named = [(one.name, *one.parameters.items()) for one in (spec.weighting, spec.loss)]
        penalty = (spec.regularizer.name, *spec.regularizer.parameters.items())
        return (self.clip, self.encoding, *named, penalty)

    @property
    def gamma(self) -> float:
        """γ in units of W."""
        return self.spec.gamma / self.spec.weight_bound


def people_of(study: Study, n: int | None) -> int:
    """Return the planned number of people: ``n``, or what the study declares."""
    n = study.about.planned_n if n is None else n
    if n is None:
        raise ParameterError(
            "how many people are planned? Give --n, or planned_n in [study] of the study file"
        )
    if not 1 <= n <= LARGEST_N:
        raise ParameterError(f"n must be between 1 and {LARGEST_N:,}, not {n:,}")
    return n


def settle(
    study: Study,
    budget: AnyBudget,
    n: int,
    *,
    clip: float | None = None,
    mechanism: str | None = None,
    estimator: str | None = None,
    on_stage: Stage = no_progress,
) -> Settled:
    """Return what a fit would use.

    budget : the whole budget; a private propensity model takes its share first
    n : int in [1, 1e12], the planned number of people
    clip, mechanism, estimator : in the place of the study's; a clip is a share in (0, 1] of the
        largest
    """
    about = study.about.model_copy(update={"planned_n": n})
    planned = study.model_copy(update={"about": about})
    given_names = {"mechanism": mechanism, "estimator": estimator}
    named = {name: one for name, one in given_names.items() if one is not None}
    # A seed, because nothing is released: no total can be exceeded.
    rule = PrivateTreatmentRule.from_study(planned, budget, random_state=0, **named)
    rule.check_parameters()
    declaration = declaration_of(rule)
    problem = problem_of(rule, declaration, study.encoding())
    if clip is not None:
        cut = replace(declaration, benefit=declaration.benefit.clipped_at(clip))
        given = replace(problem.hyperparameters, clip=fixed_clip(cut))
        bound = problem.spec.weighting.weight_bound(cut)
        spec = problem.spec.changed(weight_bound=bound)
        problem = replace(
            problem, declaration=cut, hyperparameters=given, spec=spec, open_method=False
        )
    open_problem = problem.own(n)
    found = open_problem.settled(n, on_stage)
    part, _ = split(problem.spec.budget, declaration.treatment)
    loose = None if found.loose is None else _planned(found.loose, open_problem, n, part)
    return replace(_planned(found, open_problem, n, part), or_loose=loose)


def _planned(found: Problem, open_problem: Problem, n: int, part: Budget | None) -> Settled:
    """Return a settled problem with the question behind it."""
    benefit, threshold = found.declared.benefit, found.hyperparameters.threshold
    fixed = Hyperparameters.used(found.spec, found.encoding, benefit, threshold)
    shares = {name: getattr(found.hyperparameters, name) for name in SHARES}
    asked = found.spec
    if any(shares.values()):  # a question is posed with the whole budget
        asked = asked.changed(budget=open_problem.spec.budget)
    fixed = replace(fixed, **shares)
    question = Question(asked, found.encoding, n, open_problem.outcome, fixed)
    own = vars(found) | {"loose": None}
    return Settled(**own, question=question, propensity_part=part)


# -- what a rule may be worth --------------------------------------------------------------

SEED = 72026
"""Of the trials here; hyperparameters are chosen on others."""

TRIALS, QUICK_TRIALS = 480, 120
DRAWS = 2
"""How often noise is drawn for each trial."""

NOTHING_ASSUMED = Assumed()

AT_ONCE = 24
MOST_ROWS = 20_000
EFFORT = 4e9
"""Rows times squared columns times fits; beyond it fewer rows stand for all, and count for more."""


@dataclass(frozen=True)
class Spread:
    """A mean over synthetic trials, half its 95 % interval, and where 80 in 100 trials lie.

    mean, half : of all trials, and of the simulation's own error; low, high : the lowest 10th and
    the highest 90th percentile of the kinds of trials. How many trials are of which kind is a
    choice and no knowledge, so the range holds 80 in 100 of each.
    """

    mean: float
    half: float
    low: float
    high: float

    @classmethod
    def of(cls, found: FloatArray, kinds: BoolArray | None = None) -> "Spread":
        """Return the spread of numbers (B, R): B independent trials, R draws of noise each.

        kinds: (B,), of which of two kinds a trial is; by default all are of one
        """
        means = found.mean(axis=1)
        spread = float(means.std(ddof=1)) if len(means) > 1 else math.nan
        ends = (
            [np.quantile(found[kinds == kind], (0.1, 0.9)) for kind in np.unique(kinds)]
            if kinds is not None
            else [np.quantile(found, (0.1, 0.9))]
        )
        low, high = np.transpose(ends)
        half = 1.96 * spread / math.sqrt(len(means))
        return cls(float(means.mean()), half, float(low.min()), float(high.max()))


@dataclass(frozen=True)
class Expected:
    """Accuracy and share of attainable value of the planned rule and of one arm for everybody.

    gain : of the rule, as a share of what can be gained over one arm for everybody, a loss counting
        as at most three times all of it; harm : the share of releases that were worse than that arm
    trials : how many were simulated; rows : of how many rows each
    """

    accuracy: Spread
    value: Spread
    single_accuracy: Spread
    single_value: Spread
    gain: Spread = field(kw_only=True)
    harm: float = field(kw_only=True)
    trials: int = field(kw_only=True)
    rows: int = field(kw_only=True)


def expected(
    settled: Settled, trials: int = TRIALS, assumed: Assumed = NOTHING_ASSUMED
) -> Expected:
    """Return what the planned fit is worth on fresh synthetic trials.

    trials : int ≥ 1, rounded up to a multiple of 24
    """
    question, _ = rehearsed(settled)
    matter = question.widths[: assumed.matter]
    useless = question.widths[len(matter) :]
    draw = partial(question.outcome.trials, scale=assumed.scale, useless=useless)
    parts = math.ceil(trials / AT_ONCE)
    rows = rows_for(question, parts * AT_ONCE)
    found, kinds = [], []
    for part in range(parts):
        rng = generator(SEED, part, 1)
        synthetic = draw(matter, count=AT_ONCE, rows=rows, rng=rng)
        kinds.append(synthetic.tight)
        found.append(_of_forms(settled, synthetic, (SEED, part, 2), question.n / rows))
    *measured, gain = (np.concatenate(one) for one in zip(*found, strict=True))
    tight = np.concatenate(kinds)
    return Expected(
        *(Spread.of(one, tight) for one in measured),
        gain=Spread.of(np.maximum(gain, -MOST_LOST), tight),
        harm=float(np.mean(gain < HARMS_BELOW)),
        trials=parts * AT_ONCE,
        rows=rows,
    )


def _of_forms(
    settled: Settled, synthetic: SyntheticTrials, seed: tuple[int, ...], weight: float
) -> tuple[FloatArray, ...]:
    """Return what the planned fit does on trials, in each with the form that tightness decides."""
    found = []
    for form in settled.forms:
        question, gamma = rehearsed(form)
        standing = synthetic.standing_for(question.n)
        found.append(_judged(Rehearsal(question, standing, DRAWS, seed, weight), form, gamma))
    if len(found) == 1:
        return found[0]
    tight = replace(question, n=settled.question.n).tight(synthetic, generator(*seed, 5))
    return tuple(np.where(tight[:, None], one, two) for one, two in zip(*found, strict=True))


def rehearsed(settled: Settled) -> tuple[Question, float]:
    """Return the question that is simulated and its γ/W.

    A study of more than 32 columns is simulated by analogy, as in the choice of hyperparameters.
    """
    question, gamma = settled.question, settled.gamma
    fewer = narrowed(question)
    if fewer is None:
        return question, gamma
    floor = floor_of(fewer, question.fixed)
    return fewer, max(gamma * fewer.n / question.n, 1.001 * floor)


def rows_for(question: Question, trials: int) -> int:
    """Return how many rows each synthetic trial has: n, or fewer that stand for all."""
    columns = question.encoding.n_columns + 1
    return question.rows(EFFORT / (trials * DRAWS * columns**2), MOST_ROWS)


def _judged(rehearsal: Rehearsal, settled: Settled, gamma: float) -> tuple[FloatArray, ...]:
    """Return accuracy and value share of the rule (B, R), and of the better single arm (B, 1).

    And the rule's gain over that arm, (B, R).
    """
    fixed = settled.question.fixed
    given = rehearsal.given(fixed, [gamma])
    if not given:
        raise ParameterError(
            "no claim can be made with these hyperparameters; set gamma or mechanism"
        )
    (second,) = given[gamma]
    contrast = rehearsal.synthetic.contrast[:, None]
    mean = contrast.mean(axis=-1, keepdims=True)
    everybody = np.broadcast_to(mean > 0, contrast.shape)
    both = [
        measure(given, contrast)
        for given in (second, everybody)
        for measure in (_accuracy, value_share)
    ]
    return (*both, rehearsal.synthetic.gain(second))


def _accuracy(second: BoolArray, contrast: FloatArray) -> FloatArray:
    """Return the share of people with their better arm; where both are equal either is."""
    return np.asarray((((contrast > 0) == second) | (contrast == 0)).mean(axis=-1))


def value_share(second: BoolArray, contrast: FloatArray) -> FloatArray:
    """Return the share of attainable value (…) of giving some people (…, T) the second arm.

    Where no arm is better for anybody every rule attains all there is.
    """
    gained = (contrast * np.where(second, 1.0, -1.0)).mean(axis=-1)
    most = np.broadcast_to(np.abs(contrast).mean(axis=-1), gained.shape)
    share: FloatArray = np.divide(gained, most, out=np.ones_like(gained), where=most > 0)
    return share
