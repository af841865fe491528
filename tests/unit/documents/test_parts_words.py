"""Words about private ranges and the guard: what was declared, what was found, what was taken."""

from dataclasses import replace

import pytest

from dpwerm import PrivateTreatmentRule, Study
from dpwerm.documents.document import Document
from dpwerm.documents.parts import (
    cost_rows,
    found,
    guard_words,
    parts_rows,
    ranges_words,
    tightness_words,
)
from dpwerm.documents.render import as_text
from dpwerm.documents.report.compose import report_on
from dpwerm.documents.summary import summary
from dpwerm.documents.verdict import single_arm_words
from dpwerm.privacy.budget import Budget
from dpwerm.releases.guard import Guard
from dpwerm.releases.kinds import Beside
from dpwerm.releases.ranges import BENEFIT, FEATURES
from dpwerm.releases.release import Rule
from dpwerm.releases.tightness import TOGETHER, Filled, Tightness
from dpwerm.simulate.demo import demo_trial, study_text

TRIAL = demo_trial(people=400, sloppy=True)
METHOD = '[method]\nintercept_scale = 1\nmain_effect = "linear"'
TEXT = study_text(sloppy=True).replace("[method]", METHOD)
FIXED = {"gamma": 30.0, "width": 0.2, "mechanism": "objective-block", "main_penalty": 1.0}


def shown(report: Document) -> str:
    return " ".join(as_text(report).split())


def rule_of(text: str = TEXT, epsilon: int = 20) -> Rule:
    study = Study.parse(text.replace("[budget]\nepsilon = 2\n", ""))
    fixed = FIXED | {"saturation": 1.0, "threshold": 0.0}
    rule = PrivateTreatmentRule.from_study(study, epsilon, ledger="none", **fixed)
    return rule.fit(TRIAL).rule_


@pytest.fixture(scope="module")
def rule() -> Rule:
    return rule_of()


def test_what_was_found_stands_beside_what_was_declared(rule: Rule) -> None:
    told = {one.column: one for one in found(rule)}
    assert list(told) == ["sleep", "age", "severity"]
    assert told["sleep"].bounds == "0 to 1440"
    assert told["sleep"].inside == rule.fitted_benefit.bounds
    assert 50 < told["sleep"].inside[0] < 300 < 420 < told["sleep"].inside[1] < 700
    assert told["age"].bounds == "0 to 120"
    assert len(told["age"].words) < 20
    for text in (ranges_words(rule), *parts_rows(rule).values()):
        assert "declared 0 to" in text or "took the" in text
    assert "age" in parts_rows(rule)["private range of the features"]


def test_a_report_keeps_declared_bounds_and_found_ranges_apart(rule: Rule) -> None:
    said = shown(report_on(rule, Beside()))
    assert "age 0 to 120, if missing 60 nobody is older" in said
    assert "severity 0 to 100, if missing 50 any questionnaire" in said
    assert "over its private range" in said
    assert "over its declared range" not in said
    assert "inside the declared bounds" not in said
    assert "of half the private range" in said
    assert "Where most of the data lie was estimated privately" in said
    assert "it does not show that the rule does any good" in said
    for _, cost in cost_rows(rule):
        assert cost in said
    assert "docs/proofs/private-ranges.md" in said


def test_a_summary_says_the_same(rule: Rule) -> None:
    said = " ".join(summary(rule).split())
    assert "over its private range" in said
    assert ranges_words(rule) in said
    assert guard_words(rule) in said


TIGHT, WIDE = 1 << 40, -(1 << 40)
OWN = Filled(BENEFIT, ("benefit",), TIGHT)
OTHERS = Filled(FEATURES, ("age", "severity"), TIGHT)


@pytest.mark.parametrize(
    ("filled", "said", "names"),
    [
        ((OWN, OTHERS), "they look tight.", ["benefit", "features"]),
        (
            (replace(OWN, integer=WIDE), OTHERS),
            "those of the benefit look too wide and those of the features look tight.",
            ["benefit", "features"],
        ),
        ((OTHERS,), "those of the features look tight.", ["features"]),
        ((replace(OWN, integer=WIDE),), "those of the benefit look too wide.", ["benefit"]),
        *(
            ((Filled(TOGETHER, columns, TIGHT),), f"those of the {of} look tight.", [of])
            for columns, of in (
                (("benefit", "age"), TOGETHER),
                (("benefit",), BENEFIT),
                (("age",), FEATURES),
            )
        ),
    ],
)
def test_whose_bounds_look_tight_is_said_of_each_that_was_measured(
    filled: tuple[Filled, ...], said: str, names: list[str], rule: Rule
) -> None:
    told = replace(rule, tightness=Tightness(filled, 400, Budget.of(1)))
    assert said in tightness_words(told)
    row = parts_rows(told)["private tightness"]
    assert [part.split(" 1")[0].split(" -")[0] for part in row.split("; ")[: len(names)]] == [
        *names
    ]


def test_one_arm_for_everybody_is_told_as_such(rule: Rule) -> None:
    assert rule.guard is not None
    guard = Guard(rule.guard.budget, rule.guard.relation, 2)
    taken = replace(rule, guard=guard, release=replace(rule.release, everybody=guard.sign))
    assert "took 'therapy' for everybody" in guard_words(taken)
    assert "does any good" not in guard_words(taken)
    said = shown(report_on(taken, Beside()))
    assert single_arm_words(taken) in said
    assert "such rules gained" not in said


def test_of_a_logarithm_the_ends_are_in_the_columns_units() -> None:
    text = TEXT.replace("bounds = [0, 1440]", 'bounds = [1, 1440]\ntransform = "log"')
    rule = rule_of(text)
    (sleep, *_) = found(rule)
    assert sleep.bounds == "1 to 1440"
    assert 30 < sleep.inside[0] < 350 < sleep.inside[1] <= 1440
    said = shown(report_on(rule, Beside()))
    width = "units of the log of sleep, 0.2 of half the private range"
    assert width in said
    assert "1 to 1440, larger is better, log taken" in said


def test_without_parts_nothing_is_said_of_them() -> None:
    lines = [
        line for line in TEXT.splitlines() if not line.startswith(("ranges", "feature_ranges"))
    ]
    text = "\n".join(line for line in lines if not line.startswith("guard")) + "\n"
    text = text.replace("[method]", "[method]\nranges = 0\nfeature_ranges = 0\nguard = 0")
    plain = rule_of(text)
    assert (ranges_words(plain), guard_words(plain), cost_rows(plain)) == ("", "", [])
    said = shown(report_on(plain, Beside()))
    assert "private range" not in said
    assert "of half the range" in said
    assert "over its declared range" in said
