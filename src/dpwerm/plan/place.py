"""One place of a plan, an ε and a number of people: the settings there and what they are worth.

A place is all that its simulation depends on, so that any process can do it.
"""

from dataclasses import dataclass

from dpwerm.errors import ParameterError
from dpwerm.mechanisms.plan import Stage, no_progress
from dpwerm.plan.expected import Expected, expected
from dpwerm.privacy.budget import Budget
from dpwerm.rules.settle import Settled, settle
from dpwerm.study.declaration import Study

Found = tuple[Settled, Expected]
Key = tuple[str, int, float | None]
"""ε, n, and the clip as a share of the largest; None for the study's own."""


@dataclass(frozen=True)
class Place:
    """What is simulated, in how many trials."""

    study: Study
    delta: str
    trials: int
    epsilon: str
    n: int
    clip: float | None


def simulated(place: Place, on_stage: Stage = no_progress) -> Found | ParameterError:
    """Return the settings and their worth, or why no release is possible there."""
    clip = "" if place.clip is None else f", clip {place.clip:.0%}"
    where = f"epsilon {place.epsilon}, n {place.n:,}{clip}"

    def stage(name: str) -> None:
        on_stage(f"{where}: {name}")

    try:
        budget = Budget.of(place.epsilon, place.delta)
        settled = settle(place.study, budget, place.n, clip=place.clip, on_stage=stage)
        stage("simulating trials")
        return settled, expected(settled, place.trials)
    except ParameterError as error:
        return error
