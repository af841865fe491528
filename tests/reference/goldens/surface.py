"""The public surface that goldens go through: commands, estimators, and files as JSON text.

Nothing inside the package is imported but the command line's ``main``: what stands behind these
names may move as it likes.
"""

import contextlib
import csv
import hashlib
import io
import json
import re
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tests.said import Said

import dpwerm
from dpwerm.cli.main import main

Content = dict[str, Any]
LIBRARY = f"dpwerm {dpwerm.__version__}"
BYTES = "bytes"
_HASH = re.compile(r"sha256:[0-9a-f]{64}")
_DAY = re.compile(r"\b\d{4}-\d\d-\d\d\b")


def plain(said: Said) -> Content:
    """Return what a command said as plain values."""
    return {"code": said.code, "out": said.out.splitlines(), "err": said.err.splitlines()}


def command(folder: Path, *arguments: object) -> Said:
    """Run one command in a folder, so that no path of a machine is printed."""
    out, err = io.StringIO(), io.StringIO()
    with (
        contextlib.chdir(folder),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        code = main([str(one) for one in arguments])
    return Said(code, out.getvalue(), err.getvalue())


def done(folder: Path, *arguments: object) -> Said:
    """Run a command that must succeed."""
    said = command(folder, *arguments)
    if said.code != 0:
        raise AssertionError(f"{arguments}: exit {said.code}\n{said.out}\n{said.err}")
    return said


def content_in(path: Path) -> Content:
    """Return the content of a rule or value file, its digest checked and the version masked.

    The digest is SHA-256 over canonical JSON of the rest, as docs/rule-file.md says. ``BYTES`` is
    the beginning of another one, of the file as it is but for version and digests.
    """
    raw = path.read_bytes().decode()
    content: Content = json.loads(raw)
    claimed = content.pop("digest")
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    if claimed != "sha256:" + hashlib.sha256(text.encode()).hexdigest():
        raise AssertionError(f"the digest of {path.name} is not that of its content")
    bare = hashlib.sha256(masked(raw).encode()).hexdigest()
    return versionless(content) | {BYTES: bare[:16]}


def rule_content(estimator: Any) -> Content:
    """Return the content of the rule file that a fitted rule saves."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rule.json"
        estimator.save(path)
        return content_in(path)


def versionless(content: Content) -> Content:
    """Return content with the library's version masked wherever it stands."""
    if isinstance(content, dict):
        return {key: versionless(value) for key, value in content.items()}
    return "dpwerm <version>" if content == LIBRARY else content


def masked(text: str, ledger: str = "") -> str:
    """Return a text without version, days, digests and the drawn id of a ledger."""
    if ledger:
        text = text.replace(ledger, "<ledger>").replace(ledger[:8], "<ledger>")
    text = _DAY.sub("<day>", _HASH.sub("sha256:<hash>", text))
    return text.replace(LIBRARY, "dpwerm <version>")


def attempt(work: Callable[[], Content]) -> Content:
    """Return what is made, or the words with which it is refused."""
    try:
        return work()
    except Exception as error:
        if not type(error).__module__.startswith("dpwerm."):
            raise
        return {"refused": f"{type(error).__name__}: {error}"}


def leaves(content: Mapping[str, Any], above: str = "") -> dict[str, Any]:
    """Return every value with its path; lists stay whole."""
    found: dict[str, Any] = {}
    for key, value in content.items():
        path = f"{above}{key}"
        if isinstance(value, Mapping) and value:
            found |= leaves(value, f"{path}/")
        else:
            found[path] = value
    return found


def recommended(path: Path) -> list[list[str]]:
    """Return the arm and the score of each row of a table that ``recommend`` wrote."""
    with path.open(encoding="utf-8", newline="") as stream:
        return [[row["recommended_arm"], row["score"]] for row in csv.DictReader(stream)]
