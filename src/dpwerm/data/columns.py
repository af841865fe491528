r"""One rule for what a cell says: text, with number texts compared by value.

1, 1.0, "1" and " 1\t" are the same cell, because the same table may come as CSV text or as typed
columns. Numbers are brought to one decimal spelling without passing through a double, so that long
identifiers stay apart.
"""

import math
import re
from contextlib import suppress
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pyarrow.compute as arrow

from dpwerm.arrays import FloatArray, IntArray
from dpwerm.errors import Fault

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


# ------------------------------------------------------------------------------------------
# Arrow columns as cells: each a number or a text by a public rule that looks at no other row.
#
# ``cells.py`` says what a cell means, text by text. Here most cells of a column are settled at
# once, with the same meaning; those whose spelling is odd go through ``cells.py``, each text once.


_ARROW_NUMBER = r"^-?(?:[0-9]{1,100}(?:\.[0-9]{0,100})?|\.[0-9]{1,100})(?:[eE][+-]?[0-9]{1,2})?$"
"""Numbers that Arrow reads as Python does; none of them is too large or too small for a double."""

_WORD = r"[!-~]*[!-*,/:-@B-DG-KM-QV-Z\[-`b-dg-km-qv-z{-~][!-~]*"
"""Texts without spaces that hold a character that no number has, nor the words true and false."""

_AS_WRITTEN = rf"^(?:0|-?[1-9][0-9]*|{_WORD})$"
"""Texts that are their own normalised spelling."""


def plain(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return the column without dictionaries, all texts and decimals as one text type."""
    kind = column.type
    if pa.types.is_dictionary(kind):
        column = arrow.cast(column, kind.value_type)
        kind = column.type
    texts = (pa.types.is_string, pa.types.is_string_view, pa.types.is_decimal)
    if any(test(kind) for test in texts):
        column = arrow.cast(column, pa.large_string())
    return readable(column)


def readable(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return the column with every text in UTF-8; other bytes become the replacement sign."""
    if not _is_text(column.type) and not pa.types.is_string(column.type):
        return column
    with suppress(pa.ArrowInvalid):
        column.validate(full=True)
        return column
    encoded = arrow.cast(column, pa.large_binary()).combine_chunks().dictionary_encode()
    texts = [raw.decode("utf-8", "replace") for raw in encoded.dictionary.to_pylist()]
    values = pa.array(texts, pa.large_string())
    return pa.chunked_array([values.take(encoded.indices)])


def type_fault(name: str, kind: pa.DataType) -> Fault | None:
    """Return the fault of a column that a study cannot use, by its type alone."""
    tests = (pa.types.is_integer, pa.types.is_floating, pa.types.is_boolean, pa.types.is_null)
    if _is_text(kind) or any(test(kind) for test in tests):
        return None
    shown = str(kind).partition("<")[0].partition("[")[0]
    remedy = "a column that a study uses holds numbers, texts or true and false"
    return Fault(name, f"holds values of type {shown}", remedy)


def numbers(column: pa.ChunkedArray) -> FloatArray:
    """Return a column as doubles, shape (n,); NaN for what is no finite number."""
    if _is_text(column.type):
        values = _text_numbers(column)
    else:
        values = arrow.cast(column, pa.float64(), safe=False).to_numpy()
    finite: FloatArray = np.where(np.isfinite(values), values, np.nan)
    return finite


def factorised(column: pa.ChunkedArray) -> tuple[IntArray, list[str | None]]:
    """Return (codes, texts): the normalised text of row i is ``texts[codes[i]]``.

    The last text is None, that of a null.
    """
    if pa.types.is_null(column.type):
        return np.zeros(len(column), dtype=np.int64), [None]
    encoded = column.combine_chunks().dictionary_encode()
    values = encoded.dictionary
    indices = arrow.fill_null(arrow.cast(encoded.indices, pa.int64()), len(values))
    return indices.to_numpy(zero_copy_only=False), [*_normalised(values), None]


def _is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_large_string(kind))


def _normalised(values: pa.Array) -> list[str | None]:
    """Return the normalised texts of distinct values."""
    if _is_text(values.type):
        texts: list[str | None] = values.to_pylist()
        as_written = arrow.match_substring_regex(values, _AS_WRITTEN)
        for odd in np.flatnonzero(~as_written.to_numpy(zero_copy_only=False)):
            texts[odd] = normalise(str(texts[odd]))
        return texts
    if pa.types.is_integer(values.type):
        return list(arrow.cast(values, pa.large_string()).to_pylist())
    found = [text_of(value) for value in values.to_pylist()]
    return [None if text is None else normalise(text) for text in found]


def _text_numbers(column: pa.ChunkedArray) -> FloatArray:
    """Return the numbers of a text column: all at once if each is one or missing."""
    texts = arrow.ascii_trim_whitespace(column).combine_chunks()
    known = pa.array(["", *sorted(MISSING)], pa.large_string())
    texts = arrow.if_else(arrow.is_in(texts, value_set=known), None, texts)
    with suppress(pa.ArrowInvalid):
        fast: FloatArray = arrow.cast(texts, pa.float64()).to_numpy(zero_copy_only=False)
        return fast
    is_number = arrow.match_substring_regex(texts, _ARROW_NUMBER)
    cast = arrow.cast(arrow.if_else(is_number, texts, None), pa.float64())
    values: FloatArray = cast.to_numpy(zero_copy_only=False).copy()
    settled = arrow.or_(is_number, arrow.match_substring_regex(texts, f"^{_WORD}$"))
    rest = np.flatnonzero(~arrow.fill_null(settled, True).to_numpy(zero_copy_only=False))
    odd = texts.take(pa.array(rest)).dictionary_encode()
    parsed = np.array([parse_number(text) for text in odd.dictionary.to_pylist()], dtype=float)
    if len(rest):
        values[rest] = parsed[odd.indices.to_numpy()]
    return values
