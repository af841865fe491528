"""Tasks over processors: one answer for any number of workers, nothing lost, nothing twice."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.unit.simulate.engine.sums import Sum, add, fail_at_three, killed

from dpwerm.errors import ParameterError
from dpwerm.simulate.engine.journal import Journal
from dpwerm.simulate.engine.run import RunError, run


def test_results_do_not_depend_on_the_number_of_workers() -> None:
    tasks = [Sum(seed) for seed in range(7)]
    alone = run(add, tasks, workers=1)
    assert alone == run(add, tasks, workers=2) == run(add, tasks, workers=3)
    assert alone == [add(task) for task in tasks]


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


def test_no_workers_are_an_error() -> None:
    with pytest.raises(ParameterError, match="workers"):
        run(add, [Sum(1)], workers=0)


def test_no_tasks_have_no_results() -> None:
    assert run(add, []) == []


SCRIPT = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from tests.unit.simulate.engine import sums
from dpwerm.simulate.engine.journal import Journal
from dpwerm.simulate.engine.run import run
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
    here = str(Path(__file__).parents[4])
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
    here = str(Path(__file__).parents[4])
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
