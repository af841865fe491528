"""The files of releases: how they are read from strangers, digested, and written in one step.

Python's reader of JSON accepts NaN, duplicate keys, huge numbers and deep nesting. Here each is a
fault that says what is wrong. Names and texts of a file must stay in their line wherever a report
or a command prints them. The digest is SHA-256 over the canonical JSON of everything else.
"""

import contextlib
import errno
import hashlib
import json
import os
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NoReturn

from dpwerm.errors import Fault, RuleFileError
from dpwerm.faults import MOST_FAULTS, shown
from dpwerm.study.values import BROKEN
from dpwerm.text import stays_in_line

LARGEST_FILE = 20_000_000


class _RefusedError(ValueError):
    """Raised inside the parser with the problem, and perhaps the remedy, of a fault."""


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise _RefusedError("a key appears twice")
    return found


def _no_constant(name: str) -> NoReturn:
    raise _RefusedError(f"{name} is not allowed")


def _integer(text: str) -> int:
    if len(text) > 42 or abs(int(text)) > 10**40:
        raise _RefusedError("a number is too large")
    return int(text)


def _decimal(text: str) -> float:
    number = float(text)
    if abs(number) > 1e300:
        raise _RefusedError("a number is too large")
    return number


def _is_deep(content: object) -> bool:
    """Whether lists and objects are nested deeper than 20, more than any rule file needs."""
    level = [content]
    for _ in range(20):
        inner = [value for value in level if isinstance(value, (list, dict))]
        if not inner:
            return False
        level = [
            one for value in inner for one in (value.values() if isinstance(value, dict) else value)
        ]
    return True


def read_json(path: Path) -> dict[str, Any]:
    """Return the object in a JSON file, or say why it is none."""
    where = path.name or str(path)
    try:
        return _object(path)
    except OSError as error:
        fault = Fault(where, f"cannot be read ({error.strerror})", "check the path")
    except _RefusedError as refused:
        fault = Fault(where, *refused.args)
    except UnicodeDecodeError:
        fault = Fault(where, "is not UTF-8 text")
    except UnicodeEncodeError:
        fault = Fault(where, "has half a character in a text")
    except json.JSONDecodeError as error:
        fault = Fault(f"{where} line {error.lineno}", "is not JSON", "it may be cut off")
    except RecursionError:
        fault = Fault(where, "is nested too deeply")
    raise RuleFileError(where, [fault])


def _object(path: Path) -> dict[str, Any]:
    if path.is_dir():
        raise _RefusedError("is a folder", "give the path of a JSON file")
    with path.open("rb") as stream:
        raw = stream.read(LARGEST_FILE + 1)
    if len(raw) > LARGEST_FILE:
        raise _RefusedError(f"larger than {LARGEST_FILE} bytes")
    content = json.loads(
        raw.decode("utf-8"),
        object_pairs_hook=_unique,
        parse_constant=_no_constant,
        parse_int=_integer,
        parse_float=_decimal,
    )
    if _is_deep(content):
        raise _RefusedError("is nested too deeply")
    if not isinstance(content, dict):
        raise _RefusedError("is not a JSON object")
    json.dumps(content, ensure_ascii=False).encode()
    return content


def file_bytes(path: Path, most: int) -> bytes:
    """Return the content of a regular file of at most ``most`` bytes, or raise ``OSError``.

    A pipe is not waited for and a device not read: anybody may have put it in the file's place.
    """

    def at_once(name: str, flags: int) -> int:
        return os.open(name, flags | getattr(os, "O_NONBLOCK", 0))

    with open(path, "rb", opener=at_once) as stream:
        if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
            raise OSError(errno.EINVAL, "not a file")
        raw = stream.read(most + 1)
    if len(raw) > most:
        raise OSError(errno.EFBIG, "too large")
    return raw


def digest_of(content: Mapping[str, Any]) -> str:
    """Return the digest of plain content, its own digest left out."""
    rest = {key: value for key, value in content.items() if key != "digest"}
    text = json.dumps(rest, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return "sha256:" + hashlib.sha256(text.encode("ascii")).hexdigest()


def temporary_beside(path: Path) -> Path:
    """Return the name of the file that becomes ``path`` once it is complete."""
    return path.with_name(f"{path.name}.{os.getpid()}.part")


def write_json(content: Mapping[str, Any], path: Path, *, replace: bool = True) -> None:
    """Write plain content as indented JSON, where NaN is an error, or leave all as it was."""
    text = json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False)
    write_bytes(f"{text}\n".encode(), path, replace=replace)


def write_text(text: str, path: Path) -> None:
    """Write a text in UTF-8, or leave everything as it was."""
    write_bytes(text.encode(), path)


def write_bytes(content: bytes, path: Path, *, replace: bool = True) -> None:
    """Write bytes durably, or leave everything as it was.

    They are put into a file of their own beside ``path``, which it then becomes. Once this returns
    they are on the disk, as far as the operating system can tell. Without ``replace`` a name that
    is taken by then raises FileExistsError, whoever took it.
    """
    temporary = temporary_beside(path)
    with temporary.open("xb") as file:
        try:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
            file.close()
            if replace:
                temporary.replace(path)
            else:
                _rename(temporary, path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
    # The name of a new file is made durable where the operating system offers that for folders.
    with contextlib.suppress(OSError):
        handle = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _rename(temporary: Path, path: Path) -> None:
    """Give a file its name in one step, or raise FileExistsError if anything has that name."""
    try:
        path.hardlink_to(temporary)
    except FileExistsError:
        raise
    except OSError:
        # A file system without links: the name is looked at first.
        if path.exists() or path.is_symlink():
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path)) from None
        temporary.replace(path)
    else:
        temporary.unlink()


# -- names from strangers' files -------------------------------------------------------------
# The columns of a table and the texts of its cells are what the table says; they may hold line
# breaks, and whoever prints them escapes them.

_Path = tuple[str | int, ...]
_BLOCK = ("encoding", "blocks", int)
_TABLE = (
    (*_BLOCK, "column"),
    (*_BLOCK, "levels", int, "cells", int),
    ("treatment", "column"),
    ("treatment", "propensity"),
    ("treatment", "propensity", "column"),
    ("benefit", "column"),
)
"""Where a file repeats what a table says; int stands for any position in a list."""

TABLE_TEXTS = frozenset([*_TABLE, *(("propensity", *path) for path in _TABLE[:2])])


def refuse_broken_lines(content: dict[str, Any], where: str) -> None:
    """Raise if a name or a text of a file could be taken for several lines, or cover others."""
    found = dict.fromkeys(_words(path) for path in _broken(content, ()))
    faults = [Fault(place, BROKEN, "fit or evaluate again") for place in list(found)[:MOST_FAULTS]]
    if faults:
        raise RuleFileError(where, faults)


def _broken(value: object, path: _Path) -> Iterator[_Path]:
    """Yield where a text, or the key of one, does not stay in its line."""
    if isinstance(value, str) and not stays_in_line(value):
        if tuple(int if isinstance(one, int) else one for one in path) not in TABLE_TEXTS:
            yield path
    elif isinstance(value, dict):
        for key, inner in value.items():
            if not stays_in_line(key):
                yield (*path, key)
            yield from _broken(inner, (*path, key))
    elif isinstance(value, list):
        for position, inner in enumerate(value):
            yield from _broken(inner, (*path, position))


def _words(path: _Path) -> str:
    return ".".join(f"[{one}]" if isinstance(one, int) else shown(one)[1:-1] for one in path)
