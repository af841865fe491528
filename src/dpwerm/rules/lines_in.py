"""Names from strangers' files: each stays in its line wherever a report or a command prints it.

The columns of a table and the texts of its cells are what the table says; they may hold line
breaks, and whoever prints them escapes them.
"""

from collections.abc import Iterator
from typing import Any

from dpwerm.errors import Fault, RuleFileError
from dpwerm.study.faults import MOST_FAULTS, shown
from dpwerm.study.values import BROKEN
from dpwerm.text import stays_in_line

_Path = tuple[str | int, ...]
_BLOCK = ("encoding", "blocks", int)
_TABLE = (
    (*_BLOCK, "column"),
    (*_BLOCK, "levels", int, "cells", int),
    ("treatment", "column"),
    ("treatment", "propensity"),
    ("treatment", "propensity", "column"),
    ("benefit", "column"),
)
"""Where a file repeats what a table says; int stands for any position in a list."""

TABLE_TEXTS = frozenset([*_TABLE, *(("propensity", *path) for path in _TABLE[:2])])


def refuse_broken_lines(content: dict[str, Any], where: str) -> None:
    """Raise if a name or a text of a file could be taken for several lines, or cover others."""
    found = dict.fromkeys(_words(path) for path in _broken(content, ()))
    faults = [Fault(place, BROKEN, "fit or evaluate again") for place in list(found)[:MOST_FAULTS]]
    if faults:
        raise RuleFileError(where, faults)


def _broken(value: object, path: _Path) -> Iterator[_Path]:
    """Yield where a text, or the key of one, does not stay in its line."""
    if isinstance(value, str) and not stays_in_line(value):
        if tuple(int if isinstance(one, int) else one for one in path) not in TABLE_TEXTS:
            yield path
    elif isinstance(value, dict):
        for key, inner in value.items():
            if not stays_in_line(key):
                yield (*path, key)
            yield from _broken(inner, (*path, key))
    elif isinstance(value, list):
        for position, inner in enumerate(value):
            yield from _broken(inner, (*path, position))


def _words(path: _Path) -> str:
    return ".".join(f"[{one}]" if isinstance(one, int) else shown(one)[1:-1] for one in path)
