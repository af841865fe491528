"""How names from files stand in sentences: quoted, and listed in words."""

from collections.abc import Sequence


def quoted(name: str) -> str:
    """Return a name between quotes."""
    return f"'{name}'"


def listed(items: Sequence[str]) -> str:
    """Return "a, b and c"."""
    *most, last = items
    return f"{', '.join(most)} and {last}" if most else last


def joined(lines: Sequence[str]) -> str:
    """Return lines of a text summary as one paragraph."""
    return " ".join(line.strip() for line in lines if line.strip())


def exact(value: float) -> str:
    """Return a declared number with all its digits."""
    return f"{value + 0.0:.15g}"
