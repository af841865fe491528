r"""Many simulated trials of one scenario, the rules that methods learn from them, and their worth.

.. math:: \text{accuracy} = \text{mean of } 1(T(x) = \text{better arm}), \qquad
          \text{value} = \frac{\sum_i 1(y_i = T(x_i)) B_i / P_i}{\sum_i 1(y_i = T(x_i)) / P_i}

with B shifted by the sample minimum, as the paper prints it. All that a method sees of a trial goes
through the engine.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from dpwerm.arrays import FloatArray, IntArray
from dpwerm.data.table import Table, read_table
from dpwerm.draws import Draws
from dpwerm.errors import ParameterError
from dpwerm.features.encoding import Encoding
from dpwerm.plan.expected import Settled, settle
from dpwerm.privacy.budget import Budget
from dpwerm.simulate.engine.released import TOLERANCE, released, second_arm
from dpwerm.simulate.scenarios.scenario import BENEFIT, Scenario
from dpwerm.study.treatment import arm_labels, second_arm_probabilities
from dpwerm.tune.algorithm2 import problems_of
from dpwerm.weighting.trial import Trial
from reproduction.paper_batch import paper_theta
from reproduction.paper_method import paper_benefit_bound, shifted

BoolArray = NDArray[np.bool_]


@dataclass(frozen=True)
class Simulated:
    """People of one scenario, and which of them make up each trial.

    rows : (B, n), the people of each of B trials; several may share people
    """

    scenario: Scenario
    table: pa.Table
    rows: IntArray

    @classmethod
    def draw(cls, scenario: Scenario, count: int, n: int, rng: np.random.Generator) -> "Simulated":
        """Return ``count`` independent trials of n people."""
        return cls(scenario, scenario.draw(count * n, rng), np.arange(count * n).reshape(count, n))

    def of(self, rows: IntArray) -> "Simulated":
        """Return other trials (B, m) of the same people."""
        return Simulated(self.scenario, self.table, rows)

    def with_benefit(self, benefit: FloatArray, bounds: tuple[float, float]) -> "Simulated":
        """Return the same trials with other benefits (B, n), and the bounds that are declared.

        Each person is in one trial at most.
        """
        place = self.table.column_names.index(BENEFIT)
        column = np.zeros(self.table.num_rows)
        column[self.rows] = benefit
        table = self.table.set_column(place, BENEFIT, pa.array(column))
        return Simulated(replace(self.scenario, bounds=bounds), table, self.rows)

    @property
    def n(self) -> int:
        """The number of people in each trial."""
        return int(self.rows.shape[1])

    @cached_property
    def read(self) -> Table:
        """The table as a study reads it."""
        return read_table(self.table, self.scenario.study().columns)

    def trial(self) -> Trial:
        """Return all people as one trial."""
        return self._trial

    @cached_property
    def _trial(self) -> Trial:
        study, table = self.scenario.study(), self.read
        return Trial(
            arm_labels(table, study.treatment),
            table.numbers(study.benefit.column),
            second_arm_probabilities(table, study.treatment),
            lambda encoding: encoding.encode(table),
        )

    def encoded(self, encoding: Encoding) -> FloatArray:
        """Return the encoded features of each trial, (B, n, d)."""
        return encoding.encode(self.read)[self.rows]

    def best(self) -> BoolArray:
        """Return for whom the second arm is better, (B, n)."""
        return self._best

    @cached_property
    def _best(self) -> BoolArray:
        return np.asarray(self.scenario.contrast(self.table) > 0)[self.rows]


@dataclass(frozen=True)
class Rules:
    """Rules that one method learned: θ (…, B, R, p) with what gives them meaning."""

    encoding: Encoding
    theta: FloatArray
    threshold: float = 0.0

    def second(self, people: Simulated) -> BoolArray:
        """Return whom each rule gives the second arm, (…, B, R, T) for trials (B, T)."""
        return second_arm(self.theta, self.encoding, people.encoded(self.encoding), self.threshold)


def paper_encoding_of(scenario: Scenario) -> Encoding:
    """Return the paper's encoding of a scenario's features."""
    return Encoding(kind="paper", intercept=1.0, blocks=scenario.study().encoding().blocks)


def paper_rules(
    trials: Simulated,
    cells: Sequence[tuple[str, float]],
    rng: np.random.Generator,
    *,
    benefit_bound: float | None = None,
) -> Rules:
    """Return the paper's rules for each (ε, γ), θ (P, B, 1, p); every cell has the same draws.

    benefit_bound : the paper's V; by default the width of the declared bounds
    """
    study = trials.scenario.study()
    encoding = paper_encoding_of(trials.scenario)
    bound = benefit_bound or paper_benefit_bound(study.benefit.bounds)
    trial = trials.trial()
    second = np.asarray(trial.given_propensity)
    received = np.where(trial.arm > 0, second, 1.0 - second)
    theta = paper_theta(
        trials.encoded(encoding),
        trial.arm[trials.rows],
        trial.outcome[trials.rows],
        received[trials.rows],
        cells,
        rng,
        encoding=encoding,
        benefit_bound=bound,
        smallest_propensity=study.treatment.pi_min,
    )
    return Rules(encoding, theta)


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
    rules. Every factor has the same draws; draws: R, how often noise is drawn for each trial.
    """
    calibrations = {}
    for factor in factors:
        with suppress(ParameterError):
            gamma = settled.spec.gamma * factor
            calibrations[factor] = settled.calibration(rows.shape[1], gamma=gamma)
    if not calibrations:
        return {}
    problems = problems_of(settled, trial, rows)
    common = Draws.of((len(rows), draws), problems.dimension, rng)
    loss, weighting = settled.spec.loss, settled.spec.weighting
    found = released(problems, loss, list(calibrations.values()), common, tolerance=tolerance)
    return dict(zip(calibrations, weighting.rules(found, settled.encoding), strict=True))


def our_rules(
    trials: Simulated, epsilon: str, rng: np.random.Generator, *, factors: Sequence[float] = (1.0,)
) -> Rules:
    """Return the rules of this library with automatic hyperparameters, θ (F, B, 1, p).

    factors : γ is the automatic one times each of these; the rest stays as it was chosen
    """
    settled = settle(trials.scenario.study(), Budget.of(epsilon), trials.n)
    rules = rules_of(settled, trials.trial(), trials.rows, rng, factors=factors)
    theta = np.stack([rules[factor] for factor in factors])
    return Rules(settled.encoding, theta, settled.threshold)


def accuracy(second: BoolArray, people: Simulated) -> FloatArray:
    """Return the share of people (…, B, R, T) who get their better arm, in %, (…, B, R)."""
    return np.asarray(100.0 * (second == people.best()[:, None]).mean(axis=-1))


def paper_value(second: BoolArray, people: Simulated) -> FloatArray:
    """Return the empirical value of Eqn 14 with benefits shifted as the paper does, (…, B, R)."""
    trial = people.trial()
    benefit, got = trial.outcome[people.rows], trial.arm[people.rows] > 0
    likely = np.asarray(trial.given_propensity)[people.rows]
    weights = (second == got[:, None]) / np.where(got, likely, 1.0 - likely)[:, None]
    return np.asarray((weights * shifted(benefit)[:, None]).sum(axis=-1) / weights.sum(axis=-1))
