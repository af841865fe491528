"""The words around a value: what is said depends on what was released, and nothing is promised."""

import math
from dataclasses import replace

import pytest
from tests.unit.releases.value.trials import DESIGN, EXTERNAL, fitted, study, table

from dpwerm.documents.value import reading_words, value_summary
from dpwerm.evaluate import treatment_value
from dpwerm.releases.value.release import Estimate, ValueRelease
from dpwerm.text import at_most, interval_words

RULE = fitted(study())
VALUE = treatment_value(RULE, table(2000), 1, study=study(), random_state=3)


def with_gains(value: ValueRelease, *ends: tuple[float, float]) -> ValueRelease:
    copied = replace(value)
    gains = tuple(
        Estimate(
            name="rule",
            over=arm,
            estimate=(low + high) / 2,
            lower=low,
            upper=high,
            privacy=0.1,
            sampling=0.1,
        )
        for arm, (low, high) in zip(("pill", "therapy"), ends, strict=True)
    )
    copied.__dict__["gains"] = gains
    return copied


def test_every_value_and_gain_has_its_line() -> None:
    text = value_summary(VALUE, RULE)
    for one in (*VALUE.values, *VALUE.gains):
        assert interval_words(one.lower, one.upper) in text
        assert f"± {at_most(one.privacy, 2)}" in text
        assert f"± {at_most(one.sampling, 2)}" in text
    assert "in 95 of 100 evaluations" in text
    assert "under sampling that for chance in who took part." in " ".join(text.split())
    assert "NOT PRIVATE: the noise came from a seed" in text


@pytest.mark.parametrize(
    ("ends", "words"),
    [
        (((0.1, 1.0), (0.2, 0.9)), "better than either arm for everybody, beyond both errors"),
        (((0.1, 1.0), (-0.2, 0.9)), "better than 'therapy' for everybody CANNOT BE TOLD"),
        (((-0.1, 1.0), (-0.2, 0.9)), "'pill' and 'therapy' for everybody CANNOT BE TOLD"),
        (((0.1, 1.0), (-0.9, -0.2)), "THE RULE IS WORSE than 'therapy' for everybody"),
    ],
)
def test_the_verdict_follows_from_the_intervals(
    ends: tuple[tuple[float, float], tuple[float, float]], words: str
) -> None:
    assert words in value_summary(with_gains(VALUE, *ends))


def test_where_nothing_can_be_told_a_way_out_is_named() -> None:
    unclear = with_gains(VALUE, (-0.1, 1.0), (-0.2, 0.9))
    assert "a larger epsilon or more people would tell more" in value_summary(unclear)
    free = treatment_value(RULE, table(), math.inf, study=study())
    text = value_summary(with_gains(free, (-0.1, 1.0), (-0.2, 0.9)))
    assert "\nmore people would tell more" in text


def test_it_says_which_rule_and_how_it_was_estimated() -> None:
    text = value_summary(VALUE)
    assert f"rule         {VALUE.rule_digest}" in text
    assert "probabilities by design, from 12 sums" in text
    by_row = treatment_value(RULE, table(), math.inf, study=study(EXTERNAL))
    assert "probabilities by row, from 20 sums" in value_summary(by_row)


def test_cost_is_said_where_something_was_spent() -> None:
    rule = fitted(study(), epsilon=1)
    private = treatment_value(rule, table(), "0.25", study=study(), ledger="none")
    text = value_summary(private, rule)
    assert "This evaluation costs epsilon = 0.25, on top of the rule's epsilon = 1" in text
    assert "on top of what the rule cost" in value_summary(private)
    assert "What the promise rests on:" in text
    free = value_summary(treatment_value(RULE, table(), math.inf, study=study()))
    assert "costs" not in free
    assert "There is no noise here" in " ".join(free.split())
    assert "How it was made, without a promise:" in free


def test_where_a_model_gives_the_probabilities_its_errors_are_named() -> None:
    words = "Errors of the propensity model are in no interval"
    modelled = treatment_value(RULE, table(), math.inf, study=study(EXTERNAL))
    assert words in " ".join(value_summary(modelled).split())
    assert words not in value_summary(VALUE)


def test_where_an_interval_ends_is_said() -> None:
    assert "No interval goes beyond what the declared bounds allow" in reading_words(VALUE)


def test_a_turned_sign_and_an_unknown_value_are_said() -> None:
    smaller = study(DESIGN, ("bounds = [-5, 15]", 'bounds = [-5, 15]\ndirection = "smaller"'))
    rule = fitted(smaller)
    nobody = table(3).slice(0, 0)
    empty = study(
        DESIGN,
        ("bounds = [-5, 15]", 'bounds = [-5, 15]\ndirection = "smaller"'),
        ('"replace_one"', '"add_remove"'),
    )
    text = value_summary(treatment_value(rule, nobody, math.inf, study=empty))
    assert "with its sign turned" in text
    assert "between -15 and 5" in text
    assert "not known" in text
    assert "n is not written" in text
