"""The exported file is run by the real R and agrees with ``recommend``."""

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from tests.rscript import run_r
from tests.unit.releases.export.rules import (
    HOSTILE,
    NUMBER_SPELLINGS,
    Row,
    agree,
    category,
    columns_of,
    expected,
    hostile_rule,
    make_rule,
    number,
    random_rows,
    random_rule,
)

from dpwerm.data.table import normalise, parse_number
from dpwerm.errors import ParameterError
from dpwerm.releases.export.r import _text, r_source
from dpwerm.releases.release import Rule
from dpwerm.releases.rule_file import notice

ANSWER = """
answer <- function(source, data) {
  made <- new.env()
  sys.source(source, made)
  cat(sprintf("%.17g", made$score(data)), sep = " ")
  cat("\\n")
  arms <- vapply(made$recommend(data), function(one) paste(utf8ToInt(one), collapse = "."), "")
  cat(arms, sep = " ")
  cat("\\n")
}
"""


def frame(rule: Rule, rows: Sequence[Row]) -> str:
    """Return rows as R code: numbers as doubles, texts as texts."""
    columns = []
    for cells in columns_of(rule, rows).values():
        numbers = not any(isinstance(cell, str) for cell in cells)
        odd = {"nan": "NaN", "inf": "Inf", "-inf": "-Inf"}
        shown = [
            "NA"
            if cell is None
            else odd.get(repr(cell), repr(cell))
            if isinstance(cell, float)
            else _text(str(cell))
            for cell in cells
        ]
        kind = "as.numeric" if numbers else "as.character"
        columns.append(f"{kind}(c({', '.join(shown)}))")
    # data.frame() would turn its columns' names into the locale's characters.
    names = ", ".join(map(_text, rule.release.encoding.columns))
    facts = f'names = c({names}), row.names = seq_len({len(rows)}), class = "data.frame"'
    return f"structure(list({', '.join(columns)}), {facts})"


def answers(
    folder: Path, cases: Sequence[tuple[Rule, Sequence[Row]]], **environment: str
) -> list[tuple[list[float], list[str]]]:
    """Return scores and arms of each rule and its rows, from one process of R."""
    script = ANSWER
    for i, (rule, rows) in enumerate(cases):
        (folder / f"rule{i}.R").write_bytes(r_source(rule).encode("ascii"))
        script += f'suppressWarnings(answer("rule{i}.R", {frame(rule, rows)}))\n'
    lines = iter(run_r(script, folder, **environment).splitlines())
    found = []
    for scores, arms in zip(lines, lines, strict=True):
        texts = ["".join(chr(int(one)) for one in arm.split(".")) for arm in arms.split()]
        found.append(([float(one) for one in scores.split()], texts))
    assert len(found) == len(cases)
    return found


@pytest.mark.parametrize("locale", ["C", "C.UTF-8"])
def test_it_agrees_with_recommend(locale: str, tmp_path: Path) -> None:
    blanks = ("", "", " ", "\t", "\r\n", "\u00a0\u3000")
    spellings = (*NUMBER_SPELLINGS, "{}0e-1", "{}.000")
    cases = []
    for seed in range(12):
        rule = random_rule(seed)
        rows = random_rows(rule, 250, seed, blanks=blanks, spellings=spellings)
        cases.append((rule, rows))
    for name in HOSTILE:
        rule, shown = hostile_rule(name), name.strip()
        cases.append((rule, [{name: 1.0, name + "2": shown}, {name: 0.0, name + "2": "x"}]))
    found = answers(tmp_path, cases, LC_ALL=locale)
    for (rule, rows), (scores, arms) in zip(cases, found, strict=True):
        agree(rule, scores, arms, expected(rule, rows))


