"""What all estimators share: public parameters, and that a release outlives what follows it."""

import copy
from dataclasses import KW_ONLY, dataclass
from typing import Any, Literal, Self

from sklearn.base import BaseEstimator

from dpwerm.objective.losses import Loss
from dpwerm.releases.charging import StudyLedger


@dataclass(eq=False, repr=False)
class PrivateEstimator(BaseEstimator):  # type: ignore[misc]
    """Parameters of every private fit; each estimator says what they mean to it."""

    epsilon: Any
    _: KW_ONLY
    feature_bounds: Any = None
    gamma: float | str = "auto"
    loss: str | Loss = "huberised-hinge"
    h: float = 1.0
    regularizer: str = "ridge"
    mechanism: str = "auto"
    delta: Any = 0
    encoding: Literal["centred", "paper"] = "centred"
    intercept_scale: float | str = "auto"
    saturation: float | str = "auto"
    threshold: float | str = "auto"
    planned_n: int | None = None
    random_state: int | None = None
    ledger: StudyLedger | str | None = None

    def _unfitted(self) -> Self:
        """Return a copy to fit in this one's place, which keeps what it released until then."""
        fresh = copy.copy(self)
        for name in _learned(fresh):
            delattr(fresh, name)
        return fresh

    def _take_over(self, fresh: Self) -> None:
        """Take what a copy has learned, in the place of what was learned before, at one stroke."""
        own = {name: value for name, value in vars(self).items() if not name.endswith("_")}
        self.__dict__ = own | _learned(fresh)


def _learned(estimator: BaseEstimator) -> dict[str, Any]:
    """Return what a fit has left, by the names that scikit-learn gives it."""
    return {name: value for name, value in vars(estimator).items() if name.endswith("_")}
