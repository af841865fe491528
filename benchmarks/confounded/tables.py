"""The results as Markdown: every method, the split of the budget, and what was asked."""

from collections.abc import Sequence

from benchmarks.accuracy import Result, by_cell
from benchmarks.confounded.cells import SHARES, Cell

N, EPSILON = 1000, "1"
"""Where every method is compared."""

ALL = ("ignoring", "private", "arm-wise", "arm-wise, squares", "arm-wise, cubes", "known")
MORE = (*ALL, "ridge", "worst case")
"""The last two are tried once only."""

ASKED = {
    "confounded": ("arm-wise", 94.0),
    "indication": ("arm-wise", 92.0),
    "curved-outcome": ("arm-wise, cubes", 90.0),
    "curved-both": ("arm-wise, squares", 80.0),
}
"""The form that fits each scenario, and the accuracy asked of it at n = 1,000 and ε = 1, in %."""

Results = Sequence[Result[Cell]]


def method_table(results: Results) -> str:
    """Return accuracy in %, gain and harm of every method at n = 1,000 and ε = 1."""
    found = by_cell(results)
    lines = [f"| method | {' | '.join(f'`{name}`' for name in ASKED)} |"]
    lines.append("|---" * (len(ASKED) + 1) + "|")
    for method in MORE:
        cells = [found.get((name, N, EPSILON, method)) for name in ASKED]
        lines.append(f"| {method} | {' | '.join(map(_marks, cells))} |")
    shown = [one for one in results if (one.cell.n, one.cell.epsilon) == (N, EPSILON)]
    most = max((one.accuracy_half_width for one in shown), default=0.0)
    return "\n".join([*lines, "", f"Half-widths of accuracies are at most {most:.1f} points."])


def verdict(results: Results) -> str:
    """Say of each scenario whether the form that fits reaches what is asked of it."""
    found = by_cell(results)
    lines = []
    for name, (method, asked) in ASKED.items():
        one = found.get((name, N, EPSILON, method))
        if one is None:
            continue
        reached = "reached" if one.accuracy >= asked else "not reached"
        shown = f"{one.accuracy:.1f} ± {one.accuracy_half_width:.1f}"
        lines.append(f"- `{name}`, {method}: {shown}, asked {asked:g}: {reached}.")
    return "\n".join(lines)


def split_words(results: Results) -> str:
    """Return the mean accuracy in % for every share of ε that the propensity model may get."""
    parts = []
    for share in SHARES:
        found = [one.accuracy for one in results if one.cell.method == f"private, share {share}"]
        if found:
            parts.append(f"{sum(found) / len(found):.1f} with {share}")
    return f"{', '.join(parts)}."


def _marks(one: Result[Cell] | None) -> str:
    """Return accuracy, gain and harm of a cell."""
    return "" if one is None else f"{one.accuracy:.1f}; {one.gain:+.2f}; {one.harm:.0f}"
