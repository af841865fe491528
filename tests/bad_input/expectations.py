"""The page docs/bad-input.md as data: its tables are what the tests expect."""

from dataclasses import dataclass
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "bad-input.md"
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
    """Return, for each heading of the page, its table as condition → the cells beside it."""
    found: dict[str, dict[str, tuple[Expected, ...]]] = {}
    heading = ""
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            heading = line.removeprefix("## ")
        if not heading or not line.startswith("|") or set(line) <= set("|- "):
            continue  # the table before the first heading explains the others
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if heading not in found:
            found[heading] = {}  # the first line names the columns
            continue
        assert cells[0] not in found[heading], f"two lines for {cells[0]}"
        found[heading][cells[0]] = tuple(map(parse, cells[1:]))
    return found


def parse(cell: str) -> Expected:
    """Return the meaning of a cell such as ``error: gamma must be finite``."""
    kind, _, part = cell.partition(":")
    assert kind in KINDS, f"{kind!r} is none of {KINDS}"
    assert part or kind in ("released", "answers", "fine"), f"{kind} needs a text after it"
    return Expected(kind, tuple(piece.strip() for piece in part.split(" / ")))
