"""What a rule file says must follow from what its study declares, whoever wrote the digest."""

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from tests.unit.estimators.observational import EXTERNAL, columns, fitted

from dpwerm.errors import RuleFileError
from dpwerm.releases.files import digest_of
from dpwerm.releases.release import Rule
from dpwerm.releases.rule_file import content_of, declared_findings, read_rule, verify_rule

Edit = Callable[[dict[str, Any]], None]


@cache
def rule_of(model: str = "private", **other: Any) -> Rule:
    return fitted(propensity=EXTERNAL if model == "external" else model, **other)


def set_at(path: str, value: Any) -> Edit:
    def edit(content: dict[str, Any]) -> None:
        *parents, last = path.split(".")
        place: Any = content
        for key in parents:
            place = place[int(key)] if isinstance(place, list) else place[key]
        place[int(last) if isinstance(place, list) else last] = value

    return edit


def exchanged(other: Rule) -> Edit:
    """Put the propensity model of another rule in the place of the rule's own."""

    def edit(content: dict[str, Any]) -> None:
        content["propensity"] = json.loads(json.dumps(content_of(other)["propensity"]))

    return edit


def forged(rule: Rule, folder: Path, *edits: Edit) -> Path:
    """Write the rule with edits and a digest that fits them."""
    content = json.loads(json.dumps(content_of(rule)))
    for edit in edits:
        edit(content)
    content["digest"] = digest_of(content)
    path = folder / "rule.json"
    path.write_text(json.dumps(content))
    return path


def wrong_in(path: Path) -> set[str]:
    """Return what ``verify`` finds; ``read_rule`` must refuse with the same."""
    found = {finding.what for finding in verify_rule(path) if not finding.holds}
    if found:
        with pytest.raises(RuleFileError) as caught:
            read_rule(path)
        assert {fault.where for fault in caught.value.faults} == found
    return found


@pytest.mark.parametrize("model", ["private", "ridge", "external"])
def test_an_honest_file_holds(model: str, tmp_path: Path) -> None:
    rule = rule_of(model)
    assert wrong_in(forged(rule, tmp_path)) == set()
    assert all(finding.holds for finding in declared_findings(rule))


SHARE = "propensity model, share of the budget"


@pytest.mark.parametrize(
    ("path", "value", "found"),
    [
        ("treatment.propensity.share", "0.2", {SHARE}),
        ("treatment.propensity_floor", "1/5", {"weight bound V/pi_min"}),
        ("propensity.certificate.n", 74, {"propensity model, n"}),
        ("propensity.coefficients.threshold", 0.25, {"propensity model, threshold"}),
        ("propensity.certificate.epsilon", "0.2", {SHARE, "propensity.certificate.noise.scale"}),
        ("certificate.epsilon", "0.8", {SHARE, "certificate.noise.scale"}),
        ("propensity.certificate.weight_bound", 2.0, {"propensity model, weight bound"}),
        ("propensity.certificate.gamma", 1e6, {"propensity.certificate.noise.scale"}),
        ("propensity.certificate.noise.scale", 1e-6, {"propensity.certificate.noise.scale"}),
        ("propensity.certificate.private", False, {"propensity.certificate.private"}),
        ("propensity.certificate.randomness", "seeded", {"propensity model, randomness"}),
        ("propensity.certificate.relation", "add_remove", {"propensity model, relation"}),
        (
            "propensity.certificate.weight_origin.name",
            "external",
            {"propensity model, weight origin"},
        ),
        (
            "propensity.certificate.weight_origin.name",
            "released",
            {"propensity model, weight origin"},
        ),
        ("propensity.certificate.loss.name", "huberised-hinge", {"propensity model, loss"}),
        ("propensity.encoding.blocks.0.upper", 2.0, {"propensity model, features"}),
        ("propensity.encoding.saturation", 2.0, {"propensity model, features"}),
        ("propensity.encoding.kind", "paper", {"propensity model, features"}),
        ("encoding.blocks.1.upper", 11.0, {"propensity model, features"}),
        ("certificate.weight_origin.name", "design", {"weight origin"}),
        ("notice", "Released at epsilon 0.1.", {"notice"}),
    ],
)
def test_what_does_not_follow_is_found(
    path: str, value: Any, found: set[str], tmp_path: Path
) -> None:
    assert found <= wrong_in(forged(rule_of(), tmp_path, set_at(path, value)))


