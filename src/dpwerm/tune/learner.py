"""What Algorithm 1 learns from many trials out of one table, with every ε and γ on the same luck.

Each trial is a choice of rows of the table, with or without replacement. All candidates of one ε
share training sets, weights and base draws of noise; with noise outside the objective, every ε that
has the same settings shares the minimisers too. Everything here is as sensitive as the table;
nothing is released.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from dpwerm.arrays import FloatArray, IntArray
from dpwerm.draws import Draws
from dpwerm.errors import ParameterError
from dpwerm.features.encoding import Encoding
from dpwerm.mechanisms.contract import Calibration
from dpwerm.plan.expected import Settled
from dpwerm.releases.certificate import certify
from dpwerm.simulate.engine.released import TOLERANCE, released, second_arm
from dpwerm.simulate.synthetic import generator
from dpwerm.solve.batch_problems import BatchProblems
from dpwerm.study.declaration import Declaration
from dpwerm.tune.people import Repeats
from dpwerm.weighting import contract as weighting
from dpwerm.weighting.contract import OUTCOME_WEIGHTED, Trial


def problems_of(settled: Settled, trial: Trial, rows: IntArray) -> BatchProblems:
    """Return the weighted problems of B trials; rows: (B, n), which rows each of them has."""
    if trial.given_propensity is None:
        raise ParameterError(
            "many trials at once need known propensities: arms with probabilities, or a column"
        )
    second = weighting.second_arm(settled.declaration, trial, settled.encoding, None)
    found = OUTCOME_WEIGHTED.rows(trial, settled.declaration, settled.encoding, second)
    X = settled.encoding.learning_rows(found.X)
    return BatchProblems(
        X[rows], found.targets[rows], found.weights[rows], settled.encoding.intercept_scale
    )


def rules_of(
    settled: Settled,
    trial: Trial,
    rows: IntArray,
    rng: np.random.Generator,
    *,
    factors: Sequence[float] = (1.0,),
    draws: int = 1,
    tolerance: float = TOLERANCE,
) -> dict[float, FloatArray]:
    """Return what would be released with γ times each factor, θ (B, R, p).

    Noise inside the objective needs a γ of some size: a factor with which it is too small has no
    rules. Every factor has the same luck; draws: R, how often noise is drawn for each trial.
    """
    calibrations = {}
    for factor in factors:
        with suppress(ParameterError):
            calibrations[factor] = calibration_of(
                settled, rows.shape[1], gamma=settled.spec.gamma * factor
            )
    if not calibrations:
        return {}
    problems = problems_of(settled, trial, rows)
    luck = Draws.of((len(rows), draws), problems.dimension, rng)
    loss = settled.spec.loss
    theta = released(problems, loss, list(calibrations.values()), luck, tolerance=tolerance)
    return dict(zip(calibrations, theta, strict=True))


def calibration_of(settled: Settled, n: int, **settings: Any) -> Calibration:
    """Return the calibration of a fit on n people, with other settings where they are given."""
    spec = settled.spec.with_settings(**settings)
    _, calibration = certify(spec, settled.encoding, n, secure=False, library="")
    return calibration


class Learner(Protocol):
    """A method with K settings to compare; other processes get a copy."""

    @property
    def declaration(self) -> Declaration:
        """What the columns mean to those who judge."""
        ...

    def second(self, repeats: Repeats, key: Sequence[int]) -> NDArray[np.bool_]:
        """Return whom K rules of each repeat give the second arm, (K, B, 1, T)."""
        ...


@dataclass(frozen=True)
class Planned:
    """The fit that a study's settings plan, with several γ for each ε.

    settled : what a fit would use at each ε; gammas : the candidates of each
    """

    settled: tuple[Settled, ...]
    gammas: tuple[tuple[float, ...], ...]

    @property
    def declaration(self) -> Declaration:
        """The study's."""
        return self.settled[0].declaration

    def second(self, repeats: Repeats, key: Sequence[int]) -> NDArray[np.bool_]:
        """Return whom the rules give the second arm, ε by ε and γ by γ."""
        training, validation = repeats.splits.training, repeats.splits.validation
        shape = (sum(map(len, self.gammas)), len(training), 1, validation.shape[1])
        found = np.empty(shape, dtype=bool)
        for places in self._alike().values():
            settled = self.settled[places[0]]
            problems = problems_of(settled, repeats.trial, training)
            calibrations = [
                calibration_of(self.settled[place], training.shape[1], gamma=gamma)
                for place in places
                for gamma in self.gammas[place]
            ]
            draws = Draws.of((len(training), 1), problems.dimension, generator(*key))
            theta = released(problems, settled.spec.loss, calibrations, draws)
            people = repeats.trial.encode(settled.encoding)[validation]
            start = 0
            for place in places:
                end = start + len(self.gammas[place])
                found[self._slice(place)] = self._given(theta[start:end], people, place)
                start = end
        return found

    def _given(self, theta: FloatArray, people: FloatArray, place: int) -> NDArray[np.bool_]:
        settled = self.settled[place]
        return second_arm(theta, settled.encoding, people, settled.threshold)

    def _slice(self, place: int) -> slice:
        """Return where the candidates of one ε stand among all."""
        start = sum(len(gammas) for gammas in self.gammas[:place])
        return slice(start, start + len(self.gammas[place]))

    def _alike(self) -> dict[tuple[float, Encoding], list[int]]:
        """Return which ε make the same weighted problems."""
        groups: dict[tuple[float, Encoding], list[int]] = {}
        for place, settled in enumerate(self.settled):
            groups.setdefault((settled.clip, settled.encoding), []).append(place)
        return groups
