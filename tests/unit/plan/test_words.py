"""What a plan says, and that it says it of the right number."""

import pytest
from tests.unit.plan.studies import OPEN, PRIVATE_MODEL, study

from dpwerm.plan.expected import Expected, Spread
from dpwerm.plan.target import Answer
from dpwerm.plan.words import (
    WITHOUT,
    answer_words,
    counted,
    odds,
    opening,
    over_total,
    shown_epsilon,
)


def at(mean: float) -> Expected:
    one = Spread(mean, 0.012, mean - 0.1, min(1.0, mean + 0.05))
    other = Spread(0.55, 0.01, 0.4, 0.7)
    return Expected(one, one, other, other, trials=480, rows=1000)


def said(answer: Answer[str] | Answer[int], fixed: str = "with 50 people") -> str:
    what = "epsilon" if isinstance(answer.place, str) else "number of people"
    return " ".join(answer_words(answer, fixed, what))


def test_an_answer_comes_with_the_step_below() -> None:
    answer = Answer(0.9, reached=True, place="0.7", found=at(0.91), below=("0.5", at(0.88)))
    text = said(answer)
    assert "The smallest epsilon for 90 % of people with their better arm with 50 people" in text
    assert "is 0.7: 91.0 ± 1.2 % (80 in 100 trials: 81 to 96 %)" in text
    assert "One step below, at epsilon = 0.5 it is 88.0 ± 1.2 %" in text


def test_an_answer_in_people() -> None:
    answer = Answer(0.9, reached=True, place=1500, found=at(0.91), below=(1000, at(0.88)))
    text = said(answer, "at epsilon = 1")
    assert "smallest number of people for 90 %" in text
    assert "at epsilon = 1 is 1,500:" in text
    assert "with 1,000 people it is 88.0" in text


def test_a_target_that_nothing_reaches_names_the_ceiling() -> None:
    bare = said(Answer(0.99, reached=False, place="inf", found=at(0.95)))
    assert "No epsilon reaches 99 % of people with their better arm with 50 people" in bare
    assert "even without privacy the simulated trials reach 95.0 ± 1.2 %" in bare
    many = said(Answer(0.99, reached=False, place=1_000_000, found=at(0.95)), "at epsilon = 1")
    assert "No number of people up to 1,000,000 reaches 99 %" in many
    assert "even with 1,000,000 people the simulated trials reach 95.0" in many


def test_a_target_that_nothing_reaches_comes_with_a_way_out() -> None:
    bare = said(Answer(0.99, reached=False, place="inf", found=at(0.95)))
    assert "Lower the target, plan for more people, or change what the study measures." in bare
    many = Answer(0.99, reached=False, place=1_000_000, found=at(0.95))
    assert "Lower the target, raise epsilon, or change" in said(many, "at epsilon = 1")
    assert "Lower the target, or change" in said(many, WITHOUT)


@pytest.mark.parametrize(
    ("text", "key", "said"),
    [
        (OPEN, "", "around the centre, {middle:.4g} on a scale"),
        (OPEN, "centre = 1", "around the centre, 1 on a scale"),
        (OPEN, 'centre = "lower"', "lie around {middle:.4g} on a scale"),
        (OPEN, 'weights = "nonnegative"', "lie around {middle:.4g} on a scale"),
        (PRIVATE_MODEL, "", "anywhere in their range: if you know"),
        (PRIVATE_MODEL, "centre = 1", "around the centre, 1 on a scale"),
    ],
)
def test_a_plan_says_where_benefits_lie(text: str, key: str, said: str) -> None:
    declared = study(text.replace("[benefit]", f"[benefit]\n{key}"))
    middle = sum(declared.benefit.range) / 2
    assert said.format(middle=middle) in " ".join(opening(declared, 10))


def test_people_are_counted() -> None:
    assert [counted(n) for n in (1, 2, 1500)] == ["1 person", "2 people", "1,500 people"]


def test_a_target_that_only_no_privacy_reaches() -> None:
    answer = Answer(0.9, reached=True, place="inf", found=at(0.91), below=("100", at(0.89)))
    assert "Only without privacy is 90 % of people" in said(answer)


def test_the_smallest_value_tried_is_called_so() -> None:
    answer = Answer(0.9, reached=True, place="0.01", found=at(0.97))
    assert "That is the smallest value tried." in said(answer)


def test_odds_are_told_for_each_finite_epsilon() -> None:
    lines = odds(["0.5", "1", "inf"], "replace_one")
    assert "two possible rows of a person" in lines[0]
    assert len(lines) == 4
    assert "1    odds change by at most a factor 2.72; 50:50 becomes at most 73.2:26.8" in lines[3]
    assert "being in the data" in odds(["1"], "add_remove")[0]
    assert odds(["inf"], "replace_one") == []


def test_what_is_above_the_total_is_named() -> None:
    assert over_total(study(), ["1", "2", "5", "inf"]) == [
        "Above the study's total of 2, which fit refuses: 5."
    ]
    assert over_total(study(), ["1"]) == []
    for symbol in ("rho", "mu"):
        gaussian = study(OPEN.replace("[budget]\nepsilon = 2", f"[budget]\n{symbol} = 0.5"))
        (first, *_) = over_total(gaussian, ["0.1", "1", "inf"])
        assert f"total is in {symbol} and has no epsilon, so a fit needs --{symbol}" in first
    assert over_total(study(OPEN.replace("[budget]\nepsilon = 2", "")), ["50"]) == []


def test_the_title_names_study_and_people() -> None:
    assert opening(study(), 1200)[0] == "Plan for small-trial with 1,200 people"
    assert opening(study(name="A trial"), None)[0] == "Plan for A trial"
    assert shown_epsilon("inf") == "no privacy"
