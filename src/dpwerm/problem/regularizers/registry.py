"""Regularisers by name; one of one's own is checked when it is registered."""

from dpwerm.errors import ParameterError
from dpwerm.parameters import one_of
from dpwerm.problem.regularizers.contract import check_regularizer
from dpwerm.problem.regularizers.protocol import Regularizer
from dpwerm.problem.regularizers.ridge import Ridge

REGULARIZERS: dict[str, type[Regularizer]] = {}
REGULARIZERS["ridge"] = Ridge


def get_regularizer(name: str, /, **parameters: float) -> Regularizer:
    """Return the regulariser ``name``, or say which names or parameters exist."""
    regularizer_class = REGULARIZERS[one_of("regularizer", name, REGULARIZERS)]
    allowed = regularizer_class().parameters
    unknown = sorted(set(parameters) - set(allowed))
    if unknown:
        known = ", ".join(sorted(allowed)) or "none"
        raise ParameterError(
            f"regularizer {name} has no parameter {', '.join(unknown)}; it has: {known}"
        )
    regularizer = regularizer_class(**parameters)
    if regularizer_class is not Ridge:
        check_regularizer(regularizer)
    return regularizer


def register_regularizer(regularizer_class: type[Regularizer]) -> type[Regularizer]:
    """Add a regulariser class under its ``name`` once it passes ``check_regularizer``."""
    regularizer = regularizer_class()
    if regularizer.name in REGULARIZERS:
        raise ParameterError(f"a regularizer named {regularizer.name} is already registered")
    check_regularizer(regularizer)
    REGULARIZERS[regularizer.name] = regularizer_class
    return regularizer_class
