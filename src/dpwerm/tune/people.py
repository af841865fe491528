"""The people on whom γ is tuned: who trains and who validates in each repeat of Algorithm 2.

    n > n₀ − m:   m of D₀ validate, drawn without replacement; n train, drawn with replacement
                  from the rest
    otherwise:    n of D₀ train, drawn without replacement; the rest of D₀ validates

Lines 7 and 9 of the paper draw n₀ people to train, where the text says n; its line 10 writes D for
D₀, by which nobody would be left to validate. Both slips are mended here.

They come from a table, which is the one D₀ of every repeat, or from a scenario or synthetic trials,
drawn anew in each repeat, so that nobody has to be drawn with replacement. People are as sensitive
as where they come from: a sensitive table's never leave the process.
"""

from dataclasses import dataclass, replace
from typing import Protocol, Self

import numpy as np

from dpwerm.arrays import FloatArray, IntArray
from dpwerm.choose.settle import outcome_of
from dpwerm.data.table import Table, normalise
from dpwerm.errors import ParameterError
from dpwerm.simulate.scenarios import get_scenario
from dpwerm.simulate.synthetic import TESTS, generator, in_own_units, widths_of
from dpwerm.study.propensity import NoPropensity, PrivatePropensity, RidgePropensity
from dpwerm.study.study import Study, read_trial, refuse_repeated_persons
from dpwerm.study.treatment import Declaration, received_probabilities
from dpwerm.weighting.contract import OUTCOME_WEIGHTED, outcome_weights
from dpwerm.weighting.trial import NO_PROBABILITIES, Trial, second_arm, trial_of_table

FREE, NOT_PRIVATE = "free", "NOT PRIVATE"
"""What looking at people costs the study of which γ is tuned."""


@dataclass(frozen=True)
class Splits:
    """Positions in D₀ for B repeats: training (B, n), validation (B, m)."""

    training: IntArray
    validation: IntArray


def default_validation(size: int) -> int:
    """Return m = 0.2·n₀, at least 1."""
    return max(1, round(0.2 * size))


def is_bootstrapped(n: int, size: int, m: int) -> bool:
    """Whether the training sets are drawn with replacement: n people are not there."""
    return n > size - m


def validating(n: int, size: int, m: int) -> int:
    """Return how many people validate: m, or all that are left if those are more."""
    return m if is_bootstrapped(n, size, m) else size - n


def checked_sizes(size: int, m: int) -> int:
    """Return m if somebody is left to train; m and n₀ − m must be at least 1."""
    if not 1 <= m < size:
        raise ParameterError(
            f"{m:,} people cannot validate: the data has {size:,}, and at least one must train"
        )
    return m


def splits(n: int, size: int, m: int, count: int, rng: np.random.Generator) -> Splits:
    """Return ``count`` independent splits of n₀ ≥ 2 people: n train and m < n₀ or more validate."""
    orders = rng.permuted(np.tile(np.arange(size), (count, 1)), axis=1)
    if not is_bootstrapped(n, size, m):
        return Splits(orders[:, :n], orders[:, n:])
    rest = orders[:, m:]
    drawn = rng.integers(rest.shape[1], size=(count, n))
    return Splits(np.take_along_axis(rest, drawn, axis=1), orders[:, :m])


@dataclass(frozen=True, repr=False)
class Repeats:
    """B repeats of Algorithm 2: one trial of all people, and who trains and validates in each.

    better : (N,), above 0 where the second arm is better for a person, below where the first is, 0
        where neither; None where the truth is not known
    """

    trial: Trial
    splits: Splits
    better: FloatArray | None = None


@dataclass(frozen=True, repr=False)
class Validation:
    """What is known of the people (B, T) who validate; ± and larger is better throughout.

    arm : −1 or +1, NaN if missing
    benefit : after transform and direction, within its bounds
    probability : P(arm received | x)
    label, weight : y' and w/W of the weighted problem, unclipped; w = 0 where something is missing
    better : as in ``Repeats``
    """

    arm: FloatArray
    benefit: FloatArray
    probability: FloatArray
    label: FloatArray
    weight: FloatArray
    better: FloatArray | None = None

    @classmethod
    def of(cls, repeats: Repeats, declaration: Declaration) -> Self:
        """Return what a declaration makes of the people who validate."""
        trial, chosen = repeats.trial, repeats.splits.validation
        treatment, benefit = declaration.treatment, declaration.benefit
        second = np.asarray(trial.given_propensity)
        received = received_probabilities(treatment, trial.arm, second)
        whole = declaration.clipped_at(1.0)
        bound = OUTCOME_WEIGHTED.weight_bound(whole)
        label, weight = outcome_weights(
            trial.arm, whole.benefit.centred(trial.outcome), received, bound
        )
        plain = benefit.model_copy(update={"declared_clip": "range", "weights": "signed"})
        shown = plain.centred(trial.outcome) + plain.centre
        return cls(
            arm=trial.arm[chosen],
            benefit=shown[chosen],
            probability=received[chosen],
            label=label[chosen],
            weight=weight[chosen] / bound,
            better=None if repeats.better is None else repeats.better[chosen],
        )


class Source(Protocol):
    """Where people come from; other processes get a copy."""

    @property
    def label(self) -> str:
        """What it is called."""

    @property
    def size(self) -> int | None:
        """n₀, None where people are drawn as needed."""

    @property
    def knows_better(self) -> bool:
        """Whether the better arm of those who validate is known."""

    @property
    def private_cost(self) -> str:
        """What looking at these people costs the study: ``"free"`` or ``"NOT PRIVATE"``."""

    def repeats(self, n: int, m: int, count: int, rng: np.random.Generator) -> Repeats:
        """Return ``count`` repeats with n people to train and m or more to validate."""


