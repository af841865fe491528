"""The page about the scenarios says what the code does."""

import csv
import re
from pathlib import Path

import numpy as np
import pytest

from dpwerm.simulate.scenarios import SCENARIOS
from dpwerm.simulate.scenarios.sloppy import SLOPPY

DOCS = Path(__file__).parents[4] / "docs"
PAGE = (DOCS / "scenarios.md").read_text(encoding="utf-8")


def shown(name: str) -> list[list[str]]:
    """Return the rows of a table that the page shows from a file, without their head."""
    assert f":file: data/{name}\n" in PAGE
    with (DOCS / "data" / name).open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))[1:]


ROWS, SLOPPY_ROWS = shown("scenarios-tight.csv"), shown("scenarios-sloppy.csv")
LINEAR = [row for row in ROWS if row[5].startswith(("6·", "the paper's"))]


def test_every_scenario_has_its_row() -> None:
    assert [row[0] for row in ROWS] == [f"`{name}`" for name in SCENARIOS]
    assert [row[0] for row in SLOPPY_ROWS] == [f"`{name}`" for name in SLOPPY]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0].strip("`"))
def test_a_row_is_true(row: list[str]) -> None:
    scenario = SCENARIOS[row[0].strip("`")]
    p = scenario.study().encoding().n_columns + 1
    low, high = scenario.bounds
    assert row[1:5] == [
        scenario.tests,
        str(p),
        str(scenario.outcome),
        f"[{low:g}, {high:g}]",
    ]
    assert float(row[6]) == pytest.approx(scenario.optimal_value, abs=6e-4)
    assert float(row[7]) == pytest.approx(scenario.best_fixed_arm_value, abs=6e-4)
    assert float(row[8]) == pytest.approx(100 * scenario.second_arm_share, abs=0.6)


def told(number: float) -> str:
    return f"{number:,.0f}" if abs(number) >= 1000 else f"{number:g}"


@pytest.mark.parametrize("row", SLOPPY_ROWS, ids=lambda row: row[0].strip("`"))
def test_a_row_of_a_sloppy_trial_is_true(row: list[str]) -> None:
    scenario = SLOPPY[row[0].strip("`")]
    study = scenario.study()
    assert row[1:5] == [
        scenario.tests,
        str(study.encoding().n_columns + 1),
        str(scenario.outcome),
        " to ".join(told(end) for end in scenario.bounds),
    ]
    drawn = scenario.draw(100_000, np.random.default_rng(0))["benefit"].to_numpy()
    assert float(row[5]) == pytest.approx(1 / study.benefit.scaled(drawn).std(), abs=0.06)
    assert float(row[6]) == pytest.approx(100 * scenario.second_arm_share, abs=0.6)


def test_what_most_sloppy_trials_share_is_said_with_its_exceptions() -> None:
    words = " ".join(PAGE.split())
    unequal = {n: s.probabilities for n, s in SLOPPY.items() if s.probabilities != ("1/2", "1/2")}
    assert unequal == {"stay": ("2/3", "1/3"), "weight-loss": ("1/4", "3/4")}
    assert "Arms are drawn 1:1, but for `stay` (2:1) and `weight-loss` (1:3)." in words
    less = [f"`{name}`" for name, one in SLOPPY.items() if one.direction == "smaller"]
    assert f"Where less is better ({', '.join(less)})" in words
    assert [name for name, one in SLOPPY.items() if one.transform == "log"] == ["viral-load"]


def test_what_most_scenarios_share_is_said_once_with_its_exceptions() -> None:
    words = " ".join(PAGE.split())
    unequal = [name for name, one in SCENARIOS.items() if one.probabilities != ("1/2", "1/2")]
    assert f"Arms are drawn 1:1, but for {' and '.join(f'`{name}`' for name in unequal)}." in words
    (curved,) = [name for name, one in SCENARIOS.items() if not one.linear]
    assert f"hyperplane of the encoded features, but for `{curved}`." in words


@pytest.mark.parametrize("row", LINEAR, ids=lambda row: row[0].strip("`"))
def test_a_linear_contrast_is_the_printed_one(row: list[str]) -> None:
    """Formulas of the form 6·(1 + x₁ − 1.8x₃) are read and compared at random people."""
    scenario = SCENARIOS[row[0].strip("`")]
    written = row[5] if row[5].startswith("6·") else ROWS[0][5]
    people = scenario.people(20, np.random.default_rng(0))
    total = np.zeros(20)
    for sign, size, index in re.findall(r"([−+(]) ?([\d.]*)(?:x([₁-₉]))?", written[2:]):
        column = people[f"x{ord(index) - ord('₀')}"].to_numpy() if index else 1.0
        total = total + (-1.0 if sign == "−" else 1.0) * float(size or 1) * column
    assert scenario.contrast(people) == pytest.approx(6 * total)


def test_the_example_runs(capsys: pytest.CaptureFixture[str]) -> None:
    code = PAGE.split("```python\n")[1].split("```")[0]
    exec(compile(code, "docs/scenarios.md", "exec"), {})  # noqa: S102 our own page
    assert capsys.readouterr().out.startswith("1.0\n")
