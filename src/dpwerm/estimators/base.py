"""What all estimators share: public parameters, and that a release outlives what follows it."""

import copy
from dataclasses import KW_ONLY, dataclass, fields
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
        for name in self._learned():
            delattr(fresh, name)
        return fresh

    def _take_over(self, fresh: Self) -> None:
        """Take what a copy has learned, in the place of what was learned before, at one stroke."""
        before = self._learned()
        own = {name: value for name, value in vars(self).items() if name not in before}
        self.__dict__ = own | {name: vars(fresh)[name] for name in self._learned(fresh)}

    def _learned(self, fitted: Self | None = None) -> list[str]:
        """Return the names of what our fits have left, here or in a copy; heirs may add theirs."""
        names = [one.name for one in fields(self) if not one.init]
        names += ["n_features_in_", "feature_names_in_"]
        return [name for name in names if name in vars(fitted or self)]
