"""Rule files of version 5, value files of version 2 and ledgers are read and verified for good."""

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from tests.reference.goldens.stored import STORED, found_of
from tests.reference.goldens.surface import command, done

FOUND: dict[str, dict[str, Any]] = json.loads((STORED / "found.json").read_text(encoding="utf-8"))
CONTENT = {
    name: json.loads((STORED / f"{name}.json").read_text(encoding="utf-8")) for name in FOUND
}
RULES = [name for name, one in CONTENT.items() if one["format"] == "dpwerm-rule"]
VALUES = [name for name, one in CONTENT.items() if one["format"] == "dpwerm-value"]
PAID = ("paid", "paid-tuned", "value-paid")


def _kind(name: str) -> tuple[str, str, str | None]:
    """Return the mechanism, the origin of the weights and the tuning of a rule."""
    certificate, tuning = CONTENT[name]["certificate"], CONTENT[name]["tuning"]
    return (
        certificate["mechanism"],
        certificate["weight_origin"]["name"],
        tuning and tuning["how"],
    )


ONE_OF_A_KIND = list({_kind(name): name for name in RULES}.values())


@pytest.fixture
def stored(tmp_path: Path) -> Path:
    """Return a copy, so that no command can touch what is kept."""
    return Path(shutil.copytree(STORED, tmp_path / "stored"))


def test_every_stored_file_is_of_the_version_it_was_written_in() -> None:
    names = {path.stem for path in STORED.glob("*.json")} - {"found", "ledger"}
    assert names == set(FOUND) == {*RULES, *VALUES}
    assert {CONTENT[name]["version"] for name in RULES} == {5}
    assert {CONTENT[name]["version"] for name in VALUES} == {2}


def test_every_kind_is_stored() -> None:
    certificates = [CONTENT[name]["certificate"] for name in RULES]
    assert {one["mechanism"] for one in certificates} == {
        *("spherical-laplace", "product-laplace", "gaussian", "none"),
        *("objective-l2", "objective-block", "objective-gaussian"),
    }
    assert {one["weight_origin"]["name"] for one in certificates} == {
        *("design", "external", "worst_case", "ridge", "released"),
    }
    assert {one["relation"] for one in certificates} == {"replace_one", "add_remove"}
    assert {one["loss"]["name"] for one in certificates} == {"huberised-hinge", "logistic"}
    tunings = [CONTENT[name]["tuning"] for name in RULES]
    assert {one and one["how"] for one in tunings} == {None, "parts", "split", "flip", "repeats"}
    said = {one["how"]: one["claim"] for one in tunings if one}
    assert all("permute-and-flip" in said[how] for how in ("split", "flip"))
    kinds = {CONTENT[name]["certificate"]["estimate"] for name in VALUES}
    assert kinds == {"design", "weighted", "doubly robust"}
    assert {one["private"] for one in certificates} == {True, False}


@pytest.mark.parametrize("name", FOUND)
def test_verifies_and_recommends_as_when_it_was_stored(name: str, stored: Path) -> None:
    assert found_of(stored, f"{name}.json") == FOUND[name]


@pytest.mark.parametrize("name", ONE_OF_A_KIND)
def test_is_reported(name: str, stored: Path) -> None:
    digest = CONTENT[name]["digest"]
    values = [one for one in VALUES if CONTENT[one]["rule"]["digest"] == digest]
    more = ("--value", f"{values[0]}.json") if values else ()
    done(stored, "report", f"{name}.json", *more, "--out", "report.txt")
    text = (stored / "report.txt").read_text(encoding="utf-8")
    words = " ".join(text.split())
    assert CONTENT[name]["notice"] in words
    assert digest in words


@pytest.mark.parametrize("name", RULES)
def test_is_exported(name: str, stored: Path) -> None:
    done(stored, "export", f"{name}.json", "--out", "rule.py")
    assert CONTENT[name]["digest"] in (stored / "rule.py").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", FOUND)
def test_an_edit_is_rejected(name: str, stored: Path) -> None:
    path = stored / f"{name}.json"
    text = path.read_text(encoding="utf-8")
    number = re.search(r'"integers": \[\s*(-?\d+)', text)
    assert number is not None
    edited = str(int(number[1]) + 1)
    path.write_text(text[: number.start(1)] + edited + text[number.end(1) :], encoding="utf-8")
    assert command(stored, "verify", path.name).code == 4


@pytest.mark.parametrize("name", PAID)
def test_the_stored_ledger_holds_its_charge(name: str, stored: Path) -> None:
    said = done(stored, "verify", f"{name}.json", "--study", "study.toml")
    assert "The ledger holds the charge of this release, its cost and its digest." in said.out


def test_the_stored_ledger_verifies_and_is_exported_as_it_was(stored: Path) -> None:
    head = json.loads((stored / "ledger.json").read_text(encoding="utf-8"))["entries"][-1]
    written = f"{head['number']}:{head['hash']}"
    for source in ("study.toml", "ledger.json"):
        said = done(stored, "ledger", "verify", source, "--head", written)
        assert f"Head: {written}" in said.out
    done(stored, "ledger", "export", "study.toml", "--out", "again.json")
    assert (stored / "again.json").read_bytes() == (stored / "ledger.json").read_bytes()


def test_the_stored_ledger_is_charged_on(stored: Path) -> None:
    asked = ("--slot", "south", "--yes", "--out", "more.json")
    done(stored, "fit", "study.toml", "new.csv", "--epsilon", "2", *asked)
    done(stored, "verify", "more.json", "--study", "study.toml")
    over = command(stored, "fit", "study.toml", "new.csv", "--epsilon", "0.01", *asked, "--force")
    assert over.code == 3
