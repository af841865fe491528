"""No number of a private tuning can be edited unseen, but for those that follow from nothing."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from tests.cli.test_verify import edits, survives, write
from tests.unit.releases.test_declared_findings import Edit, forged, set_at, wrong_in
from tests.unit.tune.trials import GAMMAS, PRIVATE_MODEL, STUDY, study, table

from dpwerm.errors import RuleFileError
from dpwerm.privacy.budget import Budget
from dpwerm.releases.files import digest_of
from dpwerm.releases.release import Rule
from dpwerm.releases.rule_file import content_of, notice, read_rule, tuning_findings
from dpwerm.releases.tuning import WAYS
from dpwerm.tune.private import fit_tuned


@cache
def tuned(how: str, text: str = STUDY, **other: Any) -> Rule:
    return fit_tuned(
        study(text), table(), how=how, gammas=GAMMAS, ledger="none", **({"epsilon": 1} | other)
    )


@pytest.mark.parametrize("how", WAYS)
@pytest.mark.parametrize("text", [STUDY, PRIVATE_MODEL], ids=["design", "private model"])
def test_an_honest_file_holds(how: str, text: str, tmp_path: Path) -> None:
    rule = tuned(how, text)
    assert wrong_in(forged(rule, tmp_path)) == set()
    assert content_of(read_rule(tmp_path / "rule.json")) == content_of(rule)
    assert rule.private
    assert rule.budget == Budget.of(1)
    assert tuning_findings(rule)


@pytest.mark.parametrize("how", WAYS)
@pytest.mark.parametrize("other", [{"epsilon": "inf"}, {"random_state": 3}], ids=["inf", "seed"])
def test_so_does_one_that_is_not_private(how: str, other: dict[str, Any], tmp_path: Path) -> None:
    rule = tuned(how, **other)
    assert not rule.private
    assert notice(rule).startswith("NOT PRIVATE")
    assert wrong_in(forged(rule, tmp_path)) == set()


def test_a_delta_is_claimed_once(tmp_path: Path) -> None:
    text = STUDY.replace("[budget]\nepsilon = 5\n", "")
    rule = tuned("parts", text, delta="1e-6", mechanism="gaussian")
    assert rule.budget == Budget.of(1, "1e-6")
    assert wrong_in(forged(rule, tmp_path)) == set()


def test_notices_say_that_tuning_is_included() -> None:
    assert notice(tuned("parts")) == (
        "Released under differential privacy: epsilon 1, delta 0 in all, private tuning of gamma "
        "included, relation replace_one."
    )
    assert notice(tuned("split", PRIVATE_MODEL)) == (
        "Released under differential privacy: epsilon 1, delta 0 in all (propensity model 0.25, "
        "tuning of gamma and rule 0.75), relation replace_one."
    )


FREE = {"tuning.candidates[0]", "tuning.candidates[1]", "tuning.candidates[2]"}
"""What follows from nothing else: candidates that lost."""


def edited_and_found(content: dict[str, Any], path: Path) -> set[str]:
    """Edit every number of a tuning under a new digest; return which, if each edit is found."""
    seen = set()
    winner = content["tuning"]["candidates"].index(content["certificate"]["gamma"])
    for where, other, edited in edits(content):
        if not where.startswith("tuning."):
            continue
        seen.add(where)
        edited["digest"] = digest_of(edited)
        write(path, edited)
        if where not in FREE or where == f"tuning.candidates[{winner}]":
            assert not survives(path), (where, other)
    return seen


@pytest.mark.parametrize("how", WAYS)
def test_every_edit_of_the_record_is_found_even_under_a_new_digest(
    how: str, tmp_path: Path
) -> None:
    content = json.loads(json.dumps(content_of(tuned(how))))
    seen = edited_and_found(content, tmp_path / "rule.json")
    assert seen >= FREE
    assert len(seen) >= 17


TUNING = "tuning, "


@pytest.mark.parametrize(
    ("how", "path", "value", "found"),
    [
        ("parts", "tuning.rows", 64, {TUNING + "rows of the released fit", "tuning.slots[0]"}),
        ("parts", "tuning.epsilon", "0.5", {TUNING + "budget of the released fit", "notice"}),
        ("parts", "tuning.how", "split", set()),
        ("parts", "tuning.how", "flip", {"tuning.claim"}),
        ("split", "tuning.share", "0.2", {TUNING + "budget of the released fit"}),
        ("split", "certificate.n", 15, {TUNING + "rows of the released fit"}),
        ("split", "certificate.epsilon", "1", {TUNING + "budget of the released fit"}),
        ("parts", "certificate.gamma", 41.0, {TUNING + "gamma is a candidate"}),
        ("parts", "certificate.relation", "add_remove", {TUNING + "relation"}),
        ("parts", "tuning", None, {"notice"}),
    ],
)
def test_what_is_edited_is_named(
    how: str, path: str, value: Any, found: set[str], tmp_path: Path
) -> None:
    written = forged(tuned(how), tmp_path, set_at(path, value))
    if not found:
        with pytest.raises(RuleFileError, match="a share with split and with nothing else"):
            read_rule(written)
    else:
        assert found <= wrong_in(written)


def test_a_candidate_that_the_mechanism_refuses_is_found(tmp_path: Path) -> None:
    gammas = [50.0, 200.0, 800.0]
    rule = fit_tuned(
        study(),
        table(),
        epsilon=1,
        how="parts",
        gammas=gammas,
        mechanism="objective-block",
        ledger="none",
    )
    place = next(i for i, gamma in enumerate(gammas) if gamma != rule.release.certificate.gamma)
    edit: Edit = set_at(f"tuning.candidates.{place}", 1e-6)
    others = [gamma for i, gamma in enumerate(gammas) if i != place]
    order: Edit = set_at("tuning.candidates", [1e-6, *others])
    assert wrong_in(forged(rule, tmp_path, edit, order)) == {"tuning, candidates"}


def test_a_tuning_beside_weights_of_everybody_is_found(tmp_path: Path) -> None:
    rule = tuned("parts")
    written = forged(rule, tmp_path, set_at("certificate.weight_origin.name", "worst_case"))
    assert "tuning, candidates" in wrong_in(written)


def test_a_gamma_is_tuned_or_simulated_and_not_both(tmp_path: Path) -> None:
    chosen = {"settings": ["gamma"], "accuracy": 0.9, "reason": "chosen"}
    written = forged(tuned("parts"), tmp_path, set_at("certificate.chosen", chosen))
    assert wrong_in(written) == {"tuning, gamma was simulated"}


def test_an_older_file_is_refused_in_words(tmp_path: Path) -> None:
    written = forged(tuned("parts"), tmp_path, set_at("version", 4))
    with pytest.raises(RuleFileError, match="written by an older version of the library"):
        read_rule(written)
