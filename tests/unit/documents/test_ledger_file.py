"""An exported ledger reads back as it was, and an edited one does not verify."""

import copy
import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from dpwerm.documents.ledger import COLUMNS, charges_csv, ledger_content, read_ledger
from dpwerm.errors import RuleFileError
from dpwerm.privacy.budget import Budget
from dpwerm.privacy.ledger.book import Book
from dpwerm.privacy.ledger.ledger import Ledger


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    found = Ledger(
        "sqlite:///ledger.db",
        study="sleep",
        epsilon=2,
        mu=1,
        partitions=("north",),
        folder=tmp_path,
    )
    receipt = found.charge(Budget.of("0.5"), "rule")
    found.attach(receipt, "sha256:" + "ab" * 32)
    found.partition("north").charge(Budget.gdp("0.5"), "value")
    return found


def write(path: Path, content: Any) -> Path:
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def test_the_chain_comes_back(ledger: Ledger, tmp_path: Path) -> None:
    book = ledger.store.book()
    assert len(book.releases) == 1
    assert read_ledger(write(tmp_path / "l.json", ledger_content(book, "sleep"))) == book


def test_every_edited_value_is_found(ledger: Ledger, tmp_path: Path) -> None:
    content = ledger_content(ledger.store.book(), "sleep")
    listed = [("entries", k) for k in range(len(content["entries"]))] + [("releases", 0)]
    for part, position in listed:
        one = content[part][position]
        for key in (*one, *(f"body.{name}" for name in one.get("body", ()))):
            edited = copy.deepcopy(content)
            place = edited[part][position]
            place = place["body"] if key.startswith("body.") else place
            name = key.removeprefix("body.")
            place[name] = 99 if isinstance(place[name], int) else {"other": "text"}
            if isinstance(one.get(name), str):
                place[name] = "other"
            path = write(tmp_path / "l.json", edited)
            try:
                faults = read_ledger(path).faults()
            except RuleFileError as error:
                faults = [str(error)]
            assert faults, key


@pytest.mark.parametrize(
    "spoil",
    [
        {"format": "dpwerm-rule"},
        {"version": 2},
        {"entries": 3},
        {"entries": [3]},
        {"entries": [{"number": 1, "previous": "", "body": {"kind": 0.5}, "hash": ""}]},
        {"entries": [{"number": True, "previous": "", "body": {}, "hash": ""}]},
        {"entries": [{"number": 1, "previous": "", "body": {}}]},
        {"releases": {}},
        {"releases": [{"charge": "3", "digest": "", "signature": ""}]},
        {"releases": [{"charge": 3, "digest": None, "signature": ""}]},
        {"releases": [{"charge": 3, "digest": "", "signature": ""}] * 2},
    ],
)
def test_what_is_no_export_is_refused(tmp_path: Path, spoil: dict[str, Any]) -> None:
    with pytest.raises(RuleFileError):
        read_ledger(write(tmp_path / "l.json", ledger_content(Book(), "") | spoil))


def test_an_export_of_a_version_without_signed_releases_is_read(
    ledger: Ledger, tmp_path: Path
) -> None:
    content = ledger_content(ledger.store.book(), "sleep")
    del content["releases"]
    book = read_ledger(write(tmp_path / "l.json", content))
    assert (book.entries, book.faults()) == (ledger.store.read(), [])


def test_releases_of_other_studies_are_not_exported(ledger: Ledger, tmp_path: Path) -> None:
    """That one is there shows that its fit has ended."""
    other = Ledger("sqlite:///ledger.db", study="other", epsilon=1, folder=tmp_path)
    receipt = other.charge(Budget.of(1), "rule")
    whole = ledger_content(ledger.store.book(), "sleep")
    assert "releases" not in ledger_content(other.store.book(), "other")
    other.attach(receipt, "sha256:" + "ef" * 32)
    assert ledger_content(ledger.store.book(), "sleep") == whole
    assert [one["charge"] for one in whole["releases"]] == [3]


def test_charges_as_csv(ledger: Ledger) -> None:
    rows = list(csv.DictReader(io.StringIO(charges_csv(ledger.account()))))
    assert tuple(rows[0]) == COLUMNS
    first, second = rows
    assert (first["entry"], first["epsilon"], first["slot"], first["mu"]) == ("3", "0.5", "", "")
    assert first["release"] == "sha256:" + "ab" * 32
    assert (second["what"], second["mu"], second["slot"]) == ("value", "0.5", "north")
    assert second["release"] == ""
