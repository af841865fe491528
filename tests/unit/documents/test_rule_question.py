"""A released rule leads back to the question that its settings were an answer to."""

from dataclasses import replace

import pytest

from dpwerm.documents.half_widths import calibration_for, question_of, simulated_half_widths
from dpwerm.errors import ParameterError
from dpwerm.plan.expected import Settled, settle
from dpwerm.privacy.budget import Budget
from dpwerm.releases.certificate import certify
from dpwerm.releases.release import Release, Rule
from dpwerm.simulate.scenarios import get_scenario
from dpwerm.simulate.synthetic import generator
from dpwerm.study.study import Study
from dpwerm.study.treatment import Declaration

N = 300


def declared(name: str) -> Study:
    """Return a scenario's study with settings of its own, so that nothing is searched for."""
    study = get_scenario(name).study()
    method = study.method.model_copy(
        update={"gamma": 4000.0, "mechanism": "objective-block", "saturation": 1.5}
    )
    return study.model_copy(update={"method": method})


def released(settled: Settled) -> Rule:
    certificate, _ = certify(settled.spec, settled.encoding, N, secure=False, library="")
    integers = (0,) * certificate.dimension
    release = Release(settled.encoding, integers, certificate, settled.threshold)
    return Rule(release, settled.declared)


def from_file(rule: Rule) -> Rule:
    """Return the rule with its declaration as a file keeps it."""
    kept = rule.declaration
    return replace(
        rule, declaration=Declaration.of_record(kept.treatment_keys(), kept.benefit_keys())
    )


@pytest.mark.parametrize("name", ["paper", "arms-9-1", "categories", "confounded"])
def test_it_is_the_question_of_the_fit(name: str) -> None:
    settled = settle(declared(name), Budget.of(2), N, clip=0.4)
    for rule in (released(settled), from_file(released(settled))):
        assert question_of(rule).plain() == settled.question.plain()
        assert question_of(rule).fixed == settled.question.fixed


@pytest.mark.parametrize(("main_effect", "degree"), [("linear", 1), ("squares", 2), ("cubes", 3)])
def test_main_effects_bend_as_the_rule_lets_them(main_effect: str, degree: int) -> None:
    study = declared("paper")
    own = {"estimator": "arm-wise", "main_effect": main_effect}
    study = study.model_copy(update={"method": study.method.model_copy(update=own)})
    settled = settle(study, Budget.of(2), N)
    for rule in (released(settled), from_file(released(settled))):
        assert question_of(rule).outcome.degree == degree
        assert question_of(rule).plain() == settled.question.plain()


def test_the_plan_is_that_of_the_certificate_in_units_of_the_weight_bound() -> None:
    rule = released(settle(declared("arms-9-1"), Budget.of(1), N))
    certificate, calibration = rule.release.certificate, calibration_for(rule, question_of(rule))
    assert certificate.perturbation is not None
    assert certificate.perturbation.rate is not None
    assert calibration.inside is not None
    W = certificate.weight_bound
    assert W > 10
    assert calibration.facts.gamma == pytest.approx(certificate.gamma / W)
    assert calibration.inside.rate == pytest.approx(certificate.perturbation.rate * W)
    assert calibration.inside.epsilon_inside == 1 - calibration.inside.epsilon_outside


def test_trials_are_drawn_between_the_floors_of_a_propensity_model() -> None:
    rule = released(settle(declared("confounded"), Budget.of(2), N))
    question = question_of(rule)
    assert question.outcome.propensity == (question.outcome.pi_min, 1 - question.outcome.pi_min)
    trials = question.outcome.trials(question.widths, count=4, rows=50, rng=generator(1))
    assert trials.X.shape == (4, 50, 3)
    assert trials.probability.min() >= question.outcome.pi_min
    found = simulated_half_widths(rule, problems=4, draws=4)
    assert found is not None
    assert found.pointwise.min() > 0


def test_n_must_be_public() -> None:
    rule = released(settle(declared("paper"), Budget.of(1), N))
    certificate = rule.release.certificate.model_copy(update={"n": None})
    with pytest.raises(ParameterError, match="from how many people"):
        question_of(replace(rule, release=replace(rule.release, certificate=certificate)))
