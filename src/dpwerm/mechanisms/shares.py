"""How objective perturbation splits ε: ε_in for the noise b, ε_out for the second release.

    ε_out = ε/100,   ε_in = ε − ε_out,   exactly

The second release only hides the solver's tolerance τ, which is tiny beside the noise b makes and
beside the margin 1, so a hundredth is enough.
"""

from dataclasses import dataclass
from decimal import Decimal, localcontext

from dpwerm.errors import ParameterError
from dpwerm.mechanisms.noise import epsilon_delta
from dpwerm.privacy.budget import EPSILON_SMALLEST, AnyBudget, Budget

_PRECISION = 100


@dataclass(frozen=True)
class Shares:
    """The two parts of ε, exact decimals whose sum is ε."""

    inside: Decimal
    outside: Decimal

    @classmethod
    def of(cls, name: str, any_budget: AnyBudget) -> "Shares":
        """Return the parts of a finite ε of at least 0.0001; ``name`` is the mechanism's."""
        budget = epsilon_delta(name, any_budget)
        if not budget.is_private:
            raise ParameterError(
                f"mechanism {name} needs a finite epsilon; use none for no privacy"
            )
        with localcontext() as context:
            context.prec = _PRECISION
            outside = budget.epsilon / 100
            inside = (budget.epsilon - outside).normalize()
            if outside < EPSILON_SMALLEST:
                raise ParameterError(
                    f"mechanism {name} needs epsilon of at least {100 * EPSILON_SMALLEST:f}: "
                    "a hundredth of it hides the tolerance of the solver"
                )
        return cls(Decimal(f"{inside:f}"), Budget(outside).epsilon)
