"""The public choices behind a release: everything that can be said before the data is read."""

from dataclasses import dataclass, field, replace
from typing import Any

from dpwerm.errors import ParameterError
from dpwerm.mechanisms import get_mechanism, plain_mechanism
from dpwerm.mechanisms.laplace import SphericalLaplace
from dpwerm.mechanisms.output_perturbation import NotPrivate
from dpwerm.objective.losses import HuberisedHinge, Loss, form_of, get_loss
from dpwerm.objective.regularizers import Regularizer, Ridge, get_regularizer
from dpwerm.parameters import positive
from dpwerm.privacy.budget import AnyBudget, Budget, Relation, budget_of
from dpwerm.privacy.sensitivity import KnownByDesign, WeightOrigin, stated_origin
from dpwerm.weighting.contract import OUTCOME_WEIGHTED, Weighting

NON_PRIVATE = NotPrivate.name


@dataclass(frozen=True)
class Chosen:
    """Which settings were chosen on simulated problems, how accurate they were there, and why."""

    settings: tuple[str, ...]
    accuracy: float
    reason: str


@dataclass(frozen=True)
class Specification:
    """Budget, mechanism, loss and constants of one release.

    gamma: float > 0 on the summed objective; weight_bound: float > 0, the W of Δ = 2WLr/γ; chosen:
    what was chosen automatically, None if nothing was.
    An infinite ε always means the non-private baseline, whatever mechanism and δ were named; ρ and
    μ are for mechanism gaussian alone.
    """

    budget: AnyBudget
    gamma: float
    weight_bound: float
    mechanism: str = SphericalLaplace.name
    relation: Relation = Relation.REPLACE_ONE
    loss: Loss = field(default_factory=HuberisedHinge)
    regularizer: Regularizer = field(default_factory=Ridge)
    origin: WeightOrigin = field(default_factory=KnownByDesign)
    weighting: Weighting = OUTCOME_WEIGHTED
    chosen: Chosen | None = None

    def __post_init__(self) -> None:
        positive("gamma", self.gamma)
        positive("weight_bound", self.weight_bound)
        if form_of(self.loss) != self.weighting.form:
            raise ParameterError(
                f"loss {self.loss.name} is of a {form_of(self.loss)}, and weighting "
                f"{self.weighting.name} needs one of a {self.weighting.form}"
            )
        mechanism = get_mechanism(self.mechanism)
        if isinstance(self.budget, Budget) and not self.budget.is_private:
            object.__setattr__(self, "mechanism", NON_PRIVATE)
            object.__setattr__(self, "budget", Budget(self.budget.epsilon))
        elif not mechanism.private:
            raise ParameterError(
                f"mechanism '{mechanism.name}' adds no noise; use epsilon=inf for a non-private "
                "fit, or another mechanism"
            )
        get_mechanism(self.mechanism).check_notion(self.budget)

    def with_settings(self, **settings: Any) -> "Specification":
        """Return the same specification with other settings, checked anew."""
        return replace(self, **settings)


def loss_of(loss: str | Loss, h: object = None) -> Loss:
    """Return the loss by its registered name, or the instance of a registered class."""
    width = None if h is None else positive("h", h)
    if not isinstance(loss, str):
        return get_loss(loss.name, **loss.parameters)
    if loss == HuberisedHinge.name and width is not None:
        return get_loss(loss, h=width)
    return get_loss(loss)


def specification_of(
    estimator: Any, *, weight_bound: float, relation: object, origin: str = KnownByDesign.name
) -> Specification:
    """Return the public choices behind an estimator's parameters, before γ and mechanism are set.

    They stand at γ = 1 and the plain mechanism until ``with_settings`` replaces them.
    """
    budget = budget_of(estimator.epsilon, estimator.delta)
    return Specification(
        budget=budget,
        gamma=1.0,
        weight_bound=weight_bound,
        mechanism=plain_mechanism(budget),
        relation=Relation.of(relation),
        loss=loss_of(estimator.loss, estimator.h),
        regularizer=get_regularizer(estimator.regularizer),
        origin=stated_origin(origin),
    )