def test_a_coefficient_is_protected_by_the_digest_and_by_its_own_units(tmp_path: Path) -> None:
    content = json.loads(json.dumps(content_of(rule_of())))
    content["propensity"]["coefficients"]["integers"][1] += 1
    path = tmp_path / "rule.json"
    path.write_text(json.dumps(content))
    wrong = {finding.what for finding in verify_rule(path) if not finding.holds}
    assert "digest" in wrong
    assert any(what.startswith("propensity.coefficients.own_units") for what in wrong)


@pytest.mark.parametrize(
    ("other", "found"),
    [
        ({"data": "74 rows"}, "propensity model, n"),
        ({"feature_bounds": [(-1, 1), (0, 11)]}, "propensity model, features"),
        ({"epsilon": 2}, SHARE),
        ({"relation": "add_remove", "planned_n": 73}, "propensity model, relation"),
        ({"random_state": 1}, "propensity model, randomness"),
        ({"epsilon": "inf"}, SHARE),
    ],
)
def test_the_model_of_another_rule_is_found(
    other: dict[str, Any], found: str, tmp_path: Path
) -> None:
    changes = {**other, "data": columns(74)} if "data" in other else other
    path = forged(rule_of(), tmp_path, exchanged(fitted(**changes)))
    assert found in wrong_in(path)


@pytest.mark.parametrize(
    ("model", "edit", "said"),
    [
        ("private", set_at("propensity", None), "exactly if the propensity model is private"),
        (
            "private",
            set_at("treatment.propensity", {"model": "ridge", "gamma": "auto"}),
            "exactly if the propensity model is private",
        ),
        (
            "ridge",
            set_at("treatment.propensity", {"model": "private", "share": "auto"}),
            "exactly if the propensity model is private",
        ),
        ("private", set_at("treatment.propensity.share", "1"), "above 0 and below 1"),
        ("private", set_at("treatment.propensity.model", "asymptotic"), "no release can rest"),
        ("private", set_at("propensity.certificate.epsilon", "1e9"), "budget of both releases"),
        ("private", set_at("propensity.coefficients.integers", [1]), "propensity.coefficients"),
        (
            "private",
            set_at("propensity.certificate.noise.grid_exponent", 2000),
            "propensity.coefficients: too large for a double",
        ),
        (
            "private",
            set_at("propensity.certificate.loss.name", "x"),
            "propensity.certificate: loss",
        ),
        ("private", set_at("propensity.encoding.blocks", []), "propensity.encoding"),
        ("private", set_at("propensity.comment", "x"), "propensity.comment: is not a known key"),
        ("external", set_at("treatment.propensity.arm", "c"), "'c' is not an arm"),
    ],
)
def test_a_file_that_makes_no_sense_is_not_read(
    model: str, edit: Edit, said: str, tmp_path: Path
) -> None:
    path = forged(rule_of(model), tmp_path, edit)
    for read in (verify_rule, read_rule):
        with pytest.raises(RuleFileError, match=said):
            read(path)


def test_budgets_in_other_notions_cannot_be_added(tmp_path: Path) -> None:
    edits = [
        set_at(f"propensity.certificate.{key}", value)
        for key, value in (
            ("epsilon", None),
            ("delta", None),
            ("rho", "0.1"),
            ("mechanism", "gaussian"),
        )
    ]
    with pytest.raises(RuleFileError, match="only budgets in epsilon and delta can be added"):
        verify_rule(forged(rule_of(), tmp_path, *edits))


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("treatment.propensity.gamma", 730.0),
        ("treatment.propensity_floor", "1/5"),
        ("certificate.weight_origin.parameters.gamma", 730.0),
        ("certificate.weight_origin.parameters.pi_min", 0.2),
        ("certificate.weight_origin.parameters.radius", 0.5),
        ("certificate.weight_origin.parameters.tolerance", 1e-12),
        ("certificate.weight_origin.parameters.dimension", 2.0),
        ("certificate.n", 74),
    ],
)
def test_the_numbers_of_a_ridge_model_follow_from_the_study(
    path: str, value: Any, tmp_path: Path
) -> None:
    wrong = wrong_in(forged(rule_of("ridge"), tmp_path, set_at(path, value)))
    assert "weight origin, its numbers" in wrong


def test_a_ridge_model_cannot_pass_for_an_external_one(tmp_path: Path) -> None:
    external = json.loads(json.dumps(content_of(rule_of("external"))))["treatment"]["propensity"]
    path = forged(rule_of("ridge"), tmp_path, set_at("treatment.propensity", external))
    assert "weight origin" in wrong_in(path)
