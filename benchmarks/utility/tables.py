"""The results as Markdown: the paper's table beside ours, every scenario, and the verdicts."""

import csv
from importlib.resources import files

import numpy as np

from benchmarks.utility.cells import Result
from dpwerm.simulate.scenarios import SCENARIOS

ASKED = {
    ("0.1", 200): 64.0, ("0.1", 500): 81.0, ("0.1", 1000): 89.0,
    ("0.5", 200): 89.0, ("0.5", 500): 94.0, ("0.5", 1000): 96.0,
    ("1", 200): 93.0, ("1", 500): 96.0, ("1", 1000): 97.5,
    ("2", 200): 95.0, ("2", 500): 97.0, ("2", 1000): 98.0,
    ("5", 200): 96.5, ("5", 500): 98.0, ("5", 1000): 98.5,
}  # fmt: skip
"""What auto should reach on the paper's problem, accuracy in %."""

METHODS = ("paper", "spherical-laplace", "gaussian", "objective-gaussian", "auto")
"""Those of the table of the paper's problem."""

SLACK = 3.0
"""How far auto may lie behind the best single mechanism, in points."""

NEAR = 5.0
"""How far auto at ε = 1 may lie behind the same rule without privacy, in points."""

HARM = 1.0
"""How many standard errors of a mean over 1,000 people the value may lose where nothing is won."""

Found = dict[tuple[str, int, str, str], Result]


def by_cell(results: list[Result]) -> Found:
    """Return the results by scenario, n, ε and method."""
    cells = ((one.cell, one) for one in results)
    return {(c.scenario, c.n, c.epsilon, c.method): one for c, one in cells}


def _shown(result: Result | None) -> str:
    return "" if result is None else f"{result.accuracy:.1f} ± {result.accuracy_half:.1f}"


def _published() -> dict[tuple[str, int], float]:
    """Return the accuracy that the paper's supplement prints, by ε and n."""
    text = files("reproduction").joinpath("data/table2.csv").read_text(encoding="utf-8")
    rows = csv.DictReader(text.splitlines())
    return {(row["epsilon"], int(row["n"])): float(row["accuracy_mean"]) for row in rows}


def _mean(result: Result | None) -> str:
    return "" if result is None else f"{result.accuracy:.1f}"


def widest(results: list[Result | None]) -> str:
    """Return the largest half-width of some accuracies, in points."""
    return f"{max(one.accuracy_half for one in results if one is not None):.1f}"


def paper_table(results: list[Result]) -> str:
    """Return accuracy in % on the paper's problem: published, the paper's method, and ours."""
    found, published = by_cell(results), _published()
    bare = {"paper": "paper, no privacy", "auto": "auto, no privacy"}
    rows = [
        [found.get(("paper", n, epsilon, method)) for method in METHODS] for epsilon, n in ASKED
    ]
    rows += [
        [found.get(("paper", n, "inf", bare.get(method, ""))) for method in METHODS]
        for n in sorted({n for _, n in ASKED})
    ]
    places = [*ASKED, *(("inf", n) for n in sorted({n for _, n in ASKED}))]
    lines = [f"| ε | n | published | {' | '.join(METHODS)} |", "|---" * (len(METHODS) + 3) + "|"]
    for (epsilon, n), row in zip(places, rows, strict=True):
        cells = [f"{published[epsilon, n]:.1f}", *map(_mean, row)]
        lines.append(f"| {epsilon.replace('inf', '∞')} | {n} | {' | '.join(cells)} |")
    most = widest([one for row in rows for one in row])
    return "\n".join([*lines, "", f"Half-widths are at most {most} points."])


def scenario_table(results: list[Result]) -> str:
    """Return n = 1000, ε = 1 for every scenario: accuracy in %."""
    found = by_cell(results)
    columns = [("1", "paper"), ("1", "spherical-laplace"), ("1", "auto")]
    columns += [("inf", "paper, no privacy"), ("inf", "auto, no privacy")]
    lines = [
        f"| scenario | {' | '.join(method for _, method in columns)} |",
        "|---" * (len(columns) + 1) + "|",
    ]
    shown: list[Result | None] = []
    for scenario in dict.fromkeys(one.cell.scenario for one in results):
        row = [found.get((scenario, 1000, epsilon, method)) for epsilon, method in columns]
        lines.append(f"| `{scenario}` | {' | '.join(map(_mean, row))} |")
        shown += row
    return "\n".join([*lines, "", f"Half-widths are at most {widest(shown)} points."])


