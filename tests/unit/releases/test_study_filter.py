from pathlib import Path
from typing import Any

import pytest
from tests.unit.estimators.till import Till
from tests.unit.tune.trials import STUDY, study

from dpwerm import Study
from dpwerm.errors import BudgetError, LedgerError, ParameterError
from dpwerm.privacy.budget import AnyBudget, Budget, Relation
from dpwerm.privacy.ledger.entry import Total
from dpwerm.privacy.randomness import Charged, PrivacyFilter
from dpwerm.releases.charging import privacy_filter_of

WITHOUT = STUDY.replace("[budget]\nepsilon = 5\n", "")


def privacy_filter(
    ledger: Any, declared: Study | None, cost: AnyBudget | None = None, seed: int | None = None
) -> PrivacyFilter:
    relation = Relation.REPLACE_ONE
    budget = cost or Budget.of(1)
    return privacy_filter_of(ledger, budget, seed, "rule", relation=relation, study=declared)


def loaded(folder: Path, text: str = STUDY) -> Study:
    (folder / "study.toml").write_text(text)
    return Study.load(folder / "study.toml")


def test_without_a_word_a_study_s_own_ledger_pays(tmp_path: Path) -> None:
    declared = loaded(tmp_path)
    paying = privacy_filter(None, declared)
    assert isinstance(paying, Charged)
    assert list(tmp_path.iterdir()) == [tmp_path / "study.toml"]  # asking writes nothing
    receipt = paying.authorise(Budget.of(1)).receipt
    assert receipt is not None
    assert (tmp_path / "ledger.db").exists()
    with pytest.raises(BudgetError, match="epsilon = 4 would fit"):
        privacy_filter(None, declared, Budget.of("4.1"))


def test_a_ledger_may_be_given_for_the_study_alone() -> None:
    till = Till("small", total=Total.of(5))
    privacy_filter(till, study())
    with pytest.raises(ParameterError, match="charges study other, the release is of study small"):
        privacy_filter(Till("other"), study())


def test_a_ledger_with_another_total_than_the_study_s_is_refused() -> None:
    with pytest.raises(
        ParameterError, match="total is epsilon = 6, the study declares epsilon = 5"
    ):
        privacy_filter(Till("small", total=Total.of(6)), study())
    privacy_filter(Till("small", total=Total.of(6)), study(WITHOUT))
    privacy_filter(Till("small", total=Total.of(6)), study(), seed=1)


def test_a_study_without_a_budget_needs_a_word() -> None:
    with pytest.raises(ParameterError, match=r"declares no \[budget\].*ledger=\"none\""):
        privacy_filter(None, study(WITHOUT))
    assert privacy_filter("none", study(WITHOUT)).authorise(Budget.of(1)).receipt is None
    assert not privacy_filter(None, study(WITHOUT), seed=1).secure


def test_a_study_that_is_no_file_has_no_folder_for_a_ledger() -> None:
    with pytest.raises(ParameterError, match="full path"):
        privacy_filter(None, study())


@pytest.mark.parametrize(
    ("cost", "words"),
    [
        (Budget.of("5.1"), "epsilon = 5 would fit"),
        (Budget.of(1, "1e-9"), "delta = 0 is left"),
        (Budget.zcdp(1), r"declare rho in \[budget\]"),
        (Budget.gdp(1), r"declare mu \(or rho\) in \[budget\]"),
    ],
)
def test_a_release_alone_is_within_the_total_even_without_a_ledger(
    cost: AnyBudget, words: str
) -> None:
    with pytest.raises(BudgetError, match=words):
        privacy_filter("none", study(), cost)
    privacy_filter("none", study(WITHOUT), cost)
    privacy_filter("none", study(), cost, seed=1)
    privacy_filter("none", None, cost)
    privacy_filter(
        "none", study(STUDY.replace("epsilon = 5", "epsilon = 6\ndelta = 1e-8")), Budget.of(6)
    )


def test_a_damaged_ledger_pays_for_nothing(tmp_path: Path) -> None:
    declared = loaded(tmp_path)
    privacy_filter(None, declared).authorise(Budget.of(1))
    (tmp_path / "ledger.db").write_bytes(b"no database at all")
    with pytest.raises(LedgerError):
        privacy_filter(None, declared)
