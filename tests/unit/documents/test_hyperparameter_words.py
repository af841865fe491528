"""Rows and a paragraph for every hyperparameter that is not plain, and silence otherwise."""

import re
from dataclasses import replace
from typing import Any

import pytest
from tests.unit.choose.test_choice import CHOICE
from tests.unit.documents.test_summary import TEXT, demo_rule
from tests.unit.tune.trials import study, table

from dpwerm.documents.chosen import (
    LEFT_OUT,
    TIGHTLY,
    chosen_words,
    tuning_words,
    unclear_words,
)
from dpwerm.documents.summary import hyperparameter_rows, summary, zeroed
from dpwerm.documents.verdict import Outcome, Verdict, verdict_of
from dpwerm.releases.certificate import Chosen
from dpwerm.releases.release import Rule
from dpwerm.text import WIDTH
from dpwerm.tune.private import fit_tuned

CLIP = TEXT.replace("bounds = [-12, 28]", "bounds = [-12, 28]\nclip = 5")
REASON = (
    "chosen on 72 simulated problems, without reading a row: " + "a rival lost, " * 9 + "one won"
)
DID = "chosen on 72 synthetic trials, without reading a row: there arm-wise gained 44 % of it"
CLEAR, NOISE, ONE_ARM, UNKNOWN = (Verdict(one, "") for one in Outcome)


def with_chosen(
    *settings: str,
    reason: str = REASON,
    accuracy: float = 0.9,
    seed: int | None = 1,
    **worth: float,
) -> Rule:
    rule = demo_rule(random_state=seed)
    record = Chosen(settings=list(settings), accuracy=accuracy, reason=reason, **worth)
    certificate = rule.release.certificate.model_copy(update={"chosen": record})
    return replace(rule, release=replace(rule.release, certificate=certificate))


def test_plain_hyperparameters_need_no_words() -> None:
    rule = demo_rule(random_state=1)
    assert hyperparameter_rows(rule) == {}
    assert chosen_words(rule, CLEAR) == ""
    text = summary(rule)
    assert "Hyperparameters" not in text
    assert "over its declared range" in text


def test_each_hyperparameter_that_is_not_plain_is_said() -> None:
    text = f"{CLIP}\n[method]\nintercept_scale = 0.4\n"
    rule = demo_rule("inf", text, saturation=2.5, threshold=0.9)
    count = sum(k == 0 for k in rule.release.kept)
    assert count >= 1
    assert hyperparameter_rows(rule) == {
        "clip": "V = 5; without it benefits lie up to 20 from the centre",
        "intercept": "a column of 0.4",
        "saturation": "learned from the middle 1/2.5 of each number's range, stretched",
        "threshold": f"coefficients below 0.9 of the largest were set to 0, here {count} of 4",
    }
    said = summary(rule)
    for name, words in hyperparameter_rows(rule).items():
        assert f"\n  {name:<12} {words}\n" in said
    assert len(re.findall(r" 0  set to 0\n", said)) == count
    assert "over its declared range" in said


def test_without_an_intercept_every_coefficient_may_be_set_to_0() -> None:
    rule = demo_rule("inf", f"{TEXT}\n[method]\nintercept_scale = 0\n", threshold=0.5)
    assert hyperparameter_rows(rule)["threshold"].endswith(f"{sum(zeroed(rule.release))} of 4")


def test_no_intercept_is_called_none() -> None:
    rule = demo_rule(text=f"{TEXT}\n[method]\nintercept_scale = 0\n", random_state=1)
    assert hyperparameter_rows(rule) == {"intercept": "none"}


def test_what_was_chosen_stands_at_the_end_in_lines_that_fit() -> None:
    rule = with_chosen("gamma", "mechanism", "clip")
    words = f"Hyperparameters: gamma, mechanism and clip were {REASON}."
    assert chosen_words(rule, CLEAR) == f"{words} {TIGHTLY}"
    assert chosen_words(rule, verdict_of(rule)) == words
    *_, last = summary(rule).rstrip("\n").split("\n\n")
    assert last.replace("\n", " ") == words
    assert max(map(len, last.splitlines())) <= WIDTH


@pytest.mark.parametrize("verdict", [NOISE, ONE_ARM, UNKNOWN])
def test_what_rules_did_on_synthetic_trials_is_repeated_only_of_one_told_from_noise(
    verdict: Verdict,
) -> None:
    rule = with_chosen("gamma", reason=DID, gain=0.44, harm=0.1)
    assert chosen_words(rule, CLEAR) == f"Hyperparameters: gamma was {DID}."
    how = "chosen on 72 synthetic trials, without reading a row"
    assert chosen_words(rule, verdict) == f"Hyperparameters: gamma was {how}. {LEFT_OUT}"


def test_a_real_reason_is_parted_where_it_says_what_rules_did() -> None:
    """Of labels and of trials alike: no share of people, gain or score is left."""
    for one in (CHOICE, replace(CHOICE, gain=None, harm=None)):
        reason = one.reason
        words = chosen_words(with_chosen("gamma", reason=reason), NOISE)
        assert words.endswith(LEFT_OUT)
        assert "%" in reason
        assert "%" not in words


def test_a_rule_that_simulations_call_unclear_is_called_so() -> None:
    rule = with_chosen("gamma", accuracy=0.504, seed=None)
    words = "ON SYNTHETIC TRIALS such a rule was right for only 50.4 % of the people: this rule "
    more = ". More people or a larger budget would give a clearer one."
    assert unclear_words(rule, UNKNOWN) == f"{words}may be noise alone{more}"
    told = "may do no good, though it can be told from noise"
    assert unclear_words(rule, CLEAR) == f"{words}{told}{more}"


