"""Real trials: what needs no private data set, and numbers of ACTG 175 that no seed moves."""

import numpy as np
import pytest

from dpwerm.arrays import FloatArray
from reproduction.trials.actg175 import paper_gamma
from reproduction.trials.gain import gain
from reproduction.trials.measures import association_log10, concordance
from reproduction.trials.method import METHODS
from reproduction.trials.published import PublishedRow, published_rows
from reproduction.trials.source import actg175
from reproduction.trials.table import measure

TESTED = [row for row in published_rows() if row.p_value and not row.p_value.startswith("<")]


def pair_of_rules(row: PublishedRow) -> tuple[FloatArray, FloatArray]:
    """Return two rules with the allocations and the concordance of a published row."""
    (baseline,) = [
        other for other in published_rows() if (other.study, other.epsilon) == (row.study, "inf")
    ]
    private, bare = row.allocated[1], baseline.allocated[1]
    differ = (1 - (row.concordance or 0.0)) * row.n
    both = round((private + bare - differ) / 2)
    first, second = np.ones(row.n), np.ones(row.n)
    first[:private] = -1.0
    second[private - both : private - both + bare] = -1.0
    return first, second


@pytest.mark.parametrize("row", TESTED, ids=lambda row: f"{row.study}-{row.epsilon}")
def test_published_p_values_follow_from_published_counts(row: PublishedRow) -> None:
    first, second = pair_of_rules(row)
    assert concordance(first, second) == pytest.approx(row.concordance, abs=0.0006)
    found = association_log10(first, second)
    assert found is not None
    assert 10.0**found == pytest.approx(float(row.p_value), rel=0.005)


def test_four_p_values_are_compared() -> None:
    assert len(TESTED) == 4


def test_actg175_arms_and_their_difference() -> None:
    trial = actg175()
    assert trial.n == 1054
    assert int((trial.received > 0).sum()) == 522
    assert trial.value(np.ones(trial.n)) == pytest.approx(403.1724, abs=1e-4)
    assert trial.value(-np.ones(trial.n)) == pytest.approx(336.1391, abs=1e-4)
    found = gain(trial, np.ones(trial.n), -1.0)
    assert found.difference == pytest.approx(67.0333, abs=1e-4)
    assert found.error == pytest.approx(8.88, abs=0.02)


def test_the_papers_rule_without_privacy_gives_everybody_the_combination() -> None:
    trial = actg175()
    (bare,) = measure(trial, METHODS["paper"], (), paper_gamma(trial), 1, 0)
    assert (bare.second, bare.first) == (1054, 0)
    assert bare.mean == pytest.approx(403.1724, abs=1e-4)


def test_noise_costs_the_papers_method_cells_that_no_seed_gives_back() -> None:
    """Over 200 draws the mean value at ε = 1 has a standard error below 2 cells."""
    trial = actg175()
    private, bare = measure(trial, METHODS["paper"], ("1",), paper_gamma(trial), 200, 5)
    assert 12 < bare.mean - private.mean < 36
    assert 0.55 < private.single < 0.75
    assert private.concordance > 0.99