def verdicts(results: list[Result]) -> str:
    """Say of each aim whether it is met, and name every cell that is not."""
    found = by_cell(results)
    names = list(dict.fromkeys(one.cell.scenario for one in results))
    aims = {
        "Every number asked of auto on the paper's problem": _short(found),
        "At ε = 0.5 auto is more accurate than the published rule without privacy, at every n": (
            _below_published(found)
        ),
        f"Auto is within {SLACK:g} points of the best single mechanism, in every cell": (
            _behind(found)
        ),
        "Linear boundary, n = 1,000: auto at ε = 1 is at least as accurate as the paper's method "
        "without privacy": _against(found, names, "paper, no privacy", 0.0),
        f"n = 1,000, at most 10 features, arms up to 2:1: auto at ε = 1 is within {NEAR:g} points "
        "of our own rule without privacy": _against(
            found, [name for name in names if _easy(name)], "auto, no privacy", NEAR
        ),
        "No effect, or the same for everybody, n = 1,000, ε = 1: the value is within "
        f"{HARM:g} standard errors of a trial's mean of the best fixed arm's": _harm(found, names),
    }
    return "\n".join(f"- {aim}: {_list(failed)}" for aim, failed in aims.items())


def _short(found: Found) -> list[str]:
    cells = {at: found.get(("paper", at[1], at[0], "auto")) for at in ASKED}
    return [
        f"ε = {at[0]}, n = {at[1]}: {_shown(cell)}, asked {ASKED[at]:g}"
        for at, cell in cells.items()
        if cell is not None and cell.accuracy < ASKED[at]
    ]


def _below_published(found: Found) -> list[str]:
    cells = {n: found.get(("paper", n, "0.5", "auto")) for _, n in ASKED}
    return [
        f"n = {n}: {_shown(cell)}"
        for n, cell in cells.items()
        if cell is not None and cell.accuracy <= _published()["inf", n]
    ]


def _behind(found: Found) -> list[str]:
    """Return each cell in which a single mechanism of ours leads by more, and which does."""
    best: dict[tuple[str, int, str], Result] = {}
    for (scenario, n, epsilon, method), result in found.items():
        at = scenario, n, epsilon
        leads = at not in best or result.accuracy > best[at].accuracy
        if method not in ("auto", "paper") and epsilon != "inf" and leads:
            best[at] = result
    failed = []
    for (scenario, n, epsilon), result in best.items():
        auto = found.get((scenario, n, epsilon, "auto"))
        if auto and auto.accuracy < result.accuracy - SLACK:
            place = f"`{scenario}`, n = {n}, ε = {epsilon}"
            failed.append(f"{place}: {result.cell.method} {_mean(result)}, auto {_mean(auto)}")
    return failed


def _against(found: Found, names: list[str], method: str, slack: float) -> list[str]:
    failed = []
    for scenario in names:
        auto = found.get((scenario, 1000, "1", "auto"))
        other = found.get((scenario, 1000, "inf", method))
        linear = SCENARIOS[scenario].linear
        if auto and other and linear and auto.accuracy < other.accuracy - slack:
            failed.append(f"`{scenario}`: {_shown(auto)} against {_shown(other)}")
    return failed


def _easy(name: str) -> bool:
    scenario = SCENARIOS[name]
    return len(scenario.study().features) <= 10 and scenario.study().treatment.pi_min > 0.33


def _harm(found: Found, names: list[str]) -> list[str]:
    failed = []
    for name in names:
        scenario, auto = SCENARIOS[name], found.get((name, 1000, "1", "auto"))
        if auto is None or scenario.optimal_value > scenario.best_fixed_arm_value:
            continue
        trial = scenario.draw(1000, np.random.default_rng(0))
        spread = float(np.std(trial[scenario.study().benefit.column].to_numpy()))
        loss = scenario.best_fixed_arm_value - auto.value
        if loss > HARM * spread / np.sqrt(1000):
            failed.append(f"`{name}`: {auto.value:.3f}, not {scenario.best_fixed_arm_value:.3f}")
    return failed


def _list(exceptions: list[str]) -> str:
    """Return "yes", or every exception on a line of its own."""
    return "yes." if not exceptions else "not in\n" + "\n".join(f"  - {one}" for one in exceptions)
