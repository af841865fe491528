"""What is said of a ledger: every charge, what it left, and what one more would leave."""

import sys
from pathlib import Path

import pytest
from tests.unit.documents.shown import says_the_same_in_every_format

from dpwerm.documents import ledger as words
from dpwerm.documents.render import as_text, blocks_as_text
from dpwerm.privacy.budget import Budget
from dpwerm.privacy.ledger.ledger import Ledger

HASH = "sha256:" + "ab" * 32


def book(folder: Path, **total: object) -> Ledger:
    declared = {"epsilon": 2} | total
    return Ledger("sqlite:///ledger.db", study="sleep", folder=folder, **declared)  # type: ignore[arg-type]


def shown(ledger: Ledger) -> str:
    document = words.account_document(ledger.account(), ledger.history(), ledger.shown)
    says_the_same_in_every_format(document)
    return as_text(document)


def test_every_charge_with_what_was_left_before_and_after(tmp_path: Path) -> None:
    ledger = book(tmp_path)
    receipt = ledger.charge(Budget.of("0.1"), "rule")
    ledger.attach(receipt, HASH)
    ledger.charge(Budget.of("0.2"), "value")
    text = shown(ledger)
    spaced = " ".join(text.split())
    assert "rule everybody epsilon = 0.1 epsilon 2 -> 1.9 sha256:abababababab…" in spaced
    assert "value everybody epsilon = 0.2 epsilon 1.9 -> 1.7 none attached" in spaced
    assert "epsilon  2      0.3    1.7" in text
    assert "partition" not in text


def test_a_ledger_that_has_not_begun(tmp_path: Path) -> None:
    text = shown(book(tmp_path, rho="0.5"))
    assert "Nothing was charged yet" in text
    assert "rho      0.5    0      0.5" in text
    assert not (tmp_path / "ledger.db").exists()


def test_partitions_and_the_fullest_of_them_in_each_currency(tmp_path: Path) -> None:
    ledger = book(tmp_path, rho="0.5", partitions=("north", "south"))
    ledger.charge(Budget.of("0.5"), "rule")
    ledger.partition("north").charge(Budget.of("0.25"), "value")
    ledger.partition("south").charge(Budget.gdp("0.5"), "rule")
    text = shown(ledger)
    assert "epsilon  2      0.75   1.25   north" in text
    assert "rho      0.5    0.125  0.375  south" in text
    assert "north               1.25     0.5" in text
    assert "south               1.5      0.375" in text
    assert "rho 0.5 -> 0.375" in text


def test_a_changed_total_comes_with_its_reason(tmp_path: Path) -> None:
    book(tmp_path).charge(Budget.of("0.5"), "rule")
    more = book(tmp_path, epsilon=3)
    more.change_total("the board agreed")
    text = shown(more)
    assert "total changed  everybody  total epsilon = 3  epsilon 2.5" in text
    assert "Entry 4, why the total changed: the board agreed" in text


def test_a_changed_total_beside_the_recorded_one(tmp_path: Path) -> None:
    book(tmp_path, partitions=("a",)).charge(Budget.of("0.5"), "rule")
    new = words.changed_total(
        book(tmp_path).account(), book(tmp_path, epsilon=3, mu=1).declared.total, ("a", "b")
    )
    assert blocks_as_text(new) == [
        "           recorded  new  spent",
        "  epsilon  2         3    0.5",
        "  mu       0         1    0",
        "",
        "  partitions  a; new: a, b",
    ]


def test_the_composed_total_is_display_and_may_be_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = book(tmp_path)
    assert list(words.composed_words(ledger.account())) == []
    for _ in range(8):
        ledger.charge(Budget.of("0.1"), "rule")
    text = " ".join(blocks_as_text(words.composed_words(ledger.account())))
    assert "at delta = 1e-06, if their budgets had been fixed in advance" in text
    assert 0.5 < float(text.split("epsilon = ")[1].split()[0]) <= 0.8
    monkeypatch.setitem(sys.modules, "dp_accounting.pld", None)
    assert "with its extra accounting" in " ".join(
        blocks_as_text(words.composed_words(ledger.account()))
    )


def test_the_head_is_told_to_be_written_down() -> None:
    lines = blocks_as_text(words.head_words(7, HASH))
    assert lines[0] == f"Head: 7:{HASH}"
    assert "Write the head down elsewhere" in lines[2]
