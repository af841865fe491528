"""Answers kept in the user's cache folder: public settings under the digest of a public question.

A file that cannot be read is as good as none, and a folder that cannot be written is no fault: the
answer is then found again. ``DPWERM_CACHE`` names another folder.
"""

import json
import os
import sys
from pathlib import Path
from tempfile import NamedTemporaryFile

from pydantic import TypeAdapter

from dpwerm.choose.choice import Choice

_LARGEST_FILE = 100_000
_CHOICE = TypeAdapter(Choice)


def folder() -> Path:
    """Return the folder of kept answers."""
    if named := os.environ.get("DPWERM_CACHE"):
        return Path(named)
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA", str(Path.home() / "AppData" / "Local")))
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME", str(Path.home() / ".cache")))
    return base / "dpwerm"


def kept(key: str) -> Choice | None:
    """Return the answer kept under a key, None if there is none of the right form."""
    try:
        path = folder() / f"{key}.json"
        if path.stat().st_size > _LARGEST_FILE:
            return None
        return _CHOICE.validate_json(path.read_bytes(), strict=True)
    except (OSError, ValueError, RuntimeError):
        return None


def keep(key: str, choice: Choice) -> None:
    """Keep an answer, in one step so that no half-written file is ever read."""
    try:
        place = folder()
        place.mkdir(parents=True, exist_ok=True)
        with NamedTemporaryFile(
            "w", encoding="utf-8", dir=place, suffix=".part", delete=False
        ) as part:
            part.write(json.dumps(choice.plain(), indent=2))
        _move(Path(part.name), place / f"{key}.json")
    except (OSError, RuntimeError):
        return


def _move(part: Path, path: Path) -> None:
    try:
        part.replace(path)
    except OSError:
        part.unlink(missing_ok=True)
