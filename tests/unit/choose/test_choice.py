"""A choice is a few finite numbers and a sentence."""

import json
import math
from dataclasses import replace
from typing import Any

import pytest

from dpwerm.choose.hyperparameters import Hyperparameters
from dpwerm.choose.question import Choice
from dpwerm.simulate.judged import Judged

CHOICE = Choice(
    Hyperparameters(
        mechanism="objective-block",
        gamma=20.0,
        clip=0.4,
        intercept=0.0,
        saturation=1.5,
        threshold=0.25,
        estimator="outcome-weighted",
    ),
    accuracy=0.9012,
    gain=0.6512,
    harm=0.0312,
    score=0.4321,
    rivals={"objective-l2": 0.3951, "contrast": 0.1},
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


NUMBERS = ("gamma", "clip", "intercept", "saturation", "threshold", "width", "main", "mean")
NEEDED = ("gamma", "intercept", "saturation", "threshold", "mechanism", "estimator")


@pytest.mark.parametrize(
    ("name", "value"),
    [(name, value) for name in NUMBERS for value in (math.nan, math.inf, -1.0)]
    + [(name, None) for name in NEEDED],
)
def test_what_is_no_setting_is_refused(name: str, value: float | None) -> None:
    with pytest.raises(ValueError, match="no hyperparameters"):
        changed(**{name: value})


def test_gamma_is_never_zero() -> None:
    with pytest.raises(ValueError, match="no hyperparameters"):
        changed(gamma=0.0)


def test_what_an_estimator_has_not_may_be_open() -> None:
    regression = changed(clip=None, width=0.1, mean=0.0, estimator="contrast")
    assert regression.hyperparameters.clip is None


def test_another_gamma_has_three_digits_and_changes_nothing_else() -> None:
    assert (CHOICE.mechanism, CHOICE.gamma) == ("objective-block", 20.0)
    assert CHOICE.with_gamma(1234.5) == changed(gamma=1230.0)


def test_the_reason_names_the_winner_the_others_and_that_no_row_was_read() -> None:
    reason = CHOICE.reason
    for part in (
        "72 synthetic trials",
        "without reading a row",
        "outcome-weighted with objective-block gained 65 %",
        "worse than one arm for everybody in 3 %",
        "scored 0.43",
    ):
        assert part in reason
    assert "objective-l2 0.40, contrast 0.10" in reason
    assert "; others: " in reason
    assert "; others" not in replace(CHOICE, rivals={}).reason
    assert len(reason) < 1000  # what a certificate holds


def test_the_reason_of_labels_tells_their_accuracy_alone() -> None:
    labels = replace(CHOICE, gain=None, harm=None, rivals={"objective-l2": 0.8951})
    for part in ("72 synthetic trials", "without reading a row", "for 90.1 %"):
        assert part in labels.reason
    assert "objective-l2 0.90" in labels.reason
    assert "gain" not in labels.reason


def test_rivals_are_the_best_of_each_other_estimator_and_mechanism() -> None:
    winner = CHOICE.hyperparameters
    contrast = Hyperparameters("objective-block", estimator="contrast")
    tried = [
        (winner, 5.0),
        (replace(winner, clip=0.1), 4.9),
        (contrast, 4.0),
        (replace(contrast, width=2.0), 4.5),
        (replace(contrast, mechanism="objective-l2"), 4.7),
        (replace(winner, mechanism="objective-l2"), 3.0),
        (replace(winner, mechanism="objective-l2", clip=0.1), 2.0),
    ]
    found = Choice.of(winner, Judged(0.9, 0.5, 0.1), 5.0, tried, (3, 7))
    assert found.rivals == {"contrast": 4.7, "objective-l2": 3.0}
    assert (found.accuracy, found.gain, found.harm, found.score) == (0.9, 0.5, 0.1, 5.0)
    assert (found.problems, found.rows) == (3, 7)
