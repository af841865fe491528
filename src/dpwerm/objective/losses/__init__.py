"""Losses by name, one per module; a loss of one's own is checked when it is registered."""

from dpwerm.errors import ParameterError
from dpwerm.objective.losses.contract import Form, Loss, check_loss, form_of
from dpwerm.objective.losses.huberised_hinge import HuberisedHinge
from dpwerm.objective.losses.logistic import Logistic
from dpwerm.parameters import one_of

__all__ = [
    "LOSSES",
    "Form",
    "HuberisedHinge",
    "Logistic",
    "Loss",
    "check_loss",
    "form_of",
    "get_loss",
    "register_loss",
]

LOSSES: dict[str, type[Loss]] = {}
LOSSES["huberised-hinge"] = HuberisedHinge
LOSSES["logistic"] = Logistic
_BUILT_IN = frozenset(LOSSES.values())
"""Losses whose constants are proved for every parameter; others are checked as they are made."""


def get_loss(name: str, /, **parameters: float) -> Loss:
    """Return the loss ``name`` with its parameters, or say which names or parameters exist."""
    loss_class = LOSSES[one_of("loss", name, LOSSES)]
    allowed = loss_class().parameters
    unknown = sorted(set(parameters) - set(allowed))
    if unknown:
        known = ", ".join(sorted(allowed)) or "none"
        raise ParameterError(f"loss {name} has no parameter {', '.join(unknown)}; it has: {known}")
    loss = loss_class(**parameters)
    if loss_class not in _BUILT_IN:
        check_loss(loss)
    return loss


def register_loss(loss_class: type[Loss]) -> type[Loss]:
    """Add a loss class under its ``name`` once its declared constants pass ``check_loss``.

    The class must be usable without arguments; that instance is the one checked here, and every
    other one is checked when ``get_loss`` makes it. Returns the class, so it can decorate.
    """
    loss = loss_class()
    if loss.name in LOSSES:
        raise ParameterError(f"a loss named {loss.name} is already registered")
    check_loss(loss)
    LOSSES[loss.name] = loss_class
    return loss_class
