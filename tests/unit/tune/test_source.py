"""Sources: the people of a table, of a scenario, and of random trials inside public bounds."""

import pickle

import numpy as np
import pytest
from tests.unit.plan.studies import OPEN, PRIVATE_MODEL
from tests.unit.tune.people_at_hand import PAPER, drawn, fixed_study, pilot

from dpwerm.errors import ParameterError, TableError
from dpwerm.simulate.scenarios import get_scenario
from dpwerm.study.study import Study
from dpwerm.tune.people import (
    FromScenario,
    FromSynthetic,
    FromTable,
    Source,
    Validation,
    known_trial,
)

RNG = np.random.default_rng


def sources() -> list[Source]:
    study = fixed_study()
    return [
        pilot(40),
        pilot(40, known=True),
        FromScenario(study, "paper"),
        FromSynthetic(study),
        FromSynthetic(study, knows_better=False),
    ]


@pytest.mark.parametrize("source", sources(), ids=lambda source: type(source).__name__)
def test_a_source_gives_what_it_says(source: Source) -> None:
    found = source.repeats(20, 10, 3, RNG(0))
    assert found.splits.training.shape == (3, 20)
    assert found.splits.validation.shape[1] >= 10
    assert (found.better is not None) == source.knows_better
    again = pickle.loads(pickle.dumps(source)).repeats(20, 10, 3, RNG(0))  # noqa: S301 - our own
    np.testing.assert_array_equal(found.splits.training, again.splits.training)
    np.testing.assert_array_equal(found.trial.outcome, again.trial.outcome)
    assert not np.isnan(found.trial.arm[found.splits.training]).any()
    people = Validation.of(found, fixed_study().declaration())
    assert people.arm.shape == found.splits.validation.shape
    assert people.weight.min() >= 0
    assert people.weight.max() <= 1


def test_a_table_shows_none_of_its_rows() -> None:
    assert "0." not in repr(pilot(5))


def test_a_portion_is_those_rows() -> None:
    whole = pilot(10)
    rows = np.array([1, 4, 7])
    part = whole.portion(rows)
    assert part.size == 3
    np.testing.assert_array_equal(
        part.table.numbers("benefit"), whole.table.numbers("benefit")[rows]
    )


def test_a_scenario_knows_the_arms_in_either_order() -> None:
    study = fixed_study()
    turned = Study.from_dict(
        {
            "format": 1,
            "study": {"id": "turned"},
            "features": PAPER.features(),
            "treatment": {"column": "arm", "arms": {"B": "1/2", "A": "1/2"}},
            "benefit": PAPER.benefit(),
        }
    )
    plain = FromScenario(study, "paper").repeats(5, 5, 1, RNG(1))
    other = FromScenario(turned, "paper").repeats(5, 5, 1, RNG(1))
    assert plain.better is not None
    assert other.better is not None
    np.testing.assert_array_equal(plain.better, -other.better)
    np.testing.assert_array_equal(plain.trial.arm, -other.trial.arm)


def test_a_scenario_must_fit_the_study() -> None:
    with pytest.raises(ParameterError, match="scenario must be one of"):
        FromScenario(fixed_study(), "none")
    with pytest.raises(ParameterError, match="has arms A and B"):
        FromScenario(Study.parse(OPEN), "paper")
    with pytest.raises(TableError):
        FromScenario(get_scenario("ten-features").study(), "paper")
    lower = PAPER.study_with(PAPER.treatment(), {**PAPER.benefit(), "direction": "smaller"})
    with pytest.raises(ParameterError, match="larger benefit is better"):
        FromScenario(lower, "paper")


def test_random_trials_mean_the_same_after_any_transform() -> None:
    plain = PAPER.study_with(PAPER.treatment(), {"column": "benefit", "bounds": [-1, 1]})
    bent = PAPER.study_with(
        PAPER.treatment(),
        {
            "column": "benefit",
            "bounds": [1, float(np.exp(2))],
            "transform": "log",
            "direction": "smaller",
        },
    )
    seen = []
    for study in (plain, bent):
        found = FromSynthetic(study, knows_better=False).repeats(30, 10, 2, RNG(2))
        centred = study.benefit.centred(found.trial.outcome)
        seen.append(centred)
    np.testing.assert_allclose(seen[0], seen[1], atol=1e-12)


def test_random_trials_have_a_truth_or_outcomes() -> None:
    truth = FromSynthetic(fixed_study()).repeats(20, 10, 2, RNG(3))
    assert np.isnan(truth.trial.arm[truth.splits.validation]).all()
    assert truth.better is not None
    assert (truth.better[truth.splits.validation] != 0).all()
    with pytest.raises(ParameterError, match="at most 500"):
        FromSynthetic(fixed_study()).repeats(20, 501, 1, RNG(3))


def test_propensities_must_be_known() -> None:
    study = Study.parse(PRIVATE_MODEL)
    for make in (lambda: FromSynthetic(study), lambda: FromTable.read(study, drawn(5))):
        with pytest.raises(ParameterError, match='model = "private" is fitted to the people'):
            make()


def test_an_external_model_gives_propensities() -> None:
    scenario = get_scenario("confounded")
    keys = {
        "model": "external",
        "arm": "strong",
        "intercept": 0.0,
        "coefficients": {"severity": 0.5, "age": 0.01, "kidney": 0.0},
    }
    study = scenario.study_with(scenario.observed(keys))  # type: ignore[attr-defined]
    source = FromTable.read(study, scenario.draw(20, RNG(5)))
    trial = known_trial(study, source.table)
    assert trial.given_propensity is not None
    assert ((trial.given_propensity > 0) & (trial.given_propensity < 1)).all()
    assert len(set(trial.given_propensity.tolist())) > 1
