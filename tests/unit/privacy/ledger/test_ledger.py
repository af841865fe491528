import copy
import pickle
import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from tests.unit.privacy.ledger.books import DIGEST, KEY

from dpwerm.errors import BudgetError, DpwermError, LedgerTamperedError, ParameterError
from dpwerm.privacy.budget import Budget
from dpwerm.privacy.ledger import account as bodies
from dpwerm.privacy.ledger.entry import Total
from dpwerm.privacy.ledger.ledger import Ledger
from dpwerm.privacy.ledger.store import Store, database_of
from dpwerm.privacy.randomness import Charged, Receipt
from dpwerm.study.study import Study

URL = "sqlite:///ledger.db"
TENTH = Budget.of("0.1")
Make = Callable[..., Ledger]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    def made(**written: Any) -> Ledger:
        given: dict[str, Any] = {"url": URL, "study": "trial", "epsilon": "0.3"}
        return Ledger(**given | {"folder": tmp_path} | written)

    return made


def test_the_first_charge_opens_the_study(make: Make) -> None:
    ledger = make()
    assert ledger.account().total == Total.of("0.3")
    assert ledger.account().opened is None
    assert ledger.history() == ()
    receipt = ledger.charge(TENTH, "rule")
    opened, charged = ledger.history()
    assert (opened.number, charged.number, receipt.entry) == (2, 3, 3)
    assert (receipt.kind, receipt.hash) == ("sqlite", charged.hash)
    day = opened.body["date"]
    assert opened.body == {
        "kind": "opened",
        "study": "trial",
        "relation": "replace_one",
        "total": Total.of("0.3").plain(),
        "slots": [],
        "date": day,
    }
    assert day in {datetime.now(UTC).date().isoformat(), str(charged.body["date"])}
    assert set(charged.body) == {
        "kind",
        "study",
        "slot",
        "cost",
        "what",
        "library",
        "date",
        "key",
    }
    assert charged.body["cost"] == {"epsilon": "0.1", "delta": "0"}


def test_a_total_is_used_up_to_its_last_unit_and_no_further(make: Make) -> None:
    ledger = make()
    ledger.charge(TENTH, "rule")
    ledger.refuse_over(Budget.of("0.2"))
    assert len(ledger.account().charges) == 1
    ledger.charge(Budget.of("0.2"), "value")
    least = Budget.of("0.000001")
    for refused in (lambda: ledger.charge(least, "rule"), lambda: ledger.refuse_over(least)):
        with pytest.raises(BudgetError, match=r"no epsilon is left.*\n.*in Ledger\(\.\.\.\)"):
            refused()
    assert len(ledger.history()) == 3
    ledger.refuse_over(Budget.of("inf"))


def test_a_refusal_says_where_its_total_is_declared(make: Make, tmp_path: Path) -> None:
    of_study = Ledger.of_study(study_of(tmp_path, "[budget]\nepsilon = 0.3\n"))
    file, code = "[budget] in the study file", "the total in Ledger(...)"
    for ledger, here, other in ((of_study, file, code), (make(), code, file)):
        with pytest.raises(BudgetError) as refused:
            ledger.charge(Budget.of("0.4"), "rule")
        assert f"or change {here} with your ethics board" in str(refused.value)
        assert other not in str(refused.value)
    with pytest.raises(BudgetError, match=r"declare rho in Ledger\(\.\.\.\), such as rho = 0\.1"):
        make().refuse_over(Budget.zcdp("0.1"))


@pytest.mark.parametrize("copied", [False, True], ids=["deleted", "set back"])
def test_a_ledger_that_lost_what_was_read_from_it_is_not_charged(
    make: Make, tmp_path: Path, copied: bool
) -> None:
    make().charge(TENTH, "rule")
    old = (tmp_path / "ledger.db").read_bytes()
    make().charge(TENTH, "rule")
    reader = make()
    assert len(reader.account().charges) == 2
    (tmp_path / "ledger.db").unlink()
    if copied:
        (tmp_path / "ledger.db").write_bytes(old)
    with pytest.raises(LedgerTamperedError, match="set back to an old copy"):
        reader.charge(TENTH, "rule")


