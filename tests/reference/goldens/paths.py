"""Commands from a study file to what they write: tuning, values, exports, ledgers and words."""

import hashlib
import json
import math
from pathlib import Path
from typing import Any

import onnx
from google.protobuf.json_format import MessageToDict  # type: ignore[import-untyped]
from tests.reference.goldens.releases import (
    PRIVATE,
    PROPENSITIES,
    RELATIONS,
    fitted,
    matrix,
    privacy,
)
from tests.reference.goldens.surface import (
    BYTES,
    Content,
    command,
    content_in,
    done,
    masked,
    plain,
    recommended,
    versionless,
)
from tests.reference.goldens.tables import (
    BY_DESIGN,
    Columns,
    arrow,
    columns,
    csv_of,
    odd_columns,
    study_text,
)

from dpwerm import Budget, Ledger, PrivateTreatmentRule, treatment_value

OUTCOME = """
[arms.pill]
intercept = 1.5
[arms.pill.coefficients]
age = 0.0625
dose = 0.5
"sex=M" = -0.25
"site=south" = -1
[arms.talk]
intercept = 3
[arms.talk.coefficients]
age = 0.03125
dose = 1
"sex=M" = 0.5
"site=south" = 2
"""
SCENARIO = """
format = 1
study = { id = "scenario" }
treatment = { column = "arm", arms = { A = 0.5, B = 0.5 } }
benefit = { column = "benefit", bounds = [-12, 12], centre = 0, clip = 6 }

[features]
x1 = { kind = "number", bounds = [0, 1] }
x2 = { kind = "number", bounds = [0, 1] }
x3 = { kind = "number", bounds = [0, 1] }
x4 = { kind = "number", bounds = [0, 1] }

[method]
gamma = 30
mechanism = "objective-l2"
intercept_scale = 0.5
saturation = 1
threshold = 0
"""


def trial(folder: Path, text: str, table: Columns | None = None) -> None:
    """Write a study file and its table."""
    (folder / "study.toml").write_text(text, encoding="utf-8")
    (folder / "trial.csv").write_text(csv_of(table or columns()), encoding="utf-8")


def fit(folder: Path, seed: int, *options: object) -> Content:
    """Fit the folder's trial to rule.json and return its content."""
    asked = ("--seed", seed, "--out", "rule.json", "--yes", "--force", *options)
    done(folder, "fit", "study.toml", "trial.csv", *asked)
    return content_in(folder / "rule.json")


def tuned(folder: Path) -> dict[str, Content]:
    """γ tuned privately by disjoint parts and by a split budget."""
    found: dict[str, Content] = {}
    for seed, (how, mechanism, treatment, more) in enumerate(
        (
            ("parts", "spherical-laplace", BY_DESIGN, ()),
            ("parts", "objective-block", PROPENSITIES["column external"], ()),
            ("parts", "gaussian", BY_DESIGN, ("--delta", "1e-6")),
            ("parts", "objective-gaussian", BY_DESIGN, ("--delta", "1e-6")),
            ("parts", "product-laplace", PRIVATE, ()),
            ("split", "spherical-laplace", BY_DESIGN, ("--share", "0.25")),
            ("split", "objective-l2", PROPENSITIES["external model"], ()),
            ("split", "product-laplace", PRIVATE, ("--share", "0.5")),
        )
    ):
        text = study_text(treatment=treatment, method={"mechanism": mechanism})
        trial(folder, text, columns(90))
        asked = ("--how", how, "--epsilon", "9", "--gammas", "200,20,2000", "--seed", seed)
        where = ("--out", "rule.json", "--yes", "--force")
        said = command(folder, "tune", "study.toml", "trial.csv", *asked, *where, *more)
        name = f"{how} {mechanism} {len(found)}"
        if said.code == 0:
            found[name] = content_in(folder / "rule.json") | {"said": _lines(said.out)}
        else:
            found[name] = plain(said)
    return found