def test_a_cell_has_the_text_and_the_number_that_it_has_in_a_table(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    sizes = [*rng.normal(size=200), *(rng.integers(-99, 99, 200) / 100), 0.1 + 0.2, 1e22]
    cells = [
        *("-0.0", "1e-3", "tRuE ", "1" * 400, "1e400", "1e401", "1e00007", "12e99999", "+.5e+1"),
        *("0x1A", "1L", "1d5", "1_0", "--1", ".", "5.", "1e", "Inf", "NaN", "TRUE", "T", "1,5"),
        *("\u0663", "a b", " NA ", ""),
    ]
    inner = r_source(make_rule([number("x", 0, 1)], [1, 2**30]))
    script = inner.replace("list(recommend = recommend,", "list(text = text, number = number,")
    script += f"cells <- c({', '.join(map(_text, cells))})\n"
    script += f"sizes <- c({', '.join(map(repr, map(float, sizes)))})\n"
    script += (
        'cat(sprintf("%.17g", rule$number(cells)), sep = "\\n")\n'
        'show <- function(one) cat(ifelse(is.na(one), "<none>", enc2utf8(one)), sep = "\\n")\n'
        "show(rule$text(cells))\nshow(rule$text(sizes))\n"
        "show(rule$text(c(100000L, NA)))\nshow(rule$text(c(TRUE, NA)))\n"
    )
    lines = run_r(script, tmp_path, LC_ALL="C.UTF-8").splitlines()
    read, texts = lines[: len(cells)], lines[len(cells) :]
    numbers = [math.nan if one == "NA" else float(one) for one in read]
    np.testing.assert_allclose(numbers, [parse_number(cell) for cell in cells], rtol=1e-15)
    wanted = [normalise(cell) for cell in cells] + [normalise(repr(float(x))) for x in sizes]
    assert texts == [one or "<none>" for one in (*wanted, "100000", None, "true", None)]


def test_a_cell_that_it_does_not_know_is_told_by_column_and_row(tmp_path: Path) -> None:
    rule = make_rule(
        [number("dose", 0, 20, 3), category("sex", "FM"), category("site", "ab", star=True)],
        [1, 2**36, 2**37, 2**35, 2**34, 2**33],
    )
    (tmp_path / "rule.R").write_bytes(r_source(rule).encode())
    texts = ["9", "canary", "", "NA", "1e400", "5"]
    table = {"dose": texts, "sex": ["F", "canary", "", "NA", "M", "f"], "site": ["a"] * 5 + ["c"]}
    columns = [f"{name} = c({', '.join(map(_text, cells))})" for name, cells in table.items()]
    said = run_r(
        f'source("rule.R")\npeople <- data.frame({", ".join(columns)})\n'
        'cat(score(people), "\\n")\n'
        'invisible(score(data.frame(dose = c(Inf, NA, 1), sex = factor("F"), site = NA)))\n'
        "many <- people[rep(2, 12), ]\ninvisible(score(many))\n"
        "for (wrong in list(people[-1], cbind(people, sex = 1), 3,"
        ' transform(people, dose = as.Date("2020-01-01")))) {\n'
        "  print(tryCatch(recommend(wrong), error = conditionMessage))\n}\n",
        tmp_path,
    )
    scores = said.splitlines()[0].split("Warning")[0].split()
    wanted = rule.score_table(pa.table(table))
    np.testing.assert_allclose([float(one) for one in scores], wanted, rtol=1e-6)
    for words in (
        "column dose holds no finite number in row 2, 5: counted as the default 3",
        "column sex holds no declared level in row 2, 6: counted as the first level",
        "column dose holds no finite number in row 1: counted as the default 3",
        "in row 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 2 more: counted as the first level",
        "there must be one column dose, not 0",
        "there must be one column sex, not 2",
        "give a data frame with one row for each person",
        "column dose holds values of class Date: give numbers, texts or TRUE and FALSE",
    ):
        assert words in said.replace("\n", " ").replace("  ", " "), words
    assert said.count("Warning") == 6
    assert "canary" not in said
    assert "column site" not in said


def test_its_heading_says_what_it_is_in_ascii() -> None:
    for seed in range(3):  # private, from a seed, without noise
        rule = random_rule(seed)
        comments = [line for line in r_source(rule).split("rule <-")[0].splitlines() if line]
        assert f"# {notice(rule)}" in comments
        assert all(line.startswith("#") and line.isascii() for line in comments)
    with pytest.raises(ParameterError, match=r"U\+0000"):
        r_source(make_rule([category("a\0b", "xy")], [1, 2]))


def test_a_column_that_changes_nothing_is_not_read(tmp_path: Path) -> None:
    rule = make_rule([number("x", 0, 1), number("little", 0, 1)], [5, 2**30, 1], threshold=0.5)
    assert "# Not read, because they change nothing: little." in r_source(rule)
    nothing = make_rule([number("x", 0, 1), category("c", "ab")], [0, 0, 0], default=1)
    (tmp_path / "rule.R").write_bytes(r_source(nothing).encode())
    said = run_r(
        'source("rule.R")\ncat(recommend(data.frame(z = 1:2)), score(iris[0, ]))', tmp_path
    )
    assert said.split() == [nothing.default] * 2
