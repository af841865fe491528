"""Only what belongs together is reported."""

import shlex
from dataclasses import replace

import pytest
from tests.unit.documents.reported import material, rule_of, said

from dpwerm.documents.report.compose import compose
from dpwerm.documents.report.material import Material
from dpwerm.errors import ParameterError
from dpwerm.releases.kinds import Beside


def test_the_value_of_another_rule_is_refused() -> None:
    other = material("objective", valued=True).value
    with pytest.raises(ParameterError, match="about another rule"):
        Material(material("output").rule, Beside(value=other))


def test_the_value_of_another_benefit_or_other_arms_is_refused() -> None:
    one = material("output", valued=True)
    assert one.value is not None
    declared = one.value.declaration
    days = declared.benefit.model_copy(update={"column": "days"})
    other = replace(one.value, declaration=replace(declared, benefit=days))
    with pytest.raises(ParameterError, match="another benefit"):
        Material(one.rule, Beside(value=other))
    arms = declared.treatment.declared_arms._replace(names=("placebo", "therapy"))
    treatment = declared.treatment.model_copy(update={"declared_arms": arms})
    other = replace(one.value, declaration=replace(declared, treatment=treatment))
    with pytest.raises(ParameterError, match="other arms"):
        Material(one.rule, Beside(value=other))


@pytest.mark.parametrize(("kind", "said"), [("no noise", True), ("output", False)])
def test_a_value_that_says_otherwise_of_the_rules_claim_is_refused(kind: str, said: bool) -> None:
    one = material(kind, valued=True)
    assert one.value is not None
    other = replace(one.value, rule_private=said)
    with pytest.raises(ParameterError, match=r"says that the rule is (not )?private"):
        Material(one.rule, Beside(value=other))


def test_commands_can_be_typed_whatever_a_file_is_called() -> None:
    beside = Beside("r; touch taken #.json", study_file="-s.toml")
    report = compose(Material(rule_of("objective"), beside))
    (line,) = [one for one in said(report, "private").splitlines() if "dpwerm verify" in one]
    assert shlex.split(line) == ["dpwerm", "verify", "r; touch taken #.json"]
    assert "./-s.toml" in said(report, "quality")
