"""The example of docs/tuning.md runs as printed, and prints what the page shows but for numbers."""

import re
import shlex
from pathlib import Path

import pytest
from tests.unit.plan.studies import make_small

from dpwerm.cli.main import main
from dpwerm.simulate import synthetic
from dpwerm.simulate.engine import run

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "tuning.md").read_text(encoding="utf-8")


def example(name: str) -> tuple[str, str]:
    """Return the command between two marks, and what the page shows of its output."""
    found = re.search(rf"<!-- {name}: begin -->\n(.*?)<!-- {name}: end -->", PAGE, re.DOTALL)
    assert found is not None
    block = re.fullmatch(r"```console\n\$ dpwerm (.*?)\n\n(.*)\n```\n", found[1], re.DOTALL)
    assert block is not None
    return block[1], block[2]


def masked(text: str) -> list[str]:
    """Return the lines of text up to the first curve, with numbers and their spaces made equal.

    What comes after depends on the automatic settings and on near ties: another processor may round
    differently. There only the kinds of lines are compared.
    """
    head, curve, rest = re.split(r"^(At epsilon = .*?:)$", text, flags=re.MULTILINE, maxsplit=1)
    rows = re.findall(r"^  [\d.e+]+ +-?[\d.]+ ± [\d.]+", rest, flags=re.MULTILINE)
    assert len(rows) >= 2
    for kind in ("best", "automatic"):
        assert re.search(rf"^  [\d.e+]+ .*\b{kind}\b", rest, flags=re.MULTILINE)
    (verdict,) = re.findall(r"Best: gamma = ", rest)
    (following,) = re.findall(r"^Next: dpwerm fit \S+ TABLE --epsilon \S+", rest, re.MULTILINE)
    header = rest.strip().splitlines()[0].split()
    return [*head.splitlines(), curve.split(",")[0], *header, verdict, following]


def test_the_example_prints_what_the_page_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(run, "processors", lambda: 1)
    # Which settings are chosen is not compared, so they may be chosen with little effort.
    tests = synthetic.TESTS
    make_small(tmp_path, monkeypatch)
    monkeypatch.setattr(synthetic, "TESTS", tests)
    command, shown = example("independent")
    assert main(shlex.split(command)) == 0
    assert masked(capsys.readouterr().out) == masked(shown)


def test_the_page_names_every_way_and_metric() -> None:
    for word in ("independent", "simulated", "portion", "parts", "split"):
        assert word in PAGE
    for word in ("`value`", "`accuracy`", "`loss`"):
        assert word in PAGE
