import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpwerm import PrivateTreatmentRule, PrivateWeightedClassifier
from dpwerm.errors import ParameterError
from dpwerm.privacy.asymptotic import Asymptotic, AsymptoticModel, asymptotic_constant
from dpwerm.privacy.facts import Facts
from dpwerm.privacy.origin import origin_of
from dpwerm.privacy.relation import Relation

SENTENCE = (
    "statement about large samples.*no release can rest on it; its own proof gives H, not H/n"
)
KNOWN: dict[str, Any] = {
    "benefit_bound": 2.0,
    "radius": 1.5,
    "pi_min": 0.1,
    "smallest_eigenvalue": 0.5,
    "n": 1000,
    "lipschitz": 0.25,
}


@given(
    bound=st.floats(1e-3, 1e3),
    radius=st.floats(0.1, 10),
    log_odds=st.floats(0, 8),
    share=st.floats(1e-3, 1),
)
def test_h_is_the_closed_form_of_its_factors(
    bound: float, radius: float, log_odds: float, share: float
) -> None:
    eigenvalue = share * radius**2
    found = asymptotic_constant(
        benefit_bound=bound,
        radius=radius,
        pi_min=1 / (1 + math.exp(log_odds)),
        smallest_eigenvalue=eigenvalue,
        n=10,
    )
    closed = 2 * bound * radius**2 * (1 + math.exp(log_odds)) ** 2 / eigenvalue
    assert found.h == pytest.approx(closed, rel=1e-9)
    factors = 2 * found.weight_slope * found.curvature * found.score_bound
    assert found.h == pytest.approx(factors, rel=1e-12)


def test_c_is_l_r_h_and_the_paper_divides_by_n() -> None:
    found = asymptotic_constant(**KNOWN)
    # e^M = 9: 2·2·1.5²·10²/0.5
    assert found.h == pytest.approx(1800)
    assert found.constant == pytest.approx(0.25 * 1.5 * 1800)
    assert found.printed == pytest.approx(1.8)


def test_h_does_not_vanish_with_n() -> None:
    few, many = (asymptotic_constant(**{**KNOWN, "n": n}) for n in (10, 10**9))
    assert few.constant == many.constant


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("benefit_bound", 0.0),
        ("radius", -1.0),
        ("pi_min", 0.0),
        ("pi_min", 0.6),
        ("pi_min", 1e-320),
        ("pi_min", math.nan),
        ("smallest_eigenvalue", 0.0),
        ("smallest_eigenvalue", 2.26),
        ("n", 0),
        ("n", 2.5),
        ("n", True),
        ("lipschitz", math.inf),
    ],
)
def test_other_numbers_are_refused(name: str, value: Any) -> None:
    with pytest.raises(ParameterError):
        asymptotic_constant(**{**KNOWN, name: value})


@pytest.mark.parametrize("relation", list(Relation))
def test_no_claim_rests_on_it_as_an_origin(relation: Relation) -> None:
    origin = origin_of("asymptotic")
    assert isinstance(origin, AsymptoticModel)
    facts = Facts(3.0, 0.5, 2.0, 7.0, relation, None, origin, 0.25, ((1, 1.0),), "ridge")
    with pytest.raises(ParameterError, match=SENTENCE):
        origin.constant(facts)
    assert Asymptotic.refusal == origin.statement


def test_no_estimator_takes_it() -> None:
    X, labels = np.zeros((4, 1)), np.array(["a", "b", "a", "b"])
    classifier = PrivateWeightedClassifier(
        1,
        feature_bounds=(-1, 1),
        weight_bound=1.0,
        classes=("a", "b"),
        gamma=5.0,
        weight_origin="asymptotic",
        ledger="none",
    )
    with pytest.raises(ParameterError, match=SENTENCE):
        classifier.fit(X, labels)
    for propensity in ("asymptotic", {"model": "asymptotic"}):
        rule = PrivateTreatmentRule(
            1,
            feature_bounds=(-1, 1),
            benefit_bounds=(0, 1),
            arms=("a", "b"),
            propensity=propensity,
            propensity_floor=0.1,
            gamma=5.0,
            ledger="none",
        )
        with pytest.raises(ParameterError, match=SENTENCE):
            rule.fit(X, labels, np.zeros(4))
        assert not hasattr(rule, "rule_")
