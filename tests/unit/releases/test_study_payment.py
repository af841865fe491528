from pathlib import Path
from typing import Any

import pytest
from tests.unit.estimators.till import Till
from tests.unit.tune.trials import STUDY, study

from dpwerm import Study
from dpwerm.errors import BudgetError, LedgerError, ParameterError
from dpwerm.privacy.budget import AnyBudget, Budget, Relation
from dpwerm.privacy.ledger.entry import Total
from dpwerm.privacy.randomness import Charged, Payment
from dpwerm.releases.charging import payment_of

WITHOUT = STUDY.replace("[budget]\nepsilon = 5\n", "")


def payment(
    ledger: Any, declared: Study | None, cost: AnyBudget | None = None, seed: int | None = None
) -> Payment:
    relation = Relation.REPLACE_ONE
    budget = cost or Budget.of(1)
    return payment_of(ledger, budget, seed, "rule", relation=relation, study=declared)


def loaded(folder: Path, text: str = STUDY) -> Study:
    (folder / "study.toml").write_text(text)
    return Study.load(folder / "study.toml")


def test_without_a_word_a_study_s_own_ledger_pays(tmp_path: Path) -> None:
    declared = loaded(tmp_path)
    paying = payment(None, declared)
    assert isinstance(paying, Charged)
    assert list(tmp_path.iterdir()) == [tmp_path / "study.toml"]  # asking writes nothing
    receipt = paying.bits(Budget.of(1)).receipt
    assert receipt is not None
    assert (tmp_path / "ledger.db").exists()
    with pytest.raises(BudgetError, match="epsilon = 4 would fit"):
        payment(None, declared, Budget.of("4.1"))


def test_a_ledger_may_be_given_for_the_study_alone() -> None:
    till = Till("small", total=Total.of(5))
    payment(till, study())
    with pytest.raises(ParameterError, match="charges study other, the release is of study small"):
        payment(Till("other"), study())


def test_a_ledger_with_another_total_than_the_study_s_is_refused() -> None:
    with pytest.raises(
        ParameterError, match="total is epsilon = 6, the study declares epsilon = 5"
    ):
        payment(Till("small", total=Total.of(6)), study())
    payment(Till("small", total=Total.of(6)), study(WITHOUT))
    payment(Till("small", total=Total.of(6)), study(), seed=1)


def test_a_study_without_a_budget_needs_a_word() -> None:
    with pytest.raises(ParameterError, match=r"declares no \[budget\].*ledger=\"none\""):
        payment(None, study(WITHOUT))
    assert payment("none", study(WITHOUT)).bits(Budget.of(1)).receipt is None
    assert not payment(None, study(WITHOUT), seed=1).secure


def test_a_study_that_is_no_file_has_no_folder_for_a_ledger() -> None:
    with pytest.raises(ParameterError, match="full path"):
        payment(None, study())


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
        payment("none", study(), cost)
    payment("none", study(WITHOUT), cost)
    payment("none", study(), cost, seed=1)
    payment("none", None, cost)
    payment("none", study(STUDY.replace("epsilon = 5", "epsilon = 6\ndelta = 1e-8")), Budget.of(6))


def test_a_damaged_ledger_pays_for_nothing(tmp_path: Path) -> None:
    declared = loaded(tmp_path)
    payment(None, declared).bits(Budget.of(1))
    (tmp_path / "ledger.db").write_bytes(b"no database at all")
    with pytest.raises(LedgerError):
        payment(None, declared)
