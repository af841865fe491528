"""Whatever is done to the entries behind the ledger's back is found and named."""

import sqlite3
from pathlib import Path

import psycopg
import pytest
from tests.ledger.meddle import disarmed, filled, head_of, meddle

from dpwerm.errors import LedgerTamperedError
from dpwerm.privacy.budget import Budget
from dpwerm.privacy.ledger.database import Database
from dpwerm.privacy.ledger.entry import Entry, seal
from dpwerm.privacy.ledger.ledger import Ledger
from dpwerm.privacy.ledger.store import Store, database_of

TAKEN = (
    "UPDATE dpwerm_releases SET (digest, signature) = "
    "(SELECT digest, signature FROM dpwerm_releases WHERE charge = 3)"
)
EDITED = "was edited or moved: its hash does not fit"


def put(address: Database, entry: Entry) -> None:
    """Write an entry over the one of the same number."""
    content, digest, number = f"'{entry.content}'", f"'{entry.hash}'", entry.number
    disarmed(
        address,
        f"DELETE FROM dpwerm_entries WHERE number = {number}",  # noqa: S608 - our own
        f"INSERT INTO dpwerm_entries VALUES ({number}, {content}, {digest})",  # noqa: S608
    )


def refuses_to_go_on(store: Store) -> None:
    """Neither who checked the chain before somebody meddled nor who comes later charges."""
    for one in (store, Store(store.database)):
        with pytest.raises(LedgerTamperedError, match="does not verify"):
            one.verified()
        with pytest.raises(LedgerTamperedError, match="does not verify"):
            one.append(lambda _: {"kind": "charged"})


def test_entries_come_back_as_they_were_written(address: Database) -> None:
    store = Store(address)
    assert store.read() == ()
    assert head_of(store) is None
    written = [store.append(lambda e: {"kind": "charged", "say": f"ε '\"\x00 {len(e)}"})]
    written += [store.append(lambda e: {"kind": "charged", "cost": {"ε": ["0.1", None, 10**40]}})]
    assert list(store.read()[1:]) == written
    assert head_of(store) == (3, written[-1].hash)
    assert store.faults() == []
    assert Store(address).read() == store.read()


def test_a_refusal_writes_nothing(address: Database) -> None:
    store = filled(address)
    before = store.read()
    with pytest.raises(ZeroDivisionError):
        store.append(lambda _: {"kind": "charged", "cost": 1 // 0})
    assert store.read() == before
    assert store.faults() == []


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE dpwerm_entries SET content = '{}' WHERE number = 2",
        "UPDATE dpwerm_entries SET hash = '' WHERE number = 2",
        "DELETE FROM dpwerm_entries WHERE number = 2",
        "DELETE FROM dpwerm_entries",
    ],
)
def test_the_database_itself_refuses_changes(address: Database, statement: str) -> None:
    store = filled(address)
    with pytest.raises((sqlite3.IntegrityError, psycopg.Error), match="never changed"):
        meddle(address, statement)
    assert store.faults() == []


@pytest.mark.parametrize(
    ("statements", "told"),
    [
        (
            ["UPDATE dpwerm_entries SET content = replace(content, 'charged', 'changed')"],
            [f"entry {number} {EDITED}" for number in (2, 3, 4, 5)],
        ),
        (
            ["UPDATE dpwerm_entries SET hash = 'sha256:0' WHERE number = 3"],
            [f"entry 3 {EDITED}", "entry 4 does not follow from entry 3"],
        ),
        (
            ["UPDATE dpwerm_entries SET content = content || ' ' WHERE number = 3"],
            [f"entry 3 {EDITED}"],
        ),
        (
            ["UPDATE dpwerm_entries SET content = '' WHERE number = 5"],
            ["entry 5 cannot be read"],
        ),
        (["DELETE FROM dpwerm_entries WHERE number = 3"], ["entry 3 is missing"]),
        (["DELETE FROM dpwerm_entries WHERE number = 1"], ["entry 1 is missing", "not start"]),
        (
            ["DELETE FROM dpwerm_entries WHERE number = 5"],
            ["entries after 4 are missing: the last one written was 5"],
        ),
        (
            ["DELETE FROM dpwerm_entries"],
            ["entries after 0 are missing: the last one written was 5"],
        ),
        (
            [
                "UPDATE dpwerm_entries SET number = 9 WHERE number = 3",
                "UPDATE dpwerm_entries SET number = 3 WHERE number = 4",
                "UPDATE dpwerm_entries SET number = 4 WHERE number = 9",
            ],
            [f"entry 3 {EDITED}", f"entry 4 {EDITED}", "entry 3 does not", "entry 5 does not"],
        ),
        (
            ["INSERT INTO dpwerm_entries SELECT 6, content, hash FROM dpwerm_entries LIMIT 1"],
            [f"entry 6 {EDITED}", "entry 6 does not follow from entry 5", "6 is not the last"],
        ),
        (["DELETE FROM dpwerm_head"], ["its head has 0 rows"]),
        (["INSERT INTO dpwerm_head SELECT * FROM dpwerm_head"], ["its head has 2 rows"]),
        (["UPDATE dpwerm_head SET number = 4"], ["entry 5 is not the last one written"]),
        (["UPDATE dpwerm_head SET hash = ''"], ["entry 5 is not the last one written"]),
    ],
    ids=lambda value: value[0][:60] if isinstance(value, list) else "",
)
def test_what_was_done_is_named(address: Database, statements: list[str], told: list[str]) -> None:
    store = filled(address)
    disarmed(address, *statements)
    faults = "\n".join(store.faults())
    for fault in told:
        assert fault in faults
    refuses_to_go_on(store)


