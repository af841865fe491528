"""The results as Markdown: the paper's table beside ours, every scenario, tight and sloppy."""

import csv
import math
from collections.abc import Collection, Sequence
from importlib.resources import files

import numpy as np

from benchmarks.accuracy import Cell, Result, by_cell
from benchmarks.utility.cells import NAMED, OFF_CENTRE
from benchmarks.utility.methods import ESTIMATORS
from dpwerm.simulate.scenarios import SCENARIOS
from dpwerm.simulate.scenarios.sloppy import SLOPPY

Results = Sequence[Result[Cell]]
Found = dict[tuple[str, int, str, str], Result[Cell]]
BARE = ("T-learner, no privacy", "paper, no privacy", "auto, no privacy")
COMPARED = ("paper", *ESTIMATORS, "auto", *BARE)
STEPS = ("auto, no guard, no ranges", "auto, no guard")
GAINED = "auto's value | gain | harm, %"


def published() -> dict[tuple[str, int], float]:
    """Return the accuracy that the paper's supplement prints, by ε and n."""
    text = files("reproduction").joinpath("data/table2.csv").read_text(encoding="utf-8")
    rows = csv.DictReader(text.splitlines())
    return {(row["epsilon"], int(row["n"])): float(row["accuracy_mean"]) for row in rows}


def paper_table(results: Results) -> str:
    """Return accuracy in % on the paper's problem: published, the paper's method, and ours."""
    found, printed = by_cell(results), published()
    private = ("paper", *ESTIMATORS, "gaussian", "auto")
    bare = ("paper, no privacy", *[""] * 4, "auto, no privacy")
    places = {(one.cell.n, one.cell.epsilon) for one in results if one.cell.scenario == NAMED}
    head = [f"| ε | n | published | {' | '.join(private)} | {GAINED} |"]
    lines = [*head, "|---" * (len(private) + 6) + "|"]
    shown: list[Result[Cell] | None] = []
    for n, epsilon in sorted(places, key=lambda place: (float(place[1]), place[0])):
        names = bare if epsilon == "inf" else private
        row = [found.get((NAMED, n, epsilon, name)) for name in names]
        cells = [f"{printed[epsilon, n]:.1f}", *map(_accuracy, row), *_gained(row[-1])]
        lines.append(f"| {epsilon.replace('inf', '∞')} | {n:,} | {' | '.join(cells)} |")
        shown += row
    return "\n".join([*lines, "", _widest(shown)])


def rows_of(table: str) -> list[list[str]]:
    """Return the rows of a Markdown table, the head first."""
    lines = [line.strip("|").split("|") for line in table.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line] for line in lines]


def tight_rows(results: Results) -> list[list[str]]:
    """Return accuracy in % for every tight scenario at n = 1,000 and ε = 1, the head first."""
    found = by_cell(results)
    rows = [["scenario", *COMPARED, *GAINED.split(" | ")]]
    for name in SCENARIOS:
        row = [_at(found, name, 1000, method) for method in COMPARED]
        rows.append([f"`{name}`", *map(_accuracy, row), *_gained(row[COMPARED.index("auto")])])
    return rows


def sloppy_rows(results: Results, n: int = 3000) -> list[list[str]]:
    """Return gain for every sloppy trial at ε = 1, and auto's accuracy, value and harm."""
    found = by_cell(results)
    rows = [["trial", *COMPARED, "auto's accuracy, %", "value", "harm, %"]]
    for name in SLOPPY:
        row = [_at(found, name, n, method) for method in COMPARED]
        auto = row[COMPARED.index("auto")]
        value, _, harm = _gained(auto)
        rows.append([f"`{name}`", *map(_gain, row), _accuracy(auto), value, harm])
    return rows


def sure(results: Results) -> str:
    """Say how sure the numbers of those two tables are."""
    found = by_cell(results)
    tight = [_at(found, name, 1000, method) for name in SCENARIOS for method in COMPARED]
    ours = [_at(found, name, 3000, method) for name in SLOPPY for method in COMPARED]
    return f"{_widest(tight)} {_widest(ours, gain=True)}"


