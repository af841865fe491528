"""``make plan``: the figure and every table of docs/plan.md; about half an hour on one core.

Commands are run as a reader would run them, and what was planned is compared with what
benchmarks/results/utility.csv measured.
"""

import csv
import io
from collections.abc import Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.page import DATA, fill, write_table
from dpwerm.cli.main import main as dpwerm
from dpwerm.documents.plan_tables import mean_of, range_of
from dpwerm.errors import ParameterError
from dpwerm.plan import expected
from dpwerm.plan.assumed import Assumed, declared_scale, expecting, half_range
from dpwerm.plan.desk import Place, simulated
from dpwerm.plan.expected import Expected, Spread
from dpwerm.simulate.engine.run import bar, run
from dpwerm.simulate.scenarios import SCENARIOS
from dpwerm.simulate.scenarios.scenario import ARM, BENEFIT, Scenario, numbers
from dpwerm.simulate.scenarios.sloppy import SLOPPY
from dpwerm.study.study import Study
from dpwerm.text import number

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "plan.md"
FIGURE = ROOT / "docs" / "images" / "plan.svg"
STUDY = ROOT / "docs" / "examples" / "paper.toml"
MEASURED = ROOT / "benchmarks" / "results" / "utility.csv"
N, EPSILON = 1000, "1"
PEOPLE, SEED = 50_000, 82026
"""Drawn of a scenario for what a protocol would know of it."""

LEAST_EFFECT = 1e-6
"""A smaller share of the sd is no difference between people."""

COMMAND = ("--n", "1000")
BEGINNINGS = ("What to expect", "What it depends on")


def printed(*options: str) -> list[str]:
    """Return the paragraphs that the command prints about the example."""
    caught = io.StringIO()
    with redirect_stdout(caught):
        code = dpwerm(["plan", str(STUDY), *options])
    if code:
        raise SystemExit(code)
    return caught.getvalue().rstrip("\n").split("\n\n")


def console(options: Sequence[str], blocks: Sequence[str]) -> str:
    """Return a command with parts of what it prints."""
    command = f"$ dpwerm plan docs/examples/paper.toml {' '.join(options)}"
    return "```console\n" + "\n...\n\n".join([command, *blocks]) + "\n...\n```"


def expected_tables() -> str:
    """Return the command with its tables: what to expect, and what that depends on."""
    paragraphs = printed(*COMMAND)
    first = [i for i, one in enumerate(paragraphs) if one.startswith(BEGINNINGS)]
    return console(COMMAND, ["\n\n".join(paragraphs[i : i + 2]) for i in first])


@dataclass(frozen=True)
class Trial:
    """What a plan says of one scenario, and what was measured on it.

    known : sd of the benefit within an arm and of the arms' difference, as a protocol would state
        them, to one digit; open, declared : planned without and with them
    measured : a share: the gain, or accuracy where nothing can be gained
    """

    name: str
    known: tuple[float, float]
    measured: float
    gains: bool
    open: Expected
    declared: Expected

    def spread(self, planned: Expected) -> Spread:
        """Return what was planned of what was measured."""
        return planned.gain if self.gains else planned.accuracy

    def is_inside(self, planned: Expected) -> bool:
        """Return whether what was measured lies in the range, both in whole percent as printed."""
        spread = self.spread(planned)
        low, found, high = (round(100 * one) for one in (spread.low, self.measured, spread.high))
        return low <= found <= high

    def row(self) -> tuple[str, ...]:
        """Return the line of this scenario."""
        cells = []
        for planned in (self.open, self.declared):
            spread = self.spread(planned)
            mark = "" if self.is_inside(planned) else " (outside)"
            cells += [mean_of(spread), range_of(spread) + mark]
        measured = f"{100 * self.measured:.1f}" + ("" if self.gains else " (right arm)")
        sd, effect_sd = (number(one) for one in self.known)
        return (f"`{self.name}`", measured, *cells[:2], sd, effect_sd, *cells[2:])


HEAD = (
    "scenario",
    "measured, %",
    "nothing declared, %",
    "80 in 100 trials",
    "sd",
    "effect sd",
    "both declared, %",
    "80 in 100 trials",
)


def known_of(scenario: Scenario) -> tuple[float, float]:
    """Return the sd of the benefit within an arm, and of the arms' difference, to one digit."""
    benefit, table = scenario.study().benefit, scenario.draw(PEOPLE, np.random.default_rng(SEED))
    half = half_range(benefit)
    u, arm = benefit.scaled(numbers(table, BENEFIT)), np.asarray(table[ARM].to_pylist())
    sd = half * float(np.sqrt(np.mean([u[arm == one].var() for one in scenario.arms])))
    effect = float(scenario.contrast(table).std())
    sd = min(float(f"{sd:.0e}"), half)
    return sd, min(float(f"{effect:.0e}") if effect > LEAST_EFFECT * sd else 0.0, 2 * sd)


@dataclass(frozen=True)
class Task:
    """One study, and what its protocol would know."""

    study: Study
    sd: float
    effect_sd: float


def both_plans(task: Task) -> tuple[Expected, Expected]:
    """Return what to expect with nothing declared, and with both sds."""
    scale = declared_scale(expecting(task.study, task.sd, task.effect_sd).benefit)
    plans = []
    for assumed in (Assumed(), Assumed(scale)):
        place = Place(task.study, "0", expected.TRIALS, EPSILON, N, None, assumed)
        found = simulated(place)
        if isinstance(found, ParameterError):
            raise found
        plans.append(found[1])
    return plans[0], plans[1]


def planned_trials(scenarios: Mapping[str, Scenario]) -> list[Trial]:
    """Return the plans of all scenarios that were measured, beside what was measured."""
    with MEASURED.open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["method"] == "auto"]
    at = {row["scenario"]: row for row in rows if (int(row["n"]), row["epsilon"]) == (N, EPSILON)}
    names = [name for name in scenarios if name in at]
    known = {name: known_of(scenarios[name]) for name in names}
    tasks = [Task(scenarios[name].study(), *known[name]) for name in names]
    with bar("planning") as on_done:
        found = run(both_plans, tasks, on_done=on_done)
    trials = []
    for name, (plain, told) in zip(names, found, strict=True):
        row = at[name]
        gains = bool(row["gain"])
        measured = float(row["gain"]) if gains else float(row["accuracy"]) / 100
        trials.append(Trial(name, known[name], measured, gains, plain, told))
    return trials


def inside_words(halves: Mapping[str, list[Trial]]) -> str:
    """Return of how many scenarios the measured result lies in the planned range."""
    told = []
    for name, trials in halves.items():
        plain = sum(one.is_inside(one.open) for one in trials)
        known = sum(one.is_inside(one.declared) for one in trials)
        told.append(
            f"of {len(trials)} declared {name}, {plain} with nothing declared and {known} with both"
        )
    return f"Inside the range lie: {'; '.join(told)}."


def main() -> None:
    """Write the page's tables and the figure."""
    print("expected", flush=True)
    fill(PAGE, "expected", expected_tables())
    print("figure", flush=True)
    with redirect_stdout(io.StringIO()):
        dpwerm(["plan", str(STUDY), "--n", str(N), "--figure", str(FIGURE), "--force"])
    print("calibration", flush=True)
    halves = {"tightly": planned_trials(SCENARIOS), "sloppily": planned_trials(SLOPPY)}
    write_table(DATA / "plan.csv", [HEAD, *(one.row() for half in halves.values() for one in half)])
    fill(PAGE, "inside", inside_words(halves))
    print(inside_words(halves))


if __name__ == "__main__":
    main()
