"""Many at once: processes, threads, and some that die while they hold the lock."""

import json
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.ledger.children import die, in_child
from tests.ledger.hammer import CHARGES, PROCESSES
from tests.ledger.meddle import filled

from dpwerm.privacy.ledger.database import Database
from dpwerm.privacy.ledger.entry import Entry
from dpwerm.privacy.ledger.store import Store

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
def test_processes_never_overspend_together(database: str, request: pytest.FixtureRequest) -> None:
    if database == "postgresql":
        request.getfixturevalue("server")  # where none can be had, this says so
    told = subprocess.run(
        [sys.executable, "-m", "tests.ledger.hammer", "--database", database],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert told.stdout, told.stderr
    outcome = json.loads(told.stdout)
    assert outcome["wrong"] == []
    assert outcome["processes"] == PROCESSES == 32
    assert outcome["tried"] == PROCESSES * CHARGES
    assert outcome["written"] == outcome["limit"] == outcome["tried"] // 2
    assert outcome["refused"] == outcome["tried"] - outcome["limit"]


def test_threads_share_a_store(address: Database) -> None:
    store = Store(address)
    start = threading.Barrier(8)

    def charge(_: int) -> int:
        start.wait(timeout=60)
        return store.append(lambda _: {"kind": "charged"}).number

    with ThreadPoolExecutor(8) as threads:
        assert sorted(threads.map(charge, range(8))) == list(range(2, 10))
    assert store.faults() == []


def test_a_store_survives_a_fork(address: Database) -> None:
    store = filled(address, charges=1)
    assert in_child(lambda: store.append(lambda _: {"kind": "charged"}).number) == "3"
    assert store.append(lambda _: {"kind": "charged"}).number == 4


def test_a_writer_killed_inside_its_transaction_leaves_nothing(address: Database) -> None:
    store = filled(address)
    before = store.read()

    def killed(_: tuple[Entry, ...]) -> dict[str, object]:
        die()
        return {}

    for _ in range(3):
        assert in_child(lambda: store.append(killed)) == "killed"
    assert store.read() == before
    assert store.append(lambda _: {"kind": "charged"}).number == len(before) + 1
    assert store.faults() == []


def test_a_founder_killed_leaves_no_ledger(address: Database) -> None:
    store = Store(address)

    def killed(_: tuple[Entry, ...]) -> dict[str, object]:
        die()
        return {}

    assert in_child(lambda: store.append(killed)) == "killed"
    assert not store.read()
    assert store.append(lambda _: {"kind": "charged"}).number == 2


def test_what_is_charged_survives_the_death_of_its_writer(address: Database) -> None:
    store = filled(address)

    def charge_and_die() -> None:
        store.append(lambda _: {"kind": "charged", "by": "the late"})
        die()

    assert in_child(charge_and_die) == "killed"
    assert store.read()[-1].body["by"] == "the late"
    assert store.faults() == []
