"""The question behind automatic hyperparameters: all of it public, none of it a row.

It holds what a study declares, the number of people (the planned one, or under replace-one that of
the rows) and the budget. Equal questions have equal answers, so its digest is the cache's key.
"""

import hashlib
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Self, cast

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from dpwerm.choose.hyperparameters import Hyperparameters
from dpwerm.choose.inside import are_tight, inside_ranges
from dpwerm.errors import ParameterError
from dpwerm.features.encoding import Encoding
from dpwerm.mechanisms import candidates, get_mechanism
from dpwerm.mechanisms.contract import Calibration, calibrated, spent
from dpwerm.parameters import LARGEST, SMALLEST
from dpwerm.privacy.budget import AnyBudget, Budget
from dpwerm.privacy.sensitivity import LARGEST_N, Facts
from dpwerm.releases.certificate import NON_PRIVATE, Specification, facts_of
from dpwerm.releases.tightness import AMONG
from dpwerm.simulate import synthetic
from dpwerm.simulate.judged import Judged, SyntheticTrials
from dpwerm.simulate.scale import Scale
from dpwerm.simulate.synthetic import random_labels, random_trials, widths_of
from dpwerm.weighting.contract import WEIGHTINGS

OPEN = Hyperparameters()
"""Everything is left open."""

FIXED = (
    "mechanism", "clip", "intercept", "saturation", "threshold",
    "estimator", "width", "main", "mean", "degree", "bend",
    "tightness", "ranges", "feature_ranges", "guard",
)  # fmt: skip
"""What a question may fix."""

OWN = ("clip", "width", "main", "mean", "degree", "bend")
"""What belongs to some estimators only."""

THERE = ": there "
"""In a reason: before it stands how hyperparameters were chosen, after it what they did."""

ANY, TIGHT, LOOSE = "", "tight", "loose"
"""The trials that an answer is for: any, or those on one side of a tightness."""

KINDS: Mapping[str, tuple[int, ...] | None] = {
    ANY: None,
    TIGHT: (synthetic.TIGHT, synthetic.TIGHT, synthetic.TIGHT, synthetic.FITTED),
    LOOSE: (synthetic.SLOPPY, synthetic.SLOPPY, synthetic.FILLED),
}
"""Of which kinds the synthetic trials of a form are, in turn: bounds that fit are no promise of
effects that stand out, and where features fill theirs the benefit may not. For those that a
tightness takes for the other kind, fewer than one in ten, the other answer does, too."""

COUNTED: Mapping[str, tuple[int, ...] | None] = {**KINDS, LOOSE: (synthetic.SLOPPY,)}
"""The same of benefits with few values, which fill their bounds or seem to."""

FEWEST_ROWS = 150
"""Of a synthetic trial at least, whatever the effort, unless there are fewer people."""


def able(fixed: Hyperparameters, *, fixed_design: bool) -> tuple[str, ...]:
    """Return the estimators to choose from: with synthetic trials, and with all that is fixed.

    Where no ratio is fixed for everybody, what rests on a model of the outcome is left out: that
    is to be declared.
    """
    named = {one for one in OWN if getattr(fixed, one) is not None}
    found = []
    for name, kind in WEIGHTINGS.items():
        options = getattr(kind, "options", None)
        if options is None or not named <= {*options}:
            continue
        if {*fixed.shares} - {"tightness"} and getattr(kind, "form", "") != "residual":
            continue  # private ranges and a guard are for regressions
        if fixed_design or getattr(kind, "inverse_weights", False):
            found.append(name)
    return tuple(found)


def may_have_forms(budget: AnyBudget) -> bool:
    """Whether a tightness may decide between two answers with a budget."""
    return isinstance(budget, Budget) and budget.delta == 0


