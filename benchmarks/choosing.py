"""``python -m benchmarks.choosing``: the tables and examples of docs/choosing.md.

Commands are run as a reader would run them, on the study file that the page prints.
"""

import contextlib
import io
import math
import re
import tempfile
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path

from benchmarks.page import fill
from dpwerm import Study
from dpwerm.cli.main import main as dpwerm
from dpwerm.documents.plan_tables import mean_of
from dpwerm.documents.summary import even_odds
from dpwerm.errors import ParameterError
from dpwerm.plan.desk import Place, simulated
from dpwerm.plan.expected import TRIALS
from dpwerm.simulate.engine.run import bar, run
from reproduction.shown import markdown

PAGE = Path(__file__).parents[1] / "docs" / "choosing.md"
FOR_ODDS = ("0.1", "0.5", "1", "2", "5", "10")
SIZES, EPSILONS = (100, 200, 400, 800, 1600), ("0.1", "0.25", "0.5", "1", "2", "inf")
N, EPSILON = 400, "1"
FEATURES = (0, 2, 6, 16)
"""How many numbers are added to the four features of the study."""

RATIOS = ("1:1", "2:1", "4:1", "9:1")
COMMANDS = {
    "epsilon": "plan study.toml --n 400 --target 0.8",
    "people": "plan study.toml --epsilon 0.5 --target 0.8",
}


def study_text() -> str:
    """Return the study file that the page prints."""
    found = re.search(
        r"<!-- file: study.toml -->\n+```toml\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL
    )
    if found is None:
        raise SystemExit("the page prints no study file")
    return found[1]


def with_features(text: str, more: int) -> str:
    """Return the study with more numbers."""
    new = (f'[features.more_{j}]\nkind = "number"\nbounds = [0, 1]\n\n' for j in range(more))
    return text.replace("[treatment]", "".join(new) + "[treatment]")


def with_ratio(text: str, ratio: str) -> str:
    """Return the study with arms of another ratio."""
    first, second = map(int, ratio.split(":"))
    whole = first + second
    arms = f'arms = {{ tablets = "{first}/{whole}", therapy = "{second}/{whole}" }}'
    return re.sub(r"^arms = .*$", arms, text, flags=re.MULTILINE)


def odds() -> str:
    """Return what ε means for odds: factors to three digits and chances to 0.1 %, rounded up."""
    rows = [("ε", "odds change at most by the factor", "1:1", "50 %", "1 %")]
    for text in FOR_ODDS:
        factor = math.exp(float(text))
        unit = 10.0 ** min(math.floor(math.log10(factor)) - 2, 0)
        words = f"{math.ceil(factor / unit) * unit:,.{-round(math.log10(unit))}f}"
        larger, _ = even_odds(Decimal(text))
        rare = math.ceil(1000 * factor / (factor + 99) - 1e-9) / 10
        rows.append((text, words, f"{words}:1", f"{larger:g} %", f"{rare:g} %"))
    return markdown(rows)


def planned(studies: Sequence[tuple[str, str, int]], label: str) -> list[str]:
    """Return the expected accuracy for each study text, ε and n."""
    places = [Place(Study.parse(text), "0", TRIALS, eps, n, None) for text, eps, n in studies]
    with bar(label) as on_done:
        found = run(simulated, places, on_done=on_done)
    shown = []
    for one in found:
        if isinstance(one, ParameterError):
            raise one
        shown.append(mean_of(one[1].accuracy))
    return shown


def without_errors(rows: Sequence[Sequence[str]]) -> str:
    """Return a table of means; the largest of their errors stands below it."""
    errors = [float(cell.split(" ± ")[1]) for row in rows for cell in row if " ± " in cell]
    means = [[cell.split(" ± ")[0] for cell in row] for row in rows]
    return f"{markdown(means)}\n\n± is at most {max(errors):g} points."


def grid(text: str) -> str:
    """Return the accuracy by n and ε."""
    cells = iter(planned([(text, eps, n) for n in SIZES for eps in EPSILONS], "n and epsilon"))
    header = ["n", *(f"ε = {eps}" for eps in EPSILONS[:-1]), "no privacy"]
    return without_errors([header, *([f"{n:,}", *(next(cells) for _ in EPSILONS)] for n in SIZES)])


def changed(text: str) -> str:
    """Return the accuracy with more features, and with other ratios of the arms."""
    studies = [with_features(text, more) for more in FEATURES]
    studies += [with_ratio(text, ratio) for ratio in RATIOS[1:]]
    names = [f"{4 + more} features, arms 1:1" for more in FEATURES]
    names += [f"4 features, arms {ratio}" for ratio in RATIOS[1:]]
    columns = (("0.5", N), (EPSILON, N), (EPSILON, 2 * N))
    cells = iter(planned([(one, eps, n) for one in studies for eps, n in columns], "changes"))
    header = ["study", *(f"n = {n}, ε = {eps}" for eps, n in columns)]
    return without_errors([header, *([name, *(next(cells) for _ in columns)] for name in names)])


def shown(command: str, *, whole: bool) -> str:
    """Return a command and what it prints; ``...`` stands for the opening unless it is whole."""
    caught = io.StringIO()
    with contextlib.redirect_stdout(caught):
        code = dpwerm(command.split())
    if code:
        raise SystemExit(code)
    blocks = caught.getvalue().rstrip("\n").split("\n\n")
    text = "\n\n".join(blocks if whole else ["...", *blocks[2:]])
    return f"```console\n$ dpwerm {command}\n{text}\n```"


def main() -> None:
    """Write the page's tables and examples."""
    text = study_text()
    fill(PAGE, "odds", odds())
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        Path("study.toml").write_text(text, encoding="utf-8")
        for name, command in COMMANDS.items():
            print(name, flush=True)
            fill(PAGE, name, shown(command, whole=name == "epsilon"))
    fill(PAGE, "grid", grid(text))
    fill(PAGE, "changes", changed(text))


if __name__ == "__main__":
    main()