def algorithm2(folder: Path) -> dict[str, Content]:
    """Algorithm 2 of the paper, on simulated and on other people, with a public seed."""
    trial(folder, study_text(), columns(80, start=200))
    (folder / "scenario.toml").write_text(SCENARIO, encoding="utf-8")
    gammas = ("--gammas", "5,50,500", "--repeats", "4", "--workers", "1")
    ways: dict[str, tuple[object, ...]] = {
        "simulated": ("study.toml", "--n", 50, "--epsilon", "1,inf", "--validate", 40),
        "scenario": ("scenario.toml", "--scenario", "main-effect", "--n", 50, "--epsilon", 1),
        "value": ("study.toml", "trial.csv", "--how", "independent", "--n", 40, "--epsilon", 1),
        "bootstrap": (
            "study.toml",
            "trial.csv",
            "--how",
            "independent",
            "--n",
            99,
            "--epsilon",
            "2,6",
        ),
        "loss": (
            *("study.toml", "trial.csv", "--how", "independent", "--n", 40, "--epsilon", 1),
            *("--metric", "loss", "--mechanism", "product-laplace", "--seed", 4),
        ),
        "portion": (
            *("study.toml", "trial.csv", "--how", "portion", "--portion", 0.5),
            *("--not-private", "--epsilon", 1, "--seed", 5),
        ),
    }
    found = {}
    for name, asked in ways.items():
        said = command(folder, "tune", *asked, *gammas, "--out", "tuned.json", "--force")
        found[name] = {"said": plain(said)}
        if said.code == 0:
            found[name]["file"] = json.loads((folder / "tuned.json").read_text(encoding="utf-8"))
    return found


VALUED: dict[str, tuple[str, tuple[object, ...]]] = {
    "design": (BY_DESIGN, ()),
    "weighted column": (PROPENSITIES["column external"], ()),
    "weighted model": (PROPENSITIES["external model"], ("--confidence", 0.9)),
    "weighted private model": (PRIVATE, ()),
    "doubly robust": (BY_DESIGN, ("--outcome-model", "outcome.toml")),
    "doubly robust weighted": (
        PROPENSITIES["column external"],
        ("--outcome-model", "outcome.toml", "--confidence", 0.8),
    ),
}


def values(folder: Path) -> dict[str, Content]:
    """Values of every kind, under both relations, with and without noise, and their words."""
    (folder / "outcome.toml").write_text(OUTCOME, encoding="utf-8")
    (folder / "others.csv").write_text(csv_of(columns(70, start=300)), encoding="utf-8")
    (folder / "odd.csv").write_text(csv_of(odd_columns()), encoding="utf-8")
    found = {}
    tables: dict[str, dict[object, str]] = {
        "replace_one": {5: "others.csv", "inf": "odd.csv"},
        "add_remove": {5: "odd.csv"},
    }
    for relation in RELATIONS:
        for seed, (name, (treatment, more)) in enumerate(VALUED.items()):
            trial(folder, study_text(relation=relation, treatment=treatment))
            fit(folder, seed, "--epsilon", 6)
            for epsilon, table in tables[relation].items():
                asked = ("--epsilon", epsilon, "--seed", seed, "--yes", "--force", *more)
                said = done(folder, "evaluate", "rule.json", "study.toml", table, *asked)
                content = content_in(folder / "value.json")
                content["rule"] = {**content["rule"], "digest": _own_digest(folder, content)}
                words = {"said": _lines(said.out)} if relation == "replace_one" else {}
                found[f"{name} {relation} {epsilon}"] = content | words
    return found | _values_of_arrays()


def _own_digest(folder: Path, content: Content) -> str:
    """Return the mask of the rule's digest, in which the version counts, if it is the rule's."""
    rule = json.loads((folder / "rule.json").read_text(encoding="utf-8"))
    return "<rule.json>" if content["rule"]["digest"] == rule["digest"] else "<another>"


