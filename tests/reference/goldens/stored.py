"""Write rule files, value files and a ledger to be read for good: each is written once.

``python -m tests.reference.goldens.stored`` makes what is not yet in ``data/stored``. The releases
carry real noise from the operating system, so they are never made anew. Four could not be: the
splits, whose choice was permute-and-flip's, ``tuned-flip`` and ``tuned-repeats``. ``new.csv`` is
the table to recommend for; beside each rule stands what was recommended, and what ``verify`` found.
"""

import json
import shutil
import tempfile
from pathlib import Path

from tests.reference.goldens.make import DATA
from tests.reference.goldens.paths import OUTCOME
from tests.reference.goldens.releases import ENCODINGS, PRIVATE, PROPENSITIES, WITH_DELTA
from tests.reference.goldens.surface import Content, done, recommended
from tests.reference.goldens.tables import BY_DESIGN, columns, csv_of, odd_columns, study_text

STORED = DATA / "stored"
LEDGER = ("--ledger", "none", "--yes")
DELTA = ("--delta", "1e-6")
Asked = tuple[str, tuple[object, ...]]
OUTPUTS = ("spherical-laplace", "product-laplace", "objective-l2", "objective-block")


def _fits() -> dict[str, Asked]:
    """Return the study and the options of each rule that ``fit`` makes, by its name."""
    found: dict[str, Asked] = {}
    for mechanism in (*OUTPUTS, *WITH_DELTA):
        delta = DELTA if mechanism in WITH_DELTA else ()
        text = study_text(method={"mechanism": mechanism, "gamma": 90})
        found[mechanism] = (text, ("--epsilon", 2, *delta, *LEDGER))
    noisy = {"mechanism": "gaussian", "gamma": 90}
    added = study_text(relation="add_remove", method=noisy | {"loss": "logistic"})
    found["rho"] = (added, ("--rho", "0.25", *LEDGER))
    found["mu"] = (study_text(method=noisy), ("--mu", "0.75", *LEDGER))
    found["none"] = (study_text(method={"mechanism": "none"}), ("--epsilon", "inf", "--yes"))
    found["seeded"] = (study_text(), ("--epsilon", 1, "--seed", 1, "--yes"))
    for name in ("bare", "saturated", "paper"):
        method, benefit = ENCODINGS[name]
        text = study_text(benefit=benefit, method={"gamma": 90, **method})
        found[name] = (text, ("--epsilon", 2, *LEDGER))
    log = {"bounds": [0.5, 20], "transform": "log", "direction": "smaller", "centre": -1.5}
    found["log"] = (study_text(benefit=log | {"clip": 1.5}), ("--epsilon", 2, *LEDGER))
    known = {**PROPENSITIES, "private": PRIVATE}
    for name, treatment in known.items():
        text = study_text(treatment=treatment, method={"gamma": 300})
        found[name.replace(" ", "-")] = (text, ("--epsilon", 4, *LEDGER))
    automatic = study_text(method=dict.fromkeys(("gamma", "mechanism", "threshold"), "auto"))
    found["automatic"] = (automatic, ("--epsilon", 3, *LEDGER))
    return found


def _tunings() -> dict[str, Asked]:
    """Return the study and the options of each rule that ``tune`` makes."""
    gammas = ("--epsilon", 9, "--gammas", "20,200,2000", *LEDGER)
    gaussian = study_text(method={"mechanism": "gaussian"})
    return {
        "tuned-parts": (gaussian, ("--how", "parts", *DELTA, *gammas)),
        "tuned-split": (study_text(), ("--how", "split", "--share", "0.25", *gammas)),
        "tuned-split-private": (study_text(treatment=PRIVATE), ("--how", "split", *gammas)),
    }


