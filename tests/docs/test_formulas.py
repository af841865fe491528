"""Formulas of the proof pages are typeset, and set as browsers need them."""

from pathlib import Path

import pytest
from tests.docs.formulas import raw, typeset
from tests.docs.site import ROOT

PAGES = sorted((ROOT / "docs" / "proofs").glob("*.md"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_no_formula_of_a_proof_page_is_raw_text(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert len(typeset(text)) >= 10
    assert raw(text) == []


@pytest.mark.parametrize(
    "line",
    ["If ‖θ‖ is small", "    H(e) = E f(N)", "at most ε", "w_i of a row", "2^e steps", "p > 1"],
)
def test_a_raw_formula_is_found(line: str) -> None:
    assert raw(f"Words.\n\n{line}\n\n$p$ and `w_i` and [x](a_b.md). ∎\n") == [line]
