"""A choice is a few finite numbers and a sentence."""

import json
import math
from dataclasses import replace
from typing import Any

import pytest

from dpwerm.choose.hyperparameters import Hyperparameters
from dpwerm.choose.question import Choice

CHOICE = Choice(
    Hyperparameters(
        mechanism="objective-block",
        gamma=20.0,
        clip=0.4,
        intercept=0.0,
        saturation=1.5,
        threshold=0.25,
    ),
    accuracy=0.9012,
    rivals={"objective-l2": 0.8951, "spherical-laplace": 0.8},
    problems=72,
    rows=200,
)


def changed(**hyperparameters: Any) -> Choice:
    """Return the choice with other hyperparameters."""
    return replace(CHOICE, hyperparameters=replace(CHOICE.hyperparameters, **hyperparameters))


def test_plain_values_are_json_and_all_there_is() -> None:
    plain = json.loads(json.dumps(CHOICE.plain(), allow_nan=False))
    inner = Hyperparameters(**plain["hyperparameters"])
    assert Choice(**plain | {"hyperparameters": inner}) == CHOICE
    assert set(plain) == set(Choice.__dataclass_fields__)
    assert set(plain["hyperparameters"]) == set(Hyperparameters.__dataclass_fields__)


@pytest.mark.parametrize("name", ["gamma", "clip", "intercept", "saturation", "threshold"])
@pytest.mark.parametrize("value", [math.nan, math.inf, -1.0, None])
def test_what_is_no_setting_is_refused(name: str, value: float | None) -> None:
    with pytest.raises(ValueError, match="no hyperparameters"):
        changed(**{name: value})


def test_gamma_is_never_zero() -> None:
    with pytest.raises(ValueError, match="no hyperparameters"):
        changed(gamma=0.0)


def test_no_mechanism_is_no_choice() -> None:
    with pytest.raises(ValueError, match="no hyperparameters"):
        changed(mechanism=None)


def test_another_gamma_has_three_digits_and_changes_nothing_else() -> None:
    assert (CHOICE.mechanism, CHOICE.gamma) == ("objective-block", 20.0)
    assert CHOICE.with_gamma(1234.5) == changed(gamma=1230.0)


def test_the_reason_names_the_winner_the_others_and_that_no_row_was_read() -> None:
    reason = CHOICE.reason
    for part in ("72 synthetic trials", "without reading a row", "for 90.1 %"):
        assert part in reason
    assert "objective-l2 89.5, spherical-laplace 80.0" in reason
    assert "others" not in replace(CHOICE, rivals={}).reason
    assert len(reason) < 1000  # what a certificate holds
