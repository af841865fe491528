"""What a run has found so far: one line for each finished task, so that nothing is done twice.

The first line names the work, the library and its version; a journal of other work is started anew.
A line that was cut off by a crash or changed later is forgotten with all that follows it.
"""

import hashlib
import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from io import FileIO
from pathlib import Path
from typing import Any, TypeVar

from dpwerm.errors import DpwermError
from dpwerm.simulate.engine import run as engine
from dpwerm.simulate.engine.run import OnDone, unseen
from dpwerm.version import __version__

if sys.platform != "win32":
    import fcntl

FORMAT = "dpwerm-journal 2"
T = TypeVar("T")
R = TypeVar("R")


class JournalError(DpwermError):
    """A journal cannot be written: another run has it open, or there is no room."""


@dataclass
class Journal:
    """The results of one run by the keys of their tasks, on disk as they come.

    Parameters
    ----------
    path : Path, a file of JSON lines; its folder is made if need be
    work : str, what the tasks are about: a journal of other work is not read
    fresh : bool, whether to forget what the file holds
    """

    path: Path
    work: str
    fresh: bool = False
    found: dict[str, Any] = field(default_factory=dict, init=False)
    _file: FileIO | None = field(default=None, init=False, repr=False)

    @contextmanager
    def opened(self) -> Iterator["Journal"]:
        """Read what is there and keep the file open for more; one run at a time."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("ab+", buffering=0) as file:
            _lock(file, self.path.name)
            self._file = file
            try:
                self._read(file)
                yield self
            finally:
                self._file = None

    def write(self, key: str, result: Any) -> None:
        """Add a result; when this returns, it is on disk."""
        if self._file is None:
            raise JournalError(f"{self.path.name} is not open")
        self._add(self._file, {"task": key, "result": result, "digest": _digest(key, result)})
        self.found[key] = result

    @property
    def header(self) -> dict[str, str]:
        """The first line: a journal with another one holds nothing that can be used."""
        return {"format": FORMAT, "work": self.work, "library": f"dpwerm {__version__}"}

    def _read(self, file: FileIO) -> None:
        """Take what the file holds up to the first line that is not whole."""
        self.found = {}
        file.seek(0)
        first, *lines = file.readall().splitlines(keepends=True) or [b""]
        end = 0
        if not self.fresh and _parsed(first) == self.header:
            end = len(first)
            for line in lines:
                entry = _parsed(line)
                if entry is None or not _is_sound(entry):
                    break
                self.found[entry["task"]] = entry["result"]
                end += len(line)
        file.truncate(end)
        if end == 0:
            self._add(file, self.header)

    def _add(self, file: FileIO, entry: dict[str, Any]) -> None:
        """Append a line and wait until it is on disk, or leave the file as it was."""
        line = json.dumps(entry, separators=(",", ":")).encode("ascii") + b"\n"
        end = file.seek(0, os.SEEK_END)
        try:
            while line:
                line = line[file.write(line) :]
            os.fsync(file.fileno())
        except OSError as error:
            file.truncate(end)
            raise JournalError(f"{self.path} cannot be written: {error.strerror}") from None


def _parsed(line: bytes) -> dict[str, Any] | None:
    """Return the entry of a whole line, None if it is none."""
    try:
        entry = json.loads(line) if line.endswith(b"\n") else None
    except ValueError:
        return None
    return entry if isinstance(entry, dict) else None


def _digest(key: str, result: Any) -> str:
    """Return a short digest of a line, so that one that was changed is not taken for a result."""
    text = json.dumps([key, result], separators=(",", ":"))
    return hashlib.sha256(text.encode("ascii")).hexdigest()[:16]


def _is_sound(entry: dict[str, Any]) -> bool:
    """Whether an entry is a task with its result, as they were written."""
    if entry.keys() != {"task", "result", "digest"} or not isinstance(entry["task"], str):
        return False
    return bool(entry["digest"] == _digest(entry["task"], entry["result"]))


def _lock(file: FileIO, name: str) -> None:
    """Keep other runs out until the file is closed; not on Windows."""
    if sys.platform != "win32":
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise JournalError(f"another run is writing to {name}") from None


def key_of(task: Any) -> str:
    """Return the key of a task in a journal: all of its fields."""
    return json.dumps(asdict(task), sort_keys=True, separators=(",", ":"))


def run(
    work: Callable[[T], R],
    tasks: Sequence[T],
    *,
    workers: int | None = None,
    journal: Journal | None = None,
    on_done: OnDone = unseen,
) -> list[R]:
    """Return the result of every task, as the engine does; with a journal none is done twice.

    Fields of tasks are then plain, and so are results: numbers, texts, lists, dicts. ``on_done`` is
    called first with what the journal holds, then after each task.
    """
    if journal is None:
        return engine.run(work, tasks, workers=workers, on_done=on_done)
    with journal.opened():
        keys = [key_of(task) for task in tasks]
        todo = {key: one for key, one in zip(keys, tasks, strict=True) if key not in journal.found}
        names, before = list(todo), len(tasks) - len(todo)
        engine.run(
            work,
            list(todo.values()),
            workers=workers,
            on_done=lambda done, _: on_done(before + done, len(tasks)),
            on_result=lambda place, result: journal.write(names[place], result),
        )
        return [journal.found[key] for key in keys]