def test_a_refused_first_charge_leaves_no_ledger(make: Make, tmp_path: Path) -> None:
    ledger = make()
    with pytest.raises(BudgetError, match=r"epsilon = 0\.3 would fit"):
        ledger.charge(Budget.of(1), "rule")
    assert not Store(database_of(URL, tmp_path)).read()
    assert ledger.account().charges == ()


def test_first_charges_at_once_open_the_study_once(make: Make) -> None:
    def charged(_: int) -> bool:
        try:
            make().charge(TENTH, "rule")
        except BudgetError:
            return False
        return True

    with ThreadPoolExecutor(6) as pool:
        assert sum(pool.map(charged, range(6))) == 3
    kinds = [entry.body["kind"] for entry in make().history()]
    assert kinds == ["opened", "charged", "charged", "charged"]


def test_looking_creates_nothing(make: Make, tmp_path: Path) -> None:
    ledger = make()
    ledger.refuse_over(TENTH)
    assert ledger.account() == ledger.declared
    assert list(tmp_path.iterdir()) == []


def test_what_is_not_private_or_not_known_is_not_charged(make: Make, tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="promises nothing"):
        make().charge(Budget.of("inf"), "rule")
    with pytest.raises(ParameterError, match="what"):
        make().charge(TENTH, "gossip")
    assert list(tmp_path.iterdir()) == []


def test_studies_in_one_ledger_do_not_share_a_total(make: Make) -> None:
    one, other = make(), make(study="other", rho="0.5", epsilon=0)
    first = one.charge(Budget.of("0.3"), "rule")
    second = other.charge(Budget.zcdp("0.5"), "rule")
    assert first.ledger == second.ledger
    assert one.account().total != other.account().total
    assert len(one.account().charges) == len(other.account().charges) == 1
    assert [entry.body["study"] for entry in other.history()] == ["other", "other"]


def test_partitions_are_charged_by_name(make: Make) -> None:
    ledger = make(partitions=["north", "south"])
    north = ledger.partition("north")
    north.charge(Budget.of("0.3"), "rule")
    ledger.partition("south").charge(Budget.of("0.2"), "rule")
    with pytest.raises(BudgetError, match="for partition north: no epsilon is left"):
        north.charge(TENTH, "rule")
    with pytest.raises(BudgetError, match="beside the fullest partition"):
        ledger.charge(TENTH, "rule")
    assert (ledger.charged_partition, north.charged_partition) == (None, "north")
    with pytest.raises(ParameterError, match="north, south"):
        ledger.partition("west")
    with pytest.raises(ParameterError, match="declares none"):
        make().partition("north")


@pytest.mark.parametrize(
    ("other", "said"),
    [
        ({"epsilon": "0.4"}, "records a total of epsilon = 0.3, the study declares epsilon = 0.4"),
        ({"rho": 1}, "declares epsilon = 0.3, rho = 1"),
        ({"partitions": ["north"]}, "declares epsilon = 0.3 with partitions north"),
        ({"relation": "add_remove"}, "was opened for relation replace_one"),
    ],
)
def test_what_is_declared_must_be_what_is_recorded(
    make: Make, other: dict[str, Any], said: str
) -> None:
    make().charge(TENTH, "rule")
    changed = make(**other)
    for refused in (
        lambda: changed.charge(TENTH, "rule"),
        lambda: changed.refuse_over(TENTH),
    ):
        with pytest.raises(BudgetError, match=said):
            refused()
    assert len(changed.account().charges) == 1


def test_the_order_of_partitions_and_the_spelling_of_a_total_mean_nothing(make: Make) -> None:
    make(partitions=["a", "b"]).charge(TENTH, "rule")
    make(partitions=["b", "a"], epsilon="0.30").charge(TENTH, "rule")
    assert len(make().account().charges) == 2


