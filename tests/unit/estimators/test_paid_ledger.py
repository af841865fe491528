"""Releases that a real ledger pays for, on SQLite."""

import copy
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from sklearn.base import clone
from sklearn.model_selection import cross_val_score
from tests.unit.estimators import observational
from tests.unit.estimators.paid import DESIGN, FITS, MODEL, Fit
from tests.unit.tune import trials as tuned

from dpwerm import PrivateTreatmentRule, PrivateWeightedClassifier, Study
from dpwerm.errors import BudgetError, ParameterError
from dpwerm.privacy.budget import Budget
from dpwerm.privacy.ledger.ledger import Ledger
from dpwerm.privacy.ledger.store import Store, database_of
from dpwerm.releases.files import digest_of
from dpwerm.releases.kinds import Released, ledger_findings
from dpwerm.releases.rule_file import read_rule, verify_rule, write_rule
from dpwerm.tune.private import fit_tuned

EVERY = pytest.mark.parametrize("fit", [fit for fit, _ in FITS.values()], ids=list(FITS))
BUDGET = "[budget]\nepsilon = 10\ndelta = 1e-5\nrho = 1\nmu = 1\n"


def book_in(folder: Path) -> Any:
    store = Store(database_of("sqlite:///ledger.db", folder))
    assert store.faults() == []
    return store.book()


def saved(folder: Path, text: str = DESIGN, partitions: str = "") -> Study:
    (folder / "study.toml").write_text(text + BUDGET + partitions)
    return Study.load(folder / "study.toml")


@EVERY
def test_a_file_agrees_with_the_ledger_that_paid_for_it(fit: Fit, tmp_path: Path) -> None:
    ledger = Ledger(
        "sqlite:///ledger.db",
        study="small",
        epsilon=10,
        delta="1e-5",
        rho=1,
        mu=1,
        folder=tmp_path,
    )
    paid = fit(ledger)
    book = book_in(tmp_path)
    assert [entry.body["kind"] for entry in book.entries] == ["started", "opened", "charged"]
    found = Released(paid.what, True, "small", paid.digest, paid.budget, paid.receipt)
    findings = ledger_findings(found, book)
    assert [finding for finding in findings if not finding.holds] == []
    assert len(findings) == 7


def test_a_study_is_charged_in_its_own_ledger(tmp_path: Path) -> None:
    study = saved(tmp_path)
    rule = PrivateTreatmentRule.from_study(study, "0.1").fit(tuned.table()).rule_
    again = fit_tuned(study, tuned.table(), epsilon="0.2", how="parts", gammas=tuned.GAMMAS)
    spent = Ledger.of_study(study).account().spent().decimals(up=True)
    assert str(spent["epsilon"]) == "0.3"
    assert [rule.receipt.entry, again.receipt.entry] == [3, 4]  # type: ignore[union-attr]
    write_rule(rule, tmp_path / "rule.json")
    assert read_rule(tmp_path / "rule.json").receipt == rule.receipt
    assert all(finding.holds for finding in verify_rule(tmp_path / "rule.json"))
    assert str(tmp_path) not in (tmp_path / "rule.json").read_text()


def test_a_refused_fit_says_what_would_fit_and_charges_nothing(tmp_path: Path) -> None:
    study = saved(tmp_path)
    PrivateTreatmentRule.from_study(study, "9.5").fit(tuned.table())
    before = book_in(tmp_path)
    with pytest.raises(BudgetError, match=r"epsilon = 0\.5 would fit"):
        PrivateTreatmentRule.from_study(study, 1).fit("nowhere.csv")
    assert book_in(tmp_path) == before


def test_both_releases_of_a_rule_name_one_charge(tmp_path: Path) -> None:
    rule = PrivateTreatmentRule.from_study(saved(tmp_path, MODEL), 1).fit(tuned.table()).rule_
    assert rule.propensity is not None
    assert rule.propensity.certificate.receipt == rule.receipt
    bodies = [entry.body for entry in book_in(tmp_path).entries]
    assert [body["cost"] for body in bodies if "cost" in body] == [{"epsilon": "1", "delta": "0"}]


