"""What the page of plans says of its table, and what a protocol is taken to know of a scenario."""

import csv
import re
from dataclasses import replace

import pytest
from benchmarks.page import DATA
from benchmarks.plan_page import HEAD, PAGE, Trial, inside_words, known_of
from tests.unit.plan.test_target import at

from dpwerm.plan.assumed import declared_scale, expecting
from dpwerm.plan.expected import Spread
from dpwerm.simulate.scenarios import SCENARIOS
from dpwerm.simulate.scenarios.sloppy import SLOPPY


def trial(measured: float, low: float, high: float) -> Trial:
    planned = at(0.5)
    spread = Spread((low + high) / 2, 0.01, low, high)
    found = replace(planned, gain=spread)
    return Trial("one", (1.0, 0.5), measured, gains=True, open=planned, declared=found)


@pytest.mark.parametrize(
    ("measured", "inside"), [(0.5, True), (0.9964, True), (0.204, True), (0.19, False), (1, True)]
)
def test_a_result_is_inside_as_it_is_printed(measured: float, inside: bool) -> None:
    one = trial(measured, 0.2, 0.996)
    assert one.is_inside(one.declared) == inside
    assert ("outside" in one.row()[-1]) != inside
    words = inside_words({"tightly": [one, one]})
    assert f"of 2 declared tightly, {2 * one.is_inside(one.open)} with nothing" in words
    assert f"and {2 * inside} with both" in words


@pytest.mark.parametrize("name", [*SCENARIOS, *SLOPPY])
def test_a_protocol_can_declare_what_it_knows(name: str) -> None:
    scenario = {**SCENARIOS, **SLOPPY}[name]
    sd, effect_sd = known_of(scenario)
    assert declared_scale(expecting(scenario.study(), sd, effect_sd).benefit) is not None
    assert (effect_sd == 0) == (name in {"no-effect", "constant-effect", "nothing", "one-for-all"})


def test_the_page_counts_what_its_table_shows() -> None:
    with (DATA / "plan.csv").open(encoding="utf-8", newline="") as file:
        head, *rows = csv.reader(file)
    assert tuple(head) == HEAD
    words = " ".join(PAGE.read_text(encoding="utf-8").split())
    for half, scenarios in (("tightly", SCENARIOS), ("sloppily", SLOPPY)):
        lines = [row for row in rows if row[0].strip("`") in scenarios]
        counts = re.search(
            rf"of (\d+) declared {half}, (\d+) with nothing declared and (\d+) with both", words
        )
        assert counts is not None
        inside = [sum("outside" not in row[column] for row in lines) for column in (3, 7)]
        assert list(map(int, counts.groups())) == [len(lines), *inside]
