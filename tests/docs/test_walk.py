"""The page of the walk agrees with a traced fit: every function is entered, in that order."""

import re
import sys
from functools import partial
from pathlib import Path

from benchmarks.entered import calls_in, commands, silent, write_trial

PAGE = Path(__file__).parents[2] / "docs" / "walk.md"
ROW = re.compile(r"^\| [^|]*\| `(?P<file>[^`]+)` \| `(?P<name>[^`]+)` \|", re.MULTILINE)


def package() -> Path:
    return Path(sys.modules["dpwerm"].__file__ or "").parent


def traced(folder: Path) -> list[tuple[str, str]]:
    """Return file and name of every function of a fit, by its first call."""
    write_trial(folder)
    calls = calls_in(partial(silent, commands(folder)["fit"]), package())
    inside = str(package()) + "/"
    return [(code.co_filename.removeprefix(inside), code.co_qualname) for code in calls]


def test_the_page_has_the_steps_of_a_traced_fit_in_their_order(tmp_path: Path) -> None:
    steps = [(row["file"], row["name"]) for row in ROW.finditer(PAGE.read_text(encoding="utf-8"))]
    assert len(steps) > 15
    found = traced(tmp_path)
    assert [step for step in steps if step not in found] == []
    assert [step for step in found if step in steps] == steps


def test_every_file_on_the_page_exists() -> None:
    text = PAGE.read_text(encoding="utf-8")
    named = set(re.findall(r"`([\w/]+(?:\.py|/))`", text))
    assert named
    assert [name for name in sorted(named) if not (package() / name).exists()] == []
