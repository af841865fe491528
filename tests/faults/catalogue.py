"""Every planted fault beside its healthy twin, and what the auditor finds of them.

None of them is part of the package; ``python -m tests.faults`` shows that each is caught.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from tests.faults import allocation, features, gamma, noise, parts, solver, weights
from tests.faults.chain import Chain, Fault
from tests.faults.parts import OneLook, OwnCentre

from dpwerm.audit.attack import Audited, audit
from dpwerm.audit.target import Target
from dpwerm.simulate.engine.run import OnDone, unseen
from dpwerm.text import aligned

RUNS = 200_000
"""With this many runs every fault is caught, in a second or so each."""

CONFIDENCE = 1 - 1e-6

CATALOGUE: Mapping[str, Fault] = MappingProxyType(
    {
        fault.name: fault
        for kind in (noise, weights, allocation, features, solver, gamma, parts)
        for fault in kind.faults()
    }
)
"""Every fault by its name."""

FAULTS: Mapping[str, Callable[[], Target]] = MappingProxyType(
    {name: fault.broken for name, fault in CATALOGUE.items()}
)
"""The broken targets, by the name of the fault."""

TWINS: Mapping[str, Callable[[], Target]] = MappingProxyType(
    {name: fault.healthy for name, fault in CATALOGUE.items()}
)
"""The healthy twins, by the name of the fault they do not have."""

SPHERICAL = "spherical-laplace"


@dataclass(frozen=True)
class Measured:
    """A fault with what was found of it and of its twin; spent: the true ε, where one knows it."""

    fault: Fault
    broken: Audited
    healthy: Audited
    spent: float | None

    @property
    def caught(self) -> bool:
        """Whether the fault is found and its twin passes."""
        return not self.broken.holds and self.healthy.holds


def measure(
    names: Sequence[str] = tuple(CATALOGUE),
    *,
    runs: int = RUNS,
    confidence: float = CONFIDENCE,
    seed: int = 0,
    on_done: OnDone = unseen,
) -> list[Measured]:
    """Audit faults and their twins, each with so many runs.

    Parameters
    ----------
    names : names in the catalogue
    runs, confidence, seed : as ``audit`` takes them
    on_done : told how much is done
    """
    found = []
    for done, name in enumerate(names):
        on_done(done, len(names))
        fault = CATALOGUE[name]
        target, twin = fault.broken(), fault.healthy()
        broken, healthy = (
            audit(one, runs=runs, confidence=confidence, seed=seed) for one in (target, twin)
        )
        found.append(Measured(fault, broken, healthy, spent_by(target)))
    on_done(len(names), len(names))
    return found


def spent_by(target: Target) -> float | None:
    """Return the ε that a pair really costs, if a formula has it: Laplace noise, and choices."""
    if isinstance(target, OwnCentre | OneLook):
        return target.spent
    if (
        not isinstance(target, Chain)
        or not target.rounds
        or target.calibration.mechanism != SPHERICAL
    ):
        return None
    return target.moved


HEAD = ("fault", "what is wrong", "known from", "shows as", "claimed", "spent", "≥", "twin ≥")


def table(found: Sequence[Measured]) -> list[tuple[str, ...]]:
    """Return what was found as rows below their head."""
    rows: list[tuple[str, ...]] = [HEAD]
    for one in found:
        fault = one.fault
        spent = "" if one.spent is None else f"{one.spent:.2f}"
        claim = one.broken.claim
        claimed = f"{claim.epsilon}" + (f", δ = {claim.delta}" if claim.delta else "")
        bounds = (f"{one.broken.largest:.2f}", f"{one.healthy.largest:.2f}")
        words = (f"`{fault.name}`", fault.wrong, fault.known_from, fault.shows)
        rows.append((*words, claimed, spent, *bounds))
    return rows


def lines(found: Sequence[Measured]) -> list[str]:
    """Return which faults were caught, and which right versions pass."""
    rows: list[tuple[str, ...]] = [("fault", "claimed", "at least", "caught", "right version")]
    for one in found:
        broken, twin = one.broken, one.healthy
        caught = "NO" if broken.holds else "yes"
        right = f"{twin.lower:.2f} {twin.verdict}"
        rows.append(
            (one.fault.name, f"{broken.claim.epsilon}", f"{broken.lower:.2f}", caught, right)
        )
    caught_all = sum(not one.broken.holds for one in found)
    passing = sum(one.healthy.holds for one in found)
    return [
        *aligned(rows),
        "",
        (
            f"{caught_all} of {len(found)} faults caught; "
            f"{passing} of {len(found)} right versions pass."
        ),
    ]
