"""Files for strangers: written in one step, so that no half-written one is ever seen."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def temporary_beside(path: Path) -> Path:
    """Return the name of the file that becomes ``path`` once it is complete."""
    return path.with_name(f"{path.name}.{os.getpid()}.part")


def write_json(content: Mapping[str, Any], path: Path) -> None:
    """Write plain content as indented JSON, or leave everything as it was.

    NaN and infinity, which JSON does not have, are errors.
    """
    write_text(json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n", path)


def write_text(text: str, path: Path) -> None:
    """Write a text in UTF-8, or leave everything as it was."""
    write_bytes(text.encode(), path)


def write_bytes(content: bytes, path: Path) -> None:
    """Write bytes, or leave everything as it was.

    They are put into a file of their own beside ``path``, which it then becomes.
    """
    temporary = temporary_beside(path)
    with temporary.open("xb") as file:
        try:
            file.write(content)
            file.close()
            temporary.replace(path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
