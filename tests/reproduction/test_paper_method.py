import math

import numpy as np
import pyarrow as pa
import pytest

from dpwerm.data.table import read_table
from dpwerm.errors import ParameterError
from dpwerm.features.encoding import Encoding
from dpwerm.simulate.scenarios import get_scenario
from dpwerm.study.study import Study
from reproduction.paper_method import paper_benefit_bound, paper_release, paper_rule, shifted

PAPER = get_scenario("paper")


def test_the_shift_is_the_papers() -> None:
    assert shifted(np.array([-2.0, 1.0])).tolist() == pytest.approx([0.001, 3.001])
    assert shifted(np.array([0.5, 1.0])).tolist() == [0.5, 1.0]


def test_the_bound_is_the_papers() -> None:
    assert paper_benefit_bound((-7.5, 7.5)) == 15.0
    assert paper_benefit_bound((0.0, 1.0)) == 1.0
    assert paper_benefit_bound((100.0, 130.0)) == 130.0


@pytest.mark.parametrize("name", ["paper", "arms-9-1", "categories", "zero-one-benefit"])
def test_any_scenario_can_be_fitted_and_scored(name: str) -> None:
    scenario = get_scenario(name)
    rng = np.random.default_rng(0)
    study = scenario.study()
    trial = read_table(scenario.draw(1000, rng), study.columns)
    gamma = 0.7 * paper_benefit_bound(scenario.bounds) / study.treatment.pi_min
    release = paper_rule(study, trial, gamma=gamma, epsilon=math.inf, rng=rng)
    people = scenario.people(5000, rng)
    X = release.encoding.encode(read_table(people, study.feature_columns))
    assert np.linalg.norm(X, axis=1).max() <= 1.0
    arms = np.where(release.score(X) > 0, scenario.arms[1], scenario.arms[0])
    assert scenario.accuracy(people, arms.astype(object)) > 0.7


def test_it_never_claims_to_be_private() -> None:
    study = PAPER.study()
    rng = np.random.default_rng(1)
    trial = read_table(PAPER.draw(50, rng), study.columns)
    for epsilon in (1.0, "0.5", math.inf):
        assert not paper_rule(study, trial, gamma=50.0, epsilon=epsilon, rng=rng).private


def test_one_person_moves_every_weight() -> None:
    """The reason why it is not private: the others' weights follow one person's benefit."""
    benefit = np.array([-1.0, 2.0, 3.0])
    other = np.array([-6.0, 2.0, 3.0])
    assert shifted(other)[1:] - shifted(benefit)[1:] == pytest.approx(5.0)


def test_tables_and_arrays_give_the_same_rule() -> None:
    study = PAPER.study()
    drawn = PAPER.draw(200, np.random.default_rng(2))
    by_table = paper_rule(
        study,
        read_table(drawn, study.columns),
        gamma=50.0,
        epsilon=1.0,
        rng=np.random.default_rng(3),
    )
    names = ["x1", "x2", "x3", "x4"]
    encoding = Encoding.of_numbers(names, [(0.0, 1.0)] * 4, kind="paper")
    features = np.column_stack([drawn[name].to_numpy() for name in names])
    second = drawn["arm"].to_numpy(zero_copy_only=False) == "B"
    by_arrays = paper_release(
        encoding.encode_numbers(features),
        np.where(second, 1.0, -1.0),
        drawn["benefit"].to_numpy(),
        np.full(200, 0.5),
        encoding=encoding,
        benefit_bound=15.0,
        smallest_propensity=0.5,
        gamma=50.0,
        epsilon=1.0,
        rng=np.random.default_rng(3),
    )
    assert by_table.integers == by_arrays.integers
    assert by_table.certificate.sensitivity.minimiser == pytest.approx(2 * 30 / 50)


def test_missing_benefits_and_transforms_are_refused() -> None:
    study = PAPER.study()
    drawn = PAPER.draw(5, np.random.default_rng(4))
    holed = drawn.set_column(
        drawn.column_names.index("benefit"), "benefit", pa.array([1.0, None, 1.0, 1.0, 1.0])
    )
    rng = np.random.default_rng(0)
    with pytest.raises(ParameterError, match="needs the arm"):
        paper_rule(study, read_table(holed, study.columns), gamma=1.0, epsilon=1.0, rng=rng)
    smaller = Study.parse(
        """
        format = 1
        study = { id = "smaller" }
        features.x1 = { kind = "number", bounds = [0, 1] }
        treatment = { column = "arm", arms = { A = 0.5, B = 0.5 } }
        benefit = { column = "benefit", bounds = [-7.5, 7.5], direction = "smaller" }
        """
    )
    with pytest.raises(ParameterError, match="larger is better"):
        paper_rule(smaller, read_table(drawn, smaller.columns), gamma=1.0, epsilon=1.0, rng=rng)
    modelled = Study.parse(
        """
        format = 1
        study = { id = "modelled" }
        features.x1 = { kind = "number", bounds = [0, 1] }
        benefit = { column = "benefit", bounds = [-7.5, 7.5] }
        [treatment]
        column = "arm"
        arms = ["A", "B"]
        propensity = { model = "private" }
        propensity_floor = 0.1
        """
    )
    with pytest.raises(ParameterError, match="follow from a model"):
        paper_rule(modelled, read_table(drawn, modelled.columns), gamma=1.0, epsilon=1.0, rng=rng)
