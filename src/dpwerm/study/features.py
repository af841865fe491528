"""Declared features: numbers with bounds, categories with levels, both from outside the data."""

from typing import Annotated, Literal

from pydantic import Field, PlainValidator, ValidationInfo, field_validator

from dpwerm.data.cells import normalise
from dpwerm.faults import shown, wrong
from dpwerm.features.blocks import MAX_CELLS, MAX_LEVELS, CategoryBlock, Frozen, Level, NumberBlock
from dpwerm.study.values import Bounds, Cell, Line, Real, Text, cell
from dpwerm.text import stays_in_line


class NumberFeature(Frozen):
    """A number within bounds; a missing value is the default, by default the midpoint."""

    kind: Literal["number"]
    column: Text | None = None
    bounds: Bounds
    default: Real | None = None
    source: Line | None = None

    @field_validator("default")
    @classmethod
    def _within_bounds(cls, default: float | None, info: ValidationInfo) -> float | None:
        limits = info.data.get("bounds")
        if default is not None and limits and not limits[0] <= default <= limits[1]:
            raise wrong(f"{default:g} lies outside the bounds", "give a number within the bounds")
        return default

    def block(self, name: str) -> NumberBlock:
        """Return the encoded block of this feature."""
        lower, upper = self.bounds
        midpoint = lower + (upper - lower) / 2
        return NumberBlock(
            name=name,
            column=self.column or name,
            lower=lower,
            upper=upper,
            default=midpoint if self.default is None else self.default,
        )


def _can_name(name: object) -> bool:
    """Return whether a level can have this name: 1 to 64 printable characters, no outer spaces."""
    if not isinstance(name, str) or not 1 <= len(name.strip()) == len(name) <= 64:
        return False
    return name.isprintable() and stays_in_line(name)


def levels_of(value: object) -> tuple[Level, ...]:
    """Return the levels of ``["F", "M"]`` or ``{ W = ["W"], other = "*" }``, all faults in one."""
    if isinstance(value, dict):
        written = list(value.items())
    elif isinstance(value, (list, tuple)):
        written = [(cell(item), [item]) for item in value]
        if "*" in value:
            raise wrong('a list cannot hold "*"', 'write levels = { W = ["W"], other = "*" }')
    else:
        raise wrong("must be a list or a table of levels")
    problems = [] if 2 <= len(written) <= MAX_LEVELS else [f"must be 2 to {MAX_LEVELS:,} levels"]
    if sum(cells == "*" for _, cells in written) > 1:
        problems.append('only one level can be "*"')
    found = []
    names: set[str] = set()
    seen: set[str | None] = set()
    for name, cells in written[:MAX_LEVELS]:
        if not _can_name(name) or name in names:
            problems.append(f"{shown(name)} cannot name a level, or names two")
            continue
        names.add(name)
        if cells == "*":
            found.append(Level(name=name, cells="*"))
            continue
        if not isinstance(cells, (list, tuple)) or not 1 <= len(cells) <= MAX_CELLS:
            problems.append(f'level {shown(name)} must be a list of cell values or "*"')
            continue
        texts = tuple(cell(item) for item in cells)
        for one in texts:
            if normalise(one) in seen:
                problems.append(f"{shown(one)} stands twice (numbers are compared by value)")
            seen.add(normalise(one))
        found.append(Level(name=name, cells=texts))
    if problems:
        raise wrong("; ".join(dict.fromkeys(problems)))
    return tuple(found)


class CategoryFeature(Frozen):
    """A category; a missing cell is the default level, by default the first."""

    kind: Literal["category"]
    column: Text | None = None
    levels: Annotated[tuple[Level, ...], PlainValidator(levels_of)]
    default: Cell | None = None
    source: Line | None = None

    @field_validator("default")
    @classmethod
    def _is_a_level(cls, default: str | None, info: ValidationInfo) -> str | None:
        known = [level.name for level in info.data.get("levels", ())]
        if default is not None and known and default not in known:
            raise wrong(f"{shown(default)} is not a level", f"levels: {shown(', '.join(known))}")
        return default

    def block(self, name: str) -> CategoryBlock:
        """Return the encoded block of this feature."""
        return CategoryBlock(
            name=name,
            column=self.column or name,
            levels=self.levels,
            default=self.default or self.levels[0].name,
        )


Feature = Annotated[NumberFeature | CategoryFeature, Field(discriminator="kind")]
