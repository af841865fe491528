import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from dpwerm.errors import ParameterError
from dpwerm.privacy.facts import Facts
from dpwerm.privacy.origin import KnownByDesign
from dpwerm.privacy.relation import Relation

FACTS = Facts(3.0, 1.0, 0.1, 7.0, Relation.REPLACE_ONE, 10, KnownByDesign())


def test_the_gradient_bound_is_the_exact_product() -> None:
    assert FACTS.gradient_bound == 3 * Fraction(0.1)


@pytest.mark.parametrize("name", ["weight_bound", "lipschitz", "radius", "gamma"])
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
