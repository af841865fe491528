"""Runs a page as printed: its commands, its Python and its files, one after another.

What a page can hold, between three backticks:

- ``console``: each line that begins with ``$`` is a command (a ``\\`` at its end continues it), and
  what it prints stands below. A command ends with 0, or with N under ``<!-- exits: N -->``.
- ``python``: all blocks share their names. ``print(...)  # expected``, or comment lines below a
  print, say what it prints; ``# such as ...`` leaves the numbers open.
- anything under ``<!-- file: NAME -->``: the content of that file.
- ``diff`` under ``<!-- change: NAME -->``: lines with ``-`` go from that file, with ``+`` come.

A line ``...`` stands for any lines. Numbers, digests and what hangs on noise are not compared.

``python -m tests.docs.pages --write PAGE ...`` runs pages and writes what their commands print now
in the place of what no longer fits. What is left out stays left out: each shown line becomes the
printed line that is most like it. Read the difference before you keep it.
"""

import ast
import contextlib
import difflib
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.docs.masks import masked, without_ids
from tests.said import Said

from dpwerm.cli.main import main

ROOT = Path(__file__).parents[2]
GAP = "..."
SUCH_AS = "such as "
_BLOCK = re.compile(
    r"(?:^<!-- (?P<order>file|change|exits): (?P<what>[\w./-]+) -->\n+)?"
    r"^```(?P<kind>[^`\n]*)\n(?P<text>.*?)^```$",
    flags=re.MULTILINE | re.DOTALL,
)
_ORDER = re.compile(r"^<!-- (?:file|change|exits):.*", flags=re.MULTILINE)
_NEEDS_A_SHELL = re.compile(r"[|<>;&$*?`~#]")
_PIPED = re.compile(r"(?P<command>.*?)(?P<both> 2>&1)? \| (?P<end>head|tail) -n (?P<count>\d+)")
"""A command of which only the first or the last lines are shown."""


def run_page(path: Path, folder: Path, write: bool = False) -> int:
    """Run a page in a folder and return how many commands and Python blocks it has.

    Raises ``AssertionError`` where the page shows something else than happens.

    Parameters
    ----------
    path : the page
    folder : where its commands run; it should be empty
    write : whether to write what commands print into the page, in the place of what does not fit
    """
    path = path.absolute()
    text = path.read_text(encoding="utf-8")
    names: dict[str, object] = {"__name__": "example"}
    steps = 0
    blocks = list(_BLOCK.finditer(text))
    orders = sum(block["order"] is not None for block in blocks)
    assert orders == len(_ORDER.findall(text)), f"{path.name}: an order stands before no block"
    with _in(folder):
        for block in blocks:
            order, what, kind, content = block.group("order", "what", "kind", "text")
            if order == "file":
                Path(what).parent.mkdir(parents=True, exist_ok=True)
                Path(what).write_text(content, encoding="utf-8")
            elif order == "change":
                _change(Path(what), content)
            elif kind == "console":
                for command, shown in _commands(content):
                    said = run_command(command)
                    if write and not _fits(said, shown):
                        text = text.replace(shown, _anew(said, shown), 1)
                        path.write_text(text, encoding="utf-8")
                    else:
                        _compare(command, said, shown, code=int(what) if order == "exits" else 0)
                    steps += 1
            elif kind == "python":
                _run_python(content, names, path.name)
                steps += 1
    assert steps > 0, f"{path.name} shows no command"
    return steps


@contextlib.contextmanager
def _in(folder: Path) -> Iterator[None]:
    """Work in a folder, with the commands of this environment first."""
    search = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    with contextlib.chdir(folder), pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", search)
        patch.setenv("COLUMNS", "100")
        yield


def _change(path: Path, difference: str) -> None:
    """Replace the lines with ``-`` by those with ``+``; they stand in the file once."""
    lines = difference.splitlines(keepends=True)
    old = "".join(line[1:] for line in lines if not line.startswith("+"))
    new = "".join(line[1:] for line in lines if not line.startswith("-"))
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1, f"{path}: these lines are not there once:\n{old}"
    path.write_text(text.replace(old, new), encoding="utf-8")


def _commands(block: str) -> list[tuple[str, str]]:
    """Return each command with the output printed below it."""
    before, *parts = re.split(r"^\$ ", block, flags=re.MULTILINE)
    assert not before.strip(), f"no command stands before:\n{before}"
    found = []
    for part in parts:
        command, _, shown = part.partition("\n")
        while command.endswith("\\"):
            more, _, shown = shown.partition("\n")
            command = command[:-1] + more
        found.append((command, shown))
    return found


