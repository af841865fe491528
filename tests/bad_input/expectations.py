"""The table of the tests as data: what is expected of every case, in every column."""

import tomllib
from dataclasses import dataclass
from pathlib import Path

CASES = Path(__file__).parent / "cases.toml"
KINDS = ("error", "says", "released", "answers", "fine", "n/a")


@dataclass(frozen=True)
class Expected:
    """One cell: what happens, and parts of what is said, at least one each time."""

    kind: str
    parts: tuple[str, ...]

    def found_in(self, text: str) -> set[str]:
        """Return the parts that a text holds."""
        return {part for part in self.parts if part in text}


def tables() -> dict[str, dict[str, tuple[Expected, ...]]]:
    """Return each section of the table as condition → the cells beside it, one for a column."""
    found: dict[str, dict[str, tuple[Expected, ...]]] = {}
    for name, section in tomllib.loads(CASES.read_text(encoding="utf-8")).items():
        columns = len(section["columns"])
        found[name] = {}
        for condition, said in section["cases"].items():
            cells = [said] * columns if isinstance(said, str) else said
            assert len(cells) == columns, f"{condition}: {columns} cells, not {len(cells)}"
            found[name][condition] = tuple(map(parse, cells))
    return found


def parse(cell: str) -> Expected:
    """Return the meaning of a cell such as ``error: gamma must be finite``."""
    kind, _, part = cell.partition(":")
    assert kind in KINDS, f"{kind!r} is none of {KINDS}"
    assert part or kind in ("released", "answers", "fine"), f"{kind} needs a text after it"
    return Expected(kind, tuple(piece.strip() for piece in part.split(" / ")))
