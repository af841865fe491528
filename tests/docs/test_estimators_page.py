"""docs/estimators.md: its example runs, and it names every estimator with what it rests on."""

from pathlib import Path

from tests.docs.pages import ROOT, run_page

from dpwerm.weighting.contract import WEIGHTINGS

PAGE = ROOT / "docs" / "estimators.md"


def test_the_example_runs(tmp_path: Path) -> None:
    assert run_page(PAGE, tmp_path) == 1


def test_it_is_short_and_names_every_estimator() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert len(text.split()) <= 700
    for name in ("outcome-weighted", "contrast", "arm-wise"):
        assert name in WEIGHTINGS
        assert f"| `{name}` |" in text
