"""Everything that is shipped, in cells: one target at one claim, and how it is audited.

Small rows and γ = 20·W·r² let one record do its worst to a mechanism; the logistic loss needs a
crowd for that. Cells of p ≤ 5 are asked to come within a factor of 2 of their claim; a tiny δ and
large p are reported.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from types import MappingProxyType

from dpwerm.audit.attack import Audited, audit
from dpwerm.audit.mechanisms import MechanismTarget, plain_facts, propensity_target
from dpwerm.audit.pipeline_target import ChoiceTarget, SumsTarget
from dpwerm.audit.target import Exact, Target
from dpwerm.errors import ParameterError
from dpwerm.mechanisms import MECHANISMS
from dpwerm.objective.losses import HuberisedHinge, Logistic, Loss
from dpwerm.privacy.budget import Budget, Relation
from dpwerm.simulate.engine.run import OnDone, run, unseen


def private_mechanisms() -> tuple[str, ...]:
    """Return the names of the registered mechanisms that claim something."""
    return tuple(name for name, one in MECHANISMS.items() if one.private)


SHIPPED = private_mechanisms()
EPSILONS = ("0.5", "1", "2", "4")
CONFIRMED = ("1", "4")
SMALL, LARGE = (1, 2, 5), (10, 20)
DELTA, TINY_DELTA = "0.01", "0.000001"
GAMMA, CURVED_GAMMA, LOGISTIC_GAMMA = 20.0, 2.0, 1.0
CROWD = 100
HINGE = HuberisedHinge(0.5)

RUNS, EXACT_RUNS = 400_000, 5000
QUICK_RUNS, QUICK_EXACT_RUNS = 40_000, 400


@dataclass(frozen=True)
class Cell:
    """One target at one claim.

    Parameters
    ----------
    name : str, of what is audited
    setting : str, what sets this cell apart from others of the name
    make : returns the target
    asked : bool, whether its bound is to come within a factor of 2 of the claim
    quick : bool, whether it belongs to the quick version
    confirmed : bool, whether real releases, which are slow, confirm it
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
    for p in (2, 5):
        make = partial(mechanism_target, name, p, "2", delta, Logistic(), LOGISTIC_GAMMA, CROWD)
        setting = f"p = {p}, epsilon = 2{said}, logistic"
        yield Cell(name, setting, make, asked=False, confirmed=False)


def _release_cells() -> Iterator[Cell]:
    for epsilon in EPSILONS:
        budget, said, quick = Budget.of(epsilon), f"epsilon = {epsilon}", epsilon == "4"
        yield Cell(SumsTarget.name, f"8 sums, {said}", partial(SumsTarget, budget), quick=quick)
        choice = partial(ChoiceTarget, budget)
        yield Cell(ChoiceTarget.name, f"5 candidates, {said}", choice, quick=quick)
    for p in SMALL[1:]:
        for epsilon in ("1", "4"):
            model = partial(propensity_target, p - 1, CROWD, Budget.of(epsilon))
            quick = (p, epsilon) == (2, "4")
            yield Cell("propensity-model", f"p = {p}, epsilon = {epsilon}", model, quick=quick)


def cells() -> dict[str, Cell]:
    """Return the cells of everything that is registered now, by name and setting."""
    found = [cell for name in private_mechanisms() for cell in _mechanism_cells(name)]
    return {cell.key: cell for cell in [*found, *_release_cells()]}


CELLS: Mapping[str, Cell] = MappingProxyType(cells())
"""What is shipped, by name and setting."""


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
    return [
        cell
        for cell in registered
        if (not names or cell.name in names) and (cell.quick or not quick)
    ]


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
    target = cell.make()
    found = audit(
        target,
        runs=task.runs,
        confidence=task.confidence,
        seed=task.seed,
        exact_runs=task.exact_runs if isinstance(target, Exact) else 0,
    )
    return replace(found, name=cell.name)
