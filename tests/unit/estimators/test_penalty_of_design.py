"""A penalty for arms belongs to a design with columns of each arm: a fit and ``verify`` say so."""

from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from tests.unit.estimators.observational import fitted
from tests.unit.estimators.test_regression_rules import DESIGN, RELEASED, N, asked, released, trial

from dpwerm.arrays import FloatArray
from dpwerm.errors import ParameterError
from dpwerm.estimators.parameters import checked_problem
from dpwerm.objective.regularizers import (
    REGULARIZERS,
    ArmPenalty,
    QuadraticPenalty,
    Regularizer,
    Ridge,
)
from dpwerm.releases.certificate import certify
from dpwerm.releases.release import Rule
from dpwerm.releases.rule_file import verify_rule, write_rule


class Stiff(QuadraticPenalty):
    """A penalty of one's own, twice the ridge."""

    name: ClassVar[str] = "stiff"

    @property
    def parameters(self) -> dict[str, float]:
        return {}

    def matrix(self, p: int) -> FloatArray:
        return 2 * np.eye(p)


def with_penalty(name: str, penalty: Regularizer) -> Rule:
    """Return a released rule with another penalty, and all that follows from it."""
    rule = released(name) if name in RELEASED else fitted(2, trial(), gamma=60.0, **DESIGN)
    release, spec = rule.release, rule.release.certificate.specification()
    changed = spec.changed(regularizer=penalty)
    certificate, _ = certify(changed, release.encoding, N, secure=True, library="x")
    return replace(rule, release=replace(release, certificate=certificate))


@pytest.mark.parametrize("name", ["contrast", "contrast, output", "outcome weights"])
def test_a_penalty_for_arms_is_found_where_there_are_no_columns_of_arms(
    name: str, tmp_path: Path
) -> None:
    path = tmp_path / "rule.json"
    for penalty, found in ((Ridge(), []), (ArmPenalty(1.0, 4.0), ["penalty of the design"])):
        write_rule(with_penalty(name, penalty), path)
        assert [one.what for one in verify_rule(path) if not one.holds] == found


@pytest.mark.parametrize("name", ["contrast", "outcome weights"])
def test_a_penalty_of_ones_own_verifies(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(REGULARIZERS, Stiff.name, Stiff)
    write_rule(with_penalty(name, Stiff()), tmp_path / "rule.json")
    assert all(one.holds for one in verify_rule(tmp_path / "rule.json"))


@pytest.mark.parametrize("named", [{}, {"estimator": "contrast"}, {"gamma": 5.0}], ids=str)
def test_a_penalty_for_arms_is_refused_where_there_are_no_columns_of_arms(
    named: dict[str, Any],
) -> None:
    with pytest.raises(ParameterError, match=r"leave regularizer out, or name estimator arm-wise"):
        checked_problem(asked(regularizer="arm-wise", **named))
    checked_problem(asked(regularizer="arm-wise", estimator="arm-wise"))
