"""The results as Markdown: the paper's table beside ours, every scenario, and the verdicts."""

import csv
from importlib.resources import files

from benchmarks.utility.cells import Result

ASKED = {
    ("0.1", 200): 64.0, ("0.1", 500): 81.0, ("0.1", 1000): 89.0,
    ("0.5", 200): 89.0, ("0.5", 500): 94.0, ("0.5", 1000): 96.0,
    ("1", 200): 93.0, ("1", 500): 96.0, ("1", 1000): 97.5,
    ("2", 200): 95.0, ("2", 500): 97.0, ("2", 1000): 98.0,
    ("5", 200): 96.5, ("5", 500): 98.0, ("5", 1000): 98.5,
}  # fmt: skip
"""What auto should reach on the paper's problem, accuracy in %."""

SLACK = 3.0
"""How far auto may lie behind the best single mechanism, in points."""

Found = dict[tuple[str, int, str, str], Result]


def by_cell(results: list[Result]) -> Found:
    """Return the results by scenario, n, ε and method."""
    cells = ((one.cell, one) for one in results)
    return {(c.scenario, c.n, c.epsilon, c.method): one for c, one in cells}


def _shown(result: Result | None) -> str:
    return "" if result is None else f"{result.accuracy:.1f} ± {result.accuracy_half:.1f}"


def _published() -> dict[tuple[str, int], float]:
    """Return the accuracy that the paper's supplement prints, by ε and n."""
    text = files("dpwerm.reproduce").joinpath("data/table2.csv").read_text(encoding="utf-8")
    rows = csv.DictReader(text.splitlines())
    return {(row["epsilon"], int(row["n"])): float(row["accuracy_mean"]) for row in rows}


def paper_table(results: list[Result]) -> str:
    """Return accuracy in % on the paper's problem: published, every method, and what was asked."""
    found, published = by_cell(results), _published()
    methods = list(dict.fromkeys(one.cell.method for one in results if one.cell.epsilon != "inf"))
    lines = [
        "| ε | n | published | " + " | ".join(methods) + " | asked of auto |",
        "|---" * (len(methods) + 4) + "|",
    ]
    for (epsilon, n), asked in ASKED.items():
        cells = [_shown(found.get(("paper", n, epsilon, method))) for method in methods]
        before = f"{published[epsilon, n]:.1f}"
        lines.append(f"| {epsilon} | {n} | {before} | {' | '.join(cells)} | {asked:g} |")
    for n in sorted({n for _, n in ASKED}):
        ours = _shown(found.get(("paper", n, "inf", "auto, no privacy")))
        theirs = _shown(found.get(("paper", n, "inf", "paper, no privacy")))
        values = {"paper": theirs, "auto": ours}
        cells = [values.get(method, "") for method in methods]
        before = f"{published['inf', n]:.1f}" if ("inf", n) in published else ""
        lines.append(f"| ∞ | {n} | {before} | {' | '.join(cells)} | |")
    return "\n".join(lines)


def scenario_table(results: list[Result]) -> str:
    """Return n = 1000, ε = 1 for every scenario: accuracy in %, and the value of auto."""
    found = by_cell(results)
    methods = ["paper", "spherical-laplace", "objective-l2", "objective-block", "auto"]
    bare = ["paper, no privacy", "auto, no privacy"]
    lines = [
        "| scenario | " + " | ".join([*methods, *bare]) + " | value of auto |",
        "|---" * (len(methods) + len(bare) + 2) + "|",
    ]
    for scenario in dict.fromkeys(one.cell.scenario for one in results):
        cells = [_shown(found.get((scenario, 1000, "1", method))) for method in methods]
        cells += [_shown(found.get((scenario, 1000, "inf", method))) for method in bare]
        auto = found.get((scenario, 1000, "1", "auto"))
        value = "" if auto is None else f"{auto.value:.3f} ± {auto.value_half:.3f}"
        lines.append(f"| `{scenario}` | {' | '.join(cells)} | {value} |")
    return "\n".join(lines)


def verdicts(results: list[Result]) -> str:
    """Say of each aim whether it is met, and name every cell that is not."""
    found = by_cell(results)
    lines = []
    short = [
        f"ε = {epsilon}, n = {n}: {found['paper', n, epsilon, 'auto'].accuracy:.1f} of {asked:g}"
        for (epsilon, n), asked in ASKED.items()
        if ("paper", n, epsilon, "auto") in found
        and found["paper", n, epsilon, "auto"].accuracy < asked
    ]
    lines.append("- Every number asked of auto on the paper's problem: " + _list(short))
    behind = []
    for (scenario, n, epsilon, method), result in found.items():
        auto = found.get((scenario, n, epsilon, "auto"))
        if auto and epsilon != "inf" and auto.accuracy < result.accuracy - SLACK:
            behind.append(f"`{scenario}`, n = {n}, ε = {epsilon}: {method} "
                          f"{result.accuracy:.1f}, auto {auto.accuracy:.1f}")  # fmt: skip
    lines.append(f"- Auto within {SLACK:g} points of the best single mechanism: " + _list(behind))
    worse = []
    for scenario in dict.fromkeys(one.cell.scenario for one in results):
        auto = found.get((scenario, 1000, "1", "auto"))
        bare = found.get((scenario, 1000, "inf", "paper, no privacy"))
        if auto and bare and auto.accuracy < bare.accuracy:
            worse.append(f"`{scenario}`: {_shown(auto)} against {_shown(bare)}")
    lines.append(
        "- n = 1000: auto at ε = 1 as accurate as the paper's method without privacy: "
        + _list(worse)
    )
    return "\n".join(lines)


def _list(exceptions: list[str]) -> str:
    return "yes." if not exceptions else "no. " + "; ".join(exceptions) + "."
