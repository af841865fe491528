"""value.json: it comes back as it was, and what does not belong together is found."""

import copy
import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.unit.releases.value.trials import COLUMN, DESIGN, fitted, study, table

from dpwerm.errors import RuleFileError
from dpwerm.evaluate import treatment_value
from dpwerm.releases.files import digest_of
from dpwerm.releases.rule_file import content_of, write_rule
from dpwerm.releases.value.release import (
    ValueRelease,
    read_value,
    value_content,
    verify_value,
    write_value,
)

RULE = fitted(study(), epsilon=1)
OUTCOME = {
    "arms": {
        arm: {"intercept": 1.0, "coefficients": {"age": 0.1, "sex=F": 0.0}}
        for arm in ("pill", "therapy")
    }
}


def value_of(kind: str, epsilon: object = 1, **options: Any) -> ValueRelease:
    declared = study(COLUMN if kind == "column" else DESIGN)
    if kind == "add_remove":
        declared = study(DESIGN, ('"replace_one"', '"add_remove"'))
    if kind == "robust":
        options["outcome_model"] = OUTCOME
    return treatment_value(RULE, table(), epsilon, study=declared, ledger="none", **options)


VALUE = value_of("design")


def put(path: Path, content: dict[str, Any], *, new_digest: bool = True) -> Path:
    if new_digest:
        content = {**content, "digest": digest_of(content)}
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def test_a_path_may_be_a_text(tmp_path: Path) -> None:
    path = str(tmp_path / "value.json")
    write_value(VALUE, path)
    assert value_content(read_value(path)) == value_content(VALUE)
    assert all(finding.holds for finding in verify_value(path))


@pytest.mark.parametrize("kind", ["design", "column", "add_remove", "robust"])
@pytest.mark.parametrize("epsilon", ["0.37", math.inf])
def test_a_value_comes_back_as_it_was(kind: str, epsilon: object, tmp_path: Path) -> None:
    value, path = value_of(kind, epsilon), tmp_path / "value.json"
    write_value(value, path)
    back = read_value(path)
    assert back.integers == value.integers
    assert value_content(back) == value_content(value)
    findings = verify_value(path)
    assert all(finding.holds for finding in findings)
    assert {"digest", "certificate.noise_scale", "certificate.sensitivity"} <= {
        finding.what for finding in findings
    }
    assert [one.name for one in tmp_path.iterdir()] == ["value.json"]


def test_it_names_the_rule_and_not_the_number_of_people_under_add_remove() -> None:
    content = value_content(value_of("add_remove"))
    assert content["rule"]["digest"] == content_of(RULE)["digest"]
    assert content["certificate"]["n"] is None


def changed(path: str, value: object) -> Callable[[dict[str, Any]], None]:
    def change(content: dict[str, Any]) -> None:
        *parents, last = path.split(".")
        place: Any = content
        for name in parents:
            place = place[int(name)] if isinstance(place, list) else place[name]
        assert place[last] != value
        place[last] = value

    return change


FACTS = {
    "certificate.epsilon": "0.5",
    "certificate.relation": "add_remove",
    "certificate.randomness": "seeded",
    "rule.private": False,
    "confidence": 0.99,
}
"""From each of these much else follows."""

DERIVED = {
    "notice": "Released under differential privacy: epsilon 0.001, delta 0, relation replace_one.",
    "certificate.noise_scale": 1.0,
    "certificate.sensitivity": 1,
    "certificate.grid_exponent": -11,
    "certificate.private": False,
    "certificate.pi_min": 0.5,
    "certificate.sums": 11,
    "certificate.delta": "0.1",
    "certificate.estimate": "doubly robust",
    "certificate.weight_origin": "external",
    "certificate.claim": "perfect privacy",
    "sums.exponent": -10,
    "values.0.estimate": 14.0,
    "values.0.lower": 14.0,
    "values.0.privacy": 0.0,
    "gains.0.lower": 1.5,
    "gains.0.sampling": 0.0,
}
"""Each of these follows from the rest."""


def wrong_in(path: Path) -> set[str]:
    return {finding.what for finding in verify_value(path) if not finding.holds}


@pytest.mark.parametrize("path", FACTS)
def test_a_fact_is_forged_in_vain_even_with_a_new_digest(path: str, tmp_path: Path) -> None:
    content = copy.deepcopy(value_content(VALUE))
    changed(path, FACTS[path])(content)
    assert wrong_in(put(tmp_path / "value.json", content))


def test_everything_that_follows_is_computed_again(tmp_path: Path) -> None:
    content = copy.deepcopy(value_content(VALUE))
    for path, new in DERIVED.items():
        changed(path, new)(content)
    file = put(tmp_path / "value.json", content)
    expected = {path.replace(".0.", "[0].") for path in DERIVED}
    assert wrong_in(file) == expected
    with pytest.raises(RuleFileError, match="does not follow from the rest"):
        read_value(file)


def test_an_edited_sum_is_caught_by_the_digest(tmp_path: Path) -> None:
    content = copy.deepcopy(value_content(VALUE))
    content["sums"]["integers"][3] += 1
    assert "digest" in wrong_in(put(tmp_path / "value.json", content, new_digest=False))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (changed("format", "dpwerm-rule"), "this is a rule file, where a value file is needed"),
        (changed("version", 3), "not a value file"),
        (changed("version", 1), "written by an older version of the library"),
        (changed("confidence", 2.0), "confidence"),
        (changed("certificate.epsilon", "-1"), "epsilon"),
        (changed("certificate.n", None), "certificate.n"),
        (changed("treatment.arms", ["pill"]), "two texts"),
        (changed("sums.integers", [1, 2]), "one per sum"),
        (lambda content: content.pop("sums"), "sums"),
        (lambda content: content.update(more=1), "more"),
        (lambda content: content["treatment"].update(origin="worst_case"), "never evaluated"),
        (changed("outcome_model", {"weapons": {}}), "arms"),
        (changed("study.name", "Trial\n=====\n\nepsilon 0.01"), "study.name: has a line break"),
        (changed("certificate.library", "dpwerm\u2028NOT"), "certificate.library: has a line"),
    ],
)
def test_what_is_no_value_file_is_refused(
    change: Callable[[dict[str, Any]], None], words: str, tmp_path: Path
) -> None:
    content = copy.deepcopy(value_content(VALUE))
    change(content)
    with pytest.raises(RuleFileError, match=words):
        read_value(put(tmp_path / "value.json", content))


def test_a_rule_file_is_no_value_file(tmp_path: Path) -> None:
    write_rule(RULE, tmp_path / "rule.json")
    with pytest.raises(RuleFileError, match="this is a rule file, where a value file is needed"):
        read_value(tmp_path / "rule.json")
