"""The tutorials of the data scientist and of the privacy engineer run as printed."""

from pathlib import Path

import pytest
from tests.docs.pages import ROOT, run_page


@pytest.mark.parametrize("name", ["data-scientist", "privacy-engineer"])
def test_a_tutorial_runs_as_printed(name: str, tmp_path: Path) -> None:
    assert run_page(ROOT / "docs" / "tutorials" / f"{name}.md", tmp_path) > 5