def _values() -> dict[str, tuple[str, str, tuple[object, ...]]]:
    """Return the rule, the treatment and the options of each value."""
    model = ("--outcome-model", "outcome.toml")
    column, external = PROPENSITIES["column external"], PROPENSITIES["external model"]
    return {
        "value-design": ("spherical-laplace", BY_DESIGN, (5, *LEDGER)),
        "value-bare": ("spherical-laplace", BY_DESIGN, ("inf", "--yes")),
        "value-seeded": ("seeded", BY_DESIGN, (2, "--seed", 1, "--yes")),
        "value-column": ("column-external", column, (5, *LEDGER)),
        "value-model": ("external-model", external, (5, "--confidence", 0.8, *LEDGER)),
        "value-private": ("private", PRIVATE, (5, *LEDGER)),
        "value-robust": ("gaussian", BY_DESIGN, (9, *model, *LEDGER)),
        "value-robust-column": ("column-external", column, (9, *model, *LEDGER)),
        "value-tuned": ("tuned-split", BY_DESIGN, (5, *LEDGER)),
    }


def write(folder: Path) -> None:
    """Write every file into an empty folder."""
    for name, text in (
        ("trial.csv", csv_of(columns(90))),
        ("new.csv", csv_of({name: cells[:32] for name, cells in odd_columns().items()})),
        ("outcome.toml", OUTCOME),
    ):
        (folder / name).write_text(text, encoding="utf-8")
    for verb, asked in (("fit", _fits()), ("tune", _tunings())):
        for name, (text, options) in asked.items():
            (folder / "study.toml").write_text(text, encoding="utf-8")
            out = ("--out", f"{name}.json")
            done(folder, verb, "study.toml", "trial.csv", *out, *options)
    for name, (rule, treatment, (epsilon, *more)) in _values().items():
        text = study_text(treatment=treatment)
        (folder / "study.toml").write_text(text, encoding="utf-8")
        files = (f"{rule}.json", "study.toml", "trial.csv")
        done(folder, "evaluate", *files, "--epsilon", epsilon, "--out", f"{name}.json", *more)
    _write_paid(folder)
    found = {path.stem: found_of(folder, path.name) for path in sorted(folder.glob("*.json"))}
    rows = ",\n".join(f"{json.dumps(name)}: {json.dumps(one)}" for name, one in found.items())
    (folder / "found.json").write_text(f"{{\n{rows}\n}}\n", encoding="utf-8")
    done(folder, "ledger", "export", "study.toml", "--out", "ledger.json")


def _write_paid(folder: Path) -> None:
    """Write a rule and its value that a ledger was charged for, with the study and the ledger."""
    budget = 'epsilon = 4\nslots = ["north", "south"]'
    (folder / "study.toml").write_text(study_text(budget=budget), encoding="utf-8")
    done(folder, "fit", "study.toml", "trial.csv", "--epsilon", 1, "--out", "paid.json", "--yes")
    out = ("--out", "value-paid.json", "--slot", "north", "--yes")
    done(folder, "evaluate", "paid.json", "study.toml", "trial.csv", "--epsilon", 2, *out)
    how = ("--how", "parts", "--gammas", "20,200", "--out", "paid-tuned.json", "--yes")
    done(folder, "tune", "study.toml", "trial.csv", "--epsilon", 1, "--slot", "south", *how)


def found_of(folder: Path, name: str) -> Content:
    """Return what ``verify`` says of a file, and of a rule what it recommends."""
    said = [one.strip() for one in done(folder, "verify", name).out.splitlines() if one[0] == " "]
    content = json.loads((folder / name).read_text(encoding="utf-8"))
    if content["format"] != "dpwerm-rule":
        return {"verified": said}
    done(folder, "recommend", name, "new.csv", "--out", "told.csv", "--force")
    return {"verified": said, "recommended": recommended(folder / "told.csv")}


def main() -> None:
    if STORED.exists():
        raise SystemExit(f"{STORED.name} is there: stored files are kept as they are")
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        write(folder)
        for passing in ("told.csv", "trial.csv", "outcome.toml"):
            (folder / passing).unlink()
        shutil.copytree(folder, STORED)


if __name__ == "__main__":
    main()
