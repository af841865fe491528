"""One audit: find the worst pair, choose an attack on half of the runs, judge it on the other."""

from dataclasses import dataclass

from dpwerm.audit.target import Target
from dpwerm.privacy.budget import Budget
from dpwerm.simulate.engine.run import OnDone, unseen


@dataclass(frozen=True)
class Audited:
    """What an audit found.

    Parameters
    ----------
    name : str, of the target
    claim : Budget, claimed
    dimension : int ≥ 1, p
    lower : float ≥ 0, ε is at least this by the simulated runs
    exact_lower : float or None, and this by real releases
    runs, exact_runs : int, how many releases the two bounds rest on
    pair, statistic : str, the attack
    confidence : float in (0, 1), with which both bounds hold together
    """

    name: str
    claim: Budget
    dimension: int
    lower: float
    exact_lower: float | None
    runs: int
    exact_runs: int
    pair: str
    statistic: str
    confidence: float

    @property
    def largest(self) -> float:
        """The larger of the two bounds."""
        return max(self.lower, self.exact_lower or 0.0)

    @property
    def holds(self) -> bool:
        """Whether no bound is above the claimed ε; if the claim is true, nearly always so."""
        return self.largest <= float(self.claim.epsilon)

    @property
    def verdict(self) -> str:
        """ "holds" or "BROKEN"."""
        return "holds" if self.holds else "BROKEN"

    @property
    def ratio(self) -> float:
        """How many times the larger bound goes into the claim; near 1 shows that it is tight."""
        return float(self.claim.epsilon) / self.largest if self.largest > 0 else float("inf")


def audit(
    target: Target,
    *,
    runs: int,
    confidence: float = 0.999,
    seed: int = 0,
    exact_runs: int = 0,
    on_done: OnDone = unseen,
) -> Audited:
    """Return lower bounds on ε of a target.

    Parameters
    ----------
    target : Target; the more of Searchable, Scored and Exact it also is, the stronger the attack
    runs : int ≥ 2, simulated releases on the worst pair; half of them choose the attack
    confidence : float in (0, 1), that no bound exceeds the true ε
    seed : int ≥ 0, public
    exact_runs : int ≥ 0, real releases that confirm the attack; needs an Exact target
    on_done : told how much is done
    """
    raise NotImplementedError
