"""The verdict: shuffled outcomes are called noise, a clear rule is not, and the report keeps to it.

Real releases are made by the pipeline of a fit, with noise from seeds.
"""

import functools
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from tests.unit.documents.reported import material, rule_of, said
from tests.unit.documents.test_hyperparameter_words import DID
from tests.unit.documents.test_single_arm_words import lifted

from dpwerm import PrivateTreatmentRule
from dpwerm.documents.document import Caution, Facts, Paragraph
from dpwerm.documents.effects import leans
from dpwerm.documents.null_trials import Bar, bar_of
from dpwerm.documents.render import as_data, write
from dpwerm.documents.report.compose import compose
from dpwerm.documents.report.material import Material
from dpwerm.documents.summary import summary, summary_document
from dpwerm.documents.verdict import Outcome, Verdict, single_arm_words, verdict_of
from dpwerm.releases.certificate import Chosen
from dpwerm.releases.release import Rule
from dpwerm.releases.rule_file import read_rule, write_rule
from dpwerm.simulate.scenarios import get_scenario
from dpwerm.simulate.scenarios.scenario import BENEFIT

PEOPLE, RELEASES, MOST = 1000, 40, 12
"""If 5 of 100 releases are told from noise, 12 or more of 40 are with probability 3e-7."""

SETTINGS = {
    "contrast": {"estimator": "contrast", "gamma": 40.0, "width": 0.3},
    "arm-wise": {"estimator": "arm-wise", "gamma": 40.0, "width": 0.3},
    "outcome-weighted": {"estimator": "outcome-weighted", "gamma": 500.0},
}


@functools.cache
def released(method: str, *, shuffled: bool) -> tuple[Rule, ...]:
    """Return releases from trials of the paper's problem, or of it with outcomes dealt anew."""
    scenario, found = get_scenario("paper"), []
    asked = {"mechanism": "objective-block"} | SETTINGS[method]
    for seed in range(RELEASES):
        rng = np.random.default_rng((seed, 7))
        table = scenario.draw(PEOPLE, rng)
        if shuffled:
            dealt = pa.array(rng.permutation(table[BENEFIT].to_numpy()))
            table = table.set_column(table.column_names.index(BENEFIT), BENEFIT, dealt)
        rule = PrivateTreatmentRule.from_study(scenario.study(), 1, random_state=seed, **asked)
        found.append(rule.fit(table).rule_)
    return tuple(found)


@functools.cache
def bar_for(method: str) -> Bar:
    """Return the one bar that all releases by a method have."""
    found = bar_of(released(method, shuffled=True)[0])
    assert found is not None
    return found