def test_a_partition_is_charged_alone(tmp_path: Path) -> None:
    study = saved(tmp_path, partitions='partitions = ["north", "south"]\n')
    ledger = Ledger.of_study(study)
    for name in ("north", "south"):
        PrivateTreatmentRule.from_study(study, 8, ledger=ledger.partition(name)).fit(tuned.table())
    with pytest.raises(BudgetError, match="epsilon = 2 would fit"):
        PrivateTreatmentRule.from_study(study, 8).fit(tuned.table())


def test_a_ledger_is_a_parameter_like_any_other(tmp_path: Path) -> None:
    ledger = Ledger(f"sqlite:///{tmp_path}/ledger.db", study="small", epsilon=10)
    for estimator in (
        observational.arrays(1, ledger=ledger),
        PrivateWeightedClassifier(1, feature_bounds=(-1, 1), classes=("a", "b"), ledger=ledger),
    ):
        assert clone(estimator).get_params()["ledger"] is ledger
        assert clone(estimator).set_params(ledger="none").ledger == "none"
        assert "ledger=Ledger(sqlite ledger.db, study small" in repr(estimator)
    secret = Ledger("postgresql://me:pass-word@localhost/db", study="small", epsilon=1)
    assert "pass-word" not in repr(observational.arrays(1, ledger=secret))


def test_a_classifier_is_charged_in_a_real_ledger(tmp_path: Path) -> None:
    ledger = Ledger(f"sqlite:///{tmp_path}/ledger.db", study="small", epsilon=10)
    X = np.linspace(-1, 1, 40).reshape(-1, 1)
    model = PrivateWeightedClassifier(
        1, feature_bounds=(-1, 1), classes=(False, True), gamma=5.0, ledger=ledger
    ).fit(X, X[:, 0] > 0)
    (charge,) = ledger.account().charges
    assert (charge.cost, charge.what) == (Budget.of(1), "classifier")
    assert charge.digest == digest_of(model.release_.to_dict())


def test_another_process_makes_no_fit_and_charges_nothing(tmp_path: Path) -> None:
    ledger = Ledger(f"sqlite:///{tmp_path}/ledger.db", study="small", epsilon=10)
    X = np.linspace(-1, 1, 40).reshape(-1, 1)
    model = PrivateWeightedClassifier(
        1, feature_bounds=(-1, 1), classes=(False, True), gamma=5.0, ledger=ledger
    )
    with pytest.raises(ValueError, match=r"its ledger stayed there.*leave n_jobs=None"):
        cross_val_score(model, X, X[:, 0] > 0, cv=2, n_jobs=2)
    assert ledger.account().charges == ()
    model.set_params(random_state=1)  # charges nothing, here and there
    assert len(cross_val_score(model, X, X[:, 0] > 0, cv=2, n_jobs=2)) == 2


def test_a_pickled_estimator_leaves_its_ledger_behind(tmp_path: Path) -> None:
    ledger = Ledger(f"sqlite:///{tmp_path}/ledger.db", study="small", epsilon=10)
    data = observational.columns()
    X = np.column_stack([data["x"], data["z"]])
    model = observational.arrays(1, ledger=ledger).fit(X, data["arm"], data["outcome"])
    there = pickle.loads(pickle.dumps(model))  # noqa: S301 - our own bytes
    assert np.array_equal(there.predict(X), model.predict(X))
    with pytest.raises(ParameterError, match=r"set_params\(ledger=\.\.\.\)"):
        there.fit(X, data["arm"], data["outcome"])
    for here in (copy.copy(model), copy.deepcopy(model)):
        assert here.ledger is ledger
    there.set_params(ledger=ledger).fit(X, data["arm"], data["outcome"])
    assert len(ledger.account().charges) == 2


def test_nothing_of_the_table_is_in_the_ledger(tmp_path: Path) -> None:
    data = tuned.columns() | {"outcome": np.full(tuned.N, 3.1234567)}
    PrivateTreatmentRule.from_study(saved(tmp_path), 1).fit(pa.table(data))
    held = (tmp_path / "ledger.db").read_bytes()
    for word in (b"3.1234567", b"outcome", b"rows", str(tmp_path).encode()):
        assert word not in held