@dataclass(frozen=True)
class Outcome:
    """What is known of the benefit and the arms of a trial before it begins.

    Labels with weights are a trial in which everybody got the labelled arm for certain.

    centre : float, where the centre lies within the range, −1 at its lower and +1 at its upper end
    signed : bool, whether benefits below the centre count for the other arm
    propensity : (low, high), the range of P(second arm | x), a point if the design fixes it
    pi_min : float in (0, 1], the smallest P(arm received | x)
    labels : bool, whether these are labels with weights
    spread : float ≥ 0, how far from the centre benefits may lie as a whole, as a standard deviation
    values : int ≥ 2, how many values a benefit has, None for any number
    fixed_design : bool, whether one ratio of the arms is fixed for everybody
    degree : 1, 2 or 3, of numbers in the main effect
    """

    centre: float
    signed: bool
    propensity: tuple[float, float]
    pi_min: float
    labels: bool = False
    spread: float = 0.0
    values: int | None = None
    fixed_design: bool = True
    degree: int = 1

    @classmethod
    def of_labels(cls) -> Self:
        """Return the outcome of labels with weights in [0, W]."""
        return cls(0.0, signed=True, propensity=(0.5, 0.5), pi_min=1.0, labels=True)

    @property
    def around(self) -> float:
        """Where benefits are expected: at the centre if they can lie on both sides of it.

        With weights that are not negative, or a centre at an end of the range, the centre is a zero
        to count from and says nothing of where benefits lie.
        """
        return self.centre if self.signed and abs(self.centre) < 1 else 0.0

    @property
    def largest_clip(self) -> float:
        """The largest size of a centred benefit, in units of half the range."""
        return 1.0 + abs(self.centre) if self.signed else 1.0 - self.centre

    def trials(
        self,
        widths: Sequence[int],
        *,
        count: int,
        rows: int,
        rng: Generator,
        scale: Scale | None = None,
        useless: Sequence[int] = (),
        kinds: Sequence[int] | None = None,
    ) -> SyntheticTrials:
        """Return random trials, or labels with weights, inside the declared bounds.

        scale, useless, kinds: as in :func:`random_trials`; labels have none of them
        """
        if self.labels:
            return random_labels(widths, count=count, rows=rows, rng=rng)
        return random_trials(
            widths,
            count=count,
            rows=rows,
            propensity=self.propensity,
            rng=rng,
            around=self.around,
            spread=self.spread,
            values=self.values,
            degree=self.degree,
            scale=scale,
            useless=useless,
            kinds=kinds,
        )


