"""Which texts of a cell mean the same, for places without ``normalise``.

``recommend`` strips cells, compares number texts by value and true and false in any case. SQL and
ONNX get a list of spellings or a pattern for each declared text.
"""

import re
from collections.abc import Sequence

_PLAIN_NUMBER = re.compile(r"(-?)([0-9]+)(?:\.([0-9]+))?")
_SPACE = (
    r"[\x{9}-\x{d}\x{1c}-\x{20}\x{85}\x{a0}\x{1680}\x{2000}-\x{200a}"
    r"\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}]*"
)
"""The white space that Python strips, as RE2 writes it."""


def sql_spellings(text: str, declared: str) -> list[str]:
    """Return the spellings of a normalised text that SQL looks for, itself first.

    The one the study declares, for a whole number also the one with ".0", for true and false the
    usual three.
    """
    found = [text, declared]
    if re.fullmatch("-?[0-9]+", text):
        found.append(f"{text}.0")
    if text in ("true", "false"):
        found += [text.upper(), text.title()]
    return list(dict.fromkeys(found))


def re2_pattern(texts: Sequence[str], declared: Sequence[str]) -> str:
    """Return a pattern of RE2 that a whole cell matches if it means one of the normalised texts.

    Only numbers with an exponent other than 0 are missed, unless the study declares them so.
    """
    odd = [_exactly(one) for one in declared if one not in texts]
    return f"{_SPACE}(?:{'|'.join([*map(_one, texts), *odd])}){_SPACE}"


def _one(text: str) -> str:
    number = _PLAIN_NUMBER.fullmatch(text)
    if number:
        return _number(*number.groups(default=""))
    if text in ("true", "false"):
        return "".join(f"[{one}{one.upper()}]" for one in text)
    return _exactly(text)


def _number(sign: str, whole: str, fraction: str) -> str:
    """Return a pattern for every spelling of a number: idle zeros, plus sign, exponent 0."""
    plus = "-" if sign else r"[+-]?" if whole == "0" and not fraction else r"\+?"
    if fraction:
        digits = rf"0*{whole if whole != '0' else ''}\.{fraction}0*"
    elif whole == "0":
        digits = r"(?:0+(?:\.0*)?|\.0+)"
    else:
        digits = rf"0*{whole}(?:\.0*)?"
    return rf"{plus}{digits}(?:[eE][+-]?0{{1,4}})?"


def _exactly(text: str) -> str:
    """Return a pattern for one text; all but plain letters and digits are written by number."""
    return "".join(
        one if one.isascii() and one.isalnum() else rf"\x{{{ord(one):x}}}" for one in text
    )
