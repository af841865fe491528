"""The desk where a plan is made: every figure is asked for here, and simulated once."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from dpwerm.choose.candidates import CLIPS
from dpwerm.errors import ParameterError
from dpwerm.mechanisms.plan import Stage, no_progress
from dpwerm.plan.bounds import MECHANISM, Bounds, bounds_of
from dpwerm.plan.expected import QUICK_TRIALS, TRIALS, Expected, expected
from dpwerm.plan.figure import FACTORS, QUICK_FACTORS, sizes_around
from dpwerm.plan.target import EPSILONS, SIZES, Answer, smallest
from dpwerm.privacy.asymptotic import Asymptotic, asymptotic_constant
from dpwerm.privacy.budget import Budget
from dpwerm.rules.propensity import model_encoding
from dpwerm.rules.settle import Settled, settle
from dpwerm.study.declaration import Study

Found = tuple[Settled, Expected]


def no_step() -> None:
    """Ignore that a step is done."""


def no_room(steps: int) -> None:
    """Ignore how many steps are to come."""


@dataclass(frozen=True)
class Desk:
    """What is asked of one study.

    Parameters
    ----------
    study : Study
    delta : str or Decimal, for mechanisms that need one
    quick : bool, whether fewer trials are simulated
    on_stage, on_step, on_more : called with what is under way, after each simulated place, and
        with the number of places to come
    """

    study: Study
    delta: str | Decimal = "0"
    quick: bool = False
    on_stage: Stage = no_progress
    on_step: Callable[[], None] = no_step
    on_more: Callable[[int], None] = no_room
    _known: dict[tuple[str, int, float | None], Found] = field(default_factory=dict, repr=False)

    def at(self, epsilon: str, n: int, clip: float | None = None) -> Found:
        """Return what a fit at ε with n people would use, and what to expect of it."""
        key = (epsilon, n, clip)
        if key not in self._known:
            where = f"epsilon {epsilon}, n {n:,}" + ("" if clip is None else f", clip {clip:.0%}")

            def stage(name: str) -> None:
                self.on_stage(f"{where}: {name}")

            budget = Budget.of(epsilon, self.delta)
            settled = settle(self.study, budget, n, clip=clip, on_stage=stage)
            stage("simulating trials")
            trials = QUICK_TRIALS if self.quick else TRIALS
            self._known[key] = settled, expected(settled, trials)
        self.on_step()
        return self._known[key]

    def over(self, epsilons: Sequence[str], n: int) -> tuple[dict[str, Found], list[str]]:
        """Return what to expect at each ε, and for which ε no release is possible and why.

        An ε may be too small for a γ or a mechanism that the study sets; if all are, that is an
        error.
        """
        self.on_more(len(epsilons))
        found, refused = {}, {}
        for epsilon in epsilons:
            try:
                found[epsilon] = self.at(epsilon, n)
            except ParameterError as error:
                refused[epsilon] = error
        if refused and not [one for one in found if one != "inf"]:
            raise next(iter(refused.values()))
        return found, [f"No release at epsilon = {one}: {error}." for one, error in refused.items()]

    def smallest_epsilon(self, target: float, n: int) -> Answer[str]:
        """Return the smallest ε that reaches the target with n people."""
        self.on_more(7)
        return smallest(EPSILONS, lambda epsilon: self.at(epsilon, n)[1], target)

    def smallest_n(self, target: float, epsilon: str) -> Answer[int]:
        """Return the smallest n that reaches the target at ε."""
        self.on_more(7)
        return smallest(SIZES, lambda n: self.at(epsilon, n)[1], target)

    def clips(self, epsilon: str, n: int) -> dict[float, Found]:
        """Return what to expect with other clips, as shares of the largest."""
        used, _ = self.at(epsilon, n)
        shares = sorted({*CLIPS, used.clip})
        self.on_more(len(shares))
        return {share: self.at(epsilon, n, share) for share in shares}

    def bounds(self, epsilon: str, n: int) -> Bounds:
        """Return the paper's bounds beside simulation, with the settings that suit them."""
        self.on_stage(f"epsilon {epsilon}, n {n:,}: the paper's bounds")
        budget = Budget.of(epsilon)
        return bounds_of(settle(self.study, budget, n, mechanism=MECHANISM))

    def curves(self, epsilons: Sequence[str], n: int) -> dict[int, dict[str, Expected]]:
        """Return what to expect at each ε for numbers of people around n."""
        sizes = sizes_around(n, QUICK_FACTORS if self.quick else FACTORS)
        return {
            size: {one: found for one, (_, found) in self.over(epsilons, size)[0].items()}
            for size in sizes
        }


def asymptotic_figures(study: Study, clip: float, smallest_eigenvalue: float, n: int) -> Asymptotic:
    """Return the paper's H for a clip V; it is never the basis of a release."""
    return asymptotic_constant(
        benefit_bound=clip,
        radius=model_encoding(study.encoding()).radius,
        pi_min=study.treatment.pi_min,
        smallest_eigenvalue=smallest_eigenvalue,
        n=n,
    )
