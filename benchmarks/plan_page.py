"""``make plan``: the figure and every table of docs/plan.md; about four minutes on one core.

Commands are run as a reader would run them, and what was planned is compared with what
benchmarks/results/utility.csv measured.
"""

import csv
import io
from contextlib import redirect_stdout
from pathlib import Path

from benchmarks.page import DATA, fill, write_table
from dpwerm.cli.main import main as dpwerm
from dpwerm.documents.plan import mean_of, range_of
from dpwerm.errors import ParameterError
from dpwerm.plan import expected
from dpwerm.plan.desk import Place, simulated
from dpwerm.simulate.engine.run import bar, run
from dpwerm.simulate.scenarios import SCENARIOS

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "plan.md"
FIGURE = ROOT / "docs" / "images" / "plan.svg"
STUDY = ROOT / "docs" / "examples" / "paper.toml"
MEASURED = ROOT / "benchmarks" / "results" / "utility.csv"
N, EPSILON = 1000, "1"
COMMAND = ("--n", "1000")
BEGINNING = "What to expect"


def expected_table() -> str:
    """Return the command with the table that it prints, what is before and after it left out."""
    caught = io.StringIO()
    with redirect_stdout(caught):
        code = dpwerm(["plan", str(STUDY), *COMMAND])
    if code:
        raise SystemExit(code)
    paragraphs = caught.getvalue().rstrip("\n").split("\n\n")
    first = next(i for i, one in enumerate(paragraphs) if one.startswith(BEGINNING))
    command = f"$ dpwerm plan docs/examples/paper.toml {' '.join(COMMAND)}\n..."
    return "```console\n" + "\n\n".join([command, *paragraphs[first : first + 2]]) + "\n...\n```"


def calibration() -> list[tuple[str, ...]]:
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
    table: list[tuple[str, ...]] = [("scenario", "planned, %", "80 in 100 trials", "measured, %")]
    for name, found in zip(names, planned, strict=True):
        if isinstance(found, ParameterError):
            raise found
        accuracy = found[1].accuracy
        measure = f"{float(measured[name, N, EPSILON]):.1f}"
        table.append((f"`{name}`", mean_of(accuracy), range_of(accuracy), measure))
    return table


def main() -> None:
    """Write the page's tables and the figure."""
    print("expected", flush=True)
    fill(PAGE, "expected", expected_table())
    print("figure", flush=True)
    with redirect_stdout(io.StringIO()):
        dpwerm(["plan", str(STUDY), "--n", str(N), "--figure", str(FIGURE), "--force"])
    print("calibration", flush=True)
    write_table(DATA / "plan.csv", calibration())


if __name__ == "__main__":
    main()
