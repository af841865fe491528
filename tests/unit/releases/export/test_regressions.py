"""Exports of rules learned by regression answer as recommend does.

Such a release has more integers than the rule has coefficients.
"""

from typing import Any

import pytest
from tests.unit.documents.regressed import KINDS, regressed
from tests.unit.releases.export.conftest import Ask

from dpwerm.releases.export.python import python_source
from dpwerm.releases.export.sql import sql_case, sql_score
from dpwerm.simulate.demo import demo_trial

PEOPLE = demo_trial(people=300, seed=4)
COLUMNS = {"age": "REAL", "sex": "TEXT", "severity": "REAL", "earlier_treatment": "TEXT"}
ROWS = PEOPLE.select(list(COLUMNS)).to_pylist()


def answers(kind: str) -> tuple[list[float], list[str]]:
    rule = regressed(kind)
    assert len(rule.release.integers) > len(rule.release.theta)
    scores = rule.score_table(PEOPLE)
    return scores.tolist(), rule.arms_for(scores).tolist()


@pytest.mark.parametrize("kind", KINDS)
def test_python_agrees_with_recommend(kind: str) -> None:
    made: dict[str, Any] = {}
    exec(python_source(regressed(kind)), made)  # noqa: S102 - it is ours
    scores, arms = answers(kind)
    assert [made["recommend"](row) for row in ROWS] == arms
    assert [made["score"](row) for row in ROWS] == pytest.approx(scores, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_sql_agrees_with_recommend(kind: str, sqlite: Ask) -> None:
    rule = regressed(kind)
    expressions = f"({sql_case(rule)}\n), ({sql_score(rule)}\n)"
    found = sqlite(COLUMNS, [tuple(row.values()) for row in ROWS], expressions)
    scores, arms = answers(kind)
    assert [arm for arm, _ in found] == arms
    assert [score for _, score in found] == pytest.approx(scores, rel=1e-9, abs=1e-12)
