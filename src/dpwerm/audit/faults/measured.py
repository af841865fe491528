"""What the auditor finds of every fault and of its twin, and the table that shows it."""

from collections.abc import Sequence
from dataclasses import dataclass

from dpwerm.audit.attack import Audited, audit
from dpwerm.audit.faults import CATALOGUE, CONFIDENCE, RUNS
from dpwerm.audit.faults.chain import Chain
from dpwerm.audit.faults.fault import Fault
from dpwerm.audit.target import Target
from dpwerm.simulate.engine.run import OnDone, unseen
from dpwerm.text import markdown

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
    """Return the ε that a pair really costs, if a formula has it: Laplace noise on a grid."""
    if not isinstance(target, Chain) or not target.rounds or target.plan.mechanism != SPHERICAL:
        return None
    return target.moved


def table(found: Sequence[Measured]) -> str:
    """Return what was found as a Markdown table."""
    rows = [("fault", "what is wrong", "known from", "shows as", "claimed", "spent", "≥", "twin ≥")]
    for one in found:
        fault = one.fault
        spent = "" if one.spent is None else f"{one.spent:.2f}"
        claim = one.broken.claim
        claimed = f"{claim.epsilon}" + (f", δ = {claim.delta}" if claim.delta else "")
        bounds = (f"{one.broken.largest:.2f}", f"{one.healthy.largest:.2f}")
        words = (f"`{fault.name}`", fault.wrong, fault.known_from, fault.shows)
        rows.append((*words, claimed, spent, *bounds))
    return markdown(rows)
