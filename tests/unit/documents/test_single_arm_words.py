"""A rule that gives everybody one arm says so wherever it is shown, and gains 0 over that arm."""

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure
from tests.unit.documents.reported import demo_rule, said
from tests.unit.releases.value.trials import fitted, study, table

from dpwerm.documents.figures import draw_gains, draw_recommendation
from dpwerm.documents.report.compose import compose
from dpwerm.documents.report.material import Material
from dpwerm.documents.summary import summary
from dpwerm.documents.value import gains_of, value_summary
from dpwerm.documents.verdict import single_arm_words
from dpwerm.evaluate import treatment_value
from dpwerm.releases.kinds import Beside
from dpwerm.releases.release import Rule
from dpwerm.releases.value.release import ValueRelease, read_value, verify_value, write_value

BOTH = fitted(study())


def lifted(sign: int, rule: Rule = BOTH) -> Rule:
    """Return the rule with so large a constant that everybody gets one arm."""
    first, *rest = rule.release.integers
    moved = (first + sign * 20 * sum(map(abs, rule.release.integers)), *rest)
    return replace(rule, release=replace(rule.release, integers=moved))


def value_of(rule: Rule, epsilon: float = 1) -> ValueRelease:
    return treatment_value(rule, table(2000), epsilon, study=study(), random_state=3)


@pytest.mark.parametrize(("sign", "arm"), [(-1, "pill"), (1, "therapy")])
def test_summary_report_and_picture_say_so(sign: int, arm: str) -> None:
    rule = lifted(sign)
    words = single_arm_words(rule)
    assert words.startswith(f"THE RULE GIVES EVERYBODY '{arm}': no values of the features make it")
    assert words in " ".join(summary(rule).split())
    report = compose(Material(rule, Beside(value=value_of(rule))))
    for section in ("short", "learned"):
        assert words in said(report, section)
    assert f"exactly 0 over '{arm}' for everybody" in said(report, "short")
    axes = Figure().subplots()
    draw_recommendation(rule, axes)
    assert [text.get_text() for text in axes.texts] == [f"everybody gets {arm}"]


@pytest.mark.parametrize(("sign", "arm"), [(-1, "pill"), (1, "therapy")])
def test_so_does_the_map_over_two_numbers(sign: int, arm: str) -> None:
    rule = lifted(sign, demo_rule("inf"))
    axes = Figure().subplots()
    draw_recommendation(rule, axes, steps=10)
    assert axes.get_title(loc="left").endswith(f"everybody gets {arm}")
    text = said(compose(Material(rule)), "learned")
    assert f"all of it is '{arm}', whatever the other features are" in text
    assert "The recommended arm, which is the same for everybody." in text


def test_a_rule_that_gives_both_arms_says_nothing_of_it() -> None:
    assert single_arm_words(BOTH) == ""
    report = compose(Material(BOTH, Beside(value=value_of(BOTH))))
    told = "".join(said(report, section.key) for section in report.sections)
    for text in (summary(BOTH), told, value_summary(value_of(BOTH), BOTH)):
        assert "EVERYBODY" not in text
    assert gains_of(value_of(BOTH), BOTH) == value_of(BOTH).gains


@pytest.mark.parametrize(("sign", "arm", "other"), [(-1, 0, "therapy"), (1, 1, "pill")])
def test_the_gain_over_the_arm_that_everybody_gets_is_exactly_0(
    sign: int, arm: int, other: str, tmp_path: Path
) -> None:
    rule = lifted(sign)
    value = value_of(rule, math.inf if sign > 0 else 1)
    write_value(value, tmp_path / "value.json")
    assert not [one for one in verify_value(tmp_path / "value.json") if not one.holds]
    value = read_value(tmp_path / "value.json")  # the file is as before; the rule says the rest
    gains = gains_of(value, rule)
    nothing = gains[arm]
    assert {nothing.estimate, nothing.lower, nothing.upper, nothing.privacy} == {0.0}
    assert gains[1 - arm] == value.gains[1 - arm]
    text = " ".join(value_summary(value, rule).split())
    assert f"over '{rule.single_arm}' for everybody 0 exactly ± 0 ± 0" in text
    assert f"GIVES EVERYBODY '{rule.single_arm}': its gain over that is exactly 0" in text
    assert f"better than '{rule.single_arm}'" not in text
    verdict = "IS WORSE" if gains[1 - arm].upper < 0 else "is better"
    assert f"'{rule.single_arm}' {verdict} than '{other}' for everybody" in text
    axes = Figure().subplots()
    draw_gains(value, axes, rule)
    assert [0.0, 0.0] in [np.asarray(line.get_xdata()).tolist() for line in axes.lines[1:]]


@pytest.mark.parametrize(
    ("ends", "words"),
    [
        ((0.1, 0.5), "'pill' is better than 'therapy' for everybody, beyond both errors."),
        ((-0.5, -0.1), "'pill' IS WORSE than 'therapy' for everybody, beyond both errors."),
        ((-0.5, 0.1), "Whether 'pill' is better than 'therapy' for everybody CANNOT BE TOLD"),
    ],
)
def test_the_verdict_is_on_the_other_arm(ends: tuple[float, float], words: str) -> None:
    rule = lifted(-1)
    value = value_of(rule)
    same, other = value.gains
    told = other.model_copy(update={"lower": ends[0], "upper": ends[1]})
    value.__dict__["gains"] = (same, told)
    assert words in " ".join(value_summary(value, rule).split())