def _fits(said: Said, shown: str) -> bool:
    """Whether what a command says, with or without complaints, is what is shown."""
    wanted = masked(shown)
    return any(matches(masked(text), wanted) for text in (said.out, said.out + said.err))


def _anew(said: Said, shown: str) -> str:
    """Return what to show instead: all that was said, or, with gaps, the lines most like those."""
    said_lines, shown_lines = (said.out + said.err).splitlines(), shown.splitlines()
    if GAP in shown_lines:
        like = (difflib.get_close_matches(line, said_lines, 1, 0.3) for line in shown_lines)
        said_lines = [
            line if line in (GAP, "") else "".join(found) or GAP
            for line, found in zip(shown_lines, like, strict=True)
        ]
    return "\n".join(said_lines) + "\n"


def _compare(command: str, said: Said, shown: str, *, code: int) -> None:
    """Assert that a command ended with a code and said what is shown."""
    everything = said.out + said.err
    assert said.code == code, f"$ {command}\nended with {said.code}:\n{everything}"
    if not _fits(said, shown):
        assert masked(everything) == masked(shown), f"$ {command}\nprinted:\n{everything}"


def run_command(command: str) -> Said:
    """Run a command line; those of dpwerm that need no shell run here, which is faster."""
    if piped := _PIPED.fullmatch(command):
        command = piped["command"]
    if command.startswith("dpwerm ") and not _NEEDS_A_SHELL.search(command):
        out = io.StringIO()
        err = out if piped and piped["both"] else io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = main(shlex.split(command)[1:])
        errors = "" if err is out else err.getvalue()
        if not piped:
            return Said(code, out.getvalue(), errors)
        lines, count = out.getvalue().splitlines(keepends=True), int(piped["count"])
        kept = lines[:count] if piped["end"] == "head" else lines[-count:]
        return Said(0, "".join(kept), errors)  # a pipe ends as its last command does
    if piped:
        command = piped[0]
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)  # noqa: S602
    return Said(done.returncode, done.stdout, done.stderr)


def _run_python(code: str, names: dict[str, object], page: str) -> None:
    """Run a block; what it prints must be what its comments say."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(code, page, "exec"), names)  # noqa: S102 - the page's own code
    printed, wanted = out.getvalue().splitlines(), promised(code)
    if not matches(printed, wanted, _alike):
        assert printed == wanted, page


def promised(code: str) -> list[str]:
    """Return what the comments beside or below the prints say."""
    lines, found = code.splitlines(), []
    ends = [
        node.end_lineno or 0
        for node in ast.walk(ast.parse(code))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "print"
    ]
    for end in sorted(ends):
        beside = re.search(r"\)  # (.*)$", lines[end - 1])
        if beside:
            found.append(beside[1])
            continue
        for line in lines[end:]:
            comment = re.match(r"\s*# ?(.*)$", line)
            if comment is None:
                break
            found.append(comment[1].rstrip())
    return found


def _alike(printed: str, wanted: str) -> bool:
    """Whether a line is as promised: to the digit, or but for numbers after ``such as``."""
    if wanted.startswith(SUCH_AS):
        return masked(printed) == masked(wanted.removeprefix(SUCH_AS))
    return without_ids(printed.rstrip()) == without_ids(wanted)


def matches(
    found: list[str], wanted: list[str], same: Callable[[str, str], bool] = str.__eq__
) -> bool:
    """Whether lines are the wanted ones, in which ``...`` stands for any lines."""
    runs: list[list[str]] = [[]]
    for line in wanted:
        if line == GAP:
            runs.append([])
        else:
            runs[-1].append(line)

    def stands_at(run: list[str], start: int) -> bool:
        part = found[start : start + len(run)]
        return len(part) == len(run) and all(map(same, part, run))

    first, *others = runs
    if not others:
        return len(found) == len(first) and stands_at(first, 0)
    *middle, last = others
    if not stands_at(first, 0):
        return False
    place = len(first)
    for run in middle:
        starts = (start for start in range(place, len(found) + 1) if stands_at(run, start))
        start = next(starts, None)
        if start is None:
            return False
        place = start + len(run)
    end = len(found) - len(last)
    return end >= place and stands_at(last, end)


if __name__ == "__main__":
    if sys.argv[1:2] != ["--write"]:
        sys.exit("python -m tests.docs.pages --write PAGE ...")
    for page in map(Path, sys.argv[2:]):
        with tempfile.TemporaryDirectory() as place:
            shutil.copy(ROOT / "docs" / "examples" / "use_rule.R", place)
            run_page(page, Path(place), write=True)
