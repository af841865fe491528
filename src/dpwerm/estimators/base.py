"""What all estimators share: public parameters, and that a release outlives what follows it."""

import copy
from dataclasses import KW_ONLY, dataclass, fields
from typing import Any, Literal, NoReturn, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from dpwerm.arrays import FloatArray
from dpwerm.errors import ParameterError
from dpwerm.objective.losses import Loss
from dpwerm.privacy.budget import AnyBudget, budget_of
from dpwerm.privacy.randomness import Unrecorded
from dpwerm.releases.charging import StudyLedger
from dpwerm.releases.release import Release, Rule
from dpwerm.releases.rule_file import notice, promise_of


class LedgerLeftBehind:
    """Stands in the place of a ledger in a pickled estimator: a ledger may hold a password."""

    def __repr__(self) -> str:
        return "<a ledger that was left behind>"

    def refuse(self) -> NoReturn:
        """Raise in the place of a fit that would have to be charged."""
        raise ParameterError(
            "this estimator came from another process and its ledger stayed there, so that this "
            "fit was not made and nothing was charged. With n_jobs, leave n_jobs=None: every "
            "private fit is a release of its own, and each is charged before its noise is drawn. "
            "To rehearse in parallel, set random_state, which charges nothing and is not private. "
            "After unpickling, set_params(ledger=...) gives the estimator a ledger again"
        )


@dataclass(frozen=True)
class _Block:
    """What scikit-learn's diagram asks of an estimator; what it may ask besides is None."""

    names: str
    name_details: str
    name_caption: str
    kind: str = "single"

    def __getattr__(self, _name: str) -> None:
        return None


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

    @property
    def coef_(self) -> FloatArray:
        """The coefficients of the released score in the units of X, shape (1, k).

        ``decision_function(X)`` is ``X @ coef_.T + intercept_`` for rows within the declared
        bounds, but for rounding; values outside are clipped to them first. It follows from the
        release, threshold included. With a study there is one entry per number, and one per level
        of a category, which stands for a column that is 1 where a row has the level and 0
        elsewhere; ``coef_names_`` says which is which.
        """
        return np.array([list(self._own_units().values())[1:]])

    @property
    def intercept_(self) -> FloatArray:
        """The constant of the released score in the units of X, shape (1,)."""
        return np.array([self._own_units()["intercept"]])

    @property
    def coef_names_(self) -> NDArray[np.object_]:
        """The names of the columns of ``coef_``, shape (k,), such as "age" and "sex=F"."""
        return np.array(list(self._own_units())[1:], dtype=object)

    def _own_units(self) -> dict[str, float]:
        check_is_fitted(self, self._fitted())
        released: Release = self.release_
        return released.own_units()

    @staticmethod
    def _fitted() -> str:
        """Return the attribute that a fit leaves."""
        return "release_"

    def _sk_visual_block_(self) -> _Block:
        """Return what scikit-learn's HTML shows: beside the name, whether it is private."""
        return _Block(type(self).__name__, str(self), self._notice())

    def _notice(self) -> str:
        """Return the sentence that heads the release, or what a fit would make."""
        made: Rule | Release | None = vars(self).get(self._fitted())
        if made is not None:
            return notice(made)
        try:
            budget, seeded = budget_of(self.epsilon, self.delta), not _secure(self)
        except ParameterError:
            return "Not fitted."
        if not budget.is_private:
            return "Not fitted. A fit will be NOT PRIVATE: without noise."
        if seeded:
            return "Not fitted. A fit will be NOT PRIVATE: the noise will come from a seed."
        promise = promise_of(budget)
        return f"Not fitted. A fit will be released under differential privacy: {promise}."

    def __getstate__(self) -> dict[str, Any]:
        """Return what is pickled; a ledger stays in its process."""
        state: dict[str, Any] = dict(super().__getstate__())
        if isinstance(state.get("ledger"), StudyLedger):
            state["ledger"] = LedgerLeftBehind()
        return state

    def __copy__(self) -> Self:
        """Return a copy in this process, which shares the ledger."""
        return self._with(self.__dict__)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """Return a deep copy in this process, which shares the ledger."""
        return self._with(copy.deepcopy(self.__dict__, memo))

    def _with(self, state: dict[str, Any]) -> Self:
        made = object.__new__(type(self))
        made.__dict__.update(state)
        return made

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


def _secure(estimator: PrivateEstimator) -> bool:
    return Unrecorded(estimator.random_state).secure


def paying_ledger(estimator: PrivateEstimator, budget: AnyBudget) -> StudyLedger | str | None:
    """Return the ledger of a fit; one that was left in another process cannot pay."""
    ledger: Any = estimator.ledger
    if not isinstance(ledger, LedgerLeftBehind):
        return estimator.ledger
    if budget.is_private and _secure(estimator):
        ledger.refuse()
    return None
