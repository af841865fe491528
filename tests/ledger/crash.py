"""Kill −9 in the middle of real fits: whatever was released is charged, and nothing is lost.

    python -m tests.ledger.crash --times 10000

One warm process forks a child for each fit. A child dies after a random delay spread over the
whole fit, or at a named stage, or while the ledger's transaction is open. Then the ledger must
open and verify, no entry may be missing, and every rule file must have its charge.
"""

import argparse
import gc
import json
import os
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from tests.bad_input.base import STUDY, sound_table

from dpwerm.estimators.treatment_rule import PrivateTreatmentRule
from dpwerm.privacy.ledger.account import Account
from dpwerm.privacy.ledger.entry import Entry
from dpwerm.privacy.ledger.store import Store, database_of
from dpwerm.releases.rule_file import read_rule, write_rule
from dpwerm.study.study import Study

PER_FOLDER = 25
"""Fits into one ledger; every charge reads all of it, so the next ones get a new one."""

LONGEST = 60.0
"""Seconds after which a child that does not end is a deadlock."""

MEMORY = Path("/dev/shm")  # noqa: S108 - a killed process loses nothing that the system holds
NEVER = -1
STEPS = 7
"""Stages of a fit at which a child can die: those that are told, and two of ours at the end."""

POINTS = ("before the charge", "charged", "attached", "written")


class LostError(AssertionError):
    """A release without its charge, a lost entry, or a ledger that does not verify."""


@dataclass
class Place:
    """A folder with a study, a table, a ledger and the rules so far."""

    folder: Path
    entries: tuple[Entry, ...] = ()
    rules: list[Path] = field(default_factory=list)
    spent: Decimal = Decimal(0)
    """What the rule files that exist cost together."""

    def __post_init__(self) -> None:
        text = STUDY.replace("epsilon = 2", "epsilon = 1000")
        self.study.write_text(text, encoding="utf-8")
        (self.folder / "trial.csv").write_bytes(sound_table().to_bytes())

    @property
    def study(self) -> Path:
        """The study file."""
        return self.folder / "study.toml"

    @property
    def journal(self) -> Path:
        """What is there while a transaction of SQLite is open."""
        return self.folder / "ledger.db-journal"

    @property
    def store(self) -> Store:
        """The ledger, past all accounts."""
        return Store(database_of("sqlite:///ledger.db", self.folder))

    def fit(self, number: int, on_stage: Callable[[str], None]) -> None:
        """Fit and write a rule as a user does; the cost differs from fit to fit."""
        rule = PrivateTreatmentRule.from_study(Study.load(self.study), cost_of(number))
        rule.fit(self.folder / "trial.csv", on_stage=on_stage)
        on_stage("fitted")
        write_rule(rule.rule_, self.rule(number))
        on_stage("written")

    def rule(self, number: int) -> Path:
        """Return the file of one fit."""
        return self.folder / f"rule-{number}.json"

    def look(self, number: int) -> str:
        """Check everything after one fit was killed, and return how far it got."""
        before, store = self.entries, self.store
        faults = store.faults()
        must(not faults, f"the ledger does not verify: {faults}")
        book = store.book()
        self.entries = book.entries
        must(self.entries[: len(before)] == before, "an entry was lost or changed")
        new = [one.number for one in self.entries[len(before) :] if one.body["kind"] == "charged"]
        file, charged = self.rule(number), len(new)
        attached = len(book.releases.keys() & set(new))
        must(charged <= 1, "one fit was charged twice")
        if file.exists():
            self.find_charge(file, number)
        account = Account.of(self.entries, "small-trial")
        spent = Fraction(0) if account is None else account.spent().epsilon
        must(spent >= Fraction(self.spent), "less was charged than released")
        return POINTS[3 if file.exists() else charged + attached]

    def find_charge(self, file: Path, number: int) -> None:
        """Check that a rule file verifies and names a charge of its own with its whole cost."""
        rule = read_rule(file)
        must(rule.private, "a rule is not private")
        paid = json.loads(file.read_text(encoding="utf-8"))["certificate"]["ledger"]
        must(isinstance(paid, dict), "a rule names no charge")
        charge = next((one for one in self.entries if one.number == paid["entry"]), None)
        must(charge is not None and charge.hash == paid["hash"], "a rule without its charge")
        body: dict[str, Any] = {} if charge is None else dict(charge.body)
        must(body["kind"] == "charged", "a rule names an entry that is no charge")
        must(body["cost"] == rule.budget.plain(), "a charge has another cost than its rule")
        must(body["cost"]["epsilon"] == cost_of(number), "a charge of another fit")
        must(file not in self.rules, "a rule was written twice")
        self.rules.append(file)
        self.spent += Decimal(cost_of(number))


