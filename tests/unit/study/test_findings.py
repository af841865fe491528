from pathlib import Path

import numpy as np
import pandas as pd

from dpwerm.data.table import read_table
from dpwerm.study.check import Example, Finding, cell_finding, with_lines


def test_one_finding_with_few_short_examples() -> None:
    table = read_table(pd.DataFrame({"a": ["x" * 100] * 9}), ["a"])
    (found,) = cell_finding(table, "a", "k", np.ones(9, dtype=bool), "are odd", "kept")
    assert (found.count, len(found.examples), len(found.examples[0].value)) == (9, 5, 60)
    assert str(found).startswith("a: every cell (9) are odd; kept: 'xxx")
    (few,) = cell_finding(table, "a", "k", np.arange(9) < 3, "are odd", "kept")
    assert str(few).startswith("a: 3 cells are odd; kept: 'xxx")
    assert cell_finding(table, "a", "k", np.zeros(9, dtype=bool), "are odd", "kept") == []


def test_lines_are_counted_past_any_cell(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,2\n" + "x" * 200_000 + ",2\n3,4\n")
    finding = Finding("a", "k", "p", "c", 2, (Example(1, None, "1"), Example(3, None, "3")))
    (found,) = with_lines([finding], path, ",")
    assert [example.line for example in found.examples] == [2, 4]
