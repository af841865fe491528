"""The commands of docs/choosing.md run as printed, and its table of odds is computed anew."""

import contextlib
import math
import re
from decimal import Decimal
from pathlib import Path

import pytest
from benchmarks import choosing
from tests.docs.masks import masked
from tests.docs.pages import ROOT, matches, run_command

from dpwerm import Study
from dpwerm.choose import grid as candidates
from dpwerm.choose import search
from dpwerm.choose import settle as answer
from dpwerm.choose.search import Round
from dpwerm.plan import desk, expected

PAGE = (ROOT / "docs" / "choosing.md").read_text(encoding="utf-8")


def between(name: str) -> str:
    """Return what stands between two marks of the page."""
    found = re.search(rf"<!-- {name}: begin -->\n(.*?)\n<!-- {name}: end -->", PAGE, re.DOTALL)
    assert found is not None
    return found[1]


def paragraphs(text: str) -> list[str]:
    """Return each paragraph as one line, with numbers made equal: they decide where lines break."""
    return [" ".join(masked(block)) for block in re.split(r"\n\s*\n|\n(?==+\n)", text.strip())]


def take_little_effort(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let searches and simulations be small, but good enough for a plan to end as it should."""
    monkeypatch.setenv("DPWERM_CACHE", str(cache))
    monkeypatch.setattr(answer, "_MEMORY", {})
    # Other processes would not see what is made small here.
    monkeypatch.setattr(desk, "WORTH_WORKERS", 10**6)
    monkeypatch.setattr(desk, "TRIALS", 96)
    few = {name: values[1:-1] or values[:1] for name, values in candidates.OPTIONS.items()}
    monkeypatch.setattr(candidates, "OPTIONS", few)
    monkeypatch.setattr(candidates, "SATURATIONS", candidates.SATURATIONS[:1])
    monkeypatch.setattr(search, "ROUNDS", (Round(8, 1, 10), Round(16, 1, 3), Round(24, 1, 1)))
    monkeypatch.setattr(search, "MOST_ROWS", 400)
    monkeypatch.setattr(expected, "MOST_ROWS", 400)


@pytest.mark.parametrize("name", choosing.COMMANDS)
def test_a_command_prints_what_the_page_shows(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Numbers are not compared, so they may be found with little effort.
    take_little_effort(tmp_path, monkeypatch)
    (tmp_path / "study.toml").write_text(choosing.study_text(), encoding="utf-8")
    block = re.fullmatch(r"```console\n\$ (dpwerm .*?)\n(.*)\n```", between(name), re.DOTALL)
    assert block is not None
    with contextlib.chdir(tmp_path):
        said = run_command(block[1])
    assert said.code == 0, said.err
    found, wanted = paragraphs(said.out), paragraphs(block[2])
    assert matches(found, wanted), "\n".join(found)


def test_the_odds_are_those_of_the_library() -> None:
    assert between("odds") == choosing.odds()


def test_no_factor_under_at_most_is_rounded_down() -> None:
    for line in between("odds").splitlines()[2:]:
        epsilon, factor = re.findall(r"[\d.,]+", line)[:2]
        assert math.exp(float(epsilon)) <= float(factor.replace(",", ""))


def test_the_page_says_what_its_numbers_say() -> None:
    """What the rule of the first command leaves of the example's total is what the page says."""
    total = Study.parse(choosing.study_text()).budget
    assert total is not None
    (found,) = re.findall(r"with 400 people is ([0-9.]+):", between("epsilon"))
    words, left = " ".join(PAGE.split()), total.epsilon - Decimal(found)
    assert f"That leaves {left} of the total of {total.epsilon} for the value of the rule" in words
    without = float(re.findall(r"\| 100 \|.*\| ([0-9.]+) \|", between("grid"))[0])
    assert without < 85, "the page says that 100 people are too few for 85 %"


def test_the_examples_are_whole_studies() -> None:
    text = choosing.study_text()
    for more in choosing.FEATURES:
        assert len(Study.parse(choosing.with_features(text, more)).features) == 4 + more
    for ratio in choosing.RATIOS:
        first, second = map(int, ratio.split(":"))
        pi_min = Study.parse(choosing.with_ratio(text, ratio)).treatment.pi_min
        assert pi_min == pytest.approx(min(first, second) / (first + second))
