"""Consistent forgeries pass ``verify`` alone; against the ledger they fail."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.unit.estimators.paid import DESIGN, MODEL, PUBLIC_RULE
from tests.unit.releases.value import trials as valued
from tests.unit.tune import trials as tuned

from dpwerm import PrivateTreatmentRule, Study
from dpwerm.evaluate import treatment_value
from dpwerm.privacy.budget import Budget, Relation
from dpwerm.privacy.ledger.book import Book
from dpwerm.privacy.ledger.entry import seal
from dpwerm.privacy.ledger.ledger import Ledger
from dpwerm.privacy.ledger.store import Store, database_of
from dpwerm.privacy.randomness import Receipt
from dpwerm.privacy.weight_origin import ExternalModel
from dpwerm.releases.certificate import certify
from dpwerm.releases.kinds import NOT_ATTACHED, kind_of, ledger_findings
from dpwerm.releases.release import Release, Rule
from dpwerm.releases.rule_file import read_rule, verify_rule, write_rule
from dpwerm.releases.value.release import verify_value, write_value
from dpwerm.study.treatment import Declaration
from dpwerm.tune.private import fit_tuned


def ledger_in(folder: Path) -> Ledger:
    return Ledger("sqlite:///ledger.db", study="small", epsilon=10, folder=folder)


def book_in(folder: Path) -> Book:
    return Store(database_of("sqlite:///ledger.db", folder)).book()


def wrong(rule: Rule, book: Book, **other: Any) -> set[str]:
    """Return what the ledger says against a rule, which alone must pass ``verify``."""
    found = replace(kind_of(rule).released(rule), **other)
    return {finding.what for finding in ledger_findings(found, book) if not finding.holds}


def passes_alone(rule: Rule, folder: Path) -> bool:
    """Whether a rule, written to a file, is one that ``verify`` and ``read_rule`` accept."""
    write_rule(rule, folder / "forged.json")
    read_rule(folder / "forged.json")
    return all(finding.holds for finding in verify_rule(folder / "forged.json"))


def fitted(folder: Path, text: str = DESIGN, epsilon: Any = 1) -> Rule:
    estimator = PrivateTreatmentRule.from_study(
        Study.parse(text), epsilon, ledger=ledger_in(folder)
    )
    return estimator.fit(tuned.table()).rule_


# -- forgeries ---------------------------------------------------------------------------------


def test_a_removed_tuning_is_found(tmp_path: Path) -> None:
    honest = fit_tuned(
        Study.parse(DESIGN),
        tuned.table(),
        epsilon=1,
        how="split",
        gammas=tuned.GAMMAS,
        ledger=ledger_in(tmp_path),
    )
    forged = replace(honest, tuning=None)
    assert forged.budget == Budget.of("0.7")
    assert passes_alone(forged, tmp_path)
    entries = book_in(tmp_path)
    assert wrong(honest, entries) == set()
    assert wrong(forged, entries) == {
        "ledger, cost",
        "ledger, what was charged",
        "ledger, digest of the release",
    }


def without_its_model(honest: Rule) -> Rule:
    """Return the rule as if its propensity model came from elsewhere and had cost nothing."""
    assert honest.propensity is not None
    own = honest.propensity.own_units()
    keys = honest.declaration.treatment_keys()
    keys |= {
        "propensity": {
            "model": "external",
            "arm": "b",
            "intercept": own.pop("intercept"),
            "coefficients": own,
        },
    }
    facts = Declaration.of_record(keys, honest.declaration.benefit_keys())
    declaration = replace(honest.declaration, treatment=facts.treatment)
    release = honest.release
    certificate, _ = certify(
        replace(release.certificate.specification(), origin=ExternalModel()),
        release.encoding,
        release.certificate.n,
        secure=True,
        library=release.certificate.library,
        receipt=honest.receipt,
    )
    made = Release(release.encoding, release.integers, certificate, release.threshold)
    return Rule(made, declaration)


def test_a_removed_propensity_model_is_found(tmp_path: Path) -> None:
    honest = fitted(tmp_path, MODEL)
    forged = without_its_model(honest)
    assert forged.budget == Budget.of("0.75")
    assert passes_alone(forged, tmp_path)
    entries = book_in(tmp_path)
    assert wrong(honest, entries) == set()
    assert wrong(forged, entries) == {"ledger, cost", "ledger, digest of the release"}


def test_another_release_cannot_use_a_charge_again(tmp_path: Path) -> None:
    honest = fitted(tmp_path)
    changed = tuple(k + 1 for k in honest.release.integers)
    forged = replace(honest, release=replace(honest.release, integers=changed))
    assert passes_alone(forged, tmp_path)
    assert wrong(forged, book_in(tmp_path)) == {"ledger, digest of the release"}


def test_a_receipt_that_was_taken_out_or_made_up_is_found(tmp_path: Path) -> None:
    honest = fitted(tmp_path)
    book = book_in(tmp_path)
    receipt = honest.receipt
    assert receipt is not None
    assert wrong(honest, book, receipt=None) == {"ledger, charge"}
    made_up: dict[str, Receipt] = {
        "ledger, id": replace(receipt, ledger="1" * 32),
        "ledger, hash of the charge": replace(receipt, hash="sha256:" + "0" * 64),
    }
    for name, other in made_up.items():
        assert wrong(honest, book, receipt=other) == {name}
    assert wrong(honest, book, receipt=replace(receipt, entry=99)) == {"ledger, hash of the charge"}
    not_a_charge: Receipt = replace(receipt, entry=2, hash=book.entries[1].hash)
    assert {"ledger, kind of the entry", "ledger, cost"} <= wrong(
        honest, book, receipt=not_a_charge
    )


@pytest.mark.parametrize("other", [{"study": "larger"}, {"budget": Budget.of("0.5")}])
def test_another_study_or_another_cost_is_found(other: dict[str, Any], tmp_path: Path) -> None:
    honest = fitted(tmp_path)
    (name,) = wrong(honest, book_in(tmp_path), **other)
    assert name in ("ledger, study", "ledger, cost")


def test_another_relation_is_found(tmp_path: Path) -> None:
    honest, text = fitted(tmp_path), str(Relation.ADD_REMOVE)
    book = book_in(tmp_path)
    assert kind_of(honest).released(honest).relation == "replace_one"
    assert wrong(honest, book, relation=text) == {"ledger, relation"}
    assert wrong(honest, book, relation="") == set()
    unopened = tuple(entry for entry in book.entries if entry.body["kind"] != "opened")
    assert wrong(honest, replace(book, entries=unopened)) == {"ledger, relation"}
    value = treatment_value(PUBLIC_RULE, valued.table(), 1, ledger=ledger_in(tmp_path))
    found = kind_of(value).released(replace(value, relation=Relation.ADD_REMOVE))
    findings = ledger_findings(found, book_in(tmp_path))
    assert "ledger, relation" in {one.what for one in findings if not one.holds}


def test_a_rule_of_no_study_is_not_held_to_one(tmp_path: Path) -> None:
    assert wrong(fitted(tmp_path), book_in(tmp_path), study="") == set()


def test_an_entry_whose_content_was_changed_is_found(tmp_path: Path) -> None:
    honest = fitted(tmp_path)
    book = book_in(tmp_path)
    first, opened, charged = book.entries
    lower = dict(charged.body) | {"cost": {"epsilon": "0.1", "delta": "0"}}
    edited = replace(book, entries=(first, opened, replace(charged, body=lower)))
    assert wrong(honest, edited, budget=Budget.of("0.1")) == {"ledger, hash of the charge"}
    again = seal(charged.number, charged.previous, lower)
    anew = replace(book, entries=(first, opened, again))
    assert "ledger, hash of the charge" in wrong(honest, anew)


def test_a_charge_without_a_digest_says_how_to_attach_it(tmp_path: Path) -> None:
    honest = fitted(tmp_path)
    book = Book(book_in(tmp_path).entries)
    assert wrong(honest, book) == {"ledger, digest of the release"}
    findings = ledger_findings(kind_of(honest).released(honest), book)
    assert NOT_ATTACHED in [finding.derived for finding in findings]


def test_a_digest_that_somebody_attached_by_hand_is_called_so(tmp_path: Path) -> None:
    honest = fitted(tmp_path)
    changed = tuple(k + 1 for k in honest.release.integers)
    forged = replace(honest, release=replace(honest.release, integers=changed))
    found = kind_of(forged).released(forged)
    book = Book(book_in(tmp_path).entries)  # as if the row of the release had been blanked
    last = book.entries[-1]
    body = {"kind": "released", "study": found.study, "charge": last.number, "digest": found.digest}
    by_hand = Book((*book.entries, seal(last.number + 1, last.hash, body)))
    assert by_hand.faults() == []
    assert by_hand.by_hand == {last.number}
    account = by_hand.account(str(body["study"]))
    assert account is not None
    assert account.charges[-1].paid_for.endswith("…, by hand")
    assert wrong(forged, by_hand) == set()
    whats = [one.what for one in ledger_findings(found, by_hand)]
    assert "ledger, digest of the release, attached by hand" in whats
    assert "ledger, digest of the release" not in whats


# -- values ------------------------------------------------------------------------------------


def test_a_value_is_held_to_its_charge_too(tmp_path: Path) -> None:
    value = treatment_value(PUBLIC_RULE, valued.table(), 1, ledger=ledger_in(tmp_path))
    write_value(value, tmp_path / "value.json")
    assert all(finding.holds for finding in verify_value(tmp_path / "value.json"))
    forged = replace(value, confidence=0.5)
    for one, sound in ((value, True), (forged, False)):
        findings = ledger_findings(kind_of(one).released(one), book_in(tmp_path))
        assert all(finding.holds for finding in findings) is sound