def test_a_changed_total_is_recorded_with_its_reason(make: Make) -> None:
    make(partitions=["a"]).partition("a").charge(TENTH, "rule")
    larger = make(epsilon=1, partitions=["a", "b"])
    larger.change_total("board decided on 3 May")
    body = larger.history()[-1].body
    assert (body["kind"], body["reason"]) == ("total", "board decided on 3 May")
    assert (body["total"], body["slots"]) == (Total.of(1).plain(), ["a", "b"])
    larger.charge(Budget.of("0.8"), "rule")
    assert len(larger.account().charges) == 2


@pytest.mark.parametrize(
    ("other", "kind", "said"),
    [
        ({"partitions": ["a"]}, ParameterError, "already records this total"),
        ({"epsilon": "0.05", "partitions": ["a"]}, BudgetError, r"epsilon = 0\.1 is spent already"),
        ({"epsilon": 1}, BudgetError, "partition a was charged"),
        ({"epsilon": 1, "partitions": ["a"], "relation": "add_remove"}, BudgetError, "relation"),
        ({"study": "other"}, ParameterError, "no charge yet"),
    ],
)
def test_a_total_that_cannot_be_is_not_recorded(
    make: Make, other: dict[str, Any], kind: type[DpwermError], said: str
) -> None:
    make(partitions=["a"]).partition("a").charge(TENTH, "rule")
    with pytest.raises(kind, match=said):
        make(**other).change_total("because")
    assert len(make().history()) == 2


@pytest.mark.parametrize("reason", ["", "  ", "two\nlines", "x" * 1001])
def test_a_reason_is_one_line(make: Make, reason: str) -> None:
    with pytest.raises(ParameterError, match="reason"):
        make().change_total(reason)


def test_a_release_is_attached_once(make: Make) -> None:
    ledger = make()
    receipt = ledger.charge(TENTH, "rule")
    ledger.attach(receipt, DIGEST)
    ledger.attach(receipt, DIGEST)
    make().attach(receipt, DIGEST)
    assert [charge.digest for charge in ledger.account().charges] == [DIGEST]
    for one in (ledger, make()):
        with pytest.raises(ParameterError, match="already paid for another release"):
            one.attach(receipt, DIGEST.replace("ab", "cd"))
    assert len(ledger.history()) == 2


def test_who_did_not_make_the_charge_attaches_by_an_entry(make: Make) -> None:
    """The key was the fit's; a signed release after that would be a second one."""
    ledger = make()
    receipt = ledger.charge(TENTH, "rule")
    make().attach(receipt, DIGEST)
    body = make().history()[-1].body
    assert body == {"kind": "released", "study": "trial", "charge": 3, "digest": DIGEST}
    ledger.attach(receipt, DIGEST)
    with pytest.raises(ParameterError, match="already paid for another release"):
        ledger.attach(receipt, DIGEST.replace("ab", "cd"))
    assert [charge.digest for charge in ledger.account().charges] == [DIGEST]
    assert ledger.store.book().releases == {}


def test_a_refused_attachment_leaves_the_key_for_the_release(make: Make) -> None:
    ledger = make()
    paid = ledger.charge(TENTH, "rule")
    with pytest.raises(ParameterError, match="is no charge"):
        ledger.attach(Receipt("sqlite", "f" * 32, paid.entry, paid.hash), KEY)
    ledger.attach(paid, DIGEST)
    assert ledger.store.book().digests == {paid.entry: DIGEST}


def test_a_study_is_opened_without_a_charge(make: Make) -> None:
    ledger = make(partitions=["a"])
    assert ledger.open()
    assert not ledger.open()
    assert [entry.body["kind"] for entry in ledger.history()] == ["opened"]
    assert ledger.account().spent().epsilon == 0
    assert ledger.charge(TENTH, "rule").entry == 3
    for other, said in (
        ({"epsilon": 1}, "records a total"),
        ({"relation": "add_remove"}, "opened"),
    ):
        with pytest.raises(BudgetError, match=said):
            make(**other).open()


