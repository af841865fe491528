"""Everything that is registered, in cells: one target at one claim, and how it is audited.

Mechanisms and losses are found in their tables, and a kind of release of one's own says by itself
what there is to attack in it: whatever is registered is audited. A release is attacked at the
place where its claim is made: sums at rows of shares, choices at scores that one person moves by Δ.

Small rows and γ = 20·W·r² let one record do its worst to a mechanism; other losses than the hinge
need a crowd for that. Cells of p ≤ 5 are asked to come within a factor of 2 of their claim; a tiny
δ and large p are reported.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar

import numpy as np

from dpwerm.arrays import FloatArray, IntArray
from dpwerm.audit.attack import Audited, audit
from dpwerm.audit.mechanisms import (
    MechanismTarget,
    design_target,
    plain_facts,
    propensity_target,
)
from dpwerm.audit.parts import GuardTarget, RangesTarget, TightnessTarget
from dpwerm.audit.target import Exact, Key, Pair, Target, rng_of
from dpwerm.errors import ParameterError
from dpwerm.mechanisms import MECHANISMS
from dpwerm.mechanisms.exponential import ExponentialMechanism
from dpwerm.mechanisms.laplace_sums import UNIT, LaplaceSums, exact_sums
from dpwerm.objective.losses import LOSSES, HuberisedHinge, Loss
from dpwerm.privacy.budget import Budget, Relation
from dpwerm.privacy.randomness import OperatingSystemBits
from dpwerm.releases.kinds import every_kind
from dpwerm.simulate.engine.run import OnDone, run, unseen
from dpwerm.weighting.contract import OUTCOME_WEIGHTED, WEIGHTINGS

EPSILONS = ("0.5", "1", "2", "4")
CONFIRMED = ("1", "4")
SMALL, LARGE = (1, 2, 5), (10, 20)
DELTA, TINY_DELTA = "0.01", "0.000001"
GAMMA, CURVED_GAMMA, CROWDED_GAMMA = 20.0, 2.0, 1.0
DESIGN_GAMMA = 4.0
CROWD = 100
HINGE = HuberisedHinge(0.5)

RUNS, EXACT_RUNS = 400_000, 5000
QUICK_RUNS, QUICK_EXACT_RUNS = 40_000, 400


def private_mechanisms() -> tuple[str, ...]:
    """Return the names of the registered mechanisms that claim something."""
    return tuple(name for name, one in MECHANISMS.items() if one.private)


@dataclass(frozen=True)
class Cell:
    """One target at one claim.

    name : of what is audited; setting : what sets this cell apart from others of the name
    asked : whether its bound is to come within a factor of 2 of the claim
    quick : whether it belongs to the quick version
    confirmed : whether real releases, which are slow, confirm it
    """

    name: str
    setting: str
    make: Callable[[], Target]
    asked: bool = True
    quick: bool = False
    confirmed: bool = True

    @property
    def key(self) -> str:
        """Name and setting."""
        return f"{self.name}, {self.setting}"


def mechanism_target(
    name: str,
    dimension: int,
    epsilon: str,
    delta: str,
    loss: Loss = HINGE,
    gamma: float = GAMMA,
    rows: int = 3,
    relation: Relation = Relation.REPLACE_ONE,
) -> MechanismTarget:
    """Return a mechanism for numbers in [−1, 1] and W = 1; γ in units of W·r²."""
    facts = plain_facts(dimension, loss, gamma=gamma, rows=rows, relation=relation)
    return MechanismTarget(name, facts, loss, Budget.of(epsilon, delta))


def _mechanism_cells(name: str) -> Iterator[Cell]:
    needs = MECHANISMS[name].needs_delta
    delta = DELTA if needs else "0"
    said = f", delta = {delta}" if needs else ""
    for p in SMALL:
        for epsilon in EPSILONS:
            make = partial(mechanism_target, name, p, epsilon, delta)
            setting = f"p = {p}, epsilon = {epsilon}{said}"
            quick = epsilon == "4" or (epsilon, p) == ("1", 1)
            yield Cell(name, setting, make, quick=quick, confirmed=epsilon in CONFIRMED)
    for p in LARGE:
        make = partial(mechanism_target, name, p, "2", delta)
        yield Cell(name, f"p = {p}, epsilon = 2{said}", make, asked=False, confirmed=False)
    make = partial(mechanism_target, name, 2, "2", delta, relation=Relation.ADD_REMOVE)
    yield Cell(name, f"p = 2, epsilon = 2{said}, add/remove", make)
    if mechanism_target(name, 1, "2", delta).calibration.inside is not None:
        # Here the curvature of one record has its share of the claim, and attains it.
        make = partial(mechanism_target, name, 1, "2", delta, gamma=CURVED_GAMMA)
        yield Cell(name, f"p = 1, epsilon = 2{said}, small gamma", make)
    if needs:
        for epsilon in ("1", "4"):
            make = partial(mechanism_target, name, 2, epsilon, TINY_DELTA)
            setting = f"p = 2, epsilon = {epsilon}, delta = 1e-6"
            yield Cell(name, setting, make, asked=False, confirmed=False)
    for loss in (known() for known in LOSSES.values() if known is not type(HINGE)):
        try:
            _ = mechanism_target(name, 1, "2", delta, loss).calibration
        except ParameterError:  # some mechanisms make their claim for a smooth loss alone
            continue
        for p in (2, 5):
            make = partial(mechanism_target, name, p, "2", delta, loss, CROWDED_GAMMA, CROWD)
            setting = f"p = {p}, epsilon = 2{said}, {loss.name}"
            yield Cell(name, setting, make, asked=False, confirmed=False)


# -- what there is to attack in releases of each kind -----------------------------------------

Rows = tuple[IntArray, IntArray]
"""The cells (n,) and the shares (n, K) of some rows."""


@dataclass(frozen=True)
class SumsTarget:
    """The sums of an evaluation: every row's shares add up to at most 1; δ = 0.

    cells, pieces : how many cells there are and how many shares a row has
    """

    claim: Budget
    cells: int = 4
    pieces: int = 2
    relation: Relation = Relation.REPLACE_ONE

    name: ClassVar[str] = "laplace-sums"

    @property
    def dimension(self) -> int:
        """How many sums there are."""
        return self.cells * self.pieces

    @property
    def _noise(self) -> LaplaceSums:
        return LaplaceSums(self.dimension, self.relation, self.claim)

    def pairs(self) -> Sequence[Pair]:
        """Return a row in one sum, and in another, spread over several, or left out."""
        one = self._row(0, [UNIT] + [0] * (self.pieces - 1))
        other = self._row(self.cells - 1, [0] * (self.pieces - 1) + [UNIT])
        nobody = self._row(-1, [0] * self.pieces)
        even = self._row(self.cells - 1, [UNIT // self.pieces] * self.pieces)
        if self.relation is Relation.ADD_REMOVE:
            return [Pair("a row, and nobody", one, nobody), Pair("spread", even, nobody)]
        return [
            Pair("a row in one sum, and in another", one, other),
            Pair("a row in one sum, and spread", one, even),
            Pair("a row, and nobody", one, nobody),
        ]

    def _row(self, cell: int, shares: list[int]) -> Rows:
        return np.array([cell]), np.array([shares], dtype=np.int64)

    def outputs(self, data: Rows, runs: int, key: Key) -> FloatArray:
        """Return the sums with simulated noise, on their grid."""
        noise = self._noise
        drawn = rng_of(*key).laplace(size=(runs, self.dimension)) * noise.scale
        grid = 2.0**noise.exponent
        return np.asarray(np.round((self._sums(data) + drawn) / grid) * grid)

    def score(self, outputs: FloatArray, pair: Pair) -> FloatArray:
        """Return the log-likelihood ratio: a difference of ℓ₁ distances."""
        one, other = (np.abs(outputs - self._sums(data)).sum(axis=1) for data in pair.both)
        return np.asarray((other - one) / self._noise.scale)

    def exact(self, data: Rows, runs: int) -> FloatArray:
        """Return real releases."""
        noise, bits = self._noise, OperatingSystemBits()
        flat = [one for cell in exact_sums(*data, self.cells) for one in cell]
        found = [noise.release(flat, bits) for _ in range(runs)]
        return np.array(found, float).reshape(runs, self.dimension) * 2.0**noise.exponent

    def _sums(self, data: Rows) -> FloatArray:
        return np.array(exact_sums(*data, self.cells), float).reshape(-1) / UNIT


@dataclass(frozen=True)
class ChoiceTarget:
    """A private choice among candidates by whole scores, by the exponential mechanism; δ = 0."""

    claim: Budget
    candidates: int = 5
    sensitivity: int = 1000

    name: ClassVar[str] = ExponentialMechanism.name
    dimension: ClassVar[int] = 1

    def pairs(self) -> Sequence[Pair]:
        """Return scores of which one person raises the first by Δ and lowers all others by Δ."""
        found = []
        for behind in (0, 1, 2, 4, 8):
            start, step = -behind * self.sensitivity // 2, self.sensitivity
            one = (start, *[0] * (self.candidates - 1))
            other = (start + step, *[-step] * (self.candidates - 1))
            found.append(Pair(f"a candidate {behind / 2:g} behind the others", other, one))
        return found

    def outputs(self, data: tuple[int, ...], runs: int, key: Key) -> FloatArray:
        """Return simulated choices, as numbers from 0 on."""
        rng, size = rng_of(*key), (runs, len(data))
        rate = float(self.claim.epsilon) / (2 * self.sensitivity)
        chosen = np.argmax(rate * np.array(data) + rng.gumbel(size=size), axis=1)
        return np.asarray(chosen[:, None], dtype=np.float64)

    def exact(self, data: tuple[int, ...], runs: int) -> FloatArray:
        """Return real choices."""
        choice = ExponentialMechanism(self.sensitivity, self.claim)
        bits = OperatingSystemBits()
        return np.array([[choice.choose(data, bits)] for _ in range(runs)], float).reshape(runs, 1)


def _part_cells() -> Iterator[Cell]:
    """Yield the cells of what a rule pays for besides its fit: tightness, ranges, and the guard."""
    for epsilon in EPSILONS:
        claim, quick, real = Budget.of(epsilon), epsilon == "4", epsilon in CONFIRMED
        tight = partial(TightnessTarget, claim, 2)
        setting = f"benefit and 2 features, epsilon = {epsilon}"
        yield Cell(TightnessTarget.name, setting, tight, quick=quick, confirmed=real)
        for m in SMALL:
            columns, said = partial(RangesTarget, claim, m), "columns" if m > 1 else "column"
            setting = f"{m} {said}, epsilon = {epsilon}"
            yield Cell(RangesTarget.name, setting, columns, quick=quick, confirmed=real)
        for relation in Relation:
            said = ", add/remove" if relation is Relation.ADD_REMOVE else ""
            guard = partial(GuardTarget, claim, relation)
            yield Cell(GuardTarget.name, f"epsilon = {epsilon}{said}", guard, quick=quick)


def _release_cells() -> Iterator[Cell]:
    """Yield the cells beside the mechanisms': a value's sums, a tuned γ, a propensity model."""
    kinds: tuple[tuple[type[SumsTarget | ChoiceTarget], str], ...]
    kinds = (SumsTarget, "8 sums"), (ChoiceTarget, "5 candidates")
    for kind, what in kinds:
        for epsilon in EPSILONS:
            make = partial(kind, Budget.of(epsilon))
            yield Cell(kind.name, f"{what}, epsilon = {epsilon}", make, quick=epsilon == "4")
    for p in SMALL[1:]:
        for epsilon in ("1", "4"):
            model = partial(propensity_target, p - 1, CROWD, Budget.of(epsilon))
            quick = (p, epsilon) == (2, "4")
            yield Cell("propensity-model", f"p = {p}, epsilon = {epsilon}", model, quick=quick)


def _design_cells() -> Iterator[Cell]:
    """Yield the cells of every estimator of a design of its own, in the norm of its rows."""
    for name, kind in WEIGHTINGS.items():
        if getattr(kind, "options", None) is None or name == OUTCOME_WEIGHTED.name:
            continue
        for features in (1, 2):
            for epsilon in EPSILONS:
                make = partial(design_target, name, features, Budget.of(epsilon), DESIGN_GAMMA)
                setting = f"{features} features, epsilon = {epsilon}"
                quick = (features, epsilon) == (1, "4")
                yield Cell(name, setting, make, quick=quick, confirmed=epsilon in CONFIRMED)


def cells() -> dict[str, Cell]:
    """Return the cells of everything that is registered now, by name and setting."""
    found = [cell for name in private_mechanisms() for cell in _mechanism_cells(name)]
    found += _design_cells()
    found += [cell for kind in every_kind() if kind.audited for cell in kind.audited()]
    return {cell.key: cell for cell in [*found, *_release_cells(), *_part_cells()]}


@dataclass(frozen=True)
class Task:
    """One audit, for any process."""

    key: str
    runs: int
    exact_runs: int
    confidence: float
    seed: int


def chosen(names: Sequence[str], *, quick: bool = False) -> list[Cell]:
    """Return the cells of these names, or of all; a name that nothing has is refused."""
    registered = cells().values()
    known = list(dict.fromkeys(cell.name for cell in registered))
    unknown = [name for name in names if name not in known]
    if unknown:
        raise ParameterError(f"there is no {unknown[0]} to audit; there are: {', '.join(known)}")
    wanted = names or known
    return [one for one in registered if one.name in wanted and (one.quick or not quick)]


def audit_cells(
    cells: Sequence[Cell],
    *,
    runs: int,
    exact_runs: int,
    confidence: float,
    seed: int = 0,
    workers: int | None = None,
    on_done: OnDone = unseen,
) -> list[Audited]:
    """Return the audits of some cells, in their order, over all processors.

    Only cells that say so are confirmed by real releases, and only targets that have them.
    """
    tasks = [
        Task(cell.key, runs, exact_runs if cell.confirmed else 0, confidence, seed)
        for cell in cells
    ]
    return run(audited, tasks, workers=workers, on_done=on_done)


def audited(task: Task) -> Audited:
    """Return one audit."""
    cell = cells()[task.key]
    target, runs, confidence = cell.make(), task.runs, task.confidence
    exact = task.exact_runs if isinstance(target, Exact) else 0
    found = audit(target, runs=runs, confidence=confidence, seed=task.seed, exact_runs=exact)
    return replace(found, name=cell.name)
