r"""A rule as one SQL expression over a table called ``t``, for PostgreSQL and SQLite.

    SELECT t.*, (expression) AS recommended_arm FROM your_table AS t

Columns are written ``t."name"``: SQLite would take a bare ``"name"`` that is no column for a text.
"""

from collections.abc import Sequence

from dpwerm.errors import ParameterError
from dpwerm.releases.export.terms import (
    CategoryTerm,
    Export,
    NumberTerm,
    heading,
    sql_spellings,
    terms_of,
)
from dpwerm.releases.release import Rule

USE = "SELECT t.*, (this file) AS recommended_arm FROM your_table AS t"
_LARGEST = 1.797e308  # a double that every database reads as finite
_BLANKS = " \t\r\n"
_FLAT = 100  # terms in one sum; a longer one is nested, since databases limit how deep


def sql_case(rule: Rule) -> str:
    """Return one CASE expression that gives the recommended arm."""
    first, second = (_text(arm) for arm in rule.arms)
    score = sql_score(rule)
    if rule.default == rule.arms[0]:
        return f"CASE WHEN {score} > 0 THEN {second} ELSE {first} END"
    return f"CASE WHEN {score} < 0 THEN {first} ELSE {second} END"


def sql_score(rule: Rule) -> str:
    """Return an expression that gives the score, a double."""
    terms = terms_of(rule)
    added = [_number(t) if isinstance(t, NumberTerm) else _category(t) for t in terms.used]
    parts = [_double(terms.constant), *added]
    sums = ["\n  + ".join(parts[i : i + _FLAT]) for i in range(0, len(parts), _FLAT)]
    nested = sums[0] if len(sums) == 1 else "\n  + ".join(f"({one})" for one in sums)
    return f"(\n  {nested}\n)"


def sql_file(rule: Rule) -> str:
    """Return the CASE expression below a heading of comments."""
    comments = [f"-- {line}" for line in heading(rule, terms_of(rule).unused)]
    return "\n".join([*comments, f"-- Use: {USE}", sql_case(rule), ""])


def _number(term: NumberTerm) -> str:
    """Return what a number adds; NULL, NaN and texts that are no number lie between no bounds.

    PostgreSQL sorts NaN, and SQLite a text, behind every number.
    """
    column, lower, upper = _name(term.column), _double(term.lower), _double(term.upper)
    zero = f"({term.zero!r})" if term.zero < 0 else repr(term.zero)  # "--" begins a comment
    encoded = f"(CAST({column} AS DOUBLE PRECISION) - {zero}) / {term.unit!r}"
    return _cases(
        [
            (f"{column} BETWEEN {_double(-_LARGEST)} AND {lower}", term.at(term.lower)),
            (f"{column} BETWEEN {upper} AND {_double(_LARGEST)}", term.at(term.upper)),
            (f"{column} BETWEEN {lower} AND {upper}", f"{term.coefficient!r} * ({encoded})"),
        ],
        term.at(term.default),
    )


def _category(term: CategoryTerm) -> str:
    """Return what a text adds; cells that add the same stand together."""
    column = _name(term.column)
    cell = f"TRIM(CAST({column} AS VARCHAR), {_text(_BLANKS)})"
    together: dict[float, list[str]] = {}
    for text, adds in term.cells.items():
        together.setdefault(adds, []).extend(sql_spellings(text, term.spellings.get(text, text)))
    empty = []
    if term.missing != term.otherwise:
        together.setdefault(term.missing, []).append("")
        empty = [(f"{column} IS NULL", term.missing)]
    listed = [
        (f"{cell} IN ({', '.join(map(_text, texts))})", adds) for adds, texts in together.items()
    ]
    return _cases([*empty, *listed], term.otherwise)


def _cases(cases: Sequence[tuple[str, float | str]], otherwise: float) -> str:
    lines = [f"WHEN {condition} THEN {adds}" for condition, adds in cases]
    return "\n      ".join(["CASE", *lines, f"ELSE {otherwise!r} END"])


def _double(value: float) -> str:
    return f"CAST({value!r} AS DOUBLE PRECISION)"


def _name(column: str) -> str:
    return f"t.{_text(column, chr(34))}"


def _text(value: str, quote: str = "'") -> str:
    if "\0" in value:
        raise ParameterError("a name holds the character U+0000, which SQL cannot write")
    return f"{quote}{value.replace(quote, quote * 2)}{quote}"


SQL = Export(".sql", lambda rule: sql_file(rule).encode(), USE)
