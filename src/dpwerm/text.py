"""Lines of text: paragraphs of one width, tables in columns, names that stay text, and numbers."""

import re
import textwrap
import unicodedata
from collections.abc import Iterable, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Decimal, localcontext

WIDTH = 92
MOST_MARKS = 4
"""How many combining marks may follow each other in a name; no script stacks more."""

MOST_DIGITS = 15
"""Of a double: what stands behind them says nothing."""

MOST_UNITS = 200
"""Of a range in which one unit is a step that people think in."""

_MARKS = ("Mn", "Me")
_SMALL = Decimal("1e-4")
_STEERING = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")


def wrapped(text: str) -> list[str]:
    """Return a paragraph as lines."""
    return textwrap.wrap(text, WIDTH, break_long_words=False, break_on_hyphens=False)


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return rows of texts as lines of a table, each column as wide as its widest text."""
    shown = [[one_line(text) for text in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*shown, strict=True)]
    lines = []
    for row in shown:
        cells = (f"{text:<{width}}" for text, width in zip(row, widths, strict=True))
        lines.append("  " + "  ".join(cells).rstrip())
    return lines


def listed(items: Sequence[str], word: str = "and") -> str:
    """Return "a, b and c"."""
    *most, last = items
    return f"{', '.join(most)} {word} {last}" if most else last


def underlined(title: str, sign: str = "=") -> list[str]:
    """Return a title and the line under it."""
    return [title, sign * len(title)]


def stacked(parts: Iterable[Sequence[str]]) -> str:
    """Return blocks of lines as one text, an empty line between two; empty blocks are left out."""
    return "\n\n".join("\n".join(part) for part in parts if part)


def digits(value: Decimal) -> str:
    """Return a decimal with all its digits, tiny ones with an exponent."""
    return f"{value:f}" if value == 0 or abs(value) >= _SMALL else f"{value:g}"


# -- numbers for people ----------------------------------------------------------------------


def number(
    value: float | Decimal,
    error: float | Decimal | None = None,
    *,
    digits: int = 4,
    rounding: str = ROUND_HALF_EVEN,
    sign: bool = False,
) -> str:
    """Return a number as people write it: 4,260 and 0.0031, never 4.26e+03.

    error : what the number may be off by; it is shown as far as two digits of that say something.
        Where none is given, or it is 0, so many ``digits`` are shown and zeros at the end left out.
    rounding : of the decimal module; ``at_most`` and ``at_least`` round to the safe side
    sign : whether a number above 0 has its sign, too

    A number nearer to 0 than 0.00001 or beyond 1e15 is written as 1.2 × 10^-12.
    """
    exact = Decimal(value)
    if not exact.is_finite():
        raise ValueError("only finite numbers can be written")
    if exact == 0:
        return "0"
    known = Decimal(0 if error is None else error)
    last = exact.adjusted() - digits + 1
    if known > 0:
        last = max(known.adjusted() - 1, exact.adjusted() - MOST_DIGITS + 1)
    shown = _rounded(exact, last, rounding)
    if known <= 0 and shown.adjusted() > exact.adjusted():  # 9.996 became 10.00
        shown = _rounded(shown, last + 1, rounding)
    plus = "+" if sign and shown > 0 else ""
    if shown and not -5 <= shown.adjusted() < 15:
        return f"{plus}{shown.scaleb(-shown.adjusted()).normalize():f} × 10^{shown.adjusted()}"
    text = f"{shown:,f}" if shown else f"{abs(shown):f}"
    if known <= 0 and "." in text:
        text = text.rstrip("0").rstrip(".")
    return plus + text


def _rounded(value: Decimal, last: int, rounding: str) -> Decimal:
    """Return a number to the place 10^last, with no more places than that says."""
    with localcontext(prec=2_000):
        shown = value.quantize(Decimal(1).scaleb(last), rounding=rounding)
        return shown.quantize(Decimal(1)) if last > 0 else shown


def at_most(value: float | Decimal, digits: int = 3) -> str:
    """Return a bound from above as people write it, rounded up: 2.0138 is at most 2.02.

    A double counts to 15 digits: what it has beyond them is how it was computed.
    """
    return number(_decimal(value), digits=digits, rounding=ROUND_CEILING)


def at_least(value: float | Decimal, digits: int = 3) -> str:
    """Return a bound from below as people write it, rounded down."""
    return number(_decimal(value), digits=digits, rounding=ROUND_FLOOR)


def _decimal(value: float | Decimal) -> Decimal:
    return value if isinstance(value, Decimal) else Decimal(f"{value:.{MOST_DIGITS}g}")


def on_scale(value: float | Decimal, width: float | Decimal) -> str:
    """Return a number as fine as a range so wide needs: to about a thousandth of it."""
    shown = number(value, Decimal(width) / 100)
    return shown.rstrip("0").rstrip(".") if "." in shown else shown


def interval_words(lower: float, upper: float) -> str:
    """Return "lower to upper", to two digits of half its width; an end other than 0 is not 0."""
    error = Decimal(max(upper - lower, 0.0)) / 2
    for end in (lower, upper):
        if end and error > 0:
            error = min(error, 10 * abs(Decimal(end)))
    return f"{number(lower, error)} to {number(upper, error)}"


def natural_step(width: float) -> Decimal:
    """Return the step in which one says how much a number of a range so wide adds.

    One unit where the range has 1 to 200 of them, else a power of ten that it holds 2 to 20 times.
    """
    exact = Decimal(width)
    if 1 <= exact <= MOST_UNITS:
        return Decimal(1)
    return Decimal(1).scaleb((exact / 2).adjusted())


# -- names that stay text ---------------------------------------------------------------------


def harmless(text: str) -> str:
    """Return the text with characters escaped that could steer a terminal or turn a line around."""
    return "".join(
        one if one.isprintable() or one == "\n" else one.encode("unicode_escape").decode()
        for one in text
    )


def one_line(text: str) -> str:
    """Return the text with every character escaped that ends a line, hides or covers another."""
    if text.isascii() and text.isprintable():
        return text
    shown, row = [], 0
    for one in text:
        row = row + 1 if unicodedata.category(one) in _MARKS else 0
        kept = one.isprintable() and row <= MOST_MARKS
        shown.append(one if kept else one.encode("unicode_escape").decode("ascii"))
    return "".join(shown)


def stays_in_line(text: str) -> bool:
    """Whether a name is one line, turns nothing around and covers no line above it.

    No line break, no other control character, no sign that turns the direction of writing, and at
    most ``MOST_MARKS`` combining marks in a row. What ``one_line`` returns is always such a name.
    """
    if text.isascii():
        return text.isprintable()
    row = 0
    for one in text:
        kind = unicodedata.category(one)
        row = row + 1 if kind in _MARKS else row if kind == "Cf" else 0
        if row > MOST_MARKS:
            return False
    return _STEERING.search(text) is None
