import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from dpwerm.errors import ParameterError
from dpwerm.privacy.origin import KnownByDesign
from dpwerm.privacy.relation import Relation
from dpwerm.privacy.sensitivity import Facts

BLOCKS = ((1, 0.5), (1, 1.0), (3, 0.7))
FACTS = Facts(3.0, 1.0, 1.4, 7.0, Relation.REPLACE_ONE, 10, KnownByDesign(), 0.3, BLOCKS, "ridge")


def test_the_gradient_bound_is_the_exact_product() -> None:
    assert FACTS.gradient_bound == 3 * Fraction(1.4)


def test_the_curvature_bound_is_the_exact_product() -> None:
    assert FACTS.curvature_bound == 3 * Fraction(0.3) * Fraction(1.4) ** 2


def test_blocks_say_how_many_coefficients_there_are_and_how_large_a_column_is() -> None:
    assert FACTS.dimension == 5
    assert FACTS.column_bounds == (0.5, 1.0, 0.7, 0.7, 0.7)


def test_a_radius_below_the_norm_of_an_allowed_row_is_refused() -> None:
    with pytest.raises(ParameterError, match=r"^radius must not be below"):
        replace(FACTS, radius=0.1, blocks=((1, 1.75),))


def test_the_radius_is_compared_exactly_and_a_wide_block_counts_once() -> None:
    exact = replace(FACTS, radius=5.0, blocks=((1, 3.0), (7, 4.0)))
    assert exact.radius == 5.0
    for less in (
        {"radius": math.nextafter(5.0, 0.0)},
        {"blocks": ((1, 3.0), (7, math.nextafter(4.0, 5.0)))},
        {"blocks": ((1, 3.0), (1, 4.0), (1, 5e-324))},
    ):
        change: dict[str, Any] = less
        with pytest.raises(ParameterError, match=r"^radius must not be below"):
            replace(exact, **change)


WRONG_BLOCKS: list[Any] = [
    (),
    None,
    3,
    ((1,),),
    ((0, 1.0),),
    ((True, 1.0),),
    ((1.0, 1.0),),
    ((1, 0.0),),
    ((1, math.nan),),
    ((2, -1.0),),
    ((1, "1"),),
]


@pytest.mark.parametrize("blocks", WRONG_BLOCKS)
def test_blocks_of_another_form_are_refused(blocks: Any) -> None:
    with pytest.raises(ParameterError, match="block"):
        replace(FACTS, blocks=blocks)


@pytest.mark.parametrize("smoothness", [0.0, -1.0, math.inf, math.nan, "1", None, True])
def test_smoothness_must_be_above_zero_and_finite(smoothness: Any) -> None:
    with pytest.raises(ParameterError, match=r"^smoothness must be"):
        replace(FACTS, smoothness=smoothness)
    assert replace(FACTS, smoothness=5e-13).smoothness == 5e-13


def test_the_regulariser_is_a_name() -> None:
    wrong: Any = None
    with pytest.raises(ParameterError, match=r"^regularizer must be a name"):
        replace(FACTS, regularizer=wrong)


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
