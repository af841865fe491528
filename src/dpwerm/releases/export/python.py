"""A rule as a Python module that imports nothing: ``score(row)`` and ``recommend(row)``.

The functions below say what it does with a row and are copied into its file. The values beside
them stand for those of a rule.
They agree with ``dpwerm.data.table``, which tests compare.
"""

import inspect
from collections.abc import Iterable
from typing import Any

from dpwerm.releases.export.terms import CategoryTerm, Export, NumberTerm, heading, terms_of
from dpwerm.releases.release import Rule

CONSTANT = 0.0
NUMBERS: tuple[tuple[str, float, float, float, float, float, float, float], ...] = ()
CATEGORIES: tuple[tuple[str, float, float, dict[str, float]], ...] = ()
FIRST, SECOND, DEFAULT = "", "", ""


def recommend(row: dict[str, object]) -> str:
    """Return the arm that the rule recommends for one person."""
    found = score(row)
    return SECOND if found > 0 else FIRST if found < 0 else DEFAULT


def score(row: dict[str, object]) -> float:
    """Return the score of one person; row: from the name of each column to the person's value."""
    total = 0.0
    for column, default, lower, upper, zero, unit, least, coefficient in NUMBERS:
        value = number(row[column])
        inside = min(max(default if value is None else value, lower), upper)
        total += coefficient * min(max((inside - zero) / unit, least), 1.0)
    for column, missing, otherwise, cells in CATEGORIES:
        cell = text(row[column])
        total += missing if cell is None else cells.get(cell, otherwise)
    return total + CONSTANT


def number(value: object) -> float | None:
    """Return the number that a value is, None for what is no finite number."""
    found = text(value)
    if found in ("true", "false"):
        return float(found == "true")
    if found is None or not is_number(found):
        return None
    size = float(found)
    return size if abs(size) < float("inf") else None


def text(value: object) -> str | None:
    """Return the one spelling of a value: 1, 1.0 and " 1" are the same; None if it is missing."""
    if getattr(value, "shape", None) == () and hasattr(value, "item"):
        inner = value.item()
        value = inner if type(inner) is not type(value) else f"<{type(value).__name__}>"
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return None
    if isinstance(value, str):
        found = value.encode("utf-8", "replace").decode("utf-8").strip()
    elif isinstance(value, float):
        found = repr(float(value)) if value == value else ""
    elif isinstance(value, int) or type(value).__name__ == "Decimal":
        try:
            found = str(value)
        except ValueError:
            found = "<int>"
    else:
        found = f"<{type(value).__name__}>"
    if is_number(found):
        return spelling(found)
    if found.lower() in ("true", "false"):
        return found.lower()
    return found or None


def is_number(found: str) -> bool:
    """Whether a text is a decimal number, perhaps with an exponent."""
    body = found[1:] if found[:1] in ("+", "-") else found
    mantissa, e, exponent = body.replace("E", "e").partition("e")
    whole, _, fraction = mantissa.partition(".")
    power = exponent[1:] if exponent[:1] in ("+", "-") else exponent
    digits = whole + fraction + (power if e else "0")
    filled = bool(whole + fraction) and bool(power or not e)
    return filled and digits.isascii() and digits.isdigit()


def spelling(found: str) -> str:
    """Return a number's text without plus sign, exponent and idle zeros; no digit is rounded."""
    mantissa, e, exponent = found.lower().partition("e")
    if e and (len(exponent) > 5 or abs(int(exponent)) > 400):
        return found
    whole, _, fraction = mantissa.lstrip("+-").partition(".")
    digits, point = whole + fraction, len(whole) + int(exponent or "0")
    digits = "0" * -point + digits + "0" * (point - len(digits))
    point = max(point, 0)
    whole, fraction = digits[:point].lstrip("0") or "0", digits[point:].rstrip("0")
    result = f"{whole}.{fraction}" if fraction else whole
    return f"-{result}" if mantissa[0] == "-" and result != "0" else result


# -- the file ------------------------------------------------------------------------------

_FIRST_LINE = '"""A treatment rule: recommend(row) gives the arm, score(row) the score."""'
"""The first line is fixed: a comment there could name another encoding of the source."""


def python_source(rule: Rule) -> str:
    """Return the source of a module; every name of a file is in it as a literal or one comment."""
    terms = terms_of(rule)
    first, second = rule.arms
    categories = [
        (term.column, term.missing, term.otherwise, dict(term.cells))
        for term in terms.used
        if isinstance(term, CategoryTerm)
    ]
    values = [
        f"CONSTANT = {terms.constant!r}",
        "# column, default, lower, upper, zero, unit, least, coefficient: a number x adds",
        "# coefficient * clip((x - zero) / unit, least, 1)",
        *_tuple("NUMBERS", (term for term in terms.used if isinstance(term, NumberTerm))),
        "# column, what a missing text adds, what a text not listed adds, what each text adds",
        *_tuple("CATEGORIES", categories),
        f"FIRST, SECOND, DEFAULT = {first!r}, {second!r}, {rule.default!r}",
    ]
    comments = [f"# {line}" for line in heading(rule, terms.unused)]
    written = (recommend, score, number, text, is_number, spelling)
    functions = [inspect.getsource(function) for function in written]
    blocks = ["\n".join([_FIRST_LINE, "", *comments, "", *values]) + "\n", *functions]
    return "\n\n".join(blocks)


def _tuple(name: str, rows: Iterable[tuple[Any, ...]]) -> list[str]:
    return [f"{name} = (", *(f"    {tuple(row)!r}," for row in rows), ")"]


PYTHON = Export(
    ".py",
    lambda rule: python_source(rule).encode(),
    "recommend(row) gives the arm and score(row) the score; row: column name to value.",
)