def _values_of_arrays() -> dict[str, Content]:
    """``treatment_value`` on a rule that was fitted to arrays."""
    X, arms, gain, _ = matrix()
    rule = PrivateTreatmentRule(
        math.inf,
        feature_bounds=[(18, 90), (0, 4), (0, 1)],
        benefit_bounds=(-10, 20),
        propensity={"pill": "1/3", "talk": "2/3"},
        gamma=5,
    ).fit(X, arms, gain)
    table = arrow(
        {f"x{j}": X[:, j].tolist() for j in range(3)}
        | {"treatment": arms.tolist(), "benefit": gain.tolist()}
    )
    found = {}
    for epsilon in (0.5, 3, math.inf):
        value = treatment_value(rule, table, epsilon, random_state=8)
        told = [*value.values, *value.gains]
        found[f"arrays {epsilon}"] = {
            "integers": list(value.integers),
            "certificate": versionless(value.certificate.model_dump(mode="json")),
            "estimates": [
                [one.name, one.over, one.estimate, one.lower, one.upper, one.privacy, one.sampling]
                for one in told
            ],
        }
    return found


def exports(folder: Path) -> dict[str, Content]:
    """Rules as Python, SQL and ONNX, text by text; the digest and the version are masked."""
    found = {}
    variants: dict[str, dict[str, Any]] = {
        "centred": {},
        "saturated": {"saturation": 2.5, "threshold": 0.4, "intercept_scale": 1},
        "paper": {"encoding": "paper", "intercept_scale": 0},
    }
    for seed, (name, method) in enumerate(variants.items()):
        text = study_text(method={"mechanism": "objective-block", "gamma": 60, **method})
        fitted(text, seed, **privacy("objective-block")).save(folder / "rule.json")
        for ending in ("py", "sql", "onnx"):
            out = f"rule.{ending}"
            said = done(folder, "export", "rule.json", "--out", out, "--force")
            found[f"{name} {ending}"] = {
                "file": _export(folder / out),
                "said": _lines(said.out),
            }
    return found


def _export(path: Path) -> object:
    if path.suffix != ".onnx":
        return _lines(path.read_text(encoding="utf-8"))
    graph = MessageToDict(onnx.load(str(path)))
    graph.pop("producerVersion", None)
    return json.loads(masked(json.dumps(graph, sort_keys=True)))


def ledgers(folder: Path) -> dict[str, Content]:
    """Entries of ledgers, their chain, what is refused, and what the commands say of them.

    Days and the drawn id are masked; the hashes are checked by their formula.
    """
    budget = 'epsilon = 3\ndelta = "1e-6"\nrho = "0.5"\nmu = 1\npartitions = ["north", "south"]'
    trial(folder, study_text(budget=budget))
    totals: dict[str, Any] = {
        "delta": "1e-6",
        "rho": "0.5",
        "mu": 1,
        "partitions": ("north", "south"),
    }
    url = f"sqlite:///{folder / 'ledger.db'}"
    ledger = Ledger(url, study="golden", epsilon=3, **totals)
    ledger.charge(Budget.of("0.75"), "rule")
    receipt = ledger.partition("north").charge(Budget.of("0.5", "1e-7"), "value")
    ledger.attach(receipt, "sha256:" + "ab" * 32)
    ledger.charge(Budget.zcdp("0.125"), "classifier")
    ledger.charge(Budget.gdp("0.6"), "tuned rule")
    other = Ledger(url, study="another", epsilon=1, relation="add_remove")
    other.charge(Budget.of("0.1"), "rule")
    refused = {}
    for name, cost in (("epsilon", Budget.of(2)), ("mu", Budget.gdp("0.9"))):
        refused[name] = _refusal(ledger, cost)
    wider = Ledger(url, study="golden", epsilon="3.5", **totals)
    refused["other total"] = _refusal(wider, Budget.of("0.1"))
    wider.change_total("vote of the board")
    trial(folder, study_text(budget=budget.replace("epsilon = 3", 'epsilon = "3.5"')))
    wider.partition("south").charge(Budget.of("2.25"), "rule")
    for out in ("ledger.json", "ledger.csv"):
        done(folder, "ledger", "export", "study.toml", "--out", out)
    exported = json.loads((folder / "ledger.json").read_text(encoding="utf-8"))
    _check_chain(exported["entries"])
    for one in exported["releases"]:
        one["signature"] = "<signature>"  # drawn; the command verify checks it
    drawn = str(receipt.ledger)
    words = {
        name: _lines(masked(done(folder, "ledger", name, source).out, drawn))
        for name, source in (("show", "study.toml"), ("verify", "ledger.json"))
    }
    return {
        "chain": json.loads(masked(json.dumps(exported), drawn)),
        "csv": {"lines": _lines(masked((folder / "ledger.csv").read_text(encoding="utf-8")))},
        "refused": refused,
        "said": words,
        "paid rule": _paid(folder),
    }


