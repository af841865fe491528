import pickle
import re
import sqlite3
import threading
import time
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from dpwerm.errors import BudgetError, LedgerError, LedgerTamperedError, ParameterError
from dpwerm.privacy.ledger import database
from dpwerm.privacy.ledger.entry import Entry, chain_faults
from dpwerm.privacy.ledger.store import Store, database_of


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(database_of("sqlite:///ledger.db", tmp_path))


def charge(store: Store) -> Entry:
    return store.append(lambda entries: {"kind": "charged", "after": len(entries)})


def raw(store: Store) -> sqlite3.Connection:
    assert isinstance(store.database, database.SqliteDatabase)
    return sqlite3.connect(store.database.path, isolation_level=None)


def test_looking_creates_nothing(store: Store, tmp_path: Path) -> None:
    assert store.read() == ()
    assert store.faults() == []
    assert list(tmp_path.iterdir()) == []


def test_the_first_entry_names_the_ledger(store: Store) -> None:
    entry = charge(store)
    started = store.read()[0]
    assert entry.number == 2
    assert started.previous == ""
    assert started.body.keys() == {"kind", "ledger", "format"}
    assert (started.body["kind"], started.body["format"]) == ("started", 1)
    assert re.fullmatch("[0-9a-f]{32}", str(started.body["ledger"]))


def test_no_two_ledgers_have_one_name(tmp_path: Path) -> None:
    stores = [Store(database_of(f"sqlite:///{k}.db", tmp_path)) for k in range(3)]
    for store in stores:
        charge(store)
    assert len({str(store.read()[0].body["ledger"]) for store in stores}) == 3


