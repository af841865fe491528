"""docs/ledger.md prints what the commands print, but for numbers, days and hashes."""

import re
import shlex
import subprocess
from pathlib import Path

import pytest
from tests.cli.conftest import Run
from tests.docs.test_readme import masked

PAGE = (Path(__file__).parents[2] / "docs" / "ledger.md").read_text(encoding="utf-8")
REST = "..."
"""Stands in the page for lines that are left out, at the beginning or the end."""


def plain(text: str) -> list[str]:
    """Return the lines with hashes, ids, days and numbers made equal."""
    text = re.sub(r"sha256:[0-9a-f]+…?", "HASH", text)
    text = re.sub(r"\b[0-9a-f]{32}\b", "ID", text)
    text = re.sub(r"\d{4}-\d\d-\d\d", "DAY", text)
    return masked(text.strip("\n"))


def matches(said: str, shown: str) -> bool:
    """Whether a command said what the page shows of it."""
    found, wanted = plain(said), plain(shown)
    if wanted == [REST]:
        return True
    if wanted[-1:] == [REST]:
        return found[: len(wanted) - 1] == wanted[:-1]
    if wanted[:1] == [REST]:
        return found[-(len(wanted) - 1) :] == wanted[1:]
    return found == wanted


def test_the_example_runs_as_printed(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    count = 0
    for kind, block in re.findall(r"```(console|python)\n(.*?)```", PAGE, flags=re.DOTALL):
        if kind == "python":
            exec(compile(block, "docs/ledger.md", "exec"), {})  # noqa: S102 - our own page
            printed = capsys.readouterr().out.splitlines()
            expected = re.findall(r"print\(.*\)  # (.*)", block)
            assert [re.sub(r"[0-9a-f]{8}", "ID", one) for one in printed] == [
                re.sub(r"[0-9a-f]{8}", "ID", one) for one in expected
            ]
            continue
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, shown = part.partition("\n")
            words = shlex.split(command)
            if words[0] == "dpwerm":
                result = run(*words[1:])
                said = result.out + result.err
            else:
                said = subprocess.run(words, capture_output=True, text=True, check=True).stdout
            assert matches(said, shown), command
            count += 1
    assert count >= 8
