"""A refused or failing fit keeps the earlier release, which was paid for; another replaces it."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from tests.unit.estimators.till import Till
from tests.unit.small import small_study

from dpwerm import PrivateTreatmentRule, PrivateWeightedClassifier, Study
from dpwerm.errors import BudgetError, LedgerWarning, ParameterError, TableError
from dpwerm.mechanisms.contract import Mechanism

N = 60
NAMES = ["dose", "age"]
CHANGED = ["weight", "height", "age"]
DOSE = """
[features.dose]
kind = "number"
bounds = [-1, 1]
"""
STUDY = small_study("arms = { a = 0.5, b = 0.5 }", "[method]\ngamma = 5\n", features=DOSE)


def frame(names: list[str], seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    return pd.DataFrame({name: rng.uniform(-1, 1, N) for name in names})


def classifier(**other: Any) -> PrivateWeightedClassifier:
    known: dict[str, Any] = {
        "feature_bounds": (-1, 1),
        "classes": ("no", "yes"),
        "gamma": 5.0,
        "mechanism": "spherical-laplace",
        "ledger": Till(),
    }
    return PrivateWeightedClassifier(1, **(known | other))


def rule(**other: Any) -> PrivateTreatmentRule:
    known: dict[str, Any] = {
        "feature_bounds": (-1, 1),
        "benefit_bounds": (0, 1),
        "propensity": {"no": 0.5, "yes": 0.5},
        "gamma": 5.0,
        "mechanism": "spherical-laplace",
        "ledger": Till(),
    }
    return PrivateTreatmentRule(1, **(known | other))


def fit(estimator: Any, X: Any, labels: Any = None) -> Any:
    """Fit either estimator; labels: classes or arms."""
    answers = np.where(np.arange(len(X)) % 3 > 0, "yes", "no") if labels is None else labels
    if isinstance(estimator, PrivateWeightedClassifier):
        return estimator.fit(X, answers)
    return estimator.fit(X, answers, np.linspace(0, 1, len(X)))


MAKERS = [classifier, rule]
both = pytest.mark.parametrize("make", MAKERS, ids=["classifier", "rule"])
OWN = {"classifier": {"release_", "classes_"}, "rule": {"rule_", "arms_"}}


def learned(estimator: Any) -> dict[str, Any]:
    """Return all that a fit has left, by name."""
    return {name: one for name, one in vars(estimator).items() if name.endswith("_")}


def first_of(make: Callable[..., Any]) -> tuple[Any, dict[str, Any], dict[str, Any]]:
    """Return a fitted estimator, what it has learned and what it predicts."""
    estimator = fit(make(), frame(NAMES))
    kept = learned(estimator)
    assert set(kept) == OWN[make.__name__] | {"feature_names_in_", "n_features_in_"}
    assert estimator.release_.private
    return estimator, kept, outputs(estimator)


def outputs(estimator: Any) -> dict[str, Any]:
    """Return everything one may ask of a fitted estimator, as plain values."""
    return {
        "release": estimator.release_.to_dict(),
        "scores": estimator.decision_function(frame(NAMES)).tolist(),
        "answers": estimator.predict(frame(NAMES)).tolist(),
        "names": list(estimator.feature_names_in_),
        "columns": estimator.n_features_in_,
    }


def check_kept(estimator: Any, kept: dict[str, Any], before: dict[str, Any]) -> None:
    """Check that each attribute is the very object it was, and says what it said."""
    after = learned(estimator)
    assert after.keys() == kept.keys()
    assert all(after[name] is kept[name] for name in kept)
    assert outputs(estimator) == before


def with_cell(value: Any) -> pd.DataFrame:
    found = frame(CHANGED).astype(object)
    found.iloc[3, 1] = value
    return found


BAD: dict[str, tuple[Any, Any]] = {
    "text": (with_cell("zebra"), None),
    "missing": (with_cell(np.nan), None),
    "one column": (np.zeros(N), None),
    "no rows": (np.zeros((0, 3)), []),
    "repeated names": (pd.DataFrame(np.zeros((N, 2)), columns=["a", "a"]), None),
    "the name of the constant": (frame(["intercept", "age", "dose"]), None),
    "other labels": (frame(CHANGED), np.full(N, "perhaps")),
    "labels of another length": (frame(CHANGED), np.full(N - 1, "yes")),
}


@both
@pytest.mark.parametrize("name", BAD)
def test_a_refit_on_bad_data_keeps_the_earlier_release(make: Callable[..., Any], name: str) -> None:
    estimator, kept, before = first_of(make)
    with pytest.raises(ValueError, match=r"."):
        fit(estimator, *BAD[name])
    check_kept(estimator, kept, before)


WRONG: list[dict[str, Any]] = [
    {"epsilon": 0},
    {"gamma": -1.0},
    {"mechanism": "objective-l2", "gamma": 1e-9},
    {"mechanism": "gaussian"},
    {"feature_bounds": [(-1, 1)] * 7},
    {"relation": "add_remove"},  # which the ledger's releases are not under
    {"ledger": None},
    {"random_state": -1},
    {"gamma": "auto", "relation": "add_remove", "ledger": "none"},
]


@both
@pytest.mark.parametrize("wrong", WRONG, ids=str)
def test_a_refit_with_wrong_parameters_keeps_the_earlier_release(
    make: Callable[..., Any], wrong: dict[str, Any]
) -> None:
    estimator, kept, before = first_of(make)
    estimator.set_params(**wrong)
    with pytest.raises(ParameterError):
        fit(estimator, frame(CHANGED))
    check_kept(estimator, kept, before)


@both
@pytest.mark.parametrize("when", ["early", "late"])
def test_a_refit_that_the_budget_refuses_keeps_the_earlier_release(
    make: Callable[..., Any], when: str
) -> None:
    estimator, kept, before = first_of(make)
    estimator.set_params(ledger=Till(refuses=when))
    with pytest.raises(BudgetError, match="Refused by the budget"):
        fit(estimator, frame(CHANGED))
    check_kept(estimator, kept, before)


@both
@pytest.mark.parametrize("error", [RuntimeError, MemoryError, KeyboardInterrupt])
def test_an_error_in_the_solver_keeps_the_earlier_release(
    make: Callable[..., Any], error: type[BaseException], monkeypatch: pytest.MonkeyPatch
) -> None:
    estimator, kept, before = first_of(make)

    def broken(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(Mechanism, "run", broken)
    with pytest.raises(error):
        fit(estimator, frame(CHANGED))
    assert len(estimator.ledger.charges) == 2  # paid before it failed, as a charge always is
    check_kept(estimator, kept, before)


@both
def test_a_first_fit_that_fails_leaves_nothing(make: Callable[..., Any]) -> None:
    estimator = make()
    parameters = dict(vars(estimator))
    for X, labels in BAD.values():
        with pytest.raises(ValueError, match=r"."):
            fit(estimator, X, labels)
    assert vars(estimator) == parameters


@both
def test_a_refit_replaces_everything(make: Callable[..., Any]) -> None:
    estimator, kept, _ = first_of(make)
    assert fit(estimator, frame(CHANGED, seed=1)) is estimator
    after = learned(estimator)
    assert after.keys() == kept.keys()
    assert all(after[name] is not kept[name] for name in OWN[make.__name__])
    assert list(estimator.feature_names_in_) == CHANGED
    assert estimator.n_features_in_ == 3
    assert estimator.release_.encoding.coefficient_names == ("intercept", *CHANGED)
    assert estimator.decision_function(frame(CHANGED)).shape == (N,)
    with pytest.raises(ValueError, match="feature names should match"):
        estimator.predict(frame([*NAMES, "dose2"]))


@both
def test_a_refit_without_names_forgets_the_earlier_ones(make: Callable[..., Any]) -> None:
    estimator, kept, _ = first_of(make)
    fit(estimator, frame(CHANGED, seed=1).to_numpy())
    assert set(learned(estimator)) == kept.keys() - {"feature_names_in_"}
    assert estimator.n_features_in_ == 3
    assert estimator.release_.encoding.coefficient_names == ("intercept", "x0", "x1", "x2")
    assert estimator.predict(np.zeros((2, 3))).shape == (2,)


def test_classes_are_replaced_with_the_release() -> None:
    estimator, _, _ = first_of(classifier)
    assert list(estimator.classes_) == ["no", "yes"]
    estimator.set_params(classes=(0, 1)).fit(frame(CHANGED), np.arange(N) % 2)
    assert list(estimator.classes_) == [0, 1]
    with pytest.raises(ParameterError, match="other than the two declared classes"):
        estimator.fit(frame(CHANGED), np.arange(N) % 3)
    assert list(estimator.classes_) == [0, 1]


@both
def test_a_release_that_cannot_be_attached_is_not_lost(make: Callable[..., Any]) -> None:
    """It was paid for and made: a ledger that then breaks takes nothing away."""
    estimator, kept, _ = first_of(make)
    estimator.set_params(ledger=Till(breaks=OSError("the disk is full")))
    with pytest.warns(LedgerWarning, match="The release stands"):
        fit(estimator, frame(CHANGED))
    assert estimator.n_features_in_ == 3
    assert all(learned(estimator)[name] is not kept[name] for name in OWN[make.__name__])


def test_a_table_that_a_study_refuses_keeps_the_earlier_rule() -> None:
    rng = np.random.default_rng(0)
    table = pa.table(
        {
            "dose": rng.uniform(-1, 1, N),
            "arm": rng.choice(["a", "b"], N),
            "outcome": rng.uniform(0, 1, N),
        }
    )
    estimator = PrivateTreatmentRule.from_study(Study.parse(STUDY), 1, ledger="none").fit(table)
    kept = learned(estimator)
    assert set(kept) == {"rule_", "arms_"}
    with pytest.raises(TableError):
        estimator.fit(table.drop_columns(["dose"]))
    with pytest.raises(ParameterError, match="the table alone"):
        estimator.fit(table, table["arm"])
    assert learned(estimator) == kept
    assert estimator.rule_ is kept["rule_"]
    assert estimator.fit(table).rule_ is not kept["rule_"]


def test_a_rule_keeps_its_arms_whatever_becomes_of_the_parameters() -> None:
    """Arms in another order, declared anew or turned round in place, are of the next fit."""
    estimator, _, kept = first_of(rule)
    estimator.set_params(propensity={"yes": 0.5, "no": 0.5}, epsilon=0)
    with pytest.raises(ParameterError):
        fit(estimator, frame(NAMES))
    assert outputs(estimator) == kept
    arms = ["no", "yes"]
    other = rule(propensity=0.5, arms=arms)
    checked = other.check_parameters()
    arms.reverse()
    answers = np.where(np.arange(N) % 3 > 0, "yes", "no")
    other.fit(frame(NAMES), answers, np.linspace(0, 1, N), checked=checked)
    told = other.rule_.arms_for(other.decision_function(frame(NAMES)))
    assert other.predict(frame(NAMES)).tolist() == told.tolist()


@both
def test_one_fit_has_one_set_of_parameters(make: Callable[..., Any]) -> None:
    """Another relation, set while the rows are read, would ask for other noise than was paid."""
    estimator = make()

    class Late:
        def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
            estimator.set_params(relation="add_remove", gamma=500.0)
            return frame(NAMES).to_numpy(dtype)

        def __len__(self) -> int:
            return N

    certificate = fit(estimator, Late()).release_.certificate
    assert (str(certificate.relation), certificate.gamma) == ("replace_one", 5.0)


def test_a_seed_gives_the_same_release_each_time_it_is_checked_once() -> None:
    estimator, X = rule(random_state=3, ledger=None), frame(NAMES)
    arms, benefit = np.where(np.arange(N) % 3 > 0, "yes", "no"), np.linspace(0, 1, N)
    checked = estimator.check_parameters()
    first, second = (
        estimator.fit(X, arms, benefit, checked=checked).release_.integers for _ in range(2)
    )
    assert tuple(first) == tuple(second)
