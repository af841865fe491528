"""A rule that gives everybody one arm is recognised from its file alone."""

import itertools
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpwerm.features.blocks import CategoryBlock, Level, NumberBlock
from dpwerm.features.encoding import Encoding
from dpwerm.privacy.budget import Budget
from dpwerm.releases.certificate import Specification, certify
from dpwerm.releases.release import Release, Rule
from dpwerm.study.treatment import Declaration

AGE = NumberBlock(name="age", column="age", lower=18.0, upper=80.1, default=40.0)
SCORE = NumberBlock(name="score", column="score", lower=-0.3, upper=0.1, default=0.0)
SEX, REGION = (
    CategoryBlock(
        name=name,
        column=name,
        levels=tuple(Level(name=level, cells=(level,)) for level in levels),
        default=levels[-1],
    )
    for name, levels in (("sex", "FM"), ("region", "NSE"))
)
CELLS: dict[str, list[Any]] = {
    "age": [18.0, 80.1, -1e9, 1e9, None],
    "score": [-0.3, 0.1, None],
    "sex": ["F", "M", "?", None],
    "region": ["N", "S", "E", None],
}
EVERYBODY = pa.table(
    dict(zip(CELLS, map(list, zip(*itertools.product(*CELLS.values()), strict=True)), strict=True))
)


def rule_of(
    integers: tuple[int, ...], default: str = "old", threshold: float = 0.0, **other: Any
) -> Rule:
    """Return a rule of the four features with these coefficients."""
    encoding = Encoding(blocks=(AGE, SCORE, SEX, REGION)).changed(**other)
    spec = Specification(Budget.of("inf"), 10.0, 3.0, mechanism="none")
    certificate, _ = certify(spec, encoding, 10, secure=True, library="x")
    release = Release(encoding, integers[-len(encoding.coefficient_names) :], certificate)
    treatment = {"column": "arm", "arms": {"old": "1/2", "new": "1/2"}, "default": default}
    benefit = {"column": "benefit", "bounds": [0.0, 1.0]}
    declared = Declaration.of_keys(treatment, benefit)
    return Rule(replace(release, threshold=threshold), declared)


# One in five coefficients is 0, so that ties and terms on one side of 0 occur.
WHOLE = st.integers(-3, 3) | st.integers(-(10**15), 10**15) | st.just(0)


@given(
    integers=st.tuples(*[WHOLE] * 7),
    lift=st.integers(-(2**45), 2**45) | st.just(0),
    default=st.sampled_from(["old", "new"]),
    threshold=st.sampled_from([0.0, 0.4]),
    other=st.sampled_from(
        [{}, {"kind": "paper"}, {"saturation": 2.5}, {"intercept": 0.0}, {"intercept": 0.2}]
    ),
)
def test_the_single_arm_is_what_everybody_gets(
    integers: tuple[int, ...], lift: int, default: str, threshold: float, other: dict[str, Any]
) -> None:
    rule = rule_of((integers[0] + lift, *integers[1:]), default, threshold, **other)
    scores = rule.score_table(EVERYBODY)
    given_arms = set(rule.arms_for(scores))
    if rule.single_arm is not None:
        assert given_arms == {rule.single_arm}
    elif len(given_arms) == 1:  # so near a tie that rounding might decide
        assert np.abs(scores).min() <= 1e-13 * np.abs(rule.release.effects).sum()


UNIT = 2**40


@pytest.mark.parametrize(
    ("integers", "default", "other", "arm"),
    [
        ((7, 1, -2, 3, 0, 0, 0), "old", {}, "new"),
        ((-7, 1, -2, 3, 0, 0, 0), "old", {}, "old"),
        ((7, 1, -2, 4, 0, 0, 0), "old", {}, None),  # 0 is attained, and gives "old"
        ((7, 1, -2, 3, -2, 5, 5), "old", {}, None),  # one level is enough
        ((9, 1, -2, 3, -2, 5, 5), "old", {}, "new"),
        ((0, 0, 0, 0, 0, 0, 0), "new", {}, "new"),
        ((0, 0, 0, 0, 1, 0, 2), "new", {}, "new"),  # a tie gives the default
        ((0, 0, 0, 0, 1, 0, 2), "old", {}, None),
        ((1, 1, 1, 0, 0, 0, 0), "new", {"kind": "paper"}, "new"),
        ((0, 1, 1, 0, 0, 0, 0), "new", {"kind": "paper"}, "new"),
        ((0, 1, 1, 0, 0, 0, 0), "old", {"kind": "paper"}, None),
        ((0, 1, 0, 0, 0, 0, 0), "old", {"intercept": 0.0}, None),
        ((5, 3, 0, 0, 0, 0, 0), "old", {}, "new"),
        ((5, 3, 0, 0, 0, 0, 0), "old", {"saturation": 100.0}, "new"),
        ((5, 4, 0, 0, 0, 0, 0), "old", {"saturation": 100.0}, None),  # stretched by 1.5
        ((5, 9, 2, 0, 0, 0, 0), "old", {"threshold": 0.9}, None),
        ((9, 8, 2, 0, 0, 0, 0), "old", {}, None),
        ((9, 8, 2, 0, 0, 0, 0), "old", {"threshold": 0.9}, "new"),  # 2 was set to 0
    ],
)
def test_known_rules(
    integers: tuple[int, ...], default: str, other: dict[str, Any], arm: str | None
) -> None:
    assert rule_of(tuple(UNIT * k for k in integers), default, **other).single_arm == arm
