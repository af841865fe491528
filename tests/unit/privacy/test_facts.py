import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import pytest
from tests.unit.features.domains import Curved, of_blocks

from dpwerm.arrays import FloatArray
from dpwerm.errors import ParameterError
from dpwerm.exact import sqrt_up
from dpwerm.features.domain import Domain, Interval
from dpwerm.objective.regularizers import QuadraticPenalty, Ridge
from dpwerm.privacy.budget import Relation
from dpwerm.privacy.sensitivity import Facts
from dpwerm.privacy.weight_origin import KnownByDesign

DOMAIN = of_blocks(((1, 0.5), (1, 1.0), (3, 0.75)))
FACTS = Facts(3.0, 1.0, 0.3, DOMAIN, 7.0, Ridge(), Relation.REPLACE_ONE, 10, KnownByDesign())


def test_the_gradient_bound_is_the_exact_product() -> None:
    assert FACTS.gradient_bound == 3 * Fraction(FACTS.radius)
    assert FACTS.radius == sqrt_up(Fraction(29, 16))


def test_the_curvature_bound_is_the_exact_product() -> None:
    assert FACTS.curvature_bound == 3 * Fraction(0.3) * Fraction(FACTS.radius) ** 2


def test_the_domain_says_how_many_coefficients_there_are() -> None:
    assert FACTS.dimension == 5


@dataclass(frozen=True)
class Light(QuadraticPenalty):
    """M = 4I, with a leverage that says so."""

    name: ClassVar[str] = "light"
    parameters: ClassVar[dict[str, float]] = {}

    def matrix(self, p: int) -> FloatArray:
        return 4.0 * np.eye(p)

    def leverage(self, domain: Domain) -> Fraction:
        return super().leverage(domain) / 4


def test_the_curvature_bound_takes_the_leverage_of_the_regulariser() -> None:
    assert replace(FACTS, regularizer=Light()).curvature_bound == FACTS.curvature_bound / 4
    curved = replace(FACTS, regularizer=Curved())
    assert curved.leverage is None
    with pytest.raises(ParameterError, match="curved is not quadratic"):
        assert curved.curvature_bound


@pytest.mark.parametrize("domain", [None, 3, "x", ((1, 1.0),)])
def test_another_thing_than_a_domain_is_refused(domain: Any) -> None:
    with pytest.raises(ParameterError, match=r"^domain must be"):
        replace(FACTS, domain=domain)


@pytest.mark.parametrize("bound", [1e13, 1e-13])
def test_the_radius_has_a_range(bound: float) -> None:
    with pytest.raises(ParameterError, match=r"^(radius|the bound of a domain) must be"):
        replace(FACTS, domain=Interval(bound))


@pytest.mark.parametrize("smoothness", [0.0, -1.0, math.inf, math.nan, "1", None, True])
def test_smoothness_must_be_above_zero_and_finite(smoothness: Any) -> None:
    with pytest.raises(ParameterError, match=r"^smoothness must be"):
        replace(FACTS, smoothness=smoothness)
    assert replace(FACTS, smoothness=5e-13).smoothness == 5e-13


def test_the_regulariser_is_no_name() -> None:
    wrong: Any = "ridge"
    with pytest.raises(ParameterError, match=r"^regularizer must be a regularizer, not str"):
        replace(FACTS, regularizer=wrong)


@pytest.mark.parametrize("name", ["weight_bound", "lipschitz", "gamma"])
@pytest.mark.parametrize("value", [0.0, -1.0, math.inf, math.nan, "1", None, True, 1e13, 1e-13])
def test_every_constant_must_be_positive_and_finite(name: str, value: object) -> None:
    change: dict[str, Any] = {name: value}
    with pytest.raises(ParameterError, match=f"^{name} must be"):
        replace(FACTS, **change)


@pytest.mark.parametrize("n", [0, -1, 10**12 + 1, True, 2.0, "3"])
def test_n_must_be_a_whole_number_from_one_on(n: Any) -> None:
    with pytest.raises(ParameterError, match=r"^n must be"):
        replace(FACTS, n=n)


def test_n_is_refused_where_it_is_sensitive() -> None:
    with pytest.raises(ParameterError, match="sensitive"):
        replace(FACTS, relation=Relation.ADD_REMOVE)
    assert replace(FACTS, relation=Relation.ADD_REMOVE, n=None).n is None


def test_relation_and_origin_are_checked() -> None:
    name: Any = "add_remove"
    assert replace(FACTS, relation=name, n=None).relation is Relation.ADD_REMOVE
    wrong: Any = "design"
    with pytest.raises(ParameterError, match=r"^origin must be"):
        replace(FACTS, origin=wrong)
