from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import pytest

from dpwerm import PrivateTreatmentRule, PrivateWeightedClassifier
from dpwerm.errors import ParameterError
from dpwerm.features.domain import Interval
from dpwerm.objective.regularizers import Ridge
from dpwerm.privacy.budget import Relation
from dpwerm.privacy.sensitivity import Facts, WeightOrigin, l2_sensitivity
from dpwerm.privacy.weight_origin import (
    ORIGINS,
    ExternalModel,
    KnownByDesign,
    ReleasedModel,
    Unused,
    WorstCase,
    origin_of,
    register_origin,
    stated_origin,
)

FACTS = Facts(
    3.0, 0.5, 0.25, Interval(2.0), 7.0, Ridge(), Relation.REPLACE_ONE, 11, KnownByDesign()
)


SENTENCE = (
    "statement about large samples.*no release can rest on it; its own proof gives H, not H/n"
)
NUMBERS: dict[str, dict[str, object]] = {
    "ridge": {"pi_min": 0.1, "radius": 2.0, "dimension": 3.0, "gamma": 9.0, "tolerance": 1e-9}
}


@pytest.mark.parametrize("origin", [KnownByDesign(), ExternalModel(), ReleasedModel(), Unused()])
@pytest.mark.parametrize("relation", list(Relation))
def test_weights_from_elsewhere_add_nothing(origin: WeightOrigin, relation: Relation) -> None:
    facts = replace(FACTS, relation=relation, n=None, origin=origin)
    assert origin.constant(facts) == 0


def test_the_worst_case_moves_every_other_weight_by_its_bound() -> None:
    assert WorstCase().constant(FACTS) == 10 * 3 * Fraction(1, 2) * 2


def test_the_worst_case_of_one_record_is_no_worse() -> None:
    assert WorstCase().constant(replace(FACTS, n=1)) == 0


def test_the_worst_case_needs_a_public_n() -> None:
    with pytest.raises(ParameterError, match="needs n"):
        WorstCase().constant(replace(FACTS, n=None))
    with pytest.raises(ParameterError, match="not add_remove"):
        WorstCase().constant(replace(FACTS, relation=Relation.ADD_REMOVE, n=None))


@pytest.mark.parametrize("name", sorted(ORIGINS))
def test_c_depends_on_n_where_it_says_so_and_nowhere_else(name: str) -> None:
    """A calibration leaves n out where it is not needed: C must then be one number for every n."""
    origin = origin_of({"name": name, **NUMBERS.get(name, {})})
    of = replace(FACTS, origin=origin)
    constants = {origin.constant(replace(of, n=n)) for n in (2, 3, 11, 10**6)}
    assert origin.needs_n == (len(constants) > 1)
    assert len(constants) in (1, 4)
    if origin.needs_n:
        with pytest.raises(ParameterError, match=r"needs (a public )?n"):
            origin.constant(replace(of, n=None))
    else:
        assert {origin.constant(replace(of, n=None))} == constants


@pytest.mark.parametrize("name", sorted(ORIGINS))
def test_an_origin_is_found_again_from_what_it_says_of_itself(name: str) -> None:
    origin = origin_of({"name": name, **NUMBERS.get(name, {})})
    assert origin.name == name
    assert origin.statement
    assert origin_of({"name": name, **origin.parameters}) == origin
    assert origin_of(origin) is origin


@pytest.mark.parametrize("wrong", ["estimated", "", None, 3, {"name": "x"}, {}])
def test_an_unknown_origin_is_refused_with_the_names(wrong: Any) -> None:
    names = "design, external, released, ridge, unused, worst_case"
    with pytest.raises(ParameterError, match=names):
        origin_of(wrong)


@pytest.mark.parametrize("model", ["released", "unused", "ridge", {"name": "ridge", "gamma": 1}])
def test_weights_from_outside_cannot_claim_a_model_of_ours(model: Any) -> None:
    with pytest.raises(ParameterError, match="weight_origin must be one of design, external, wo"):
        stated_origin(model)
    with pytest.raises(ParameterError, match="weight_origin must be one of"):
        stated_origin(ReleasedModel())
    with pytest.raises(ParameterError, match="origin asymptotic is refused: the paper's H/n"):
        stated_origin("asymptotic")
    assert stated_origin("external").name == "external"
    assert stated_origin(WorstCase()) == WorstCase()


@pytest.mark.parametrize("asked", ["asymptotic", {"name": "asymptotic"}])
def test_no_claim_rests_on_it_as_an_origin(asked: Any) -> None:
    assert "asymptotic" not in ORIGINS
    for ask in (origin_of, stated_origin):
        with pytest.raises(ParameterError, match=SENTENCE):
            ask(asked)


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


def test_a_model_of_the_same_people_says_that_its_budget_is_to_be_added() -> None:
    assert "a budget of its own, which is to be added" in ReleasedModel().statement


def test_numbers_that_an_origin_needs_are_refused_if_they_are_missing() -> None:
    with pytest.raises(ParameterError, match="origin ridge does not take the parameters: none"):
        origin_of("ridge")


def test_unknown_parameters_are_refused_without_their_values() -> None:
    with pytest.raises(ParameterError, match="penalty") as caught:
        origin_of({"name": "design", "penalty": 123.5})
    assert "123.5" not in str(caught.value)


@dataclass(frozen=True)
class Penalised(WeightOrigin):
    """A later row of the table: C from a number of its own."""

    penalty: float

    name: ClassVar[str] = "penalised"
    statement: ClassVar[str] = "a test"
    needs_n: ClassVar[bool] = False

    @property
    def parameters(self) -> Mapping[str, float]:
        return {"penalty": self.penalty}

    def constant(self, facts: Facts) -> Fraction:
        return facts.gradient_bound / Fraction(self.penalty)


@pytest.fixture
def registered() -> Iterator[None]:
    register_origin(Penalised)
    yield
    del ORIGINS["penalised"]


@pytest.mark.usefixtures("registered")
def test_a_new_origin_fits_in_by_being_registered() -> None:
    origin = origin_of({"name": "penalised", "penalty": 2.0})
    facts = replace(FACTS, origin=origin)
    assert l2_sensitivity(facts) >= float(facts.gradient_bound * Fraction(5, 2) / 7)
    assert origin_of({"name": origin.name, **origin.parameters}) == origin
    with pytest.raises(ParameterError, match="already"):
        register_origin(Penalised)
