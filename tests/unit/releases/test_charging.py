import math
from typing import Any

import numpy as np
import pytest
from tests.unit.estimators.till import LEDGER, Till

from dpwerm import PrivateWeightedClassifier
from dpwerm.errors import BudgetError, LedgerError, LedgerWarning, ParameterError
from dpwerm.privacy.budget import Budget, Relation
from dpwerm.privacy.randomness import Charged, PrivacyFilter, Receipt
from dpwerm.releases.charging import attach, privacy_filter_of
from dpwerm.releases.files import digest_of

RECEIPT = Receipt("sqlite", LEDGER, 7, "sha256:" + "ab" * 32)
X = np.linspace(-1, 1, 40).reshape(-1, 1)
Y = np.where(X[:, 0] > 0, "b", "a")


def privacy_filter(ledger: Any, **other: Any) -> PrivacyFilter:
    asked: dict[str, Any] = {"relation": Relation.REPLACE_ONE} | other
    return privacy_filter_of(ledger, Budget.of(1), asked.pop("seed", None), "rule", **asked)


def classifier(ledger: Any, **other: Any) -> PrivateWeightedClassifier:
    parameters: dict[str, Any] = {"epsilon": 1, "gamma": 5.0, "classes": ("a", "b")} | other
    return PrivateWeightedClassifier(feature_bounds=(-1, 1), ledger=ledger, **parameters)


def test_a_ledger_that_suits_is_asked_and_not_yet_charged() -> None:
    till = Till()
    assert isinstance(privacy_filter(till, study_id="small"), Charged)
    assert till.events == []
    with pytest.raises(BudgetError):
        privacy_filter(Till(refuses="early"))


@pytest.mark.parametrize(
    ("ledger", "other", "words"),
    [
        (Till(relation="add_remove"), {}, "the two do not add up"),
        (Till(), {"relation": Relation.ADD_REMOVE}, "the two do not add up"),
        (
            Till("other"),
            {"study_id": "small"},
            "charges study other, the rel.* study small",
        ),
        (None, {}, "ledger is missing"),
        ("sqlite:///ledger.db", {}, "a Ledger or the word"),
        (3, {}, "not int"),
        (3, {"seed": 1}, "not int"),
    ],
)
def test_what_does_not_suit_is_refused(ledger: Any, other: dict[str, Any], words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        privacy_filter(ledger, **other)


def test_a_release_without_a_study_may_be_charged_to_any() -> None:
    assert privacy_filter(Till("other")).secure


def test_a_seed_asks_nothing_of_a_ledger() -> None:
    assert not privacy_filter(Till(refuses="early", relation="add_remove"), seed=1).secure


def test_the_digest_is_attached() -> None:
    till = Till()
    attach(Charged(till, "rule"), RECEIPT, lambda: {"a": 1})
    assert till.digests == {7: digest_of({"a": 1})}


def test_without_a_charge_there_is_nothing_to_attach() -> None:
    till = Till()
    attach(Charged(till, "rule"), None, lambda: 1 / 0)  # type: ignore[arg-type, return-value]
    assert till.events == []


@pytest.mark.parametrize("error", [LedgerError("the disk is full"), OSError("secret"), KeyError()])
def test_a_release_outlives_a_ledger_that_fails_afterwards(error: Exception) -> None:
    till = Till(breaks=error)
    model = classifier(till)
    with pytest.warns(LedgerWarning, match=r"paid for by entry 1 of ledger 0f0f0f0f") as caught:
        model.fit(X, Y)
    (warning,) = caught
    assert "dpwerm ledger attach" in str(warning.message)
    assert "secret" not in str(warning.message)
    assert ("full" in str(warning.message)) == isinstance(error, LedgerError)
    assert model.release_.private


# -- the classifier ----------------------------------------------------------------------------


def test_a_classifier_is_charged_before_a_bit_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    till = Till()
    till.watch(monkeypatch)
    release = classifier(till).fit(X, Y).release_
    assert till.charges == [(release.certificate.budget, "classifier")]
    assert (till.events[0], till.events[-1]) == ("charge", "attach")
    assert set(till.events[1:-1]) == {"bits"}
    assert release.certificate.receipt is not None
    assert till.digests == {1: digest_of(release.to_dict())}


class Untouchable:
    """Data that must not be looked at."""

    def __getattr__(self, name: str) -> Any:
        raise AssertionError(name)


@pytest.mark.parametrize("ledger", [None, "no", 3, Till(refuses="early")])
def test_without_a_way_to_pay_nothing_is_read(ledger: Any) -> None:
    model = classifier(ledger)
    with pytest.raises((ParameterError, BudgetError)):
        model.fit(Untouchable(), Untouchable())
    assert not hasattr(model, "release_")


def test_a_refusal_leaves_no_release_and_no_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    till = Till(refuses="late")
    till.watch(monkeypatch)
    model = classifier(till)
    with pytest.raises(BudgetError):
        model.fit(X, Y)
    assert till.events == []
    assert not hasattr(model, "release_")


def test_what_can_make_no_claim_is_not_charged() -> None:
    till = Till()
    with pytest.raises(ParameterError, match="gamma"):
        classifier(till, mechanism="objective-block", gamma=1e-6).fit(X, Y)
    assert till.events == []


@pytest.mark.parametrize("other", [{"random_state": 1}, {"epsilon": math.inf}])
def test_what_is_not_private_is_never_charged(other: dict[str, Any]) -> None:
    till = Till(refuses="early")
    for ledger in (till, None, "none"):
        assert not classifier(ledger, **other).fit(X, Y).release_.private
    assert till.events == []
