"""What a release would leave is shown before it; after an error, whether the ledger was charged."""

from pathlib import Path

import pytest
from tests.unit.documents.test_ledger_words import book

from dpwerm.documents.ledger import preview
from dpwerm.documents.render import lines_of
from dpwerm.errors import CHARGED, NOT_CHARGED, UNCERTAIN, BudgetError, LedgerError
from dpwerm.privacy.budget import Budget
from dpwerm.privacy.ledger.ledger import Ledger
from dpwerm.privacy.ledger.store import Store
from dpwerm.privacy.randomness import Charged, Unrecorded
from dpwerm.releases.charging import accounted


def notes(error: BaseException) -> list[str]:
    return list(getattr(error, "__notes__", []))


@pytest.fixture
def privacy_filter(tmp_path: Path) -> Charged:
    ledger = Ledger("sqlite:///ledger.db", study="trial", epsilon=1, folder=tmp_path)
    return Charged(ledger, "rule")


def test_before_a_charge_nothing_was_charged(privacy_filter: Charged) -> None:
    with pytest.raises(ValueError, match="table") as caught, accounted(privacy_filter):
        raise ValueError("table")
    assert notes(caught.value) == [NOT_CHARGED]


@pytest.mark.parametrize("error", [ValueError("later"), KeyboardInterrupt("later")])
def test_after_a_charge_it_stays(privacy_filter: Charged, error: BaseException) -> None:
    def charge_and_fail() -> None:
        with accounted(privacy_filter) as own:
            own.authorise(Budget.of(1))
            # Another fit with the same privacy filter, meanwhile or later, has a charge of its own.
            with pytest.raises(TypeError) as other, accounted(privacy_filter):
                raise TypeError
            assert notes(other.value) == [NOT_CHARGED]
            raise error

    with pytest.raises(type(error), match="later") as caught:
        charge_and_fail()
    assert notes(caught.value) == [CHARGED]


def test_what_is_over_the_budget_was_not_charged(privacy_filter: Charged) -> None:
    with pytest.raises(BudgetError) as caught, accounted(privacy_filter) as own:
        own.authorise(Budget.of(2))
    assert notes(caught.value) == [NOT_CHARGED]


def test_of_a_charge_that_broke_off_nothing_is_promised(
    privacy_filter: Charged, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server that dies in a charge may have written it."""

    def broken(*_: object, **__: object) -> None:
        raise LedgerError("the connection was lost")

    monkeypatch.setattr(Store, "append", broken)
    with pytest.raises(LedgerError) as caught, accounted(privacy_filter) as own:
        own.authorise(Budget.of(1))
    assert notes(caught.value) == [UNCERTAIN]


def test_without_a_ledger_nothing_is_said() -> None:
    with pytest.raises(ValueError, match="x") as caught, accounted(Unrecorded(None, said=True)):
        raise ValueError("x")
    assert notes(caught.value) == []


@pytest.mark.parametrize(
    ("cost", "row"),
    [
        (Budget.of("0.3", "1e-9"), "epsilon  2      0.1    1.9   0.3           1.6"),
        (Budget.of("0.3", "1e-9"), "delta    0.001  0      0.001  1e-9          0.000999999"),
        (Budget.gdp("0.6"), "mu       1      0      1     0.6           0.8"),
    ],
)
def test_a_preview_in_every_currency(tmp_path: Path, cost: object, row: str) -> None:
    ledger = book(tmp_path, delta="0.001", mu=1)
    ledger.charge(Budget.of("0.1"), "rule")
    told = preview(ledger.account(), cost, None, ledger.shown)  # type: ignore[arg-type]
    lines = lines_of(told)
    assert lines[0] == "To be charged to study sleep in sqlite ledger.db, for everybody:"
    assert row.split() in [line.split() for line in lines]


def test_a_preview_for_a_partition(tmp_path: Path) -> None:
    ledger = book(tmp_path, partitions=("north", "south"))
    ledger.partition("north").charge(Budget.of("0.5"), "rule")
    account = ledger.account()
    north, south, everybody = (
        lines_of(preview(account, Budget.of(1), partition, "here"))
        for partition in ("north", "south", None)
    )
    assert north[0].endswith("in here, for partition north:")
    assert "1.5" in north[3]
    assert "1.5" not in south[3]
    assert "beside the fullest partition" in everybody[0]
    assert north[3] == everybody[3]