@dataclass(frozen=True)
class Question:
    """Which hyperparameters suit a study of this shape, size and budget.

    spec : Specification, whose γ and mechanism are not used
    encoding : Encoding, whose intercept is used only if it is fixed
    n : int ≥ 1, the public or the planned number of people
    outcome : Outcome
    fixed : Hyperparameters that are not asked for; γ always is
    open_method : bool, whether the estimator is asked for too; False where a loss, a penalty or
        a clip was named that belong to outcome weights
    form : str, which trials it is asked for
    """

    spec: Specification
    encoding: Encoding
    n: int
    outcome: Outcome
    fixed: Hyperparameters = OPEN
    open_method: bool = True
    form: str = ANY
    widths: tuple[int, ...] = field(init=False)

    def __post_init__(self) -> None:
        if not 1 <= self.n <= LARGEST_N:
            raise ParameterError(f"the planned number of people must be between 1 and {LARGEST_N}")
        self.fixed.encoding(self.encoding)  # what cannot be encoded is refused here
        object.__setattr__(self, "widths", widths_of(self.encoding))
        if not self.estimators:
            raise ParameterError("no estimator has all that is fixed: name one, or fix less")

    @property
    def estimators(self) -> tuple[str, ...]:
        """The estimators to try: the one that is fixed, or all that are able."""
        if self.fixed.estimator is not None:
            return (self.fixed.estimator,)
        if self.outcome.labels or not self.open_method:
            return (self.spec.weighting.name,)
        return able(self.fixed, fixed_design=self.outcome.fixed_design)

    @property
    def has_forms(self) -> bool:
        """Whether a tightness may decide between two answers.

        With a δ one of them might spend none, and a file would claim what holds for it alone.
        """
        return may_have_forms(self.spec.budget)

    @property
    def most_gamma(self) -> float:
        """The largest γ/W with γ ≤ 1e12, a power of ten, so that few questions differ by it."""
        most = 10.0 ** math.floor(math.log10(LARGEST / self.spec.weight_bound))
        return min(max(most, SMALLEST), LARGEST)

    def rows(self, affordable: float, most: int, fewest: int = FEWEST_ROWS) -> int:
        """Return how many rows a synthetic trial has: n, or fewer that stand for all."""
        return int(min(self.n, most, max(fewest, affordable)))

    def trials(self, count: int, rows: int, rng: Generator) -> SyntheticTrials:
        """Return synthetic trials of the form that is asked for."""
        kinds = (KINDS if self.outcome.values is None else COUNTED)[self.form]
        return self.outcome.trials(self.widths, count=count, rows=rows, rng=rng, kinds=kinds)

    def designed(self, candidate: Hyperparameters) -> tuple[Specification, Encoding]:
        """Return what a candidate would be fitted with, γ and mechanism aside."""
        encoding = candidate.encoding(self.encoding)
        return candidate.designed(self.spec, encoding), encoding

    def facts(self, candidate: Hyperparameters, gamma: float) -> Facts:
        """Return the facts of a release with W = 1; γ and the noise scale with W."""
        spec, encoding = self.designed(candidate)
        return facts_of(spec.changed(gamma=gamma, weight_bound=1.0), encoding, self.n)

    def calibration(self, candidate: Hyperparameters, gamma: float) -> Calibration:
        """Return the calibration for W = 1, or raise if the mechanism claims nothing for it."""
        chosen = get_mechanism(candidate.mechanism)
        budget = self.budget(candidate)
        return calibrated(chosen, self.facts(candidate, gamma), spent(chosen, budget))

    def budget(self, candidate: Hyperparameters) -> AnyBudget:
        """Return what is left to the rule once all that is beside it has its parts."""
        return candidate.parts(self.spec.budget)[1]

    def inside(
        self, trials: SyntheticTrials, candidate: Hyperparameters, rng: Generator
    ) -> SyntheticTrials:
        """Return trials as a candidate's fit would see them: inside its private ranges, if any."""
        parts, _ = candidate.parts(self.spec.budget)
        return inside_ranges(trials, parts, self.widths, self.n, rng)

    def tight(self, trials: SyntheticTrials, rng: Generator) -> NDArray[np.bool_]:
        """Return which trials the fixed tightness would find to be declared tightly, (B,)."""
        part = self.fixed.parts(self.spec.budget)[0]["tightness"]
        return are_tight(trials, part, self.widths, self.outcome.values, self.n, rng)

    def plain(self) -> dict[str, Any]:
        """Return everything the answer depends on as plain values."""
        spec, fixed = self.spec, self.fixed
        named = (spec.loss, spec.origin, spec.regularizer, spec.weighting)
        return {
            "widths": list(self.widths),
            "kind": self.encoding.kind,
            "n": self.n,
            **spec.budget.plain(),
            "relation": str(spec.relation),
            "named": [[one.name, sorted(one.parameters.items())] for one in named],
            "candidates": list(candidates(spec.budget)),
            "outcome": list(asdict(self.outcome).values()),
            "fixed": [*(getattr(fixed, name) for name in FIXED), self.most_gamma],
            "estimators": list(self.estimators),
            "form": self.form,
        }

    def digest(self, version: str) -> str:
        """Return the key of this question for one version of the library."""
        text = json.dumps([version, self.plain()], sort_keys=True)
        return hashlib.sha256(text.encode("utf-8")).hexdigest()


