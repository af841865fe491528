"""Numbers as a person writes them: 0.1 is one tenth, kept as a decimal of at most 30 digits."""

from decimal import Decimal, InvalidOperation, localcontext
from numbers import Real

from dpwerm.errors import ParameterError
from dpwerm.exact import decimal_of

DIGITS = 30
"""How many digits a number may have; it also keeps its exact fraction small."""

_LONGEST_TEXT = 80

Written = Decimal | float | str | Real


def written_decimal(name: str, value: object) -> Decimal:
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


def shortest(name: str, number: Decimal) -> Decimal:
    """Return the same number without trailing zeros: equal numbers print alike."""
    if not number.is_finite():
        return Decimal("Infinity")
    with localcontext() as context:
        context.prec = 2 * _LONGEST_TEXT
        plain = number.normalize()
    if len(plain.as_tuple().digits) > DIGITS:
        raise ParameterError(f"{name} must be written with at most {DIGITS} digits")
    return Decimal(f"{plain:f}") if plain else Decimal(0)