def cost_of(number: int) -> str:
    """Return the ε of a fit, in tenths."""
    return str(Decimal(1 + number % 7) / 10)


def must(holds: bool, words: str) -> None:
    """Raise unless something holds."""
    if not holds:
        raise LostError(words)


def child(place: Place, number: int, at: int) -> NoReturn:
    """Fit in a process of its own that kills itself at its stage ``at``, and never return."""
    seen = 0

    def on_stage(_: str) -> None:
        nonlocal seen
        if seen == at:
            os.kill(os.getpid(), signal.SIGKILL)
        seen += 1

    try:
        place.fit(number, on_stage)
    except BaseException:  # noqa: BLE001 - a child that fails ends here, whatever it was
        traceback.print_exc()
        sys.stderr.flush()
        os._exit(1)
    os._exit(0)


def start(place: Place, number: int, at: int = NEVER) -> int:
    """Return the process id of a new child."""
    sys.stdout.flush()
    pid = os.fork()
    if pid == 0:
        child(place, number, at)
    return pid


def end(pid: int) -> float:
    """Wait until a child has ended, by itself or killed, and return how long that took."""
    began = time.monotonic()
    while True:
        found, status = os.waitpid(pid, os.WNOHANG)
        if found:
            killed = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL
            must(killed or status == 0, f"a child failed with status {status}")
            return time.monotonic() - began
        if time.monotonic() - began > LONGEST:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            raise LostError("a child did not end")
        time.sleep(0.0005)


def crash(place: Place, number: int, lasting: float, rng: np.random.Generator) -> str:
    """Kill one fit somewhere, check what is left, and return how far it got."""
    way = number % 3
    if way == 0:
        pid = start(place, number, at=number // 3 % STEPS)
    else:
        pid = start(place, number)
        if way == 1:
            time.sleep(float(rng.uniform(0, 1.1 * lasting)))
        else:
            await_commit(place, pid, which=int(rng.integers(2)))
            time.sleep(float(rng.uniform(0, 0.002)))
        os.kill(pid, signal.SIGKILL)
    end(pid)
    return place.look(number)


def await_commit(place: Place, pid: int, which: int) -> None:
    """Return when the first transaction is open, or the next one, or when the child has ended."""
    last = time.monotonic() + LONGEST
    for there in (True, False, True) if which else (True,):
        while place.journal.exists() != there and time.monotonic() < last:
            if os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT):
                return
            time.sleep(0.0001)


def duration(place: Place) -> float:
    """Return how long a fit in a child takes, after one in this process that loads everything."""
    place.fit(0, lambda _: None)
    place.look(0)
    lasting = []
    for number in range(1, 4):
        lasting.append(end(start(place, number)))
        must(place.look(number) == "written", "a fit that nobody killed was not written")
    return float(np.median(lasting))


def run(times: int, seed: int, tell: Callable[[int, Counter[str]], None]) -> Counter[str]:
    """Kill fits and return how many got how far; raises at the first thing that is lost."""
    rng, counts = np.random.default_rng(seed), Counter[str]()
    # Since Python 3.12 a fork beside idle threads of a library warns; no lock is held by them.
    warnings.filterwarnings("ignore", category=DeprecationWarning, message=".*fork.*")
    lasting = 0.0
    for first in range(0, times, PER_FOLDER):
        with tempfile.TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else None) as folder:
            place = Place(Path(folder))
            lasting = lasting or duration(place)
            gc.freeze()  # so that children share what is loaded
            for number in range(first, min(first + PER_FOLDER, times)):
                counts[crash(place, 10 + number, lasting, rng)] += 1
        tell(min(first + PER_FOLDER, times), counts)
    return counts


def main(arguments: list[str] | None = None) -> None:
    """Run from the command line, with progress."""
    parser = argparse.ArgumentParser(prog="python -m tests.ledger.crash")
    parser.add_argument("--times", type=int, default=200)
    parser.add_argument("--seed", type=int, default=6)
    asked = parser.parse_args(arguments)

    def tell(done: int, counts: Counter[str]) -> None:
        said = ", ".join(f"{point} {counts[point]}" for point in POINTS)
        sys.stderr.write(f"{done} of {asked.times}: {said}\n")

    counts = run(asked.times, asked.seed, tell)
    sys.stdout.write(json.dumps({point: counts[point] for point in POINTS}) + "\n")


if __name__ == "__main__":
    main()
