r"""The score of a rule as a sum over columns, each term in the column's own values.

.. math:: f(x) = c + \sum_{numbers} a_j\,\mathrm{clip}\Big(\frac{x_j - z_j}{u_j}, m, 1\Big)
    + \sum_{categories} v_j(x_j)

Every export writes these same terms, below a heading that says what the rule is and whether it is
private. Threshold, saturation and scales are inside a and v. ``recommend`` strips cells and
compares number texts by value, and true and false in any case; SQL and ONNX, which have no
``normalise``, get a list of spellings or a pattern for each declared text.
"""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from dpwerm.data.table import MISSING
from dpwerm.errors import ParameterError
from dpwerm.features.blocks import CategoryBlock, NumberBlock, number_scale
from dpwerm.releases.release import Rule
from dpwerm.releases.rule_file import content_of, notice
from dpwerm.text import one_line
from dpwerm.version import __version__


@dataclass(frozen=True)
class Export:
    """A language in which a rule can be written: the ending of its files and how one is used."""

    ending: str
    write: Callable[[Rule], bytes]
    use: str


class NumberTerm(NamedTuple):
    """a·clip((x − zero)/unit, least, 1); what is missing, NaN or infinite is the default."""

    column: str
    default: float
    lower: float
    upper: float
    zero: float
    unit: float
    least: float
    coefficient: float

    def at(self, x: float) -> float:
        """Return what a finite number adds."""
        inside = min(max(x, self.lower), self.upper)
        encoded = min(max((inside - self.zero) / self.unit, self.least), 1.0)
        return self.coefficient * encoded + 0.0  # never -0

    @property
    def used(self) -> bool:
        """Whether any value adds anything."""
        return self.coefficient != 0


@dataclass(frozen=True)
class CategoryTerm:
    """What each cell adds, by its normalised text.

    cells: the declared texts, and the words for "missing" if these differ from any other text;
    spellings: for each declared text how the study wrote it; missing: what an empty cell adds;
    otherwise: what every other text adds; catches_all: whether "*" declares such texts.
    """

    column: str
    cells: Mapping[str, float]
    spellings: Mapping[str, str]
    missing: float
    otherwise: float
    catches_all: bool

    @property
    def used(self) -> bool:
        """Whether any cell adds anything."""
        return any((*self.cells.values(), self.missing, self.otherwise))


Term = NumberTerm | CategoryTerm


@dataclass(frozen=True)
class Terms:
    """The constant c and a term for every column, in the order of the features."""

    constant: float
    columns: tuple[Term, ...]

    @property
    def used(self) -> tuple[Term, ...]:
        """The terms that can add anything."""
        return tuple(term for term in self.columns if term.used)

    @property
    def unused(self) -> tuple[str, ...]:
        """The columns that the score does not depend on."""
        return tuple(term.column for term in self.columns if not term.used)


def terms_of(rule: Rule) -> Terms:
    """Return the terms of a rule's score."""
    release = rule.release
    encoding = release.encoding
    centred, effects = encoding.kind == "centred", release.effects.tolist()
    constant = encoding.intercept_scale * effects.pop(0) if encoding.intercept else 0.0
    columns: list[Term] = []
    for block in encoding.blocks:
        own = [effect * encoding.factor for effect in effects[: block.width]]
        del effects[: block.width]
        if not all(map(math.isfinite, (constant, *own))):
            raise ParameterError("the rule has a coefficient that is too large to be exported")
        if isinstance(block, NumberBlock):
            columns.append(_number(block, own[0], centred=centred))
        else:
            columns.append(_category(block, own, centred=centred))
    return Terms(constant, tuple(columns))


def _number(block: NumberBlock, coefficient: float, *, centred: bool) -> NumberTerm:
    zero, unit, least = number_scale(block.lower, block.upper, centred=centred)
    inside = (block.default, block.lower, block.upper)
    return NumberTerm(block.column, *inside, zero, unit, least, coefficient)


def _category(block: CategoryBlock, own: Sequence[float], *, centred: bool) -> CategoryTerm:
    adds = own if block.width > 1 else [-own[0] if centred else 0.0, own[0]]
    # No cell is a blank after normalising, so that it is in no level.
    default, other = (adds[position] for position in block.positions([None, " "]))
    cells = {text: adds[position] for text, position in block.lookup.items()}
    if default != other:
        cells |= dict.fromkeys(sorted(MISSING - cells.keys()), default)
    written = [cell for level in block.levels if level.cells != "*" for cell in level.cells]
    spellings = dict(zip(block.lookup, (cell.strip() for cell in written), strict=True))
    catches_all = any(level.cells == "*" for level in block.levels)
    return CategoryTerm(block.column, cells, spellings, default, other, catches_all)


_CELLS = (
    "A number that is missing or not finite becomes its default; others are kept within bounds.",
    "A missing category becomes its default level.",
    'A text that is no level becomes the level "*", or the first level if there is none.',
)


def digest(rule: Rule) -> str:
    """Return the digest of the rule's file, by which the file is recognised."""
    return str(content_of(rule)["digest"])


def heading(rule: Rule, unused: Sequence[str] = ()) -> list[str]:
    """Return the heading, each a line whatever a file names; unused: columns that are left out."""
    first, second = rule.arms
    lines = [
        rule.title,
        notice(rule),
        f"Rule file {digest(rule)}.",
        f"Learned with {rule.release.certificate.library}, written by dpwerm {__version__}.",
        f"Score above 0: {second}. Below 0: {first}. Exactly 0: {rule.default}.",
    ]
    if rule.release.certificate.design.difference:
        lines.append("A score is shrunk towards 0, and is no estimate of an effect.")
    lines += _CELLS
    if unused:
        lines.append(f"Not read, because they change nothing: {', '.join(unused)}.")
    return [one_line(line) for line in lines]


# -- spellings of a cell -------------------------------------------------------------------

_SPACE = (
    r"[\x{9}-\x{d}\x{1c}-\x{20}\x{85}\x{a0}\x{1680}\x{2000}-\x{200a}"
    r"\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}]*"
)
"""The white space that Python strips, as RE2 writes it."""


def sql_spellings(text: str, declared: str) -> list[str]:
    """Return the spellings of a normalised text that SQL looks for: itself, and as declared.

    Also a whole number with ".0", and the usual three of true and false.
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
    number = re.fullmatch(r"(-?)([0-9]+)(?:\.([0-9]+))?", text)
    if number:
        return _spellings_number(*number.groups(default=""))
    if text in ("true", "false"):
        return "".join(f"[{one}{one.upper()}]" for one in text)
    return _exactly(text)


def _spellings_number(sign: str, whole: str, fraction: str) -> str:
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
