"""What comparisons on simulated trials share: cells, their luck, judges, results and curves.

Trials depend on scenario, n and the repeat alone, so methods and ε meet the same luck.

    accuracy = share of people who get their better arm      value V = their expected benefit
    gain = (V(rule) − V(best single arm)) / (V(optimal) − V(best single arm))

A rule does harm if its gain is below −0.01, or where nothing can be gained if it loses more than
1 % of the outcome's standard deviation.
"""

import math
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
import pyarrow as pa
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from dpwerm.documents.drawing import headed, labelled, panels, save, styled
from dpwerm.simulate.scenarios.scenario import BENEFIT, ArmArray, Scenario
from reproduction.shown import legend_below

PEOPLE = 4_000
"""People on whom each rule is judged."""

HARMS_BELOW, LOSES_ABOVE = -0.01, 0.01
"""A gain below the first is harm, and so is a loss above the second, in standard deviations of the
outcome, where nothing can be gained."""

SPREAD_OF = 20_000
"""People of the draw that tells the outcome's standard deviation."""

T = TypeVar("T")


@dataclass(frozen=True)
class Cell:
    """What is simulated; ``epsilon`` is a text, "inf" for none."""

    scenario: str
    n: int
    epsilon: str
    method: str
    repeats: int


C = TypeVar("C", bound=Cell)


class Marks(NamedTuple):
    """What one rule did: accuracy in %, value, gain (NaN for none), 100 for harm or 0."""

    accuracy: float
    value: float
    gain: float
    harm: float


@dataclass(frozen=True)
class Result(Generic[C]):
    """Means over the repeats with half their 95 % intervals; accuracy and harm in %.

    NaN where a number is not known: a gain where nothing can be gained.
    """

    cell: C
    accuracy: float
    accuracy_half_width: float
    value: float
    value_half_width: float
    gain: float
    gain_half_width: float
    harm: float

    @classmethod
    def of(cls, cell: C, marks: Sequence[Marks]) -> "Result[C]":
        """Return the means of what the rules of a cell did."""
        accuracy, value, gain, harm = with_halves(marks)
        return cls(cell, *accuracy, *value, *gain, harm[0])

    def row(self) -> dict[str, object]:
        """Return the row of a file; what is not known stays empty."""
        numbers = {name: getattr(self, name) for name in NUMBERS}
        shown = {name: "" if math.isnan(one) else f"{one:.4f}" for name, one in numbers.items()}
        return asdict(self.cell) | shown


NUMBERS = tuple(one.name for one in fields(Result))[1:]


def read_result(kind: Callable[..., C], row: Mapping[str, str]) -> Result[C]:
    """Return the result of a row of a file; an empty or missing number is not known."""
    known: dict[str, Any] = {one.name: row[one.name] for one in fields(kind)}  # type: ignore[arg-type]
    whole = {name: int(known[name]) for name in ("n", "repeats", "first") if name in known}
    return Result(kind(**known | whole), *(float(row.get(name) or "nan") for name in NUMBERS))


def by_cell(results: Sequence[Result[C]]) -> dict[tuple[str, int, str, str], Result[C]]:
    """Return the results by scenario, n, ε and method."""
    cells = ((one.cell, one) for one in results)
    return {(c.scenario, c.n, c.epsilon, c.method): one for c, one in cells}


@dataclass(frozen=True)
class Judge:
    """Fresh people of a scenario, who judge rules by what is true of them."""

    scenario: Scenario
    people: pa.Table

    @classmethod
    def of(cls, scenario: Scenario, n: int) -> "Judge":
        """Return the people who judge all rules from trials of n people."""
        return cls(scenario, scenario.people(PEOPLE, trial_rng(scenario.name, n, -1)))

    def marks(self, arms: ArmArray) -> Marks:
        """Return what a rule that gives these arms does."""
        value, (fixed, optimal) = self.scenario.value(self.people, arms), self._ends
        accuracy = 100 * self.scenario.accuracy(self.people, arms)
        if optimal > fixed:
            gain = (value - fixed) / (optimal - fixed)
            return Marks(accuracy, value, gain, 100.0 * (gain < HARMS_BELOW))
        return Marks(accuracy, value, math.nan, 100.0 * (fixed - value > LOSES_ABOVE * self._sd))

    @cached_property
    def _ends(self) -> tuple[float, float]:
        """The value of the best single arm, and that of the best rule."""
        scenario, people = self.scenario, self.people
        fixed = [scenario.value(people, np.full(PEOPLE, arm, object)) for arm in scenario.arms]
        return max(fixed), scenario.value(people, scenario.best(people))

    @cached_property
    def _sd(self) -> float:
        """The outcome's standard deviation, after transform."""
        drawn = self.scenario.draw(SPREAD_OF, trial_rng(self.scenario.name, SPREAD_OF, 0))
        benefit = self.scenario.study().benefit
        low, high = benefit.range
        return float(benefit.scaled(drawn[BENEFIT].to_numpy()).std() * (high - low) / 2)


def trial_rng(scenario: str, n: int, repeat: int) -> np.random.Generator:
    """Return the generator of one trial; repeat −1 is that of the people who judge."""
    return np.random.default_rng([zlib.crc32(scenario.encode()), n, repeat + 1])


def with_halves(scores: ArrayLike) -> list[tuple[float, float]]:
    """Return the mean of each column of (repeats, K) scores, and half its 95 % interval."""
    found = np.asarray(scores, dtype=np.float64)
    halves = 1.96 * found.std(axis=0, ddof=1) / np.sqrt(len(found))
    return list(zip(found.mean(axis=0).tolist(), halves.tolist(), strict=True))


def draw_curve(
    axes: Axes, at: Sequence[float], found: Sequence[tuple[float, float]], **style: object
) -> None:
    """Draw means with half their intervals."""
    axes.errorbar(
        at,
        [mean for mean, _ in found],
        yerr=[half for _, half in found],
        **style,  # type: ignore[arg-type]
    )


def label_axes(
    axes: Axes,
    ticks: Sequence[float],
    texts: Sequence[str],
    across: str,
    up: str = "people who get their better arm, %",
) -> None:
    """Name the ticks of a logarithmic axis, and both axes."""
    axes.set_xscale("log")
    axes.set_xticks(ticks, texts)
    axes.minorticks_off()
    labelled(axes, across=f"{across} (log scale)", up=up)


@styled()
def save_panels(
    heads: dict[str, T], draw: Callable[[T, Axes], None], path: Path, *, least: float, keys: int
) -> None:
    """Write a panel under each head; least: where accuracy begins, keys: columns of the legend."""
    figure, axes = panels(10.0, 3.8, columns=len(heads), sharey=True)
    for panel, (head, what) in zip(axes.flat, heads.items(), strict=True):
        draw(what, panel)
        headed(panel, head)
    for panel in axes[0, 1:]:
        labelled(panel, up="")
    axes[0, 0].set_ylim(least, 101)
    legend_below(figure, axes[0, 0], keys)
    save(figure, path)
