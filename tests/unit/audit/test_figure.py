from dataclasses import replace
from pathlib import Path

import pytest
from tests.unit.audit.test_words import FOUND, cell

from dpwerm.audit.figure import save_audit


@pytest.mark.parametrize("ending", ["svg", "pdf", "png"])
def test_a_figure_is_the_same_each_time(tmp_path: Path, ending: str) -> None:
    broken = replace(FOUND, lower=2.5)
    bare = replace(FOUND, exact_lower=None)
    found = [(cell("a", "x"), FOUND), (cell("b", "y"), broken), (cell("c $", "z"), bare)]
    paths = [tmp_path / f"{name}.{ending}" for name in "12"]
    for path in paths:
        save_audit(found, path)
    assert paths[0].read_bytes() == paths[1].read_bytes()
    assert paths[0].stat().st_size > 1000
