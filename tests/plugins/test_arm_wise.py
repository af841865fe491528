"""A loss, a penalty and a weighting of one's own walk from fit to verify, report and audit."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from tests.cli.conftest import run
from tests.plugins.arm_wise import ArmWise, Huber, Together
from tests.said import Run

from dpwerm.audit.attack import audit
from dpwerm.audit.mechanisms import MechanismTarget
from dpwerm.audit.suite import cells, private_mechanisms
from dpwerm.choose.hyperparameters import Hyperparameters
from dpwerm.documents.summary import summary
from dpwerm.errors import ParameterError
from dpwerm.features.encoding import Encoding
from dpwerm.fit import fit
from dpwerm.mechanisms import MECHANISMS
from dpwerm.objective.losses import LOSSES, register_loss
from dpwerm.objective.regularizers import REGULARIZERS, register_regularizer
from dpwerm.privacy.budget import Budget, Relation
from dpwerm.privacy.randomness import Unrecorded
from dpwerm.privacy.weight_origin import RidgeModel, WorstCase
from dpwerm.problem import Problem
from dpwerm.releases.certificate import Specification, facts_of
from dpwerm.releases.release import Rule
from dpwerm.releases.rule_file import content_of, read_rule, write_rule
from dpwerm.simulate.demo import best_arm, demo_trial, study_text
from dpwerm.study.study import Study, read_trial
from dpwerm.weighting.contract import WEIGHTINGS, register_weighting
from dpwerm.weighting.trial import trial_of_table

__all__ = ["run"]

STUDY = Study.parse(study_text())


@pytest.fixture(autouse=True)
def registered() -> Iterator[None]:
    register_loss(Huber)
    register_regularizer(Together)
    register_weighting(ArmWise.name, ArmWise)
    yield
    del LOSSES[Huber.name], REGULARIZERS[Together.name], WEIGHTINGS[ArmWise.name]


def problem(mechanism: str, epsilon: str = "2") -> Problem:
    declaration = STUDY.declaration()
    known = MECHANISMS[mechanism]
    spec = Specification(
        budget=Budget.of(epsilon, "1e-6" if known.needs_delta else "0"),
        gamma=1.0,
        weight_bound=1.0,
        relation=Relation.REPLACE_ONE,
        loss=Huber(0.5),
        regularizer=Together(2.0),
        weighting=ArmWise(),
        mechanism=mechanism,
    )
    fixed = Hyperparameters(mechanism, 1.0, 1.0, 1.0, 40.0, 0.0, estimator=ArmWise.name, width=0.5)
    return Problem(spec, STUDY.encoding(), fixed, declaration)


def fitted(mechanism: str, seed: int | None = 3, epsilon: str = "2") -> Rule:
    asked = problem(mechanism, epsilon)
    trial = trial_of_table(asked.declared, read_trial(STUDY, demo_trial(400)))
    return fit(asked, trial, Unrecorded(seed, said=True))


@pytest.mark.parametrize(
    "mechanism",
    ["objective-block", "objective-l2", "spherical-laplace", "objective-gaussian", "gaussian"],
)
def test_it_walks_from_the_fit_to_the_report(mechanism: str, tmp_path: Path, run: Run) -> None:
    rule, path = fitted(mechanism), tmp_path / "rule.json"
    write_rule(rule, path)
    assert content_of(read_rule(path)) == content_of(rule)
    names = rule.release.coefficient_names
    assert len(rule.release.integers) == len(names) == 2 * len(rule.release.theta) + 1
    verified = run("verify", path)
    assert verified.code == 0, verified.err
    assert "ok     weight bound of the design = 1.0" in verified.out
    assert "V/pi_min" not in verified.out
    assert ArmWise.name in path.read_text(encoding="utf-8")
    said = " ".join(summary(rule).split())
    assert "NOT PRIVATE" in said.upper()
    inside = rule.release.certificate.perturbation is not None
    by_law = "± is simulated by the exact law of the noise"
    assert ("No ± is shown" in said) is inside
    assert (by_law in said) is not inside
    page, code = tmp_path / "report.html", tmp_path / "rule.py"
    assert run("report", path, "--out", page).code == 0
    shown = " ".join(page.read_text(encoding="utf-8").split())
    assert "age" in shown
    why = f"Nothing is simulated: there are no synthetic trials for the design {ArmWise.name}."
    assert (f"No interval is shown. {why}" if inside else by_law) in shown
    assert rule.release.half_width() is None, "the noise of a score of two coefficients is larger"
    assert run("export", path, "--out", code).code == 0


def test_it_learns_who_benefits() -> None:
    rule = fitted("objective-block", epsilon="50")
    table = demo_trial(2000, seed=9)
    given = rule.arms_for(rule.score_table(table))
    assert np.mean(given == best_arm(table)) > 0.85


def test_an_edited_penalty_or_weighting_is_found(tmp_path: Path, run: Run) -> None:
    path = tmp_path / "rule.json"
    write_rule(fitted("objective-block"), path)
    text = path.read_text(encoding="utf-8")
    for old, new in (('"pull": 2.0', '"pull": 1.0'), ('"width": 0.5', '"width": 0.25')):
        assert old in text
        path.write_text(text.replace(old, new), encoding="utf-8")
        assert run("verify", path).code == 4


def test_a_loss_of_another_form_is_refused() -> None:
    with pytest.raises(ParameterError, match="needs one of a residual"):
        problem("objective-block").spec.changed(loss=LOSSES["logistic"]())


@pytest.mark.parametrize("mechanism", ["objective-block", "spherical-laplace"])
def test_the_auditor_attacks_it(mechanism: str) -> None:
    spec = problem(mechanism, "1").spec.changed(gamma=4.0, regularizer=Together(0.5))
    encoding = Encoding.of_numbers(["x"], [(-1.0, 1.0)])
    facts = facts_of(spec, encoding, 3)
    target = MechanismTarget(mechanism, facts, spec.loss, Budget.of("1"))
    found = audit(target, runs=20_000, exact_runs=200)
    assert found.holds
    assert found.lower > 0.4
    loud = MechanismTarget(mechanism, facts, spec.loss, Budget.of("2"))
    assert audit(loud, runs=20_000).lower > 1.0, "noise for twice the budget is told apart"


def test_the_suite_audits_its_loss_under_every_mechanism() -> None:
    own = [cell for cell in cells().values() if cell.setting.endswith(f", {Huber().name}")]
    assert {cell.name for cell in own} == set(private_mechanisms())
    (cell,) = [one for one in own if one.key.startswith("spherical-laplace, p = 2")]
    found = audit(cell.make(), runs=8000, confidence=1 - 1e-8)
    assert found.holds
    assert found.lower > 0.2


@pytest.mark.parametrize("name", ["worst_case", "ridge"])
def test_propensities_that_others_move_are_for_inverse_weights_alone(name: str) -> None:
    """A design may put P anywhere; trimmed at P = 1/2, one person moved everybody's weight."""
    origin = WorstCase() if name == "worst_case" else RidgeModel(0.1, 1.0, 3, 40.0, 1e-6)
    with pytest.raises(ParameterError, match="proven for weights"):
        problem("objective-block").spec.changed(origin=origin)
