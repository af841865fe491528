"""A rule as a Python module that imports nothing: ``score(row)`` and ``recommend(row)``."""

import inspect
from collections.abc import Iterable

from dpwerm.rules.export import standalone
from dpwerm.rules.export.heading import heading
from dpwerm.rules.export.terms import CategoryTerm, NumberTerm, terms_of
from dpwerm.rules.rule import Rule

_FIRST_LINE = '"""A treatment rule: recommend(row) gives the arm, score(row) the score."""'
"""The first line is fixed: a comment there could name another encoding of the source."""

_FUNCTIONS = (
    standalone.recommend,
    standalone.score,
    standalone.number,
    standalone.text,
    standalone.is_number,
    standalone.spelling,
)


def python_source(rule: Rule) -> str:
    """Return the source of a module; every name of a file is in it as a literal or one comment."""
    terms = terms_of(rule)
    first, second = rule.arms
    values = [
        f"CONSTANT = {terms.constant!r}",
        "# column, default, lower, upper, zero, unit, least, coefficient: a number x adds",
        "# coefficient * clip((x - zero) / unit, least, 1)",
        *_tuple("NUMBERS", (_number(term) for term in terms.used if isinstance(term, NumberTerm))),
        "# column, what a missing text adds, what a text not listed adds, what each text adds",
        *_tuple(
            "CATEGORIES", (_category(term) for term in terms.used if isinstance(term, CategoryTerm))
        ),
        f"FIRST, SECOND, DEFAULT = {first!r}, {second!r}, {rule.default!r}",
    ]
    comments = [f"# {line}" for line in heading(rule, terms.unused)]
    functions = [inspect.getsource(function) for function in _FUNCTIONS]
    blocks = ["\n".join([_FIRST_LINE, "", *comments, "", *values]) + "\n", *functions]
    return "\n\n".join(blocks)


def _tuple(name: str, rows: Iterable[str]) -> list[str]:
    return [f"{name} = (", *(f"    {row}," for row in rows), ")"]


def _number(term: NumberTerm) -> str:
    values = (term.default, term.lower, term.upper, term.zero, term.unit, term.least)
    return repr((term.column, *values, term.coefficient))


def _category(term: CategoryTerm) -> str:
    return repr((term.column, term.missing, term.otherwise, dict(term.cells)))
