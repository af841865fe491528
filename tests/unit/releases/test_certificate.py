"""The certificate is a pure function of public facts; each constant shows up with its power."""

from typing import Any, ClassVar

import pytest
from tests.unit.features.domains import Curved

from dpwerm.errors import ParameterError
from dpwerm.features.encoding import Encoding
from dpwerm.objective.losses import Logistic
from dpwerm.objective.regularizers import Ridge
from dpwerm.privacy.budget import Budget, Relation
from dpwerm.releases.certificate import Certificate, Specification, certify

ENCODING = Encoding.of_numbers(["a"], [(0.0, 1.0)])


def certificate(n: int | None = 10, encoding: Encoding = ENCODING, **other: Any) -> Certificate:
    facts: dict[str, Any] = {"budget": Budget.of(1), "gamma": 10.0, "weight_bound": 3.0} | other
    return certify(Specification(**facts), encoding, n, secure=True, library="x")[0]


def test_it_contains_what_makes_it_again() -> None:
    made = certificate(loss=Logistic(), relation=Relation.ADD_REMOVE, n=None)
    again, _ = certify(made.specification(), ENCODING, made.n, secure=True, library=made.library)
    assert again == made


@pytest.mark.parametrize(
    ("change", "factor"),
    [
        ({"weight_bound": 6.0}, 2.0),
        ({"gamma": 20.0}, 0.5),
        ({"relation": Relation.ADD_REMOVE, "n": None}, 0.5),
        ({"encoding": Encoding.of_numbers(list("abcdefg"), [(0.0, 1.0)] * 7)}, 2.0),
    ],
)
def test_the_sensitivity_moves_with_every_constant(change: dict[str, Any], factor: float) -> None:
    before, after = certificate().sensitivity, certificate(**change).sensitivity
    assert before.minimiser is not None
    assert after.minimiser == pytest.approx(factor * before.minimiser, rel=1e-14)
    assert after.total == pytest.approx(factor * before.total, rel=1e-14)


def test_the_noise_moves_with_epsilon_and_is_made_for_the_total() -> None:
    one, two = certificate(), certificate(budget=Budget.of(2))
    assert one.noise.scale == one.sensitivity.total
    assert two.noise.scale == pytest.approx(one.noise.scale / 2, rel=1e-15)


def test_only_secure_bits_and_a_finite_epsilon_are_private() -> None:
    assert certificate().private
    assert not certificate(budget=Budget.of("inf")).private
    spec = Specification(Budget.of(1), 10.0, 3.0)
    assert not certify(spec, ENCODING, 10, secure=False, library="x")[0].private


def test_n_is_needed_where_it_is_public() -> None:
    with pytest.raises(ParameterError, match="n is public"):
        certificate(n=None)


def test_output_perturbation_records_no_noise_inside() -> None:
    made = certificate()
    assert made.perturbation is None
    assert made.sensitivity.minimiser is not None


@pytest.mark.parametrize("mechanism", ["objective-l2", "objective-block", "objective-gaussian"])
@pytest.mark.parametrize("relation", list(Relation))
def test_objective_perturbation_records_what_is_inside(mechanism: str, relation: Relation) -> None:
    delta = "1e-6" if mechanism == "objective-gaussian" else 0
    made = certificate(
        mechanism=mechanism, relation=relation, gamma=50.0, budget=Budget.of("0.7", delta)
    )
    inside = made.perturbation
    assert inside is not None
    assert (inside.epsilon_inside, inside.epsilon_outside) == ("0.693", "0.007")
    assert made.epsilon == "0.7"
    assert (inside.rate is None) is (mechanism == "objective-gaussian")
    assert (inside.sigma is None) is (mechanism != "objective-gaussian")
    # The claim does not rest on how far the minimiser moves, so it is not said.
    assert made.sensitivity.minimiser is None
    assert made.sensitivity.total == 2 * made.sensitivity.tolerance
    again, _ = certify(made.specification(), ENCODING, made.n, secure=True, library="x")
    assert again == made


def test_a_regulariser_that_is_not_quadratic_is_refused_for_objective_perturbation() -> None:
    certificate(regularizer=Curved())
    with pytest.raises(ParameterError, match="needs the regularizer ridge or another quadratic"):
        certificate(regularizer=Curved(), mechanism="objective-l2", gamma=50.0)

    class Steeper(Ridge):
        name: ClassVar[str] = "steeper"

    made = certificate(regularizer=Steeper(), mechanism="objective-l2", gamma=50.0)
    assert made.regularizer.name == "steeper"


@pytest.mark.parametrize(
    ("budget", "promise", "multiplier"),
    [
        (Budget.zcdp("0.02"), (None, None, "0.02", None), 5.0),
        (Budget.gdp("0.2"), (None, None, None, "0.2"), 5.0),
        (Budget.of(1, "1e-6"), ("1", "0.000001", None, None), 4.2246788893268353),
    ],
)
def test_gaussian_noise_is_promised_in_one_notion_and_stated_in_two(
    budget: Any, promise: tuple[str | None, ...], multiplier: float
) -> None:
    made = certificate(mechanism="gaussian", budget=budget)
    assert (made.epsilon, made.delta, made.rho, made.mu) == promise
    assert made.noise.scale == pytest.approx(multiplier * made.sensitivity.total, rel=1e-8)
    assert made.gaussian is not None
    assert made.gaussian.mu == pytest.approx(1 / multiplier, rel=1e-8)
    assert made.gaussian.rho == pytest.approx(1 / (2 * multiplier**2), rel=1e-8)
    assert made.private
    assert made.budget == budget
    again, _ = certify(made.specification(), ENCODING, made.n, secure=True, library="x")
    assert again == made


@pytest.mark.parametrize("mechanism", ["spherical-laplace", "product-laplace", "objective-l2"])
def test_other_noise_states_neither_rho_nor_mu(mechanism: str) -> None:
    made = certificate(mechanism=mechanism, gamma=50.0)
    assert (made.rho, made.mu, made.gaussian) == (None, None, None)


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        ({"epsilon": None, "delta": None}, "exactly one"),
        ({"rho": "0.1"}, "not epsilon and rho together"),
        ({"epsilon": None, "rho": "0.1", "delta": "0.001"}, "delta must be 0 with rho"),
    ],
)
def test_a_certificate_makes_one_promise(edit: dict[str, Any], words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        certificate().model_copy(update=edit).specification()
