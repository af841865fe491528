"""The budget (ε, δ) as exact decimals: ε = 0.1 is one tenth, so no claim is rounded downwards."""

from dataclasses import dataclass
from decimal import Decimal, InvalidOperation, localcontext
from fractions import Fraction
from numbers import Real

from dpwerm.errors import ParameterError
from dpwerm.exact import decimal_of

EPSILON_SMALLEST, EPSILON_LARGEST = Decimal("1e-6"), Decimal("1e9")
DELTA_SMALLEST = Decimal("1e-30")
DIGITS = 30
"""Bounds on a budget; they also keep its exact fraction small."""

_LONGEST_TEXT = 80


@dataclass(frozen=True)
class Budget:
    r"""The privacy parameters of one release.

    .. math:: P(M(D) \in S) \le e^{\varepsilon} P(M(D') \in S) + \delta

    for all neighbouring D, D' and all S; ``epsilon=inf`` promises nothing.

    Parameters
    ----------
    epsilon : Decimal in [1e-6, 1e9], or infinity
    delta : Decimal, 0 or in [1e-30, 1)

    Examples
    --------
    >>> Budget.of(0.1)
    Budget(epsilon=Decimal('0.1'), delta=Decimal('0'))
    """

    epsilon: Decimal
    delta: Decimal = Decimal(0)

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", _epsilon(self.epsilon))
        object.__setattr__(self, "delta", _delta(self.delta))

    @classmethod
    def of(
        cls, epsilon: Decimal | float | str | Real, delta: Decimal | float | str | Real = 0
    ) -> "Budget":
        """Return the budget a person wrote, as numbers or as text."""
        return cls(_decimal("epsilon", epsilon), _decimal("delta", delta))

    @property
    def is_private(self) -> bool:
        """Whether ε is finite."""
        return self.epsilon.is_finite()

    @property
    def exact_epsilon(self) -> Fraction:
        """Return ε as a fraction; there is none for ε = ∞."""
        if not self.is_private:
            raise ParameterError("epsilon is infinite: it has no fraction")
        return Fraction(self.epsilon)

    @property
    def exact_delta(self) -> Fraction:
        """Return δ as a fraction."""
        return Fraction(self.delta)


def _decimal(name: str, value: object) -> Decimal:
    """Return ``value`` as a decimal; a truth value or other text is refused."""
    if isinstance(value, bool) or not isinstance(value, Decimal | Real | str):
        raise ParameterError(f"{name} must be a number, not {type(value).__name__}")
    try:
        text = str(value)
        if len(text) <= _LONGEST_TEXT:
            return decimal_of(value if isinstance(value, Decimal) else text)
    except InvalidOperation:
        raise ParameterError(f"{name} must be a decimal number such as 0.5") from None
    except ValueError:  # Python prints no integer of thousands of digits
        pass
    raise ParameterError(f"{name} must be written with at most {DIGITS} digits")


def _epsilon(value: Decimal) -> Decimal:
    """Return ε in its shortest form, or say what is allowed."""
    number = _decimal("epsilon", value)
    if number.is_nan() or not (
        EPSILON_SMALLEST <= number <= EPSILON_LARGEST or number == Decimal("Infinity")
    ):
        raise ParameterError(
            f"epsilon must be between {EPSILON_SMALLEST:f} and {EPSILON_LARGEST:f}, "
            f"or infinite for no privacy, not {number}"
        )
    return _shortest("epsilon", number)


def _delta(value: Decimal) -> Decimal:
    """Return δ in its shortest form, or say what is allowed."""
    number = _decimal("delta", value)
    if number.is_nan() or not (number == 0 or DELTA_SMALLEST <= number < 1):
        raise ParameterError(
            f"delta must be 0, or at least {DELTA_SMALLEST} and below 1, not {number}"
        )
    return _shortest("delta", number)


def _shortest(name: str, number: Decimal) -> Decimal:
    """Return the same number without trailing zeros: equal budgets print alike."""
    if not number.is_finite():
        return Decimal("Infinity")
    with localcontext() as context:
        context.prec = 2 * _LONGEST_TEXT
        plain = number.normalize()
    if len(plain.as_tuple().digits) > DIGITS:
        raise ParameterError(f"{name} must be written with at most {DIGITS} digits")
    return Decimal(f"{plain:f}") if plain else Decimal(0)