def test_only_a_charge_of_this_study_in_this_ledger_is_attached_to(make: Make) -> None:
    ledger = make()
    paid = ledger.charge(TENTH, "rule")
    elsewhere = make(study="other").charge(TENTH, "rule")
    strange = [
        elsewhere,
        Receipt("sqlite", "f" * 32, paid.entry, paid.hash),
        Receipt("sqlite", paid.ledger, paid.entry, "sha256:" + "0" * 64),
        Receipt("sqlite", paid.ledger, 2, ledger.history()[0].hash),
        Receipt("sqlite", paid.ledger, 99, paid.hash),
    ]
    for receipt in strange:
        with pytest.raises(ParameterError, match="is no charge of study trial"):
            ledger.attach(receipt, DIGEST)
    with pytest.raises(ParameterError, match="digest"):
        ledger.attach(paid, "md5:1")
    assert len(ledger.history()) == 2


@pytest.mark.parametrize("after", ["deleted", "old copy"])
def test_a_ledger_that_forgot_a_charge_is_noticed(make: Make, tmp_path: Path, after: str) -> None:
    ledger = make()
    ledger.charge(TENTH, "rule")
    file, saved = tmp_path / "ledger.db", tmp_path / "saved"
    shutil.copy(file, saved)
    ledger.charge(TENTH, "rule")
    file.unlink()
    if after == "old copy":
        shutil.copy(saved, file)
    for refused in (
        lambda: ledger.charge(TENTH, "rule"),
        ledger.account,
        lambda: ledger.refuse_over(TENTH),
    ):
        with pytest.raises(LedgerTamperedError, match="no longer holds entry 4"):
            refused()


def test_an_entry_above_the_total_is_not_believed(make: Make, tmp_path: Path) -> None:
    ledger = make()
    ledger.charge(TENTH, "rule")
    forged = bodies.charged("trial", None, Budget.of(5), "rule", KEY)
    Store(database_of(URL, tmp_path)).append(lambda _: forged)
    for refused in (ledger.account, lambda: ledger.charge(TENTH, "rule")):
        with pytest.raises(LedgerTamperedError, match="entry 4"):
            refused()


def test_bits_carry_the_receipt_of_their_charge(make: Make) -> None:
    ledger = make()
    privacy_filter = Charged(ledger, "rule")
    bits = privacy_filter.authorise(TENTH)
    assert bits.receipt is not None
    assert bits.receipt.entry == 3
    privacy_filter.attach(bits.receipt, DIGEST)
    assert ledger.account().charges[0].digest == DIGEST
    with pytest.raises(BudgetError):
        privacy_filter.authorise(Budget.of(1))


def test_a_ledger_is_shown_without_its_password_and_never_copied(make: Make) -> None:
    ledger = make(url="postgresql://me:hidden@db.example/trials", partitions=["a"])
    shown = "Ledger(postgresql db.example/trials, study trial, epsilon = 0.3"
    assert repr(ledger) == f"{shown})"
    assert repr(ledger.partition("a")) == f"{shown}, partition a)"
    assert "hidden" not in repr(ledger) + str(ledger) + ledger.shown
    assert copy.copy(ledger) is copy.deepcopy(ledger) is ledger
    with pytest.raises(ParameterError, match="pickled"):
        pickle.dumps(ledger)
    assert (ledger.kind, ledger.study_id) == ("postgresql", "trial")


@pytest.mark.parametrize(
    "written",
    [
        {"study": "No Name"},
        {"epsilon": 0},
        {"relation": "cousins"},
        {"partitions": "north"},
        {"partitions": ["a", "a"]},
        {"partitions": ["A"]},
        {"partitions": [str(number) for number in range(1001)]},
        {"folder": None},
        {"url": "mysql://host/database"},
    ],
)
def test_what_cannot_be_a_ledger_is_refused(make: Make, written: dict[str, Any]) -> None:
    with pytest.raises(ParameterError):
        make(**written)


