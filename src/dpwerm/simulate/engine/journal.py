"""What a run has found so far: one line for each finished task, so that nothing is done twice.

The first line names the work, the library and its version; a journal of other work is started anew.
A line that was cut off by a crash is forgotten with all that follows it, and so is its task.
"""

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from dpwerm.errors import DpwermError
from dpwerm.version import __version__

if sys.platform != "win32":
    import fcntl

FORMAT = "dpwerm-journal 1"


class JournalError(DpwermError):
    """A journal cannot be used: another run is writing to it."""


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
    _file: IO[bytes] | None = field(default=None, init=False, repr=False)

    @contextmanager
    def opened(self) -> Iterator["Journal"]:
        """Read what is there and keep the file open for more; one run at a time."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("ab+") as file:
            _lock(file, self.path.name)
            self._file = file
            self._read()
            try:
                yield self
            finally:
                self._file = None

    def write(self, key: str, result: Any) -> None:
        """Add a result; when this returns, it is on disk."""
        if self._file is None:
            raise JournalError(f"{self.path.name} is not open")
        self._add({"task": key, "result": result})
        self.found[key] = result

    @property
    def header(self) -> dict[str, str]:
        """The first line: a journal with another one holds nothing that can be used."""
        return {"format": FORMAT, "work": self.work, "library": f"dpwerm {__version__}"}

    def _read(self) -> None:
        """Take what the file holds up to the first line that is not whole."""
        file = self._file
        assert file is not None  # noqa: S101 - only called while the file is open
        self.found = {}
        file.seek(0)
        end = 0
        if not self.fresh and _parsed(file.readline()) == self.header:
            end = file.tell()
            for line in file:
                entry = _parsed(line)
                if entry is None or entry.keys() != {"task", "result"}:
                    break
                self.found[entry["task"]] = entry["result"]
                end += len(line)
        file.truncate(end)
        if end == 0:
            self._add(self.header)

    def _add(self, entry: dict[str, Any]) -> None:
        file = self._file
        assert file is not None  # noqa: S101 - only called while the file is open
        file.write(json.dumps(entry, separators=(",", ":")).encode("ascii") + b"\n")
        file.flush()
        os.fsync(file.fileno())


def _parsed(line: bytes) -> dict[str, Any] | None:
    """Return the entry of a whole line, None if it is none."""
    try:
        entry = json.loads(line) if line.endswith(b"\n") else None
    except ValueError:
        return None
    return entry if isinstance(entry, dict) else None


def _lock(file: IO[bytes], name: str) -> None:
    """Keep other runs out until the file is closed; not on Windows."""
    if sys.platform != "win32":
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise JournalError(f"another run is writing to {name}") from None
