"""The calculator of the paper's bounds, from a study to its words, on a small study."""

from pathlib import Path

import pytest
from tests.said import Run
from tests.unit.plan.studies import OPEN, study

from dpwerm.plan.expected import settle
from dpwerm.privacy.budget import Budget
from reproduction.bounds.asymptotic import asymptotic_figures
from reproduction.bounds.words import asymptotic_lines, study_blocks

pytestmark = pytest.mark.usefixtures("quick")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Return the study file of the small trial."""
    path = tmp_path / "study.toml"
    path.write_text(OPEN, encoding="utf-8")
    return path


def test_the_bounds_are_told_term_by_term() -> None:
    (block,) = study_blocks(study(), 50, "1")
    text = "\n".join(block)
    for words in ("T1 =", "T2", "T3 = Wh/4", "T4, order only", "Theorem 11", "Theorem 12"):
        assert words in text
    assert "The paper's bounds at epsilon = 1, beside simulation" in text
    assert "Corollary 13" in text
    assert "order of magnitude" in text


def test_h_is_for_the_clip_that_a_fit_would_use() -> None:
    _, block = study_blocks(study(), 50, "0.5", 0.05)
    weights = settle(study(), Budget.of("0.5"), 50, estimator="outcome-weighted")
    clip = weights.declared.benefit.clip
    assert block == asymptotic_lines(asymptotic_figures(study(), clip, 0.05, 50), 50, clip, 0.05)


def test_the_asymptotic_figures_say_why_they_are_not_used() -> None:
    found = asymptotic_figures(study(), 5.0, 0.05, 1000)
    assert found.h == pytest.approx(1000 * found.printed)
    text = " ".join(asymptotic_lines(found, 1000, 5.0, 0.05))
    assert "never the basis of a release" in text
    assert f"{found.h:.6g}, for V = 5," in text
    assert f"{found.constant:.6g}" in text


def test_the_command_is_a_calculator(run: Run, file: Path) -> None:
    result = run("bounds", file, "--n", 50, "--epsilon", "0.50", "--smallest-eigenvalue", 0.05)
    assert (result.code, result.err) == (0, "")
    for words in (
        "The paper's bounds at epsilon = 0.5",
        "Proposition 8",
        "C = L r H",
        "H/n",
        "never the basis of a release",
    ):
        assert words in result.out
    assert file.read_text(encoding="utf-8") == OPEN


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ((), "how many people are planned? Give --n"),
        (("--n", 0), "n must be between 1 and"),
        (("--n", 50, "--epsilon", 0), "epsilon must be between"),
        (("--n", 50, "--epsilon", "much"), "epsilon"),
        (("--n", 50, "--epsilon", "inf"), "epsilon must be finite"),
        (("--n", 50, "--smallest-eigenvalue", 0), "smallest eigenvalue"),
        (("--n", 50, "--smallest-eigenvalue", 99), "smallest eigenvalue"),
        (("--n", 50, "--smallest-eigenvalue", "nan"), "the smallest eigenvalue must be finite"),
    ],
)
def test_what_makes_no_sense_ends_with_2(
    run: Run, file: Path, options: tuple[object, ...], words: str
) -> None:
    result = run("bounds", file, *options)
    assert result.code == 2
    assert words in result.err
    assert result.out == ""
