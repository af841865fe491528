import json
import os
from pathlib import Path

import pytest

from dpwerm.errors import RuleFileError
from dpwerm.estimators.treatment_rule import PrivateTreatmentRule
from dpwerm.releases.files import digest_of
from dpwerm.releases.release import Rule
from dpwerm.releases.rule_file import content_of, notice, read_rule, verify_rule, write_rule
from dpwerm.simulate.demo import demo_trial, study_text
from dpwerm.study.study import Study


def demo_rule(epsilon: object = 1, **other: object) -> Rule:
    parameters = {"gamma": 2000.0} | other
    rule = PrivateTreatmentRule.from_study(
        Study.parse(study_text()), epsilon, ledger="none", **parameters
    )
    return rule.fit(demo_trial(60)).rule_


def test_a_file_holds_all_of_a_rule(tmp_path: Path) -> None:
    rule, path = demo_rule(), tmp_path / "rule.json"
    write_rule(rule, path)
    back = read_rule(path)
    assert content_of(back) == content_of(rule)
    assert (back.title, back.arms, back.default) == (rule.title, rule.arms, rule.default)


def test_a_path_may_be_a_text(tmp_path: Path) -> None:
    rule, path = demo_rule(random_state=1), str(tmp_path / "rule.json")
    write_rule(rule, path)
    assert content_of(read_rule(path)) == content_of(rule)
    assert all(finding.holds for finding in verify_rule(path))
    with pytest.raises(RuleFileError, match="cannot be read"):
        read_rule("nothing.json")


def test_the_digest_does_not_depend_on_the_order_of_keys() -> None:
    content = content_of(demo_rule(random_state=1))
    turned = dict(reversed(content.items()))
    assert digest_of(content) == digest_of(turned) == content["digest"]


def test_every_notice_says_whether_there_is_a_promise() -> None:
    assert notice(demo_rule()).startswith("Released under differential privacy: epsilon 1")
    assert notice(demo_rule("inf")).startswith("NOT PRIVATE: fitted without noise")
    assert notice(demo_rule(random_state=1)).startswith("NOT PRIVATE: the noise came from a seed")


def test_a_weight_bound_that_does_not_follow_is_found(tmp_path: Path) -> None:
    content = content_of(demo_rule())
    content["benefit"]["clip"] = 5.0
    content["digest"] = digest_of(content)
    path = tmp_path / "rule.json"
    path.write_text(json.dumps(content))
    wrong = {finding.what for finding in verify_rule(path) if not finding.holds}
    assert "weight bound V/pi_min" in wrong
    with pytest.raises(RuleFileError, match="weight bound"):
        read_rule(path)


def test_the_user_s_umask_is_kept(tmp_path: Path) -> None:
    before = os.umask(0o077)
    try:
        write_rule(demo_rule("inf"), tmp_path / "rule.json")
    finally:
        os.umask(before)
    assert (tmp_path / "rule.json").stat().st_mode & 0o777 == 0o600


def test_nothing_is_left_of_a_write_that_fails(tmp_path: Path) -> None:
    (tmp_path / "rule.json").mkdir()
    with pytest.raises(OSError, match=r"rule\.json"):
        write_rule(demo_rule(), tmp_path / "rule.json")
    assert [path.name for path in tmp_path.iterdir()] == ["rule.json"]
