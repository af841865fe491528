"""A journal keeps whole lines of its own work, and has one writer."""

import errno
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.unit.simulate.engine.sums import Sum, add

from dpwerm.simulate.engine.journal import Journal, JournalError
from dpwerm.simulate.engine.run import key_of, run


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
