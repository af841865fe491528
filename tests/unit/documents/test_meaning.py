"""A promise in plain words, in each notion; the numbers are those of another library."""

from typing import Any

import pytest
from scipy import stats

from dpwerm.documents.summary import meaning
from dpwerm.features.encoding import Encoding
from dpwerm.privacy.budget import Budget, Relation
from dpwerm.releases.certificate import Certificate, Specification, certify

ENCODING = Encoding.of_numbers(["a"], [(0.0, 1.0)])


def certificate(
    budget: Any, relation: Relation = Relation.REPLACE_ONE, *, secure: bool = True, **other: Any
) -> Certificate:
    spec = Specification(budget, 10.0, 3.0, relation=relation, **other)
    return certify(spec, ENCODING, 10, secure=secure, library="x")[0]


def text(*arguments: Any, **other: Any) -> str:
    return meaning(certificate(*arguments, **other))


def test_epsilon_is_a_factor_on_probabilities_and_odds() -> None:
    said = text(Budget.of("0.5"))
    assert "What epsilon = 0.5 means: replacing one person's row changes" in said
    assert "a factor 1.65." in said
    assert "odds" in said
    assert "adding or removing a row" in text(Budget.of(1), Relation.ADD_REMOVE)


@pytest.mark.parametrize(
    ("budget", "promise", "mu"),
    [
        (Budget.gdp("0.5"), "What mu = 0.5 means", 0.5),
        (Budget.zcdp("0.125"), "What rho = 0.125 means", 0.5),
        (Budget.zcdp("2"), "What rho = 2 means", 2.0),
    ],
)
def test_rho_and_mu_are_a_game_of_guessing(budget: Any, promise: str, mu: float) -> None:
    said = text(budget, mechanism="gaussian")
    assert f"{promise}: to tell which of two possible rows a person has" in said
    assert f"mean 0 or mean {mu:g}, both with standard deviation 1" in said
    detected = 100 * stats.norm.sf(stats.norm.isf(0.05) - mu)
    shown = float(said.partition("at most ")[2].split()[0])
    assert detected <= shown <= detected + 0.1
    assert "epsilon" not in said


def test_under_add_remove_the_game_is_about_being_in_the_data() -> None:
    said = text(Budget.gdp("0.5"), Relation.ADD_REMOVE, mechanism="gaussian")
    assert "to tell whether a person is in the data" in said


@pytest.mark.parametrize("budget", [Budget.of(50), Budget.gdp(6), Budget.zcdp(18)])
def test_a_promise_of_no_use_is_called_so(budget: Any) -> None:
    mechanism = "spherical-laplace" if isinstance(budget, Budget) else "gaussian"
    assert "protects nobody" in text(budget, mechanism=mechanism)


@pytest.mark.parametrize("budget", [Budget.of(1, "1e-6"), Budget.gdp(1)])
def test_without_a_promise_nothing_is_said(budget: Any) -> None:
    assert meaning(certificate(budget, secure=False, mechanism="gaussian")) == ""
    assert meaning(certificate(Budget.of("inf"))) == ""
