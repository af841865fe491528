"""What can go wrong around a ledger gives an error of ours, and never a receipt."""

import os
import resource
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.bad_input.base import STUDY, sound_table
from tests.ledger.children import drop_rights, give_away, in_child
from tests.ledger.meddle import filled

from dpwerm.cli.main import main
from dpwerm.privacy.ledger.store import Store, database_of

LARGE = {"kind": "charged", "padding": "x" * 50_000}


@pytest.fixture
def folder() -> Iterator[Path]:
    """Give a folder that others can reach, of the account that has no rights."""
    with tempfile.TemporaryDirectory() as name:
        give_away(Path(name))
        yield Path(name)


def store_in(folder: Path) -> Store:
    return Store(database_of("sqlite:///ledger.db", folder))


def command(*arguments: object) -> int:
    return main([str(one) for one in arguments])


def charge(store: Store) -> int:
    return store.append(lambda _: {"kind": "charged"}).number


def test_a_full_disk_writes_nothing(folder: Path) -> None:
    store = filled(store_in(folder).database)
    before = store.read()
    size = (folder / "ledger.db").stat().st_size

    def on_a_full_disk() -> int:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
        return store.append(lambda _: LARGE).number

    told = in_child(on_a_full_disk)
    assert told.startswith("LedgerError: the ledger sqlite ledger.db: ")
    assert "full" in told
    assert store.read() == before
    assert store.faults() == []
    assert charge(store) == len(before) + 1


def test_a_disk_too_full_for_a_new_ledger(folder: Path) -> None:
    store = store_in(folder)
    filled(database_of("sqlite:///other.db", folder), charges=1)  # everything is loaded

    def on_a_full_disk() -> int:
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
        return charge(store)

    assert in_child(on_a_full_disk).startswith("LedgerError: the ledger sqlite ledger.db: ")
    assert not store.read()
    assert charge(store) == 2


def test_a_file_that_may_not_be_written(folder: Path) -> None:
    store = filled(store_in(folder).database)
    path = folder / "ledger.db"
    give_away(path)
    path.chmod(0o400)
    count = len(store.read())

    def as_somebody(work: str) -> str:
        drop_rights()
        return str(charge(store) if work == "charge" else len(store.read()))

    told = in_child(lambda: as_somebody("charge"))
    assert told == (
        "LedgerError: the ledger sqlite ledger.db: "
        "it cannot be written: the file or its folder is read-only"
    )
    assert in_child(lambda: as_somebody("read")) == str(count)
    assert len(store.read()) == count


def test_a_file_that_may_not_be_read(folder: Path) -> None:
    store = filled(store_in(folder).database)
    path = folder / "ledger.db"
    give_away(path)
    path.chmod(0o000)

    def as_somebody() -> int:
        drop_rights()
        return len(store.read())

    assert "LedgerError: the ledger sqlite ledger.db: it cannot be opened" in in_child(as_somebody)


def test_a_folder_that_may_not_be_written(folder: Path) -> None:
    store = filled(store_in(folder).database)
    give_away(folder / "ledger.db")
    folder.chmod(0o500)
    count = len(store.read())

    def as_somebody(work: str) -> str:
        drop_rights()
        return str(charge(store) if work == "charge" else len(store.read()))

    try:
        assert "LedgerError: the ledger sqlite" in in_child(lambda: as_somebody("charge"))
        assert in_child(lambda: as_somebody("read")) == str(count)
    finally:
        folder.chmod(0o700)
    assert len(store.read()) == count
    assert store.faults() == []


def test_commands_that_look_write_nothing(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """They work on a ledger, in a folder, that may only be read: a copy in an archive, say."""
    study, table, rule = (folder / name for name in ("study.toml", "trial.csv", "rule.json"))
    study.write_text(STUDY, encoding="utf-8")
    table.write_bytes(sound_table().to_bytes())
    assert command("fit", study, table, "--epsilon", "1", "--yes", "--out", rule) == 0
    looking = (
        ("ledger", "show", study),
        ("ledger", "verify", study),
        ("verify", rule, "--study", study),
    )
    give_away(*folder.iterdir())
    for path in folder.iterdir():
        path.chmod(0o400)
    folder.chmod(0o500)

    def as_somebody() -> list[int]:
        drop_rights()
        return [command(*one) for one in looking]

    try:
        assert [command(*one) for one in looking] == [0, 0, 0]  # everything is loaded
        assert in_child(as_somebody) == "[0, 0, 0]"
    finally:
        folder.chmod(0o700)
    assert "cannot" not in "".join(capsys.readouterr())
    assert len(list(folder.iterdir())) == 4


def test_a_new_ledger_in_a_folder_that_may_not_be_written(folder: Path) -> None:
    store = store_in(folder)
    filled(database_of("sqlite:///other.db", folder), charges=1)
    folder.chmod(0o500)

    def as_somebody() -> int:
        drop_rights()
        return charge(store)

    try:
        assert "LedgerError: the ledger sqlite ledger.db: it cannot be opened" in in_child(
            as_somebody
        )
    finally:
        folder.chmod(0o700)
    assert not store.read()


def test_a_folder_that_may_not_be_entered(folder: Path) -> None:
    store = filled(store_in(folder).database)
    folder.chmod(0o000)

    def as_somebody() -> bool:
        drop_rights()
        return bool(store.read())

    try:
        assert "LedgerError: the ledger sqlite ledger.db: it cannot be opened" in in_child(
            as_somebody
        )
    finally:
        folder.chmod(0o700)


def test_a_journal_left_by_a_crash_is_put_right_by_a_reader(folder: Path) -> None:
    """A copy of file and journal, taken while a commit is under way, is what a crash leaves."""
    store = filled(store_in(folder).database)
    before = store.read()
    crashed = folder / "crashed"
    crashed.mkdir()

    def crash() -> None:
        with store.database.writing() as connection:
            connection.exec_driver_sql("PRAGMA cache_size = 1")
            connection.exec_driver_sql("CREATE TABLE filler (x)")
            for _ in range(50):
                connection.exec_driver_sql("INSERT INTO filler VALUES (zeroblob(4000))")
            connection.exec_driver_sql("UPDATE dpwerm_head SET number = 99")
            for name in ("ledger.db", "ledger.db-journal"):
                (crashed / name).write_bytes((folder / name).read_bytes())
            os._exit(0)

    in_child(crash)
    assert (crashed / "ledger.db-journal").stat().st_size > 0
    left = store_in(crashed)
    assert left.faults() == []
    assert left.read() == before
    assert charge(left) == len(before) + 1