@pytest.fixture
def one_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take the bar that contrast regressions share from where it was found once."""
    for place in ("verdict", "report.material"):
        monkeypatch.setattr(f"dpwerm.documents.{place}.bar_of", lambda _: bar_for("contrast"))


def count(method: str, *, shuffled: bool, share: float = 1.0) -> int:
    """Return how many releases are told from noise with a share of the bar."""
    bar = replace(bar_for(method), sizes=share * bar_for(method).sizes)
    return sum(verdict_of(one, bar).told for one in released(method, shuffled=shuffled))


@pytest.mark.parametrize("method", SETTINGS)
def test_shuffled_outcomes_are_noise_and_the_papers_problem_is_not(method: str) -> None:
    # Measured: 0 and 40 of 40, and 25, 38 and 39 of 40 shuffled ones with a sixth of the bar.
    assert count(method, shuffled=True) < MOST
    assert count(method, shuffled=False) >= RELEASES - 2
    assert count(method, shuffled=True, share=1 / 6) >= MOST


def test_the_bar_of_another_release_that_was_made_alike_is_the_same() -> None:
    other = bar_of(released("contrast", shuffled=False)[1])
    assert other is not None
    assert other.sizes.tolist() == bar_for("contrast").sizes.tolist()


def test_a_rule_is_told_from_noise_where_one_feature_stands_out() -> None:
    for rule in (*released("contrast", shuffled=True)[:5], *released("contrast", shuffled=False)):
        bar = bar_for("contrast")
        assert verdict_of(rule, bar).told is bool(leans(rule, bar.sizes))


def test_a_rule_from_a_file_has_the_same_verdict(tmp_path: Path) -> None:
    rule = rule_of("objective")
    write_rule(rule, tmp_path / "rule.json")
    assert verdict_of(read_rule(tmp_path / "rule.json")) == verdict_of(rule)


@pytest.mark.parametrize("sign", [-1, 1])
def test_one_arm_for_everybody_needs_no_trial(sign: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rule = lifted(sign)
    monkeypatch.setattr("dpwerm.documents.verdict.bar_of", None)
    assert verdict_of(rule) == Verdict(Outcome.ONE_ARM, single_arm_words(rule))
    flat = replace(rule, release=replace(rule.release, integers=(0,) * len(rule.release.integers)))
    assert verdict_of(flat).outcome == Outcome.ONE_ARM


def test_what_cannot_be_simulated_is_not_known() -> None:
    found = verdict_of(rule_of("add_remove"))
    if rule_of("add_remove").single_arm is None:
        assert found.outcome == Outcome.UNKNOWN
        assert "the number of people is sensitive" in found.words
    assert not found.told


def test_without_privacy_noise_it_is_told_from_chance() -> None:
    rule = rule_of("no noise")
    names = rule.release.encoding.coefficient_names
    for sizes, words in ((0.0, "CAN BE TOLD FROM CHANCE"), (1e9, "CANNOT BE TOLD FROM CHANCE")):
        found = verdict_of(rule, Bar(np.full(len(names), sizes), 1, 1, noisy=False))
        assert found.words.startswith(f"THIS RULE {words}: ")
        assert "budget" not in found.words


def with_reason(rule: Rule) -> Rule:
    """Return the rule as if its hyperparameters had gained 44 % on synthetic trials."""
    record = Chosen(settings=["gamma"], accuracy=0.873, reason=DID, gain=0.44, harm=0.29)
    certificate = rule.release.certificate.model_copy(update={"chosen": record})
    return replace(rule, release=replace(rule.release, certificate=certificate))


@pytest.mark.usefixtures("one_bar")
@pytest.mark.parametrize("shuffled", [True, False])
def test_it_heads_summary_and_answer_and_stands_in_the_data(shuffled: bool, tmp_path: Path) -> None:
    rule = with_reason(released("contrast", shuffled=shuffled)[0])
    found = verdict_of(rule)
    assert found.outcome == (Outcome.NOISE if shuffled else Outcome.TOLD)
    assert summary_document(rule).sections[0].blocks[0] == Paragraph(found.words)
    report = compose(Material(rule))
    short, learned = report.sections[:2]
    (facts, *_) = short.blocks
    assert isinstance(facts, Facts)
    assert dict(facts.rows)["Answer"].startswith(found.words)
    assert learned.blocks[0] == (Caution if shuffled else Paragraph)(found.words)
    assert as_data(report)["verdict"] == as_data(summary_document(rule))["verdict"]
    write(report, tmp_path / "report.json")
    assert json.loads((tmp_path / "report.json").read_text())["verdict"] == str(found.outcome)


@pytest.mark.usefixtures("one_bar")
def test_what_synthetic_trials_gained_is_not_repeated_of_noise() -> None:
    for shuffled in (True, False):
        rule = with_reason(released("contrast", shuffled=shuffled)[0])
        report = compose(Material(rule))
        told = [summary(rule), *(said(report, section.key) for section in report.sections)]
        for share in ("44 %", "29 %", "87.3 %"):
            assert not shuffled or not any(share in text for text in told)
        assert any("44 %" in text for text in told) is not shuffled


def test_a_document_that_is_not_on_a_rule_has_no_verdict() -> None:
    data = as_data(replace(compose(material("output")), verdict=None))
    assert data["verdict"] is None
