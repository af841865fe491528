"""The public choices behind a release: everything that can be said before the data is read."""

from dataclasses import dataclass, field

from dpwerm.errors import ParameterError
from dpwerm.mechanisms import get_mechanism
from dpwerm.parameters import positive
from dpwerm.privacy.budget import Budget
from dpwerm.privacy.facts import WeightOrigin
from dpwerm.privacy.origin import KnownByDesign
from dpwerm.privacy.relation import Relation
from dpwerm.problem.losses import HuberisedHinge, MarginLoss, get_loss
from dpwerm.problem.regularizers import Regularizer, Ridge

NON_PRIVATE = "none"


@dataclass(frozen=True)
class Specification:
    """Budget, mechanism, loss and constants of one release.

    gamma: float > 0 on the summed objective; weight_bound: float > 0, the W of Δ = 2WLr/γ.
    An infinite ε always means the non-private baseline, whatever mechanism was named.
    """

    budget: Budget
    gamma: float
    weight_bound: float
    mechanism: str = "spherical-laplace"
    relation: Relation = Relation.REPLACE_ONE
    loss: MarginLoss = field(default_factory=HuberisedHinge)
    regularizer: Regularizer = field(default_factory=Ridge)
    origin: WeightOrigin = field(default_factory=KnownByDesign)

    def __post_init__(self) -> None:
        positive("gamma", self.gamma)
        positive("weight_bound", self.weight_bound)
        get_mechanism(self.mechanism)
        if not self.budget.is_private:
            object.__setattr__(self, "mechanism", NON_PRIVATE)
        elif self.mechanism == NON_PRIVATE:
            raise ParameterError(
                f"mechanism '{NON_PRIVATE}' adds no noise; use epsilon=inf for a non-private fit, "
                "or another mechanism"
            )


def required_gamma(gamma: object) -> float:
    """Return γ, or say how to declare it."""
    if gamma is None:
        raise ParameterError(
            "gamma is missing: give a positive number, chosen without looking at the data "
            "(larger means less noise and more bias; 0.01 to 0.05 times n·W is a place to start)"
        )
    return positive("gamma", gamma)


def loss_of(loss: str | MarginLoss, h: object = None) -> MarginLoss:
    """Return the loss by its registered name, or the instance of a registered class."""
    if not isinstance(loss, str):
        return get_loss(loss.name, **loss.parameters)
    if loss == HuberisedHinge.name and h is not None:
        return get_loss(loss, h=positive("h", h))
    return get_loss(loss)
