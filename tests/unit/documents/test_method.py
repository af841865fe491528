"""Regressions are told by what they rest on, and never in words of outcome weights."""

import math
from dataclasses import replace

import numpy as np
import pytest
from tests.unit.documents.regressed import KINDS, regressed
from tests.unit.documents.reported import material, said

from dpwerm import PrivateTreatmentRule
from dpwerm.documents.method import learning_words, method_rows, rows_of, shrunk_unit
from dpwerm.documents.render import as_text
from dpwerm.documents.report.compose import compose
from dpwerm.documents.report.material import Material
from dpwerm.documents.summary import summary
from dpwerm.errors import ParameterError
from dpwerm.evaluate import Evaluation
from dpwerm.objective.regularizers import ArmPenalty
from dpwerm.releases.export.terms import heading

FOREIGN = ("neither good nor bad", "centre", "counted as", "counted alike", "clip", "V =")
NAMES = {"arm-wise": "arm-wise regression", "contrast": "contrast regression"}


@pytest.mark.parametrize("kind", KINDS)
def test_no_word_of_outcome_weights_is_said_of_a_regression(kind: str) -> None:
    rule = regressed(kind)
    report = compose(Material(rule))
    for text in (summary(rule), as_text(report)):
        plain = " ".join(text.split())
        for words in FOREIGN:
            assert words not in plain, words
        assert NAMES[rule.release.certificate.design.name] in plain
        assert rule.release.certificate.design.rests_on in plain
        assert "T = 2 units of improvement" in plain
        assert "a score, shrunk, and no estimate of an effect" in plain
    short = said(report, "short")
    assert "everybody whose arm is missing or no declared arm or improvement is missing." in short


def test_outcome_weights_keep_their_words() -> None:
    rule = material("output").rule
    assert method_rows(rule) == {}
    assert shrunk_unit(rule) is None
    assert "shrunk" not in summary(rule)
    assert "neither good nor bad" in said(compose(material("output")), "private")
    assert not any("shrunk" in line for line in heading(rule))


def test_an_export_says_that_its_score_is_shrunk() -> None:
    lines = heading(regressed("contrast"))
    assert "A score is shrunk towards 0, and is no estimate of an effect." in lines


def test_curves_of_the_main_effect_are_told() -> None:
    assert "may bend, by squares and cubes of numbers" in learning_words(regressed("cubes"))
    assert "may bend" not in learning_words(regressed("arm-wise"))


def test_the_penalty_of_the_arms_and_of_curves_is_told() -> None:
    certificate = regressed("cubes").release.certificate
    parts, benefit = (certificate.design, certificate.loss), regressed("cubes").declaration.benefit
    plain = rows_of(*parts, ArmPenalty(1.0, 4.0), benefit)["penalty"]
    assert plain == "1 gamma on what the arms share, 4 gamma between them"
    bent = rows_of(*parts, ArmPenalty(1.0, 4.0, 2.0, 2.0, 3.0), benefit)["penalty"]
    assert bent == f"{plain}; on shared curves 3 times the first"


@pytest.mark.parametrize("direction", ["larger", "smaller"])
@pytest.mark.parametrize("estimator", ["contrast", "arm-wise"])
def test_a_score_is_the_difference_between_the_arms_where_hardly_anything_shrinks_it(
    estimator: str, direction: str
) -> None:
    """The second arm gains 6·x points of the benefit, and the benefit has no other scatter."""
    rng = np.random.default_rng(2)
    x, arm = rng.uniform(-1, 1, (4000, 1)), rng.choice(["a", "b"], 4000)
    gain = np.where(arm == "b", 3.0, -3.0) * x[:, 0]
    rule = PrivateTreatmentRule(
        math.inf,
        feature_bounds=(-1, 1),
        benefit_bounds=(-30, 30),
        direction=direction,
        propensity={"a": 0.5, "b": 0.5},
        estimator=estimator,
        gamma=1e-3,
        width=1.0,
    )
    found = rule.fit(x, arm, gain if direction == "larger" else -gain).rule_
    unit = shrunk_unit(found)
    assert unit is not None
    (score,) = found.release.score(np.array([[0.5]]))
    assert score * unit == pytest.approx(3.0, rel=0.01)


def test_arms_without_probabilities_are_told_so_and_cannot_be_evaluated() -> None:
    rule = regressed("outcome")
    report = compose(Material(rule))
    assert "'pill' and 'therapy', without probabilities" in said(report, "private")
    assert "probabilities at least" not in said(report, "private")
    assert "only if the model of the outcome in each arm is right" in said(report, "limits")
    with pytest.raises(ParameterError, match="declares no probabilities of the arms"):
        Evaluation(rule, 1, ledger="none")


def test_a_rule_of_which_nothing_stands_out_is_called_so() -> None:
    rule = regressed("contrast")
    tiny = replace(rule, release=replace(rule.release, integers=(1,) * len(rule.release.integers)))
    report = compose(Material(tiny))
    assert "No feature tells people apart beyond what noise and chance" in said(report, "short")
    assert "nothing here says that one arm is better" in said(report, "short")
    assert "this rule may be noise and chance alone" in said(report, "learned")
