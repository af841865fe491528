"""Many processes charge one new ledger at once; what fits is fixed, and none may go beyond.

    python -m tests.ledger.hammer --processes 32 --charges 200 --database postgresql

All start together, on a ledger that has not begun. Half of the charges fit. A watcher verifies
the ledger all the while. At the end every receipt that was handed out must stand in the ledger.
"""

import argparse
import json
import multiprocessing
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from multiprocessing.connection import Connection
from pathlib import Path

import psycopg  # noqa: F401 - with the next two, loaded once and not by every process
import sqlalchemy.dialects.postgresql.psycopg
import sqlalchemy.dialects.sqlite.pysqlite  # noqa: F401
from tests.ledger.postgres import running_server

from dpwerm.errors import BudgetError
from dpwerm.privacy.ledger.database import Database
from dpwerm.privacy.ledger.entry import Entry
from dpwerm.privacy.ledger.store import Store, database_of

PROCESSES = 32
CHARGES = 4
LONGEST = 3600.0
"""Seconds after which processes that do not end are a deadlock."""

_FORK = multiprocessing.get_context("fork")  # after the imports, so that all start at once
_WATCH = 0.05  # seconds between two looks of the watcher

Report = tuple[list[tuple[int, str]], int, list[str]]
"""Entries that were written (number, hash), refusals, and what went wrong."""


@dataclass(frozen=True)
class Outcome:
    """What a run came to."""

    database: str
    processes: int
    tried: int
    limit: int
    written: int
    refused: int
    verified: int
    seconds: float
    wrong: list[str]


def hammer(address: Database, processes: int, charges: int) -> Outcome:
    """Charge a ledger that has not begun ``processes`` · ``charges`` times; half of it fits."""
    tried = processes * charges
    limit = tried // 2
    start = time.monotonic()
    together, over = _FORK.Barrier(processes + 1), _FORK.Event()

    def charge() -> Report:
        together.wait(LONGEST)
        return _charges(address, charges, limit)

    def watch() -> Report:
        together.wait(LONGEST)
        return _watch(address, over.is_set)

    watching = _started(watch)
    reports = [_ended(*child) for child in [_started(charge) for _ in range(processes)]]
    over.set()
    watched = _ended(*watching)
    entries = Store(address).read()
    standing = {(entry.number, entry.hash) for entry in entries}
    receipts = [receipt for report in reports for receipt in report[0]]
    wrong = [fault for report in [*reports, watched] for fault in report[2]]
    wrong += Store(address).faults()
    if len(set(receipts)) < len(receipts):
        wrong.append("two charges have one entry")
    if lost := set(receipts) - standing:
        wrong.append(f"{len(lost)} entries were lost")
    if unknown := len(entries) - 1 - len(receipts):
        wrong.append(f"{unknown} entries are nobody's")
    if len(receipts) > limit:
        wrong.append(f"{len(receipts) - limit} charges too many")
    return Outcome(
        database=address.kind,
        processes=processes,
        tried=tried,
        limit=limit,
        written=len(receipts),
        refused=sum(report[1] for report in reports),
        verified=watched[1],
        seconds=round(time.monotonic() - start, 1),
        wrong=wrong,
    )


def _charges(address: Database, charges: int, limit: int) -> Report:
    """Charge again and again; a refusal is an answer, anything else is a fault."""
    store = Store(address)
    written: list[tuple[int, str]] = []
    refused = 0
    wrong: list[str] = []

    def decide(entries: tuple[Entry, ...]) -> dict[str, object]:
        if sum(entry.body["kind"] == "charged" for entry in entries) >= limit:
            raise BudgetError("spent")
        return {"kind": "charged", "cost": "0.5"}

    for _ in range(charges):
        try:
            entry = store.append(decide)
        except BudgetError:
            refused += 1
        except Exception as error:  # noqa: BLE001 - told to the parent
            wrong.append(repr(error))
        else:
            written.append((entry.number, entry.hash))
    return written, refused, wrong


def _watch(address: Database, over: Callable[[], bool]) -> Report:
    """Verify the ledger until the others are done, and count how often."""
    store, times, wrong = Store(address), 0, list[str]()
    before: tuple[Entry, ...] = ()
    while not over():
        try:
            wrong += store.faults()
            entries = store.read()
        except Exception as error:  # noqa: BLE001 - told to the parent
            wrong.append(repr(error))
            break
        if entries[: len(before)] != before:
            wrong.append("an entry changed")
        before, times = entries, times + 1
        time.sleep(_WATCH)
    return [], times, wrong


def _started(work: Callable[[], Report]) -> tuple[multiprocessing.process.BaseProcess, Connection]:
    ours, theirs = _FORK.Pipe(duplex=False)
    process = _FORK.Process(target=lambda: theirs.send(work()), daemon=True)
    process.start()
    theirs.close()
    return process, ours


def _ended(process: multiprocessing.process.BaseProcess, pipe: Connection) -> Report:
    """Return what a process reports; one that is silent or does not end is a fault."""
    report: Report = ([], 0, ["a process did not end"])
    try:
        if pipe.poll(LONGEST):
            report = pipe.recv()
    except EOFError:
        report = ([], 0, ["a process died"])
    process.join(timeout=10)
    process.kill()
    return report


@contextmanager
def new_address(database: str) -> Iterator[Database]:
    """Give the place of a ledger that has not begun, on the database of that name."""
    if database == "sqlite":
        with tempfile.TemporaryDirectory() as folder:
            yield database_of("sqlite:///ledger.db", Path(folder))
    else:
        with running_server() as server:
            yield database_of(server.new_database(), None)


def main() -> int:
    """Run from the command line; 1 if anything went wrong."""
    warnings.filterwarnings("ignore", category=DeprecationWarning, message=".*fork.*")
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--processes", type=int, default=PROCESSES)
    parser.add_argument("--charges", type=int, default=CHARGES)
    parser.add_argument("--database", choices=["sqlite", "postgresql"], default="sqlite")
    options = parser.parse_args()
    with new_address(options.database) as address:
        outcome = hammer(address, options.processes, options.charges)
    print(json.dumps(asdict(outcome), indent=2))  # noqa: T201 - a command of its own
    return 1 if outcome.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
