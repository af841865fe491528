"""A journal keeps whole lines of its own work: nothing is lost, nothing is done twice."""

import errno
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.unit.simulate.engine.sums import Sum, add, fail_at_three, killed

from dpwerm.errors import ParameterError
from dpwerm.simulate.engine.run import RunError
from reproduction.journal import Journal, JournalError, key_of, run


def test_other_work_and_other_fields_are_not_taken(tmp_path: Path) -> None:
    path = tmp_path / "sums.jsonl"
    run(add, [Sum(1)], workers=1, journal=Journal(path, "sums"))
    (other,) = run(add, [Sum(1, count=3)], workers=1, journal=Journal(path, "sums"))
    assert other == add(Sum(1, count=3))
    assert set(Journal(path, "sums").opened().__enter__().found) == {
        key_of(Sum(1)),
        key_of(Sum(1, count=3)),
    }
    with Journal(path, "products").opened() as journal:
        assert journal.found == {}


@pytest.mark.parametrize("cut", [1, 5, 30])
def test_a_line_that_was_cut_off_is_done_again(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "sums.jsonl"
    tasks = [Sum(seed) for seed in range(3)]
    whole = run(add, tasks, workers=1, journal=Journal(path, "sums"))
    content = path.read_bytes()
    path.write_bytes(content[:-cut])
    with Journal(path, "sums").opened() as journal:
        assert len(journal.found) == 2
    assert run(add, tasks, workers=1, journal=Journal(path, "sums")) == whole
    assert path.read_bytes() == content


def test_what_follows_a_bad_line_is_forgotten(tmp_path: Path) -> None:
    path = tmp_path / "sums.jsonl"
    tasks = [Sum(seed) for seed in range(4)]
    whole = run(add, tasks, workers=1, journal=Journal(path, "sums"))
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:2], b'{"task": 3}\n', *lines[3:]]))
    with Journal(path, "sums").opened() as journal:
        assert len(journal.found) == 1
    assert run(add, tasks, workers=1, journal=Journal(path, "sums")) == whole


def test_a_journal_has_one_writer(tmp_path: Path) -> None:
    path = tmp_path / "sums.jsonl"
    with (
        Journal(path, "sums").opened(),
        pytest.raises(JournalError, match="another run"),
        Journal(path, "sums").opened(),
    ):
        pass
    with pytest.raises(JournalError, match="not open"):
        Journal(path, "sums").write("key", 1.0)


@pytest.mark.parametrize(
    "change",
    [
        lambda line: line.replace(b'"result":', b'"result":1'),
        lambda line: line.replace(b'"task":"', b'"task":["x"],"was":"'),
        lambda line: b'{"task":["x"],"result":1,"digest":""}\n',
        lambda line: b"[1, 2]\n",
    ],
    ids=["result", "task", "shape", "list"],
)
def test_a_line_that_was_changed_is_done_again(
    tmp_path: Path, change: Callable[[bytes], bytes]
) -> None:
    path = tmp_path / "sums.jsonl"
    tasks = [Sum(seed) for seed in range(3)]
    whole = run(add, tasks, workers=1, journal=Journal(path, "sums"))
    *lines, last = path.read_bytes().splitlines(keepends=True)
    assert change(last) != last
    path.write_bytes(b"".join([*lines, change(last)]))
    with Journal(path, "sums").opened() as journal:
        assert len(journal.found) == 2
    assert run(add, tasks, workers=1, journal=Journal(path, "sums")) == whole


