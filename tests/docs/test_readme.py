"""The README's commands run as printed, and print what it shows but for the numbers."""

import re
from pathlib import Path

import pytest
from tests.docs.pages import ROOT, run_page

from dpwerm.objective import losses

PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("benchmarks/*.md")])


def words(pages: list[Path]) -> int:
    """Return how many words pages have, code and tables among them."""
    return sum(len(page.read_text(encoding="utf-8").split()) for page in pages)


def test_the_readme_is_short() -> None:
    assert words([ROOT / "README.md"]) <= 1_200


def test_all_pages_together_are_short() -> None:
    assert words(list(ROOT.glob("docs/**/*.md"))) <= 67_400


def test_the_tour_runs_as_printed(tmp_path: Path) -> None:
    assert run_page(ROOT / "README.md", tmp_path) >= 6


@pytest.mark.parametrize(
    "name",
    [
        "README.md",
        "docs/audit.md",
        "docs/automatic.md",
        "docs/own-loss.md",
        "docs/observational.md",
    ],
)
def test_the_python_example_runs(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(losses, "LOSSES", dict(losses.LOSSES))
    page = (ROOT / name).read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", page, flags=re.DOTALL)
    exec(compile(code, name, "exec"), {"__name__": "example"})  # noqa: S102 - the page's own code
    shown = capsys.readouterr().out.splitlines()
    promised = re.findall(r"print\(.*\)  # (.*)", code)
    assert shown == promised


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8")):
        if "://" not in target:
            assert (page.parent / target).exists(), target


def test_every_file_and_test_a_proof_page_names_exists() -> None:
    for page in ROOT.glob("docs/**/*.md"):
        for name in re.findall(r"`((?:tests|docs|benchmarks)/[\w./-]+)`", page.read_text("utf-8")):
            assert (ROOT / name).exists(), f"{page.name}: {name}"
