"""The example is what the rule recommends."""

import re

import pyarrow as pa
import pytest
from tests.unit.documents.reported import demo_rule, material, said
from tests.unit.documents.test_summary import one_feature

from dpwerm.documents.report.compose import compose
from dpwerm.documents.report.material import Material


def test_the_example_is_what_the_rule_recommends() -> None:
    rule = material("output").rule
    defaults = {"age": [None], "sex": [None], "severity": [None], "earlier_treatment": [None]}
    score = float(rule.score_table(pa.table(defaults))[0])
    text = said(compose(material("output")), "learned")
    (told,) = re.findall(rf"gives a score of (\S+), so '{rule.arms[int(score > 0)]}'", text)
    assert float(told) == pytest.approx(score, rel=0.01)


def test_the_example_gets_the_default_arm_at_a_score_of_0() -> None:
    """Sums in own units round; the example must not."""
    severity = 'severity = { kind = "number", bounds = [4.1, 8.8] }'
    text = one_feature(severity, "method.intercept_scale = 0")
    rule = demo_rule(1, text=text)
    shown = said(compose(Material(rule)), "learned")
    assert "gives a score of 0, so 'pill' is recommended" in shown
