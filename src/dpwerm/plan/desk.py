"""The desk where a plan is made: every figure is asked for here, and simulated once.

A place of a plan is an ε and a number of people, with the hyperparameters there and their worth.
It is all that its simulation depends on, so that any process can do it.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from dpwerm.choose.grid import OPTIONS
from dpwerm.errors import ParameterError
from dpwerm.mechanisms.contract import Stage, no_progress
from dpwerm.plan.assumed import Assumed, cases, declared_scale
from dpwerm.plan.expected import (
    NOTHING_ASSUMED,
    QUICK_TRIALS,
    TRIALS,
    Expected,
    Settled,
    expected,
    settle,
)
from dpwerm.plan.smallest import EPSILONS, SIZES, Aim, Answer, smallest
from dpwerm.privacy.budget import Budget
from dpwerm.simulate.engine.run import run
from dpwerm.simulate.scale import Scale
from dpwerm.study.study import Study

Found = tuple[Settled, Expected]
Key = tuple[str, int, float | None, Assumed]
"""ε, n, the clip as a share of the largest, None for the study's own, and what is assumed."""

FEWEST_FEATURES = 4
"""Of which a plan says what fewer would bring."""

WORTH_WORKERS = 4
"""From this many places on other processes are worth their start."""


@dataclass(frozen=True)
class Place:
    """What is simulated, in how many trials."""

    study: Study
    delta: str
    trials: int
    epsilon: str
    n: int
    clip: float | None
    assumed: Assumed = NOTHING_ASSUMED


def simulated(place: Place, on_stage: Stage = no_progress) -> Found | ParameterError:
    """Return the hyperparameters and their worth, or why no release is possible there."""
    clip = "" if place.clip is None else f", clip {place.clip:.0%}"
    where = f"epsilon {place.epsilon}, n {place.n:,}{clip}"
    study = place.assumed.study(place.study)

    def stage(name: str) -> None:
        on_stage(f"{where}: {name}")

    try:
        budget = Budget.of(place.epsilon, place.delta)
        settled = settle(study, budget, place.n, clip=place.clip, on_stage=stage)
        stage("simulating trials")
        return settled, expected(settled, place.trials, place.assumed)
    except ParameterError as error:
        return error


def untold(*_: int) -> None:
    """Ignore that a step is done, or how many are to come."""


