"""A fit that is killed anywhere leaves its charge, a ledger that verifies, and nothing else."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.ledger.crash import POINTS, LostError, Place, cost_of

TIMES = 120
ROOT = Path(__file__).parents[2]


def test_kill_9_anywhere_in_a_fit() -> None:
    """In a process of its own: one that has no threads but the libraries' may fork."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.ledger.crash", "--times", str(TIMES)],
        cwd=ROOT,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    counts = json.loads(done.stdout)
    assert sum(counts.values()) == TIMES
    assert all(counts[point] > 0 for point in POINTS), counts


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """Return a folder in which one fit was made and looked at."""
    found = Place(tmp_path)
    found.fit(0, lambda _: None)
    assert found.look(0) == "written"
    return found


def test_a_fit_that_nobody_kills_is_written_and_attached(place: Place) -> None:
    assert [entry.body["kind"] for entry in place.entries] == ["started", "opened", "charged"]
    assert list(place.store.book().releases) == [3]
    assert str(place.spent) == cost_of(0)
    assert place.look(1) == "before the charge"


def test_a_rule_without_its_charge_would_be_noticed(place: Place) -> None:
    text = place.rule(0).read_text(encoding="utf-8")
    place.rule(1).write_text(text, encoding="utf-8")
    with pytest.raises(LostError, match="a charge of another fit"):
        place.look(1)


def test_a_ledger_that_lost_its_charges_would_be_noticed(place: Place) -> None:
    (place.folder / "ledger.db").unlink()
    with pytest.raises(LostError, match="an entry was lost or changed"):
        place.look(1)


def test_a_ledger_that_never_had_the_charge_would_be_noticed(place: Place) -> None:
    (place.folder / "ledger.db").unlink()
    place.entries = ()
    with pytest.raises(LostError, match="a rule without its charge"):
        place.look(0)


def test_a_second_charge_for_one_fit_would_be_noticed(place: Place) -> None:
    place.fit(1, lambda _: None)
    place.fit(2, lambda _: None)
    with pytest.raises(LostError, match="charged twice"):
        place.look(2)
