"""A plan settles on what a fit of that many rows would use."""

from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pytest
from tests.unit.plan.studies import OPEN, PRIVATE_MODEL, make_small, study

from dpwerm.errors import ParameterError
from dpwerm.estimators.treatment_rule import PrivateTreatmentRule
from dpwerm.plan.expected import people_of, settle
from dpwerm.privacy.budget import Budget
from dpwerm.privacy.weight_origin import KnownByDesign
from dpwerm.releases.parts import declared_encoding
from dpwerm.study.study import Study


@pytest.fixture(autouse=True)
def quick(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let searches be small."""
    make_small(tmp_path / "cache", monkeypatch)


FIXED = OPEN + "gamma = 50\nthreshold = 0.2\nsaturation = 2\nintercept_scale = 0.5\n"
N = 45


def table() -> pa.Table:
    return pa.table(
        {
            "age": [18 + i for i in range(N)],
            "sex": ["F", "M", "F"] * (N // 3),
            "arm": ["pill", "therapy", "therapy"] * (N // 3),
            "gain": [float(i % 7) for i in range(N)],
        }
    )


CONTRAST = 'estimator = "contrast"\nmean_scale = 2\n'
ARM_WISE = 'estimator = "arm-wise"\nmain_penalty = 0.5\nmain_effect = "squares"\n'
TEXTS = {
    "open": OPEN,
    "fixed": FIXED,
    "private model": PRIVATE_MODEL,
    "contrast": OPEN + CONTRAST,
    "contrast, fixed": FIXED + CONTRAST,
    "contrast, private model": PRIVATE_MODEL + CONTRAST,
    "arm-wise": OPEN + ARM_WISE,
    "arm-wise, fixed": FIXED + ARM_WISE,
}


@pytest.mark.parametrize("epsilon", ["0.5", "2", "inf"])
@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_it_is_what_a_fit_uses(text: str, epsilon: str) -> None:
    declared = study(text)
    settled = settle(declared, Budget.of(epsilon), N)
    rule = PrivateTreatmentRule.from_study(declared, epsilon, random_state=1).fit(table()).rule_
    certificate = rule.release.certificate
    assert settled.spec.gamma == certificate.gamma
    assert settled.spec.mechanism == certificate.mechanism
    assert settled.spec.weight_bound == certificate.weight_bound
    assert settled.spec.budget.plain() == certificate.budget.plain()
    assert settled.encoding == declared_encoding(rule)
    assert settled.threshold == rule.release.threshold
    assert settled.declared.benefit.clip == rule.declaration.benefit.clip
    assert settled.clip == pytest.approx(rule.declaration.benefit.clip / 10)
    assert settled.spec.changed(origin=KnownByDesign()) == certificate.specification().changed(
        origin=KnownByDesign()
    )
    # Everything but γ is fixed in the question behind it, as the fit has it.
    question = settled.question
    assert question.estimators == (certificate.specification().weighting.name,)
    whole = settled.spec.changed(budget=question.spec.budget)
    assert question.designed(question.fixed) == (whole, settled.encoding)
    assert question.budget(question.fixed) == settled.spec.budget


def test_a_private_propensity_model_takes_its_share_first() -> None:
    settled = settle(study(PRIVATE_MODEL), Budget.of("1"), N)
    assert settled.propensity_part == Budget(Decimal("0.25"))
    assert settled.spec.budget == Budget(Decimal("0.75"))
    assert settle(study(), Budget.of("1"), N).propensity_part is None


def test_a_total_is_not_exceeded_by_planning() -> None:
    assert settle(study(), Budget.of("5"), N).spec.budget == Budget.of(5)


def test_a_clip_and_a_mechanism_can_be_tried() -> None:
    other = settle(study(), Budget.of("1"), N, clip=0.25, mechanism="spherical-laplace")
    assert other.clip == 0.25
    assert other.declared.benefit.clip == 2.5
    assert other.spec.mechanism == other.question.fixed.mechanism == "spherical-laplace"
    assert other.question.fixed.clip == 0.25


def test_under_add_remove_the_planned_number_is_enough() -> None:
    declared = study(relation="add_remove")
    settled = settle(declared, Budget.of("1"), N)
    assert settled.question.n == N
    assert settled.question.facts(settled.question.fixed, 1.0).n is None


def test_another_number_of_people_is_another_question() -> None:
    small, large = (settle(study(planned_n=7), Budget.of("1"), n) for n in (40, 4000))
    assert small.gamma < large.gamma


def test_what_a_fit_refuses_a_plan_refuses() -> None:
    fixed = Study.parse(OPEN + 'gamma = 0.001\nmechanism = "objective-block"\n')
    with pytest.raises(ParameterError, match="gamma"):
        settle(fixed, Budget.of("1"), N)


def test_the_number_of_people_is_given_or_declared() -> None:
    assert people_of(study(), 12) == 12
    assert people_of(study(planned_n=30), None) == 30
    assert people_of(study(planned_n=30), 12) == 12
    with pytest.raises(ParameterError, match="planned_n"):
        people_of(study(), None)
    for wrong in (0, -3, 10**13):
        with pytest.raises(ParameterError, match="n must be between 1 and"):
            people_of(study(), wrong)
