"""Every private release is paid for at its whole cost, before a bit is drawn."""

import warnings
from pathlib import Path
from typing import Any

import pytest
from tests.unit.estimators.paid import DESIGN, FITS, PUBLIC_RULE, Fit, arrays, evaluation
from tests.unit.estimators.till import Till
from tests.unit.releases.value import trials as valued
from tests.unit.tune import trials as tuned

import dpwerm
from dpwerm import PrivateTreatmentRule, Study
from dpwerm.errors import BudgetError, LedgerError, LedgerWarning, ParameterError
from dpwerm.evaluate import treatment_value
from dpwerm.privacy.budget import AnyBudget
from dpwerm.tune.private import fit_tuned

EVERY = pytest.mark.parametrize("fit", [fit for fit, _ in FITS.values()], ids=list(FITS))


@pytest.mark.parametrize(("fit", "cost"), FITS.values(), ids=list(FITS))
def test_the_cost_is_the_whole_budget_and_is_charged_before_a_bit_is_drawn(
    fit: Fit, cost: AnyBudget, monkeypatch: pytest.MonkeyPatch
) -> None:
    till = Till()
    till.watch(monkeypatch)
    paid = fit(till, on_stage=till.events.append)
    assert paid.budget == cost
    assert till.charges == [(cost, paid.what)]
    charge = till.events.index("charge")
    assert "bits" not in till.events[:charge]
    assert "bits" in till.events[charge:]
    # Whatever is chosen is chosen before, so that the cost is known.
    assert not [
        event for event in till.events[charge:] if event.startswith("choosing hyperparameters")
    ]
    assert till.events[-1] == "attach"
    assert till.digests == {1: paid.digest}
    assert paid.receipt is not None


@EVERY
def test_a_refusal_comes_before_a_bit(fit: Fit, monkeypatch: pytest.MonkeyPatch) -> None:
    for refuses in ("early", "late"):
        till = Till(refuses=refuses)
        till.watch(monkeypatch)
        with pytest.raises(BudgetError):
            fit(till)
        assert till.events == []


def test_an_early_refusal_comes_before_the_table_is_read() -> None:
    study = Study.parse(DESIGN)
    with pytest.raises(BudgetError):
        PrivateTreatmentRule.from_study(study, 1, ledger=Till(refuses="early")).fit("nowhere.csv")
    with pytest.raises(BudgetError):
        fit_tuned(study, "nowhere.csv", epsilon=1, how="parts", ledger=Till(refuses="early"))
    with pytest.raises(BudgetError):
        treatment_value(PUBLIC_RULE, "nowhere.csv", 1, ledger=Till(refuses="early"))


def test_what_can_make_no_claim_is_not_charged() -> None:
    till = Till()
    known: dict[str, Any] = {"propensity": {"a": 0.5, "b": 0.5}, "arms": None}
    fit = arrays(**known, propensity_floor=None, mechanism="objective-block", gamma=1e-6)
    with pytest.raises(ParameterError, match="gamma"):
        fit(till)
    assert till.events == []


@pytest.mark.parametrize("fit", [FITS["rule"][0], FITS["tuned by split"][0], evaluation])
def test_a_paid_release_is_returned_though_its_ledger_is_gone(fit: Fit) -> None:
    with pytest.warns(LedgerWarning, match="entry 1 of ledger 0f0f0f0f"):
        assert fit(Till(breaks=LedgerError("gone"))).receipt is not None


@pytest.mark.parametrize("fit", [FITS["rule"][0], FITS["tuned by split"][0], evaluation])
def test_a_warning_that_would_be_an_error_loses_no_release(fit: Fit) -> None:
    def strictly() -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            return fit(Till(breaks=LedgerError("gone")))

    with pytest.warns(LedgerWarning):
        assert strictly().receipt is not None


@pytest.mark.parametrize("other", [{"random_state": 1}, {"epsilon": "inf"}])
def test_what_is_not_private_is_never_charged(other: dict[str, Any]) -> None:
    till = Till(refuses="early")
    for ledger in (till, None, "none"):
        asked = {"epsilon": 1, "ledger": ledger} | other
        # The study has no [budget], which only a private release needs.
        rule = PrivateTreatmentRule.from_study(Study.parse(DESIGN), **asked).fit(tuned.table())
        assert not rule.rule_.private
        assert not fit_tuned(Study.parse(DESIGN), tuned.table(), how="split", **asked).private
        assert not treatment_value(PUBLIC_RULE, valued.table(), **asked).private
    assert till.events == []


def test_the_value_of_a_rule_without_a_claim_is_not_charged() -> None:
    seeded = valued.fitted(valued.study(), epsilon=1, random_state=1)
    till = Till(refuses="early")
    for ledger in (till, None):
        value = treatment_value(seeded, valued.table(), 1, study=valued.study(), ledger=ledger)
        assert not value.private
        assert value.certificate.ledger == "none"
    assert till.events == []


def test_no_room_that_fits_makes_bits_of_its_own() -> None:
    source = Path(dpwerm.__file__).parent
    for room in ("mechanisms", "choose", "learn", "rules", "tune", "plan", "report", "cli"):
        for module in (source / room).rglob("*.py"):
            text = module.read_text(encoding="utf-8")
            for name in ("bit_source", "OperatingSystemBits", "import secrets"):
                assert name not in text, f"{name} in {module.name}"