def test_a_full_disk_leaves_whole_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "sums.jsonl"
    run(add, [Sum(1)], workers=1, journal=Journal(path, "sums"))
    before = path.read_bytes()

    def full(_descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(JournalError, match="cannot be written: No space left on device"):
        run(add, [Sum(1), Sum(2)], workers=1, journal=Journal(path, "sums"))
    assert path.read_bytes() == before


def test_a_second_run_does_nothing_again(tmp_path: Path) -> None:
    note, path = tmp_path / "note", tmp_path / "sub" / "sums.jsonl"
    tasks = [Sum(seed, note=str(note)) for seed in range(5)]
    first = run(add, tasks[:3], workers=1, journal=Journal(path, "sums"))
    seen: list[tuple[int, int]] = []
    second = run(
        add,
        tasks,
        workers=2,
        journal=Journal(path, "sums"),
        on_done=lambda done, total: seen.append((done, total)),
    )
    assert second[:3] == first
    assert sorted(note.read_text(encoding="utf-8").split()) == list("01234")
    assert seen == [(3, 5), (4, 5), (5, 5)]
    run(add, tasks[:1], workers=1, journal=Journal(path, "sums", fresh=True))
    assert note.read_text(encoding="utf-8").split().count("0") == 2


@pytest.mark.parametrize("workers", [1, 2])
def test_a_fault_of_the_work_is_told_and_the_rest_is_kept(tmp_path: Path, workers: int) -> None:
    path = tmp_path / "sums.jsonl"
    tasks = [Sum(seed) for seed in (1, 2, 3)]
    run(add, tasks[:2], workers=1, journal=Journal(path, "sums"))
    with pytest.raises(ParameterError, match="three"):
        run(fail_at_three, tasks, workers=workers, journal=Journal(path, "sums"))
    with Journal(path, "sums").opened() as journal:
        assert len(journal.found) == 2


def test_a_process_that_is_killed_ends_the_run_in_words(tmp_path: Path) -> None:
    tasks = [Sum(seed) for seed in range(3)]
    with pytest.raises(RunError, match="ended from outside, perhaps for lack of memory"):
        run(killed, tasks, workers=2, journal=Journal(tmp_path / "sums.jsonl", "sums"))
    found = run(add, tasks, workers=2, journal=Journal(tmp_path / "sums.jsonl", "sums"))
    assert found == [add(task) for task in tasks]


SCRIPT = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from tests.unit.simulate.engine import sums
from reproduction.journal import Journal, run
if __name__ == "__main__":
    tasks = [sums.Sum(seed, note=sys.argv[3]) for seed in range(12)]
    work = getattr(sums, sys.argv[5])
    run(work, tasks, workers=int(sys.argv[4]), journal=Journal(Path(sys.argv[2]), "sums"))
"""


def started(
    tmp_path: Path, workers: int, work: str = "slow"
) -> tuple["subprocess.Popen[bytes]", Path, Path]:
    """Return a run of twelve tasks in another process once it has two results."""
    script, path, note = tmp_path / "script.py", tmp_path / "sums.jsonl", tmp_path / "note"
    script.write_text(SCRIPT, encoding="utf-8")
    here = str(Path(__file__).parents[2])
    command = [sys.executable, str(script), here, str(path), str(note), str(workers), work]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    while process.poll() is None and (
        not path.exists() or path.read_bytes().count(b"\n") < 3  # the header and two results
    ):
        time.sleep(0.01)
    return process, path, note


@pytest.mark.parametrize("workers", [1, 2])
def test_a_killed_run_goes_on_where_it_stopped(tmp_path: Path, workers: int) -> None:
    process, path, note = started(tmp_path, workers)
    process.kill()
    process.wait()
    kept = path.read_bytes().splitlines(keepends=True)
    finished = [json.loads(line)["task"] for line in kept[1:] if line.endswith(b"\n")]
    assert 2 <= len(finished) < 12
    time.sleep(0.5)  # workers of a killed run leave with it
    assert path.read_bytes() == b"".join(kept)
    before = note.read_text(encoding="utf-8").split()
    tasks = [Sum(seed, note=str(note)) for seed in range(12)]
    found = run(add, tasks, workers=2, journal=Journal(path, "sums"))
    assert found == [add(Sum(seed)) for seed in range(12)]
    again = note.read_text(encoding="utf-8").split()[len(before) :]
    assert len(again) == 12 - len(finished)
    assert not {json.loads(key)["seed"] for key in finished} & set(map(int, again))


@pytest.mark.parametrize("workers", [1, 2])
def test_an_interrupt_keeps_what_is_under_way(tmp_path: Path, workers: int) -> None:
    process, path, note = started(tmp_path, workers)
    os.kill(process.pid, signal.SIGINT)
    assert process.wait() != 0
    with Journal(path, "sums").opened() as journal:
        finished = {json.loads(key)["seed"] for key in journal.found}
    assert 2 <= len(finished) < 12
    assert finished == set(map(int, note.read_text(encoding="utf-8").split()))


@pytest.mark.parametrize("workers", [1, 2])
def test_a_second_interrupt_does_not_wait(tmp_path: Path, workers: int) -> None:
    process, path, note = started(tmp_path, workers, "stuck")
    os.kill(process.pid, signal.SIGINT)
    while process.poll() is None:
        time.sleep(0.2)
        os.kill(process.pid, signal.SIGINT)
    assert process.wait() != 0
    with Journal(path, "sums").opened() as journal:
        assert len(journal.found) == 2
    assert sorted(note.read_text(encoding="utf-8").split()) == ["0", "1"]


def test_an_interrupt_while_processes_start_is_heard_afterwards(tmp_path: Path) -> None:
    script, path = tmp_path / "script.py", tmp_path / "sums.jsonl"
    script.write_text(SCRIPT, encoding="utf-8")
    here = str(Path(__file__).parents[2])
    command = [sys.executable, str(script), here, str(path), str(tmp_path / "note"), "2", "slow"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, start_new_session=True)
    while not path.exists():
        time.sleep(0.005)
    time.sleep(0.05)
    os.killpg(process.pid, signal.SIGINT)
    _, told = process.communicate()
    assert process.returncode != 0
    assert b"forkserver" not in told
    with Journal(path, "sums").opened() as journal:
        assert len(journal.found) < 12
