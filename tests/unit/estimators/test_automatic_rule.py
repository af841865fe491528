"""Automatic settings of a whole rule: the same for every table, and kept in its file."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.unit.small import FEATURES, search_little, small_study

from dpwerm import PrivateTreatmentRule, Study
from dpwerm.choose import settle as answers
from dpwerm.choose.settle import folder
from dpwerm.errors import RuleFileError
from dpwerm.releases.files import digest_of
from dpwerm.releases.release import Rule
from dpwerm.releases.rule_file import content_of, read_rule, verify_rule, write_rule

SITE = """[features.site]
kind = "category"
levels = ["p", "q", "r"]
"""
STUDY = small_study("arms = { a = 0.4, b = 0.6 }", features=FEATURES + SITE)


@pytest.fixture
def quick(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    search_little(tmp_path / "cache", monkeypatch)


def forget() -> None:
    answers._MEMORY.clear()
    for path in folder().glob("*.json"):
        path.unlink()


def tables(n: int) -> Iterator[pd.DataFrame]:
    """Yield tables of n rows that have nothing else in common."""
    rng = np.random.default_rng(0)
    yield pd.DataFrame(
        {
            "x": rng.uniform(-1, 1, n),
            "z": rng.uniform(0, 10, n),
            "site": rng.choice(["p", "q", "r"], n),
            "arm": rng.choice(["a", "b"], n),
            "outcome": rng.uniform(0, 4, n),
        }
    )
    yield pd.DataFrame(
        {"x": [1e300] * n, "z": [-1e300] * n, "site": "r", "arm": "a", "outcome": 1e300}
    )
    yield pd.DataFrame({"x": [None] * n, "z": "?", "site": None, "arm": "c", "outcome": None})


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("relation", ["replace_one", "add_remove"])
def test_two_tables_of_one_size_are_fitted_with_the_same_settings(relation: str) -> None:
    about = f'id = "small"\nrelation = "{relation}"\nplanned_n = 50'
    study = Study.parse(STUDY.replace('id = "small"', about))
    seen = []
    for table in tables(30):
        rule = PrivateTreatmentRule.from_study(study, 1, ledger="none").fit(table).rule_
        release = rule.release
        assert release.certificate.chosen is not None
        seen.append((release.certificate, release.encoding, release.threshold, rule.declaration))
        forget()
    assert all(one == seen[0] for one in seen)


@pytest.mark.usefixtures("quick")
def test_under_add_remove_the_settings_do_not_know_the_number_of_rows() -> None:
    about = 'id = "small"\nrelation = "add_remove"\nplanned_n = 50'
    study = Study.parse(STUDY.replace('id = "small"', about))
    seen = []
    for n in (0, 1, 80):
        table = next(tables(n))
        rule = PrivateTreatmentRule.from_study(study, 1, ledger="none").fit(table).rule_
        seen.append((rule.release.certificate, rule.release.encoding, rule.release.threshold))
        forget()
    assert all(one == seen[0] for one in seen)


def rule_with(**method: Any) -> Rule:
    parameters = {"gamma": 20.0, "saturation": 2.5, "threshold": 0.3} | method
    rule = PrivateTreatmentRule.from_study(Study.parse(STUDY), "inf", **parameters)
    return rule.fit(next(tables(80))).rule_


def test_a_rule_file_keeps_saturation_and_threshold(tmp_path: Path) -> None:
    rule, path = rule_with(), tmp_path / "rule.json"
    write_rule(rule, path)
    back = read_rule(path)
    assert (back.release.encoding.saturation, back.release.threshold) == (2.5, 0.3)
    assert content_of(back) == content_of(rule)
    table = next(tables(50))
    np.testing.assert_array_equal(back.score_table(table), rule.score_table(table))


def forged(rule: Rule, path: Path, edit: dict[str, dict[str, float]]) -> None:
    """Write the rule with some values changed and a digest that fits them."""
    content = content_of(rule)
    for part, values in edit.items():
        content[part] |= values
    content["digest"] = digest_of(content)
    path.write_text(json.dumps(content))


def middle_threshold(rule: Rule) -> float:
    """Return a threshold that drops some coefficient which the rule keeps."""
    kept = sorted(abs(k) for k in rule.release.kept[1:] if k)
    assert len(kept) > 1
    return (kept[0] + kept[1]) / 2 / kept[-1]


@pytest.mark.parametrize("saturation", [1.0, 2.4, 100.0])
def test_an_edited_saturation_is_found_even_with_a_new_digest(
    tmp_path: Path, saturation: float
) -> None:
    path = tmp_path / "rule.json"
    forged(rule_with(), path, {"encoding": {"saturation": saturation}})
    wrong = {finding.what for finding in verify_rule(path) if not finding.holds}
    assert any(what.startswith("coefficients.own_units") for what in wrong)
    with pytest.raises(RuleFileError, match="own_units"):
        read_rule(path)


def test_an_edited_threshold_is_found_where_it_changes_the_rule(tmp_path: Path) -> None:
    rule, path = rule_with(threshold=0.0), tmp_path / "rule.json"
    forged(rule, path, {"coefficients": {"threshold": middle_threshold(rule)}})
    wrong = {finding.what for finding in verify_rule(path) if not finding.holds}
    assert any(what.startswith("coefficients.own_units") for what in wrong)
    with pytest.raises(RuleFileError, match="own_units"):
        read_rule(path)


def test_without_a_new_digest_every_edit_is_found(tmp_path: Path) -> None:
    rule, path = rule_with(), tmp_path / "rule.json"
    content = content_of(rule)
    content["coefficients"]["threshold"] = 0.3000001
    path.write_text(json.dumps(content))
    assert "digest" in {finding.what for finding in verify_rule(path) if not finding.holds}


def test_saturation_of_one_and_no_threshold_are_the_plain_fit() -> None:
    plain = PrivateTreatmentRule.from_study(Study.parse(STUDY), 1, gamma=20.0, random_state=3)
    named = PrivateTreatmentRule.from_study(
        Study.parse(STUDY), 1, gamma=20.0, random_state=3, saturation=1, threshold=0
    )
    table = next(tables(80))
    first, second = (one.fit(table).rule_ for one in (plain, named))
    assert first.release.integers == second.release.integers
    assert content_of(first) == content_of(second)


def test_the_fit_learns_from_saturated_rows() -> None:
    """Numbers beyond the middle 1/k count as if they were at the bounds."""
    table = next(tables(80))
    k = 2.5
    clipped = table.assign(
        x=np.clip(k * table["x"], -1, 1), z=5 + 5 * np.clip(k * (table["z"] - 5) / 5, -1, 1)
    )
    study = Study.parse(STUDY)
    fits = [
        PrivateTreatmentRule.from_study(study, "inf", gamma=20.0, saturation=saturation).fit(rows)
        for saturation, rows in ((k, table), (1.0, clipped))
    ]
    thetas = [fit.release_.theta for fit in fits]
    np.testing.assert_allclose(thetas[0], thetas[1], atol=1e-9)