@dataclass(frozen=True, repr=False)
class FromTable:
    """The people of one table, D₀.

    better : (n₀,) as in ``Repeats``, for a table that was simulated; None otherwise
    private_cost : ``"NOT PRIVATE"`` where they are people of the study itself
    """

    study: Study
    table: Table
    better: FloatArray | None = None
    private_cost: str = FREE

    @classmethod
    def read(cls, study: Study, source: object) -> "FromTable":
        """Return the people of a path or a data frame with the study's columns."""
        refuse_unknown_propensity(study)
        table = read_trial(study, source)
        refuse_repeated_persons(study, table)
        return cls(study, table)

    def portion(self, rows: IntArray) -> "FromTable":
        """Return some of the study's own people, by position: what is seen is not private."""
        columns = {name: column.take(rows) for name, column in self.table.columns.items()}
        table = replace(self.table, n_rows=len(rows), columns=columns)
        return replace(self, table=table, private_cost=NOT_PRIVATE)

    @property
    def label(self) -> str:
        """The name of the table."""
        return self.table.label

    @property
    def size(self) -> int:
        """n₀."""
        return self.table.n_rows

    @property
    def knows_better(self) -> bool:
        """Only where the table was simulated."""
        return self.better is not None

    def repeats(self, n: int, m: int, count: int, rng: np.random.Generator) -> Repeats:
        """Return splits of the same people."""
        trial = known_trial(self.study, self.table)
        return Repeats(trial, splits(n, self.size, m, count, rng), self.better)


@dataclass(frozen=True)
class FromScenario:
    """People of a scenario by its name, whose columns are those of the study."""

    study: Study
    name: str
    size: None = None
    knows_better: bool = True
    private_cost: str = FREE

    def __post_init__(self) -> None:
        refuse_unknown_propensity(self.study)
        get_scenario(self.name)
        if self.study.benefit.direction == "smaller":
            raise ParameterError("in scenarios a larger benefit is better; the study says smaller")
        self.repeats(1, 1, 1, generator(0))

    @property
    def label(self) -> str:
        """The scenario's name."""
        return f"scenario {self.name}"

    def repeats(self, n: int, m: int, count: int, rng: np.random.Generator) -> Repeats:
        """Return new people for each repeat; the study's arms may have another order."""
        scenario = get_scenario(self.name)
        mine = [str(normalise(arm)) for arm in self.study.treatment.arms]
        theirs = [str(normalise(arm)) for arm in scenario.arms]
        if sorted(mine) != sorted(theirs):
            raise ParameterError(
                f"scenario {self.name} has arms {' and '.join(theirs)}; the study has others"
            )
        sign = 1.0 if mine == theirs else -1.0
        drawn = scenario.draw(count * (n + m), rng)
        trial = known_trial(self.study, read_trial(self.study, drawn))
        return Repeats(trial, _fresh(n, m, count), sign * scenario.contrast(drawn))


@dataclass(frozen=True)
class FromSynthetic:
    """Random trials inside the study's public bounds, as a plan simulates them.

    knows_better : of those who validate; if not, they have an arm and a benefit
    """

    study: Study
    knows_better: bool = True
    size: None = None
    label: str = "random trials inside the study's bounds"
    private_cost: str = FREE

    def __post_init__(self) -> None:
        refuse_unknown_propensity(self.study)

    def repeats(self, n: int, m: int, count: int, rng: np.random.Generator) -> Repeats:
        """Return a new random trial for each repeat."""
        if self.knows_better and m > TESTS:
            raise ParameterError(f"at most {TESTS} people of a random trial have a known truth")
        widths, rows = widths_of(self.study.encoding()), n if self.knows_better else n + m
        outcome = outcome_of(self.study.declaration())
        synthetic = outcome.trials(widths, count=count, rows=rows, rng=rng)
        X, arm, chance = synthetic.X, synthetic.arm, synthetic.probability
        gained, better = in_own_units(self.study.benefit, synthetic.benefit), None
        if self.knows_better:
            X = np.concatenate([X, synthetic.people[:, :m]], axis=1)
            missing = np.full((count, m), np.nan)
            arm, chance, gained = (
                np.concatenate([one, missing], axis=1) for one in (arm, chance, gained)
            )
            better = np.concatenate(
                [np.zeros((count, n)), synthetic.contrast[:, :m]], axis=1
            ).ravel()
        flat = X.reshape(-1, X.shape[-1])
        second = np.where(arm > 0, chance, 1.0 - chance).ravel()
        trial = Trial(
            arm.ravel(), gained.ravel(), second, lambda encoding: encoding.of_centred(flat)
        )
        return Repeats(trial, _fresh(n, m, count), better)


def known_trial(study: Study, table: Table) -> Trial:
    """Return the trial of a table with P(second arm | x) of each row, whatever it is known from."""
    declaration = study.declaration()
    trial = trial_of_table(declaration, table)
    return replace(trial, given_propensity=second_arm(declaration, trial, study.encoding()))


def refuse_unknown_propensity(study: Study) -> None:
    """Raise if a propensity model would have to be fitted first."""
    model = study.treatment.propensity
    if isinstance(model, NoPropensity):
        raise ParameterError(NO_PROBABILITIES)
    if isinstance(model, PrivatePropensity | RidgePropensity):
        raise ParameterError(
            f'Algorithm 2 needs known propensities, and model = "{model.model}" is fitted to the '
            "people themselves: in a copy of the study file give the arms probabilities, a column, "
            'or model = "external"'
        )


def _fresh(n: int, m: int, count: int) -> Splits:
    """Return splits of count·(n + m) people in which nobody appears twice."""
    rows = np.arange(count * (n + m)).reshape(count, n + m)
    return Splits(rows[:, :n], rows[:, n:])