def test_an_entry_with_a_new_hash_that_fits_is_found(address: Database) -> None:
    store = filled(address)
    old = store.read()[2]
    new = seal(3, old.previous, {"kind": "charged", "after": 0})
    put(address, new)
    assert store.faults() == [
        "entry 4 does not follow from entry 3: one of them was edited or replaced"
    ]
    refuses_to_go_on(store)


def test_the_last_entry_with_a_new_hash_is_found_by_the_head(address: Database) -> None:
    store = filled(address)
    new = seal(5, store.read()[3].hash, {"kind": "charged", "after": 0})
    put(address, new)
    assert store.faults() == ["entry 5 is not the last one written"]
    refuses_to_go_on(store)


@pytest.mark.parametrize(
    "table", ["dpwerm_schema", "dpwerm_entries", "dpwerm_head", "dpwerm_releases"]
)
def test_a_dropped_table_is_no_new_ledger(address: Database, table: str) -> None:
    store = filled(address)
    viewed = address.kind == "postgresql" and table == "dpwerm_releases"
    meddle(address, f"DROP {'VIEW' if viewed else 'TABLE'} {table}")
    assert len(store.faults()) == 1
    for use in (store.read, lambda: store.append(lambda _: {"kind": "charged"})):
        with pytest.raises(LedgerTamperedError, match="missing"):
            use()


def released(address: Database) -> Store:
    """Return a ledger with charges 3, 4 and 5, of which the first two have their releases."""
    ledger = Ledger("sqlite:////nowhere.db", study="sleep", epsilon=1)
    ledger.store = Store(address)
    for digit in "ab-":
        receipt = ledger.charge(Budget.of("0.1"), "rule")
        if digit != "-":
            ledger.attach(receipt, f"sha256:{digit * 64}")
    return ledger.store


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE dpwerm_releases SET digest = replace(digest, 'a', 'c')",
        "UPDATE dpwerm_releases SET signature = '' WHERE charge = 4",
        "UPDATE dpwerm_releases SET charge = 9 WHERE charge = 5",
        "DELETE FROM dpwerm_releases WHERE charge = 3",
        "DELETE FROM dpwerm_releases WHERE charge = 5",
    ],
)
def test_the_database_itself_refuses_to_change_a_release(address: Database, statement: str) -> None:
    store = released(address)
    with pytest.raises((sqlite3.IntegrityError, psycopg.Error), match="never changed"):
        meddle(address, statement)
    assert store.faults() == []


@pytest.mark.parametrize(
    ("statement", "told"),
    [
        (
            "UPDATE dpwerm_releases SET digest = replace(digest, 'aa', 'ac')",
            "of entry 3 was edited",
        ),
        ("UPDATE dpwerm_releases SET signature = '' WHERE charge = 4", "of entry 4 was edited"),
        (TAKEN + " WHERE charge = 4", "of entry 4 was edited"),
        (TAKEN + " WHERE charge = 5", "of entry 5 was edited or put"),
        ("UPDATE dpwerm_releases SET charge = 2 WHERE charge = 3", "of entry 2 was edited"),
        ("DELETE FROM dpwerm_releases WHERE charge = 3", "release of entry 3 is missing"),
        ("DELETE FROM dpwerm_releases WHERE charge = 5", "release of entry 5 is missing"),
    ],
)
def test_a_release_that_its_fit_did_not_sign_is_found(
    address: Database, statement: str, told: str
) -> None:
    store = released(address)
    disarmed(address, statement)
    assert told in "\n".join(store.faults())
    with pytest.raises(LedgerTamperedError, match=told):
        store.book()


def test_two_releases_of_one_charge_are_found(address: Database) -> None:
    store = released(address)
    second = {"kind": "released", "study": "sleep", "charge": 4, "digest": "sha256:" + "c" * 64}
    store.append(lambda _: second)
    assert store.faults() == ["entry 4 has two releases"]


def test_many_faults_make_a_short_message(address: Database) -> None:
    store = filled(address, charges=6)
    disarmed(address, "UPDATE dpwerm_entries SET hash = '' WHERE number > 1")
    assert len(store.faults()) > 6
    with pytest.raises(LedgerTamperedError, match=r"and \d+ more"):
        store.append(lambda _: {"kind": "charged"})


@pytest.mark.parametrize(
    "lie",
    [
        "BEFORE INSERT ON dpwerm_entries BEGIN SELECT RAISE(IGNORE); END",
        "AFTER INSERT ON dpwerm_entries BEGIN DELETE FROM dpwerm_entries WHERE number = 6; END",
        "AFTER INSERT ON dpwerm_entries BEGIN UPDATE dpwerm_entries SET content = '{}'; END",
        "AFTER UPDATE ON dpwerm_head BEGIN UPDATE dpwerm_head SET number = 5; END",
    ],
)
def test_an_entry_that_does_not_stay_pays_for_nothing(tmp_path: Path, lie: str) -> None:
    address = database_of("sqlite:///ledger.db", tmp_path)
    store = filled(address)
    disarmed(address, f"CREATE TRIGGER lie {lie}")
    with pytest.raises(LedgerTamperedError, match="does not stay"):
        store.append(lambda _: {"kind": "charged"})
    assert store.faults() == []


def test_an_older_version_does_not_hide_dropped_entries(address: Database) -> None:
    store = filled(address)
    disarmed(
        address,
        "UPDATE dpwerm_schema SET version = 1",
        "DELETE FROM dpwerm_entries WHERE number = 5",
    )
    assert "older than its tables" in "".join(store.faults())
    with pytest.raises(LedgerTamperedError, match="older than its tables"):
        store.append(lambda _: {"kind": "charged"})