def test_a_verdict_of_noise_or_of_one_arm_says_more_and_needs_no_share() -> None:
    rule = with_chosen("gamma", accuracy=0.504, seed=None)
    assert unclear_words(rule, NOISE) == ""
    assert unclear_words(rule, ONE_ARM) == ""
    # At so small a budget 5 of 100 at most are told from noise by chance, not 12 in a row: 3e-16.
    rules = (with_chosen("gamma", accuracy=0.504, seed=None) for _ in range(12))
    rule, verdict = next(
        both for both in ((one, verdict_of(one)) for one in rules) if not both[1].told
    )
    text = " ".join(summary(rule).split())
    assert verdict.words in text
    assert "50.4" not in text


def test_a_clear_rule_or_one_that_is_not_private_gets_no_warning() -> None:
    assert unclear_words(with_chosen("gamma", accuracy=0.6, seed=None), UNKNOWN) == ""
    assert unclear_words(with_chosen("gamma", accuracy=0.504), UNKNOWN) == ""
    assert unclear_words(demo_rule(), CLEAR) == ""
    assert "ON SYNTHETIC" not in summary(demo_rule())


@pytest.mark.parametrize(
    ("gain", "harm", "told"), [(0.5, 0.1, False), (0.05, 0.1, True), (0.5, 0.4, True)]
)
def test_gain_and_harm_decide_where_they_are_known(gain: float, harm: float, told: bool) -> None:
    rule = with_chosen("gamma", accuracy=0.504, seed=None, gain=gain, harm=harm)
    words = unclear_words(rule, CLEAR)
    assert bool(words) is told
    if told:
        assert f"such rules gained {100 * gain:.0f} % of what can be gained" in words
        assert f"{100 * harm:.0f} % of them were worse than one arm for everybody" in words
    assert "50.4" not in words
    assert TIGHTLY not in chosen_words(rule, CLEAR)


def test_settings_are_called_as_in_a_study_file() -> None:
    words = chosen_words(with_chosen("main", "mean", "width", gain=0.5, harm=0.1), CLEAR)
    assert words.startswith("Hyperparameters: main_penalty, mean_scale and width were ")


def test_one_hyperparameter_is_one() -> None:
    words = f"Hyperparameters: gamma was chosen so. {TIGHTLY}"
    assert chosen_words(with_chosen("gamma", reason="chosen so"), CLEAR) == words


def tuned(how: str, **other: Any) -> Rule:
    asked: dict[str, Any] = {"epsilon": 1, "gammas": (40, 120, 400)} | other
    return fit_tuned(study(), table(), how=how, ledger="none", **asked)


TOLD = {
    "parts": "The 3 candidates from 40 to 400 were each fitted to 15 rows of their own, and the "
    "exponential mechanism chose one by scores on the other 15. Each person is in one of these "
    "parts, so all of it costs epsilon = 1 once.",
    "split": "That cost epsilon = 0.3; the rule was then learned from all 60 rows at "
    "epsilon = 0.7.",
}


@pytest.mark.parametrize(("how", "words"), TOLD.items())
def test_a_private_tuning_is_told_with_its_cost(how: str, words: str) -> None:
    rule = tuned(how)
    text = tuning_words(rule)
    assert text.startswith("Gamma was tuned privately on the same 60 rows. ")
    assert words in text
    said = summary(rule)
    assert text in " ".join(said.split())
    assert ", tuned privately\n" in said
    rows = "n = 60\n" if how == "split" else "n = 15 of 60 rows\n"
    assert f"replace_one, {rows}" in said


RETIRED = {
    "flip": "and permute-and-flip chose one by scores on the other 15.",
    "repeats": "It is that of the best of a secret number of runs, 12 expected: each drew one of 3 "
    "candidates from 40 to 400, fitted it to 42 rows and scored it with noise on the other 18. A "
    "run costs epsilon = 0.333333333, the best of them three times that: epsilon = 1 in all.",
    "flipped split": "and permute-and-flip chose one by scores on the other 15. That cost "
    "epsilon = 0.3; the rule was then learned from all 60 rows at epsilon = 0.7.",
}


@pytest.mark.parametrize(("how", "words"), RETIRED.items())
def test_so_is_one_of_an_earlier_version(how: str, words: str) -> None:
    rule = tuned("split")
    assert rule.tuning is not None
    before = replace(
        rule.tuning,
        how=how.split()[-1],
        flipped=how == "flipped split",
        share=rule.tuning.share if how == "flipped split" else None,
        repeats=12 if how == "repeats" else None,
    )
    assert words in tuning_words(replace(rule, tuning=before))


def test_without_noise_no_cost_is_told() -> None:
    assert "cost" not in tuning_words(tuned("parts", epsilon="inf"))
    assert tuning_words(demo_rule(random_state=1)) == ""


def test_with_a_tuning_accuracy_on_synthetic_trials_is_that_of_candidates() -> None:
    chosen = with_chosen("clip", accuracy=0.5, seed=None)
    for how in ("parts", "split"):
        rule = replace(chosen, tuning=tuned(how).tuning)
        text = chosen_words(rule, CLEAR)
        assert "That is about fits of 15 rows at epsilon =" in text
        assert bool(unclear_words(rule, CLEAR)) == (how == "parts")
