"""``make plan``: the figure and every table of docs/plan.md; about four minutes on one core.

Commands are run as a reader would run them, and what was planned is compared with what
benchmarks/results/utility.csv measured.
"""

import csv
import io
from contextlib import redirect_stdout
from pathlib import Path

from benchmarks.page import fill
from dpwerm.cli.main import main as dpwerm
from dpwerm.documents.plan import mean_of, range_of
from dpwerm.errors import ParameterError
from dpwerm.plan import expected
from dpwerm.plan.desk import Place, simulated
from dpwerm.simulate.engine.run import bar, run
from dpwerm.simulate.scenarios import SCENARIOS
from reproduction.shown import markdown

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "plan.md"
FIGURE = ROOT / "docs" / "images" / "plan.svg"
STUDY = ROOT / "docs" / "examples" / "paper.toml"
MEASURED = ROOT / "benchmarks" / "results" / "utility.csv"
N, EPSILON = 1000, "1"
COMMANDS = {
    "expected": ("--n", "1000"),
    "settings": ("--n", "1000", "--epsilon", "1"),
    "target": ("--n", "1000", "--target", "0.95"),
    "people": ("--epsilon", "1", "--target", "0.95"),
    "unreachable": ("--n", "1000", "--target", "0.99"),
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
    if name == "settings":
        first = next(i for i, one in enumerate(blocks) if one.startswith("What a fit"))
        last = next(i for i, one in enumerate(blocks) if one.startswith("What epsilon"))
        blocks = blocks[first:last]
    elif name != "expected":
        blocks = blocks[2:]
    command = f"$ dpwerm plan docs/examples/paper.toml {' '.join(options)}"
    return "```console\n" + "\n\n".join([command, *blocks]) + "\n```"


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
    print("figure", flush=True)
    with redirect_stdout(io.StringIO()):
        dpwerm(["plan", str(STUDY), "--n", str(N), "--figure", str(FIGURE), "--force"])
    print("calibration", flush=True)
    fill(PAGE, "calibration", calibration())


if __name__ == "__main__":
    main()