STUDY_TEXT = """
format = 1
study = { id = "sleep", relation = "add_remove" }
features.age = { kind = "number", bounds = [0, 100] }
treatment = { column = "arm", arms = { a = 0.5, b = 0.5 } }
benefit = { column = "days", bounds = [0, 1] }
"""
BUDGET = '[budget]\nepsilon = 1\ndelta = 1e-6\nrho = 0.5\nmu = 2\npartitions = ["a"]\n'


def study_of(tmp_path: Path, budget: str) -> Study:
    path = tmp_path / "study.toml"
    path.write_text(STUDY_TEXT + budget)
    return Study.load(path)


def test_the_ledger_of_a_study_is_beside_its_file(tmp_path: Path) -> None:
    ledger = Ledger.of_study(study_of(tmp_path, BUDGET))
    ledger.charge(TENTH, "rule")
    assert (tmp_path / "ledger.db").is_file()
    account = ledger.account()
    assert account.total == Total.of(1, "1e-6", "0.5", 2)
    assert (account.partitions, account.relation) == (("a",), "add_remove")


def test_another_place_than_the_study_names_is_refused(tmp_path: Path) -> None:
    declared = "postgresql://db.example/trials"
    study = study_of(tmp_path, f'{BUDGET}ledger = "{declared}"\n')
    assert Ledger.of_study(study).shown == "postgresql db.example/trials"
    with_user = "postgresql://me:hidden@db.example/trials"
    assert Ledger.of_study(study, with_user).shown == "postgresql db.example/trials"
    with pytest.raises(ParameterError, match="is not the ledger that the study declares") as caught:
        Ledger.of_study(study, "postgresql://me:hidden@db.example/other")
    assert "hidden" not in str(caught.value)
    undeclared = study_of(tmp_path, BUDGET)
    assert Ledger.of_study(undeclared, "sqlite:///other.db").shown == "sqlite other.db"


@pytest.mark.parametrize("declared", ["", 'ledger = "sqlite:///other.db"\n'])
def test_a_study_charged_beside_its_file_is_charged_nowhere_else(
    tmp_path: Path, declared: str
) -> None:
    Ledger.of_study(study_of(tmp_path, BUDGET)).charge(TENTH, "rule")
    study = study_of(tmp_path, BUDGET + declared)
    with pytest.raises(ParameterError, match=r"was charged in sqlite ledger\.db beside its file"):
        Ledger.of_study(study, "sqlite:///other.db")
    (tmp_path / "ledger.db").rename(tmp_path / "old.db")
    assert Ledger.of_study(study, "sqlite:///other.db").account().opened is None


def test_a_link_to_a_study_file_has_no_ledger_of_its_own(tmp_path: Path) -> None:
    study_of(tmp_path, BUDGET)
    (tmp_path / "elsewhere").mkdir()
    link = tmp_path / "elsewhere" / "study.toml"
    link.symlink_to(tmp_path / "study.toml")
    ledger = Ledger.of_study(Study.load(link))
    assert ledger.is_at(tmp_path / "ledger.db")
    assert not ledger.is_at(tmp_path / "elsewhere" / "ledger.db")


def test_a_charge_while_another_thread_reads_is_no_lost_entry(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = make()
    receipt = ledger.charge(TENTH, "rule")
    book = Store.book

    def slow(store: Store) -> object:
        found = book(store)
        monkeypatch.undo()
        ledger.charge(TENTH, "rule")
        return found

    monkeypatch.setattr(Store, "book", slow)
    assert len(ledger.account().charges) == 1
    assert len(ledger.account().charges) == 2
    ledger.attach(receipt, DIGEST)


def test_a_study_without_a_budget_or_without_a_file_says_so(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match=r"declares no \[budget\].*ledger=\"none\""):
        Ledger.of_study(study_of(tmp_path, ""))
    with pytest.raises(ParameterError, match="full path"):
        Ledger.of_study(Study.parse(STUDY_TEXT + BUDGET))
