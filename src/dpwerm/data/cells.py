r"""One rule for what a cell says: text, with number texts compared by value.

1, 1.0, "1" and " 1\t" are the same cell, because the same table may come as CSV text or as typed
columns. Numbers are brought to one decimal spelling without passing through a double, so that long
identifiers stay apart.
"""

import math
import re
from decimal import Decimal

MISSING = frozenset({"NA", "N/A", "NaN", "nan", "NULL", "null"})
"""Texts that mean "missing" in a category column unless the study declares them as a level."""

_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_LONGEST_EXPONENT = 400


def normalise(text: str) -> str | None:
    """Return the one spelling under which a cell is compared; None for an empty cell."""
    text = text.strip()
    if not text:
        return None
    if _NUMBER.fullmatch(text):
        return _decimal_spelling(text)
    if len(text) <= 5 and text.lower() in {"true", "false"}:
        return text.lower()
    return text


def parse_number(text: str) -> float:
    """Return the number a cell holds, NaN if it is no finite number; true and false are 1 and 0."""
    text = text.strip()
    if _NUMBER.fullmatch(text):
        number = float(text)
        return number if math.isfinite(number) else math.nan
    return {"true": 1.0, "false": 0.0}.get(text.lower(), math.nan)


def _decimal_spelling(text: str) -> str:
    """Return the number text without plus sign, exponent and idle zeros."""
    mantissa, _, exponent = text.lower().partition("e")
    if exponent:
        if len(exponent) > 5 or abs(int(exponent)) > _LONGEST_EXPONENT:
            return text
        sign, digits, place = Decimal(mantissa).as_tuple()
        mantissa = f"{Decimal((sign, digits, int(place) + int(exponent))):f}"
    negative = mantissa.startswith("-")
    whole, _, fraction = mantissa.lstrip("+-").partition(".")
    whole, fraction = whole.lstrip("0") or "0", fraction.rstrip("0")
    spelling = f"{whole}.{fraction}" if fraction else whole
    return f"-{spelling}" if negative and spelling != "0" else spelling


def text_of(value: object) -> str | None:
    """Return the cell text of one Python value; None for a missing one.

    A value of a kind no cell can hold (a date, a list) becomes its type's name in angle brackets:
    no number, and no level unless declared.
    """
    if value is None:
        return None
    if isinstance(value, str):
        # A half of a surrogate pair is no character; it becomes a question mark.
        return value if value.isascii() else value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, (bool, int, Decimal)):
        try:
            return str(value)
        except ValueError:  # a whole number of more digits than Python prints
            return "<int>"
    as_python = getattr(value, "item", None)
    if as_python is not None and getattr(value, "shape", None) == ():
        inner = as_python()
        # NumPy's widest numbers have no Python type: they give themselves back.
        return text_of(inner) if type(inner) is not type(value) else f"<{type(value).__name__}>"
    if isinstance(value, float):
        return None if math.isnan(value) else repr(value)
    if type(value).__name__ in {"NAType", "NaTType"}:
        return None
    return f"<{type(value).__name__}>"
