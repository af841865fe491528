"""After an error a command says whether the ledger was charged, and only what it knows."""

from pathlib import Path

import pytest

from dpwerm.cli.console import CHARGED, NOT_CHARGED
from dpwerm.cli.release import told
from dpwerm.errors import BudgetError, LedgerError
from dpwerm.privacy.budget import Budget
from dpwerm.privacy.ledger.ledger import Ledger
from dpwerm.privacy.ledger.store import Store


def notes(error: BaseException) -> list[str]:
    return list(getattr(error, "__notes__", []))


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return Ledger("sqlite:///ledger.db", study="trial", epsilon=1, folder=tmp_path)


def test_before_a_charge_nothing_was_charged(ledger: Ledger) -> None:
    with pytest.raises(ValueError, match="table") as caught, told(ledger):
        raise ValueError("table")
    assert notes(caught.value) == [NOT_CHARGED]


def test_after_a_charge_it_stays(ledger: Ledger) -> None:
    def charge_and_fail() -> None:
        ledger.charge(Budget.of(1), "rule")
        raise ValueError("later")

    with pytest.raises(ValueError, match="later") as caught, told(ledger):
        charge_and_fail()
    assert notes(caught.value) == [CHARGED]


def test_what_is_over_the_budget_was_not_charged(ledger: Ledger) -> None:
    with pytest.raises(BudgetError) as caught, told(ledger):
        ledger.charge(Budget.of(2), "rule")
    assert notes(caught.value) == [NOT_CHARGED]


def test_of_a_charge_that_broke_off_nothing_is_promised(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server that dies in a charge may have written it."""

    def broken(*_: object, **__: object) -> None:
        raise LedgerError("the connection was lost")

    monkeypatch.setattr(Store, "append", broken)
    with pytest.raises(LedgerError) as caught, told(ledger):
        ledger.charge(Budget.of(1), "rule")
    assert notes(caught.value) == []


@pytest.mark.parametrize("ledger", [None, "none"])
def test_without_a_ledger_nothing_is_said(ledger: str | None) -> None:
    with pytest.raises(ValueError, match="x") as caught, told(ledger):
        raise ValueError("x")
    assert notes(caught.value) == []