@dataclass(frozen=True)
class Desk:
    """What is asked of one study.

    delta : str or Decimal, for mechanisms that need one
    quick : bool, whether fewer trials are simulated
    workers : int ≥ 1, processes for many places at once; None for all processors
    on_stage, on_step, on_more : called with what is under way, after each simulated place, and
        with the number of places to come
    """

    study: Study
    delta: str | Decimal = "0"
    quick: bool = False
    on_stage: Stage = no_progress
    on_step: Callable[[], None] = untold
    on_more: Callable[[int], None] = untold
    workers: int | None = 1
    _known: dict[Key, Found | ParameterError] = field(default_factory=dict, repr=False)

    def at(self, epsilon: str, n: int, clip: float | None = None) -> Found:
        """Return what a fit at ε with n people would use, and what to expect of it."""
        return _raised(self._find([self._key(epsilon, n, clip)])[0])

    @property
    def assumed(self) -> Assumed:
        """What the study expects."""
        return Assumed(declared_scale(self.study.benefit))

    def _key(self, epsilon: str, n: int, clip: float | None = None) -> Key:
        return epsilon, n, clip, self.assumed

    def over(self, epsilons: Sequence[str], n: int) -> tuple[dict[str, Found], list[str]]:
        """Return what to expect at each ε, and for which ε no release is possible and why.

        An ε may be too small for a γ or a mechanism that the study sets; if all are, that is an
        error.
        """
        self.on_more(len(epsilons))
        places = self._find([self._key(epsilon, n) for epsilon in epsilons])
        pairs = list(zip(epsilons, places, strict=True))
        refused = {one: place for one, place in pairs if isinstance(place, ParameterError)}
        found = {one: place for one, place in pairs if not isinstance(place, ParameterError)}
        if refused and not found.keys() - {"inf"}:
            raise next(iter(refused.values()))
        return found, [f"No release at epsilon = {one}: {error}." for one, error in refused.items()]

    def _find(self, keys: Sequence[Key]) -> list[Found | ParameterError]:
        """Return what is known of each place, simulated where it is not: many at once."""
        new = [key for key in dict.fromkeys(keys) if key not in self._known]
        trials = QUICK_TRIALS if self.quick else TRIALS
        places = [Place(self.study, str(self.delta), trials, *key) for key in new]
        if self.workers == 1 or len(new) < WORTH_WORKERS:
            for key, place in zip(new, places, strict=True):
                self._known[key] = simulated(place, self.on_stage)
                self.on_step()
        else:
            self.on_stage("simulating trials")
            found = run(simulated, places, workers=self.workers, on_done=self._stepped)
            self._known.update(zip(new, found, strict=True))
        for _ in range(len(keys) - len(new)):
            self.on_step()
        return [self._known[key] for key in keys]

    def _stepped(self, done: int, _total: int) -> None:
        if done:
            self.on_step()

    def smallest_epsilon(self, aim: Aim, n: int) -> Answer[str]:
        """Return the smallest ε that reaches the aim with n people."""
        self.on_more(7)
        return smallest(EPSILONS, lambda epsilon: self.at(epsilon, n)[1], aim)

    def smallest_n(self, aim: Aim, epsilon: str) -> Answer[int]:
        """Return the smallest n that reaches the aim at ε."""
        self.on_more(7)
        return smallest(SIZES, lambda n: self.at(epsilon, n)[1], aim)

    def clips(self, epsilon: str, n: int) -> dict[float, Found]:
        """Return what to expect with other clips, as shares of the largest."""
        used, _ = self.at(epsilon, n)
        shares = sorted({*OPTIONS["clip"], used.clip})
        self.on_more(len(shares))
        places = self._find([self._key(epsilon, n, share) for share in shares])
        return {share: _raised(place) for share, place in zip(shares, places, strict=True)}

    def scales(self, epsilon: str, n: int) -> list[tuple[str, Scale, Expected]]:
        """Return what to expect at each scale that the study leaves open; none if it says all."""
        open_ones = cases(self.study.benefit)
        self.on_more(len(open_ones))
        places = self._find([(epsilon, n, None, Assumed(scale)) for _, scale in open_ones])
        pairs = zip(open_ones, places, strict=True)
        return [(word, scale, _raised(place)[1]) for (word, scale), place in pairs]

    def declarations(self, epsilon: str, n: int) -> dict[int, Expected]:
        """Return what to expect if all features were declared, the first half, the first quarter.

        All that matters lies in that quarter. None of fewer than four features, or where the
        study's own settings do without none.
        """
        count = len(self.study.features)
        if count < FEWEST_FEATURES:
            return {}
        scale, quarter = self.assumed.scale, math.ceil(count / 4)
        counts = sorted({count, math.ceil(count / 2), quarter}, reverse=True)
        self.on_more(len(counts))
        places = self._find([(epsilon, n, None, Assumed(scale, quarter, one)) for one in counts])
        pairs = zip(counts, places, strict=True)
        return {one: place[1] for one, place in pairs if not isinstance(place, ParameterError)}

    def curves(self, epsilons: Sequence[str], n: int) -> dict[int, dict[str, Expected]]:
        """Return what to expect at each ε for n/4, n/2, n, 2n and 4n people, at least 20 each."""
        factors = (0.25, 1.0, 4.0) if self.quick else (0.25, 0.5, 1.0, 2.0, 4.0)
        sizes = sorted({max(20, round(n * factor)) for factor in factors})
        self.on_more(len(sizes) * len(epsilons))
        self._find([self._key(epsilon, size) for size in sizes for epsilon in epsilons])
        return {
            size: {one: found for one, (_, found) in self.over(epsilons, size)[0].items()}
            for size in sizes
        }


def _raised(found: Found | ParameterError) -> Found:
    if isinstance(found, ParameterError):
        raise found
    return found