def _paid(folder: Path) -> Content:
    """Return what a private release leaves in a ledger and in its file: all but the noise."""
    asked = ("--epsilon", "0.5", "--out", "paid.json", "--yes")
    said = done(folder, "fit", "study.toml", "trial.csv", *asked)
    content = content_in(folder / "paid.json")
    receipt = content["certificate"]["ledger"]
    done(folder, "verify", "paid.json", "--study", "study.toml")
    done(folder, "ledger", "export", "study.toml", "--out", "ledger.json", "--force")
    exported = json.loads((folder / "ledger.json").read_text(encoding="utf-8"))
    _check_chain(exported["entries"])
    entry = exported["entries"][receipt["entry"] - 1]
    if (entry["hash"], exported["releases"][-1]["charge"]) != (receipt["hash"], receipt["entry"]):
        raise AssertionError("the receipt is not that of the charge")
    for noisy in ("coefficients", BYTES):
        content.pop(noisy)
    text = json.dumps({"file": content, "entry": entry, "asked": _lines(said.out)[:9]})
    told: Content = json.loads(masked(text, receipt["ledger"]))
    return told


def _check_chain(entries: list[Content]) -> None:
    """Raise unless h_k = SHA-256 of canonical JSON of number, hash before and body."""
    before = ""
    for number, entry in enumerate(entries, start=1):
        fields = {"number": number, "previous": before, "body": entry["body"]}
        text = json.dumps(fields, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
        before = "sha256:" + hashlib.sha256(text.encode()).hexdigest()
        if (entry["hash"], entry["number"]) != (before, number):
            raise AssertionError(f"entry {number} does not follow")


def _refusal(ledger: Ledger, cost: Any) -> str:
    try:
        ledger.charge(cost, "rule")
    except ValueError as error:
        return masked(f"{type(error).__name__}: {error}")
    raise AssertionError("nothing was refused")


def words(folder: Path) -> dict[str, Content]:
    """What commands print and write for one trial with odd cells, and for a sound one."""
    found: dict[str, Content] = {}
    for name, table, more in (
        ("sound", columns(), ("--rho", "0.2", "--mechanism", "gaussian")),
        ("odd", odd_columns(), ("--epsilon", 2, "--mechanism", "objective-l2", "--gamma", 90)),
        ("bare", columns(), ("--epsilon", "inf")),
    ):
        trial(folder, study_text(treatment=PROPENSITIES["column external"]), table)
        said = {"check": command(folder, "check", "study.toml", "trial.csv")}
        asked = ("--seed", 31, "--yes", "--force", *more)
        said["fit"] = done(folder, "fit", "study.toml", "trial.csv", *asked)
        said["verify"] = done(folder, "verify", "rule.json")
        out = ("--out", "told.csv", "--force")
        said["recommend"] = done(folder, "recommend", "rule.json", "trial.csv", *out)
        texts = {key: json.loads(masked(json.dumps(plain(one)))) for key, one in said.items()}
        found[name] = texts | {"recommended": recommended(folder / "told.csv")}
    done(folder, "report", "rule.json", "--out", "report.txt")
    text = masked((folder / "report.txt").read_text(encoding="utf-8"))
    found["report"] = {"lines": _lines(text)}
    return found


def _lines(text: str) -> list[str]:
    return masked(text).splitlines()