def test_what_was_found_whole_is_not_hashed_again(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = Store(store.database)
    for _ in range(3):
        charge(store)
    walked: list[list[int]] = []

    def counted(entries: Iterable[Entry], *rest: Any) -> list[str]:
        entries = list(entries)
        walked.append([entry.number for entry in entries])
        return chain_faults(entries, *rest)

    monkeypatch.setattr("dpwerm.privacy.ledger.store.chain_faults", counted)
    for _ in range(2):
        assert len(other.verified()) == 4
        assert other.faults() == []
    charge(store)
    charge(other)
    assert other.verified() == store.read()
    assert walked == [[1, 2, 3, 4], [4], [5], [6]]
    assert Store(store.database).faults() == []


def test_what_was_found_whole_is_compared_to_the_letter(store: Store) -> None:
    """After an edit that leaves head and hashes alone nothing is charged either."""
    charge(store)
    charge(store)
    assert len(store.verified()) == 3
    with closing(raw(store)) as file:
        for on in ("update", "delete", "insert"):
            file.execute(f"DROP TRIGGER dpwerm_entries_{on}")
        file.execute("UPDATE dpwerm_entries SET content = content || ' ' WHERE number = 2")
        with pytest.raises(LedgerTamperedError, match="entry 2 was edited"):
            charge(store)
        file.execute("UPDATE dpwerm_entries SET content = rtrim(content) WHERE number = 2")
    assert charge(store).number == 4


def test_only_the_owner_can_read_the_file(store: Store, tmp_path: Path) -> None:
    charge(store)
    assert (tmp_path / "ledger.db").stat().st_mode & 0o777 == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["ledger.db"]


def test_a_file_whose_rights_were_widened_stays_so(store: Store, tmp_path: Path) -> None:
    charge(store)
    (tmp_path / "ledger.db").chmod(0o660)
    charge(store)
    assert (tmp_path / "ledger.db").stat().st_mode & 0o777 == 0o660


def test_the_entries_seen_are_those_before(store: Store) -> None:
    seen: list[int] = []

    def look(entries: tuple[Entry, ...]) -> dict[str, object]:
        seen.append(len(entries))
        return {"kind": "charged"}

    for _ in range(3):
        store.append(look)
    assert seen == [1, 2, 3]


def test_a_refusal_begins_no_ledger(store: Store) -> None:
    def refuse(entries: tuple[Entry, ...]) -> dict[str, object]:
        raise BudgetError("no")

    with pytest.raises(BudgetError, match="no"):
        store.append(refuse)
    assert store.read() == ()
    assert charge(store).number == 2


def test_a_body_that_is_not_plain_writes_nothing(store: Store) -> None:
    charge(store)
    with pytest.raises(ParameterError):
        store.append(lambda _: {"kind": "charged", "epsilon": 0.5})
    assert len(store.read()) == 2


def test_a_missing_folder(tmp_path: Path) -> None:
    store = Store(database_of("sqlite:///sub/ledger.db", tmp_path))
    assert not store.read()
    with pytest.raises(LedgerError, match="cannot be opened"):
        charge(store)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_is_not_a_ledger(tmp_path: Path) -> None:
    store = Store(database_of("sqlite:///.", tmp_path))
    with pytest.raises(LedgerError, match="cannot be opened"):
        store.read()
    with pytest.raises(LedgerError, match="cannot be opened"):
        charge(store)


def test_a_name_that_is_too_long(tmp_path: Path) -> None:
    store = Store(database_of(f"sqlite:///{'x' * 400}", tmp_path))
    with pytest.raises(LedgerError, match="cannot be opened"):
        store.read()


def test_odd_characters_in_a_path(tmp_path: Path) -> None:
    store = Store(database_of("sqlite:///a #%41 ü&=.db", tmp_path))
    charge(store)
    assert [path.name for path in tmp_path.iterdir()] == ["a #%41 ü&=.db"]
    assert store.read()


def test_a_file_that_is_not_a_database(store: Store, tmp_path: Path) -> None:
    text = "patient,arm\n" * 100
    (tmp_path / "ledger.db").write_text(text)
    for use in (store.read, store.faults, lambda: charge(store)):
        with pytest.raises(LedgerError, match="not a ledger") as caught:
            use()
        assert "patient" not in str(caught.value)
    assert (tmp_path / "ledger.db").read_text() == text


def test_a_damaged_file_does_not_verify(store: Store, tmp_path: Path) -> None:
    for _ in range(4):
        store.append(lambda _: {"kind": "charged", "padding": "x" * 3000})
    path = tmp_path / "ledger.db"
    content = bytearray(path.read_bytes())
    content[4096:] = bytes(len(content) - 4096)
    path.write_bytes(content)
    assert store.faults()
    with pytest.raises(LedgerTamperedError, match="damaged"):
        charge(store)


def test_text_that_is_no_text_does_not_verify(store: Store) -> None:
    charge(store)
    with closing(raw(store)) as file:
        file.execute("DROP TRIGGER dpwerm_entries_update")
        file.execute("UPDATE dpwerm_entries SET content = CAST(x'ff' AS TEXT) WHERE number = 2")
    assert store.faults() == ["entry 2 cannot be read: it was edited"]
    with pytest.raises(LedgerTamperedError, match="entry 2"):
        store.read()


def test_an_entry_cannot_be_replaced_or_skipped(store: Store) -> None:
    charge(store)
    with closing(raw(store)) as file:
        for number in (1, 2, 4):
            with pytest.raises(sqlite3.IntegrityError, match="never changed"):
                file.execute("INSERT OR REPLACE INTO dpwerm_entries VALUES (?, '', '')", [number])
    assert store.faults() == []


def test_a_writer_waits_for_another(store: Store) -> None:
    charge(store)
    with closing(raw(store)) as other:
        other.execute("BEGIN IMMEDIATE")
        waiting = threading.Thread(target=charge, args=[store])
        waiting.start()
        time.sleep(0.2)
        assert waiting.is_alive()
        other.execute("COMMIT")
        waiting.join(timeout=30)
    assert len(store.read()) == 3


def test_nobody_waits_for_ever(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    charge(store)
    monkeypatch.setattr(database, "WAIT", 0.1)
    monkeypatch.setattr(database, "_PATIENCE", 0.05)
    with closing(raw(store)) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(LedgerError, match="busy"):
            charge(store)
        with pytest.raises(LedgerError, match="busy"):
            store.read()
        other.execute("ROLLBACK")
    assert charge(store).number == 3


def test_a_commit_that_fails_gives_no_entry(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """A reader who does not let go keeps the commit from the file."""
    charge(store)
    monkeypatch.setattr(database, "WAIT", 0.1)
    with closing(raw(store)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT * FROM dpwerm_entries").fetchone()
        with pytest.raises(LedgerError, match=r"busy.*not known"):
            charge(store)
        reader.execute("COMMIT")
    assert len(store.read()) == 2
    assert charge(store).number == 3
    assert store.faults() == []


def test_a_file_moved_while_it_is_written_is_noticed(store: Store, tmp_path: Path) -> None:
    charge(store)

    def move(entries: tuple[Entry, ...]) -> dict[str, object]:
        (tmp_path / "ledger.db").rename(tmp_path / "other.db")
        return {"kind": "charged"}

    with pytest.raises(LedgerError):
        store.append(move)


def test_a_file_replaced_while_it_is_written_is_noticed(store: Store, tmp_path: Path) -> None:
    charge(store)
    copy = (tmp_path / "ledger.db").read_bytes()

    def replace(entries: tuple[Entry, ...]) -> dict[str, object]:
        (tmp_path / "copy.db").write_bytes(copy)
        (tmp_path / "copy.db").replace(tmp_path / "ledger.db")
        return {"kind": "charged"}

    with pytest.raises(LedgerError):
        store.append(replace)


def test_a_deleted_ledger_looks_like_one_that_has_not_begun(store: Store, tmp_path: Path) -> None:
    charge(store)
    name = store.read()[0].body["ledger"]
    (tmp_path / "ledger.db").unlink()
    assert not store.read()
    assert charge(store).number == 2
    assert store.read()[0].body["ledger"] != name


def test_commits_are_synced(store: Store) -> None:
    seen: list[object] = []
    with store.database.writing() as connection:
        seen += [
            connection.exec_driver_sql(f"PRAGMA {name}").scalar()
            for name in ("synchronous", "journal_mode")
        ]
    assert seen == [3, "delete"]


def test_a_store_is_not_pickled(store: Store) -> None:
    with pytest.raises(ParameterError, match="pickled"):
        pickle.dumps(store)
