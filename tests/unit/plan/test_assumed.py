"""What a plan takes for granted: declared, asked for, and no part of a fit."""

import pytest
from tests.unit.plan.studies import OPEN, study

from dpwerm.errors import ParameterError
from dpwerm.plan.assumed import Assumed, declared_scale, expecting, half_range
from dpwerm.plan.expected import expected, settle
from dpwerm.privacy.budget import Budget
from dpwerm.simulate.scale import Scale

BOUNDS = "bounds = [-10, 10]"
EXPECTING = OPEN.replace(BOUNDS, f"{BOUNDS}\nexpected_sd = 4\nexpected_effect_sd = 2")
LOG = OPEN.replace(BOUNDS, 'bounds = [1, 100]\ntransform = "log"\nexpected_sd = 1')


def test_a_scale_is_in_half_ranges_after_transform() -> None:
    assert declared_scale(study(EXPECTING).benefit) == Scale(0.4, 0.2)
    assert declared_scale(study().benefit) is None
    log = study(LOG).benefit
    assert declared_scale(log) == Scale(1 / half_range(log), None)
    assert half_range(log) == pytest.approx(2.302585)


def test_options_come_before_the_study() -> None:
    declared = study(EXPECTING)
    assert expecting(declared, None, None) is declared
    assert declared_scale(expecting(declared, 5, None).benefit) == Scale(0.5, 0.2)
    assert declared_scale(expecting(declared, None, 0).benefit) == Scale(0.4, 0.0)
    found = expecting(study(), 5, 1)
    assert found.benefit.without_expectations() == study().benefit


@pytest.mark.parametrize(
    ("sd", "effect_sd", "words"),
    [
        (11, None, "^sd: no benefit within its bounds has an sd of 11; at most 10"),
        (0, None, "^sd: must be between"),
        (-1, None, "^sd: must be between"),
        (float("nan"), None, "^sd: must be finite"),
        (float("inf"), None, "^sd: must be finite"),
        (None, 1, "^effect_sd: needs expected_sd beside it"),
        (2, 5, "^effect_sd: 5 is more than twice expected_sd; at most 4"),
        (2, -1, "^effect_sd: must be between"),
    ],
)
def test_what_cannot_be_expected_is_named(
    sd: float | None, effect_sd: float | None, words: str
) -> None:
    with pytest.raises(ParameterError, match=words):
        expecting(study(), sd, effect_sd)


def test_a_fit_does_not_know_what_is_expected(quick: None) -> None:
    plain, told = study(), study(EXPECTING)
    assert told.declaration() == plain.declaration()
    settled = settle(plain, Budget.of("1"), 60)
    assert settle(told, Budget.of("1"), 60).question == settled.question
    assert expected(settled, 8) != expected(settled, 8, Assumed(Scale(0.4, 0.2)))


def test_more_to_learn_gains_more(quick: None) -> None:
    settled = settle(study(), Budget.of("inf"), 60)
    little, much = (
        expected(settled, 96, Assumed(Scale(0.4, share * 0.4))).gain.mean for share in (0.1, 1.5)
    )
    assert little + 0.2 < much
    nothing = expected(settled, 96, Assumed(Scale(0.4, 0.0)))
    assert nothing.gain.mean <= 0


def test_features_that_do_not_matter_cost_accuracy(quick: None) -> None:
    more = "".join(f'[features.x{i}]\nkind = "number"\nbounds = [0, 1]\n' for i in range(14))
    wide = study(OPEN.replace("[treatment]", f"{more}\n[treatment]"))
    found = [
        expected(settle(one.study(wide), Budget.of("2"), 60), 96, one).accuracy.mean
        for one in (Assumed(None, 1, 16), Assumed(None, 1, 1))
    ]
    assert found[0] < found[1]
    assert Assumed(declared=16).study(wide) is wide
