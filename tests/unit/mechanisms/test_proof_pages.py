"""The proof pages speak of functions and tests that exist."""

import pkgutil
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
PROOFS = ROOT / "docs" / "proofs"
PAGES = ["output-perturbation", "weight-origin", "spherical-laplace", "product-laplace"]
PAGES += ["gaussian", "exact-release", "signed-weights"]
PAGES += ["objective-perturbation", "objective-gaussian", "automatic-settings"]
PAGES += ["evaluation", "selection", "private-tuning", "ledger"]
PAGES += ["penalty-matrix", "tapered-losses", "hull-norm"]


def text_of(page: str) -> str:
    return (PROOFS / f"{page}.md").read_text(encoding="utf-8")


def exists(name: str) -> bool:
    """Whether a dotted name is a module, or something in a module or in one of its classes."""
    try:
        pkgutil.resolve_name(name)
    except (ImportError, AttributeError):
        return False
    return True


@pytest.mark.parametrize("page", PAGES)
def test_a_page_has_all_its_parts_in_order(page: str) -> None:
    headings = re.findall(r"^## (.*)$", text_of(page), flags=re.MULTILINE)
    assert headings == ["Claim", "Assumptions", "Proof", "Functions", "Tests"]


@pytest.mark.parametrize("page", [*PAGES, "solver-certificate", "README"])
def test_every_function_and_test_it_names_exists(page: str) -> None:
    text = text_of(page)
    names = re.findall(r"`(dpwerm\.[\w.]+)`", text)
    tests = re.findall(r"`(tests/[\w/]+\.py)`", text)
    assert names
    assert tests
    assert [name for name in names if not exists(name)] == []
    assert [test for test in tests if not (ROOT / test).is_file()] == []


def test_the_index_lists_every_page() -> None:
    linked = set(re.findall(r"\]\(([\w-]+)\.md\)", text_of("README")))
    pages = {path.stem for path in PROOFS.glob("*.md")} - {"README"}
    assert linked == pages
    assert pages >= set(PAGES)