@dataclass(frozen=True)
class Choice:
    """The answer to a question: hyperparameters chosen on synthetic trials, and the evidence.

    hyperparameters : none of them open; γ in units of W
    accuracy, gain, harm : of the winner on the problems of the last round; the last two None for
        labels
    score : what it was chosen by, at its best threshold (one that wins less is not applied)
    rivals : score of the best of each other estimator and mechanism there
    problems, rows : how many problems of how many rows those were
    among : of which trials those are, by their tightness; "" for all
    loose : the answer in the place of this one where tightness is small; None if it is the same
    """

    hyperparameters: Hyperparameters
    accuracy: float
    gain: float | None
    harm: float | None
    score: float
    rivals: Mapping[str, float]
    problems: int
    rows: int
    among: str = ""
    loose: "Choice | None" = None

    def __post_init__(self) -> None:
        found = self.hyperparameters
        numbers = [found.gamma, found.intercept, found.saturation, found.threshold]
        numbers += [one for one in (found.clip, found.width, found.main, found.mean) if one]
        sound = all(one is not None and math.isfinite(one) and one >= 0 for one in numbers)
        if not sound or found.gamma == 0 or found.mechanism is None or found.estimator is None:
            raise ValueError("these are no hyperparameters")
        if self.among not in ("", *AMONG):
            raise ValueError("these are no trials")

    @classmethod
    def of(
        cls,
        winner: Hyperparameters,
        judged: Judged,
        score: float,
        tried: Iterable[tuple[Hyperparameters, float]],
        shape: tuple[int, int],
        among: str = "",
    ) -> Self:
        """Return the winner, and the best of each other that was tried beside it."""
        rivals: dict[str, float] = {}
        for one, other in tried:
            differs = one.estimator != winner.estimator
            name = str(one.estimator if differs else one.mechanism)
            if differs or one.mechanism != winner.mechanism:
                rivals[name] = max(other, rivals.get(name, other))
        return cls(winner, *judged, score, rivals, *shape, among)

    @property
    def mechanism(self) -> str:
        """The chosen mechanism."""
        return cast("str", self.hyperparameters.mechanism)

    @property
    def estimator(self) -> str:
        """The chosen estimator."""
        return cast("str", self.hyperparameters.estimator)

    @property
    def gamma(self) -> float:
        """The chosen γ/W."""
        return cast("float", self.hyperparameters.gamma)

    def with_gamma(self, gamma: float) -> Self:
        """Return the choice with another γ/W, to three digits."""
        rounded = float(f"{gamma:.3g}")
        return replace(self, hyperparameters=replace(self.hyperparameters, gamma=rounded))

    @property
    def both(self) -> "tuple[Choice, ...]":
        """The choice itself, and the one for loose bounds if there is one."""
        return (self,) if self.loose is None else (self, self.loose)

    def plain(self) -> dict[str, Any]:
        """Return plain values for a file."""
        return asdict(self) | {"rivals": dict(self.rivals)}

    @property
    def reason(self) -> str:
        """Say in one sentence what was tried and what won."""
        winner = called(self.mechanism)
        rivals = ", ".join(f"{name} {value:.2f}" for name, value in self.rivals.items())
        tried = f"chosen on {self.problems} synthetic trials inside the declared bounds{self.among}"
        if self.gain is None or self.harm is None:
            did = f"reached the right answer for {100 * self.accuracy:.1f} % of the people"
            return f"{tried}, without reading a row{THERE}{winner} {did}" + (
                f"; others, as a share: {rivals}" if rivals else ""
            )
        kinds = ", a third of them declared tightly and the others with bounds far too wide"
        return (
            f"{tried}{'' if self.among else kinds}, "
            f"without reading a row{THERE}{self.hyperparameters.estimator} with {winner} gained "
            f"{100 * self.gain:.0f} % of what could be gained over one arm for everybody, and was "
            f"worse than one arm for everybody in {100 * self.harm:.0f} %. It scored "
            f"{self.score:.2f} (gain, a loss three times and harm as such; squared errors where "
            "effects stand out)" + (f"; others: {rivals}" if rivals else "")
        )


def called(mechanism: str) -> str:
    """Return what a mechanism is called in a reason."""
    return "the fit without noise" if mechanism == NON_PRIVATE else mechanism
