"""``make plan``: the figure and every table of docs/plan.md; about four minutes on one core.

Commands are run as a reader would run them. The bounds are also measured on the paper's own
problem, and what was planned is compared with what benchmarks/results/utility.csv measured.
"""

import csv
import io
from contextlib import redirect_stdout
from pathlib import Path

import numpy as np

from benchmarks.page import fill
from dpwerm.cli.main import main as dpwerm
from dpwerm.errors import ParameterError
from dpwerm.mechanisms import get_mechanism
from dpwerm.plan import expected
from dpwerm.plan.place import Place, simulated
from dpwerm.plan.words import mean_of, range_of
from dpwerm.privacy.budget import Budget
from dpwerm.rules.probabilities import second_arm
from dpwerm.rules.settle import Settled, settle
from dpwerm.rules.trial import trial_of_table
from dpwerm.rules.trial_rows import rows_of
from dpwerm.simulate.engine.bar import bar
from dpwerm.simulate.engine.run import run
from dpwerm.simulate.scenarios import SCENARIOS, get_scenario
from dpwerm.simulate.scenarios.scenario import Scenario
from dpwerm.solve.batch import BatchProblems
from dpwerm.study.trial import read_trial
from dpwerm.text import markdown
from reproduction.bounds.measured import MECHANISM, Bounds, bounds_beside
from reproduction.bounds.risks import Sample
from reproduction.bounds.words import bound_rows, sizes_words, verdict

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "plan.md"
FIGURE = ROOT / "docs" / "images" / "plan.svg"
STUDY = ROOT / "docs" / "examples" / "paper.toml"
MEASURED = ROOT / "benchmarks" / "results" / "utility.csv"
N, EPSILON = 1000, "1"
TRIALS, PEOPLE = 24, 4_000
COMMANDS = {
    "expected": ("--n", "1000"),
    "settings": ("--n", "1000", "--epsilon", "1"),
    "target": ("--n", "1000", "--target", "0.95"),
    "people": ("--epsilon", "1", "--target", "0.95"),
    "unreachable": ("--n", "1000", "--target", "0.99"),
    "asymptotic": ("--n", "1000", "--smallest-eigenvalue", "0.05"),
}


def shown(name: str) -> str:
    """Return a command and what it prints; of a long output the part that the name is about."""
    options = COMMANDS[name]
    caught = io.StringIO()
    with redirect_stdout(caught):
        code = dpwerm(["plan", str(STUDY), *options])
    if code:
        raise SystemExit(code)
    blocks = caught.getvalue().rstrip("\n").split("\n\n")
    if name == "asymptotic":
        blocks = blocks[next(i for i, one in enumerate(blocks) if "Proposition 8" in one) :]
    elif name == "settings":
        first = next(i for i, one in enumerate(blocks) if one.startswith("What a fit"))
        last = next(i for i, one in enumerate(blocks) if one.startswith("What epsilon"))
        blocks = blocks[first:last]
    elif name != "expected":
        blocks = blocks[2:]
    command = f"$ dpwerm plan docs/examples/paper.toml {' '.join(options)}"
    return "```console\n" + "\n\n".join([command, *blocks]) + "\n```"


def weighted(scenario: Scenario, settled: Settled, n: int, *key: int) -> BatchProblems:
    """Return trials of a scenario as weighted problems, weights in units of W."""
    study, encoding = scenario.study(), settled.encoding
    found = []
    for trial_number in range(TRIALS):
        rng = np.random.default_rng([*key, trial_number])
        trial = trial_of_table(settled.declaration, read_trial(study, scenario.draw(n, rng)))
        second = second_arm(settled.declaration, trial, encoding)
        rows = rows_of(trial, settled.declaration, encoding, second)
        X = encoding.learning_rows(rows.X)
        found.append((X, rows.labels, rows.weights / settled.spec.weight_bound))
    X, y, weights = (np.stack(part) for part in zip(*found, strict=True))
    return BatchProblems(X, y, weights, encoding.intercept_scale)


def paper_bounds(n: int, epsilon: str) -> Bounds:
    """Return the bounds on the paper's own problem, with the settings that suit the mechanism."""
    scenario = get_scenario("paper")
    settled = settle(scenario.study(), Budget.of(epsilon), n, mechanism=MECHANISM)
    sample = Sample(weighted(scenario, settled, n, 1), weighted(scenario, settled, PEOPLE, 2), n)
    facts = settled.question.facts(settled.encoding, settled.gamma)
    plan = get_mechanism(MECHANISM).plan(facts, Budget.of(epsilon))
    return bounds_beside(sample, plan, settled.spec.loss)


def calibration() -> str:
    """Return what a plan expects beside what the utility benchmark measured, by scenario."""
    with MEASURED.open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["method"] == "auto"]
    measured = {(row["scenario"], int(row["n"]), row["epsilon"]): row["accuracy"] for row in rows}
    names = [name for name in SCENARIOS if (name, N, EPSILON) in measured]
    places = [
        Place(SCENARIOS[name].study(), "0", expected.TRIALS, EPSILON, N, None) for name in names
    ]
    with bar("planning") as on_done:
        planned = run(simulated, places, on_done=on_done)
    table = [("scenario", "planned, %", "80 in 100 trials", "measured, %")]
    for name, found in zip(names, planned, strict=True):
        if isinstance(found, ParameterError):
            raise found
        accuracy = found[1].accuracy
        measure = f"{float(measured[name, N, EPSILON]):.1f}"
        table.append((f"`{name}`", mean_of(accuracy), range_of(accuracy), measure))
    return markdown(table)


def main() -> None:
    """Write the page's tables and the figure."""
    for name in COMMANDS:
        print(name, flush=True)
        fill(PAGE, name, shown(name))
    print("bounds", flush=True)
    found = paper_bounds(N, EPSILON)
    fill(PAGE, "bounds", f"{markdown(bound_rows(found))}\n\n{verdict(found)}\n{sizes_words(found)}")
    print("figure", flush=True)
    with redirect_stdout(io.StringIO()):
        dpwerm(["plan", str(STUDY), "--n", str(N), "--figure", str(FIGURE), "--force"])
    print("calibration", flush=True)
    fill(PAGE, "calibration", calibration())


if __name__ == "__main__":
    main()
