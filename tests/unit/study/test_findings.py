import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

from dpwerm.data.table import BLOCK, Table, read_table
from dpwerm.study.findings import Example, Finding, find, with_lines


def found(table: Table, rows: NDArray[np.bool_]) -> list[Finding]:
    def marks(block: Table) -> list[tuple[str, str, NDArray[np.bool_], str, str]]:
        part = rows[block.start : block.start + block.n_rows]
        return [("a", "k", part, "are odd", "kept")]

    return find(table, marks)


def test_one_finding_with_few_short_examples() -> None:
    table = read_table(pd.DataFrame({"a": ["x" * 100] * 9}), ["a"])
    (every,) = found(table, np.ones(9, dtype=bool))
    assert (every.count, len(every.examples), len(every.examples[0].value)) == (9, 5, 60)
    assert str(every).startswith("a: every cell (9) are odd; kept: 'xxx")
    (few,) = found(table, np.arange(9) < 3)
    assert str(few).startswith("a: 3 cells are odd; kept: 'xxx")
    assert found(table, np.zeros(9, dtype=bool)) == []


@pytest.mark.parametrize("first", [0, BLOCK - 2, BLOCK, BLOCK + 7])
def test_rows_are_counted_on_over_blocks(first: int) -> None:
    n = 2 * BLOCK
    table = read_table(pd.DataFrame({"a": np.arange(n)}), ["a"])
    (one,) = found(table, np.arange(n) >= first)
    assert one.count == n - first
    rows = range(first, first + 5)
    assert one.examples == tuple(Example(row + 1, None, str(row)) for row in rows)


def test_a_later_block_does_not_change_the_order_of_findings() -> None:
    table = read_table(pd.DataFrame({"a": np.arange(BLOCK + 1)}), ["a"])

    def marks(block: Table) -> list[tuple[str, str, NDArray[np.bool_], str, str]]:
        late = np.full(block.n_rows, block.start > 0)
        return [("a", "late", late, "p", "c" * (block.start > 0)), ("a", "early", ~late, "p", "c")]

    assert [one.kind for one in find(table, marks)] == ["late", "early"]
    assert [one.consequence for one in find(table, marks)] == ["c", "c"]


def test_examples_get_the_lines_of_their_rows() -> None:
    finding = Finding("a", "k", "p", "c", 2, (Example(1, None, "1"), Example(3, None, "3")))
    (one,) = with_lines([finding], lambda rows: {row: 10 * row for row in rows})
    assert [example.line for example in one.examples] == [10, 30]
