"""How many files of the package one command enters: ``python -m benchmarks.entered``.

A file is entered if one of its functions runs, counted by ``sys.setprofile``; module bodies, class
bodies and lambdas do not count. Each command runs once before its files are counted, so that
imports do not count. For ``fit`` it also says how often a public fact is worked out, on that first
run, before anything is remembered. ``--list`` names the files.
Another version of the package is counted by PYTHONPATH: nothing here is imported from it but
``dpwerm.cli.main``.
"""

import contextlib
import inspect
import io
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from types import CodeType, FrameType

from dpwerm.cli.main import main

STUDY = """\
format = 1
study = { id = "small-trial", relation = "replace_one" }
features.age = { kind = "number", bounds = [18, 80] }
features.sex = { kind = "category", levels = ["F", "M"] }
treatment = { column = "arm", arms = { pill = 0.5, therapy = 0.5 } }
benefit = { column = "gain", bounds = [-10, 10] }
budget = { epsilon = 1000 }
"""
ROWS = 24
FACTS = {
    "declaration of the study": r"Declaration\.of_study$|Study\.declaration$",
    "certificate": r"releases/certificate.py certify$|learn/certificate.py certify$",
    "calibration": r"OutputPerturbation\.(plan|calibrate|calibration)$",
    "ledger's chain": r"privacy/ledger/.* chain_faults$",
}
"""The functions that work out each fact, by file and name, as they are or once were called."""

Calls = Counter[CodeType]


def calls_in(act: Callable[[], object], folder: Path) -> Calls:
    """Return how often each function of the files in a folder was called."""
    calls: Calls = Counter()
    inside = str(folder)

    def seen(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_flags & inspect.CO_OPTIMIZED and code.co_name != "<lambda>":
            calls[code] += code.co_filename.startswith(inside) and code.co_filename.endswith(".py")

    sys.setprofile(seen)
    try:
        act()
    finally:
        sys.setprofile(None)
    return +calls


def commands(folder: Path) -> dict[str, list[str]]:
    """Return the commands of a small trial, in the order in which they can run."""
    study, table = str(folder / "study.toml"), str(folder / "trial.csv")
    rule, value = str(folder / "rule.json"), str(folder / "value.json")
    page = str(folder / "report.html")
    paid = ["--yes", "--force"]
    given = ["--gamma", "50", "--mechanism", "spherical-laplace"]
    return {
        "fit": ["fit", study, table, "--epsilon", "1", *given, "--out", rule, *paid],
        "evaluate": ["evaluate", rule, study, table, "--epsilon", "1", "--out", value, *paid],
        "report": ["report", rule, "--study", study, "--value", value, "--out", page, "--force"],
        "verify": ["verify", rule, "--study", study],
    }


def write_trial(folder: Path) -> None:
    """Write a study and a table."""
    rows = [
        f"{20 + 2 * i},{'FM'[i % 3 % 2]},{('pill', 'therapy')[i % 2]},{7 * i % 19 - 9}"
        for i in range(ROWS)
    ]
    (folder / "study.toml").write_text(STUDY, encoding="utf-8")
    (folder / "trial.csv").write_text("\n".join(["age,sex,arm,gain", *rows, ""]), encoding="utf-8")


def silent(arguments: Sequence[str]) -> None:
    """Run one command without its words."""
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        code = main(arguments)
    if code:
        raise SystemExit(f"{arguments[0]} ended with {code}: {said.getvalue()}")


def counted() -> tuple[dict[str, Calls], Calls]:
    """Return the calls of each command on its second run, and those of fit on its first."""
    package = Path(sys.modules["dpwerm"].__file__ or "").parent
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_trial(folder)
        found: dict[str, Calls] = {}
        fitted: Calls = Counter()
        for command, arguments in commands(folder).items():
            run = partial(silent, arguments)
            first = calls_in(run, package)
            found[command], fitted = calls_in(run, package), fitted or first
        return found, fitted


def files_of(calls: Calls) -> list[str]:
    """Return the files that were entered, from the package on."""
    package = str(Path(sys.modules["dpwerm"].__file__ or "").parent)
    return sorted({code.co_filename.removeprefix(package) for code in calls})


def show(*, listed: bool) -> None:
    """Print files entered by each command, and how often fit works out each fact."""
    found, fitted = counted()
    for command, calls in found.items():
        files = files_of(calls)
        print(f"{command}: {len(files)} files")
        if listed:
            print("".join(f"  {file}\n" for file in files), end="")
    for fact, pattern in FACTS.items():
        times = sum(
            count
            for code, count in fitted.items()
            if re.search(pattern, f"{code.co_filename} {code.co_qualname}")
        )
        print(f"fit works out the {fact} {times} times")


if __name__ == "__main__":
    show(listed="--list" in sys.argv[1:])