def mean_table(results: Results) -> str:
    """Return mean accuracy in %, gain and harm in % over each half of the suite at ε = 1."""
    found = by_cell(results)
    halves = {"tight": list(SCENARIOS), "sloppy": list(SLOPPY)}
    places = [(half, n) for half, names in halves.items() for n in sizes(results, names)]
    heads = [f"{half}, n = {n:,}" for half, n in places]
    lines = [f"| method | {' | '.join(heads)} |", "|---" * (len(heads) + 1) + "|"]
    for method in (*COMPARED[:-3], *STEPS, *BARE):
        every = [means(found, halves[half], n, method) for half, n in places]
        lines.append(f"| {method} | {' | '.join(map(_mean, every))} |")
    return "\n".join(lines)


def off_centre_table(results: Results) -> str:
    """Return what becomes of the paper's problem when the declared bounds are moved."""
    found = by_cell(results)
    lines = [f"| bounds | n | outcome-weighted | auto | {GAINED} |", "|---" * 7 + "|"]
    for name in (NAMED, *OFF_CENTRE):
        for n in sizes(results, (NAMED,)):
            row = [_at(found, name, n, method) for method in ("outcome-weighted", "auto")]
            cells = [*map(_accuracy, row), *_gained(row[-1])]
            where = "in the middle" if name == NAMED else name
            lines.append(f"| {where} | {n:,} | {' | '.join(cells)} |")
    return "\n".join(lines)


def sizes(results: Results, names: Collection[str]) -> list[int]:
    """Return the n that were tried of some scenarios."""
    return sorted({one.cell.n for one in results if one.cell.scenario in names})


def means(
    found: Found, names: Sequence[str], n: int, method: str, epsilon: str = "1"
) -> tuple[float, float, float] | None:
    """Return mean accuracy, gain and harm over scenarios at ε (∞ where there is no privacy).

    Gain is the mean over those in which something can be gained; None if nothing was measured.
    """
    cells = [one for name in names if (one := _at(found, name, n, method, epsilon)) is not None]
    known = [one for one in cells if not math.isnan(one.harm)]
    if not known:
        return None
    gains = [one.gain for one in known if not math.isnan(one.gain)]
    accuracy = float(np.mean([one.accuracy for one in known]))
    harm = float(np.mean([one.harm for one in known]))
    return accuracy, float(np.mean(gains)) if gains else math.nan, harm


def _at(
    found: Found, scenario: str, n: int, method: str, epsilon: str = "1"
) -> Result[Cell] | None:
    """Return a cell at ε, or at ε = ∞ of a method without privacy."""
    return found.get((scenario, n, "inf" if method in BARE else epsilon, method))


def _accuracy(one: Result[Cell] | None) -> str:
    return "" if one is None else f"{one.accuracy:.1f}"


def _gain(one: Result[Cell] | None) -> str:
    return "" if one is None else _signed(one.gain)


def _mean(mean: tuple[float, float, float] | None) -> str:
    """Return mean accuracy, gain and harm in one cell."""
    return "" if mean is None else f"{mean[0]:.1f}; {_signed(mean[1])}; {mean[2]:.0f}"


def _signed(gain: float) -> str:
    return "" if math.isnan(gain) else f"{gain:+.2f}"


def _gained(one: Result[Cell] | None) -> tuple[str, str, str]:
    """Return value, gain and harm; each stays empty where it is not known."""
    if one is None:
        return "", "", ""
    return f"{one.value:.3f}", _gain(one), "" if math.isnan(one.harm) else f"{one.harm:.0f}"


def _widest(some: Sequence[Result[Cell] | None], *, gain: bool = False) -> str:
    """Say how sure the accuracies or gains of a table are."""
    what = "gain_half_width" if gain else "accuracy_half_width"
    halves = [getattr(one, what) for one in some if one is not None]
    most = max((one for one in halves if not math.isnan(one)), default=0.0)
    return f"Half-widths of {'gains' if gain else 'accuracies'} are at most " + (
        f"{most:.2f}." if gain else f"{most:.1f} points."
    )
