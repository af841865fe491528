import numpy as np
import pytest

from dpwerm.simulate.scenarios.kinds import UnitCube
from reproduction.gamma.lines import (
    BASELINE,
    COEFFICIENTS,
    FULL,
    LINES,
    QUICK,
    TEN,
    THETA,
    Line,
    extent_of,
    left_out,
)


def test_the_grid_is_the_papers() -> None:
    assert FULL.gammas[:2] == (1.0, 21.0)
    assert FULL.gammas[-1] == 601.0
    assert (len(FULL.gammas), FULL.repeats) == (31, 1000)
    assert 1.0 in FULL.factors


def test_the_coefficients_are_those_the_paper_prints() -> None:
    thetas = [line.scenario.theta for line in THETA if isinstance(line.scenario, UnitCube)]
    assert thetas == [(1.0, -1.0, -1.0, 1.5, -1.5), (1.0, -0.5, 0.5, 1.0, 1.5, -2.5, -2.0)]


@pytest.mark.parametrize(
    ("line", "features", "used"),
    [(BASELINE, 4, 4), *zip(COEFFICIENTS, (2, 6, 8), (2, 6, 8), strict=True), (TEN, 10, 4)],
)
def test_lines_have_as_many_coefficients_as_they_say(line: Line, features: int, used: int) -> None:
    assert isinstance(line.scenario, UnitCube)
    assert len(line.scenario.features()) == features
    assert np.count_nonzero(line.scenario.theta[1:]) == used


def test_names_are_unique() -> None:
    assert len({line.name for line in LINES}) == len(LINES)


def test_a_quick_version_says_what_it_lacks() -> None:
    assert left_out(extent_of(quick=False)) == ""
    text = left_out(extent_of(quick=True))
    for part in ("100 of 1,000 repeats", "11 of 31 values", "500, 2,000", "0.5, 20, 150"):
        assert part in text
    assert set(QUICK.gammas) < set(FULL.gammas)
