from decimal import Decimal

import pytest

from dpwerm.errors import StudyError
from dpwerm.study.study import DeclaredBudget, Study


def declared(study_text: str, budget: str) -> DeclaredBudget:
    found = Study.parse(study_text.replace("epsilon = 0.1", budget)).budget
    assert found is not None
    return found


def test_a_total_in_every_currency(study_text: str) -> None:
    text = """epsilon = 1
delta = 1e-6
rho = "0.5"
mu = 0.30
partitions = ["north", "south"]
ledger = "postgresql://trial@host:5432/ledgers"
"""
    found = declared(study_text, text)
    assert (found.epsilon, found.delta) == (Decimal(1), Decimal("1e-6"))
    assert (found.rho, found.mu) == (Decimal("0.5"), Decimal("0.30"))
    assert found.partitions == ("north", "south")
    assert found.ledger == "postgresql://trial@host:5432/ledgers"


@pytest.mark.parametrize("text", ["rho = 1", "mu = 1", "epsilon = 1"])
def test_one_currency_is_enough(study_text: str, text: str) -> None:
    found = declared(study_text, text)
    assert [found.epsilon, found.rho, found.mu].count(Decimal(0)) == 2
    assert (found.delta, found.partitions, found.ledger) == (Decimal(0), (), None)


@pytest.mark.parametrize(
    ("text", "where", "said"),
    [
        ("", "budget", "declares no total"),
        ("delta = 0.1\nrho = 1", "budget", "no epsilon"),
        ("rho = 0", "budget.rho", "between 1e-16 and 1e12"),
        ("mu = 1e7", "budget.mu", "between 1e-8 and 1e6"),
        ("rho = nan", "budget.rho", "finite"),
        ("epsilon = 1\npartitions = []", "budget.partitions", "1 to 1,000 names"),
        ("epsilon = 1\npartitions = 'north'", "budget.partitions", "1 to 1,000 names"),
        ("epsilon = 1\npartitions = ['a', 'a']", "budget.partitions", "twice"),
        ("epsilon = 1\npartitions = ['North']", "budget.partitions", "like the id of a study"),
        ("epsilon = 1\nledger = 'mysql://h/d'", "budget.ledger", "sqlite:///ledger.db"),
        ("epsilon = 1\nledger = 'postgresql://[/d'", "budget.ledger", "no address"),
        ("epsilon = 1\nledger = 3", "budget.ledger", "no address"),
    ],
)
def test_faults_are_in_plain_words(study_text: str, text: str, where: str, said: str) -> None:
    with pytest.raises(StudyError) as caught:
        declared(study_text, text)
    (fault,) = caught.value.faults
    assert fault.where == where
    assert said in str(fault)


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://me:hidden@host/d",
        "postgresql://me:@host/d",
        "postgresql://host/d?Password=hidden",
        "postgresql://host/d?sslpassword=hidden",
    ],
)
def test_a_password_is_refused_and_not_shown(study_text: str, url: str) -> None:
    with pytest.raises(StudyError) as caught:
        declared(study_text, f'epsilon = 1\nledger = "{url}"')
    assert "holds a password; use PGPASSWORD" in str(caught.value)
    assert "hidden" not in str(caught.value)
    assert "host" not in str(caught.value)


def test_partitions_may_have_their_earlier_name_but_not_both(study_text: str) -> None:
    assert declared(study_text, "epsilon = 1\nslots = ['a']").partitions == ("a",)
    with pytest.raises(StudyError, match=r"budget\.slots"):
        declared(study_text, "epsilon = 1\nslots = ['a']\npartitions = ['a']")
