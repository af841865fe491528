from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from tests.reproduction.trials.trial_files import small_trial

from dpwerm.estimators.treatment_rule import PrivateTreatmentRule
from dpwerm.simulate.engine.released import second_arm
from reproduction.paper_method import paper_release
from reproduction.trials.method import METHODS, Automatic, PaperMethod
from reproduction.trials.trial import OpenTrial


def known(trial: OpenTrial, **settings: object) -> OpenTrial:
    """Return the trial with settings that need no choice."""
    method = trial.study.method.model_copy(update=settings)
    return replace(trial, study=trial.study.model_copy(update={"method": method}))


@pytest.mark.parametrize("name", ["one-propensity", "by-arm"])
def test_without_privacy_the_rule_is_that_of_the_single_fit(name: str) -> None:
    trial, method = small_trial(), METHODS[name]
    (rules,) = method.rules(trial, trial.everybody(), [("inf", 75.0)], 1, 0)
    assert rules is not None
    smallest = trial.study.treatment.pi_min
    release = paper_release(
        trial.encoded(rules.encoding),
        trial.received,
        trial.benefit,
        trial.propensity if method.by_arm else np.full(trial.n, smallest),
        encoding=rules.encoding,
        benefit_bound=trial.benefit_bound,
        smallest_propensity=smallest,
        gamma=75.0,
        epsilon="inf",
        rng=np.random.default_rng(0),
    )
    single = np.array([float(value) for value in release.theta])
    assert rules.theta[0, 0] == pytest.approx(single, abs=1e-5)


def test_every_budget_shares_the_optimum_and_the_random_numbers() -> None:
    trial = small_trial()
    cells = [("0.5", 75.0), ("1", 75.0), ("inf", 75.0)]
    found = METHODS["paper"].rules(trial, trial.everybody(), cells, 4, 3)
    half, one, bare = (rules.theta[0] for rules in found if rules is not None)
    assert (bare == bare[0]).all()
    assert half - bare == pytest.approx(2 * (one - bare))


def test_without_an_intercept_a_row_of_zeros_gets_the_first_arm() -> None:
    """Whatever the noise is: so eight people get the other arm in the published table."""
    trial = small_trial()
    (rules,) = PaperMethod("", 0, by_arm=False).rules(
        trial, trial.everybody(), [("0.1", 75.0)], 20, 0
    )
    assert rules is not None
    lowest = {"AGE": ["18"], "GENDER": ["M"], "RACE/ETHNICITY": ["B"], "Diagnosis": ["MDD"]}
    people = replace(trial, rows=pa.table(lowest)).encoded(rules.encoding)
    assert not second_arm(rules.theta[0], rules.encoding, people).any()


def test_the_automatic_method_is_the_estimator_without_privacy() -> None:
    trial = known(small_trial(), gamma=50.0)
    (rules,) = Automatic().rules(trial, trial.everybody(), [("inf", 1.0)], 1, 0)
    assert rules is not None
    rule = PrivateTreatmentRule.from_study(trial.study, "inf", random_state=0).fit(trial.rows)
    people = trial.encoded(rules.encoding)
    second = second_arm(rules.theta[0], rules.encoding, people, rules.threshold)[0]
    assert np.array_equal(second, rule.decision_function(trial.rows) > 0)


def test_a_factor_multiplies_gamma_and_too_small_a_gamma_has_no_rules() -> None:
    trial = known(small_trial(), gamma=50.0, mechanism="objective-block")
    cells = [("1", 1.0), ("1", 2.0), ("1", 1e-6)]
    small, large, none = Automatic().rules(trial, trial.everybody(), cells, 3, 0)
    assert none is None
    assert small is not None
    assert large is not None
    sizes = [np.linalg.norm(one.theta, axis=-1).mean() for one in (small, large)]
    assert sizes[1] < sizes[0]
    assert Automatic().rules(trial, trial.everybody(), cells[2:], 3, 0) == [None]
