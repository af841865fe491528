import pickle
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpwerm.errors import ParameterError
from dpwerm.privacy.budget import AnyBudget, Budget, GaussianBudget, budget_of, only_budget

RHO, MU = Budget.zcdp("0.1"), Budget.gdp("0.5")


def test_a_parameter_is_the_decimal_a_person_wrote() -> None:
    assert RHO == GaussianBudget("zcdp", Decimal("0.1")) == Budget.zcdp(0.1)
    assert MU == GaussianBudget("gdp", Decimal("0.5")) == Budget.gdp("0.500")
    assert (str(RHO), str(MU)) == ("rho = 0.1 (zCDP)", "mu = 0.5 (Gaussian DP)")
    assert pickle.loads(pickle.dumps(RHO)) == RHO  # noqa: S301


def test_the_square_of_sigma_over_sensitivity_is_exact() -> None:
    assert RHO.exact_square == 5
    assert MU.exact_square == 4
    # The same noise in two notions: μ² = 2ρ.
    assert Budget.zcdp("0.125").exact_square == MU.exact_square


@pytest.mark.parametrize("budget", [RHO, MU])
def test_it_has_no_epsilon_that_could_be_mistaken(budget: GaussianBudget) -> None:
    assert budget.is_private
    assert not isinstance(budget, Budget)
    for name in ("epsilon", "delta", "exact_epsilon", "exact_delta"):
        assert not hasattr(budget, name)


BAD: list[Any] = [0, -1, -0.0, "nan", "sNaN", "inf", "-inf", float("inf"), "text", "", "1/2", True]
BAD += ["1.1e12", "1e-17", "0." + "1" * 31, None, [1], b"1", "9" * 90]


@pytest.mark.parametrize("value", BAD)
def test_other_parameters_are_refused_by_name(value: Any) -> None:
    with pytest.raises(ParameterError, match=r"^rho must be"):
        Budget.zcdp(value)
    with pytest.raises(ParameterError, match=r"^mu must be"):
        Budget.gdp(value)


def test_no_privacy_is_asked_for_with_epsilon() -> None:
    with pytest.raises(ParameterError, match="for no privacy use epsilon = inf"):
        Budget.gdp("inf")


@pytest.mark.parametrize("notion", ["dp", "rdp", "", None])
def test_an_unknown_notion_is_refused(notion: Any) -> None:
    with pytest.raises(ParameterError, match="notion must be one of gdp, zcdp"):
        GaussianBudget(notion, Decimal(1))


def test_the_ends_of_the_ranges_are_allowed() -> None:
    assert Budget.zcdp("1e-16").exact_square == Fraction(10**16, 2)
    assert Budget.zcdp("1e12").exact_square == Fraction(1, 2 * 10**12)
    assert Budget.gdp("1e-8").exact_square == 10**16
    assert Budget.gdp("1e6").exact_square == Fraction(1, 10**12)


@given(st.floats(1e-8, 1e6), st.sampled_from(["rho", "mu"]))
def test_plain_text_leads_back(value: float, symbol: str) -> None:
    budget = only_budget(**{symbol: value})
    assert isinstance(budget, GaussianBudget)
    assert only_budget(**budget.plain()) == budget
    assert list(budget.plain()) == [symbol]


@pytest.mark.parametrize("budget", [Budget.of(1), Budget.of("0.3", "1e-6"), Budget.of("inf")])
def test_plain_text_of_epsilon_and_delta_leads_back(budget: Budget) -> None:
    assert only_budget(**budget.plain()) == budget


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, "give exactly one of epsilon, rho and mu$"),
        ({"delta": "1e-6"}, "give exactly one"),
        ({"epsilon": 1, "rho": 1}, "not epsilon and rho together"),
        ({"rho": "1", "mu": "1"}, "not rho and mu together"),
        ({"epsilon": 1, "rho": 1, "mu": 1}, "not epsilon and rho and mu together"),
        ({"rho": 1, "delta": "1e-6"}, "delta must be 0 with rho"),
        ({"mu": 1, "delta": "1e-6"}, "delta must be 0 with mu"),
        ({"mu": 1, "delta": "much"}, "delta must be a decimal number"),
    ],
)
def test_exactly_one_budget_must_be_given(given: dict[str, Any], words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        only_budget(**given)


@pytest.mark.parametrize("budget", [RHO, MU, Budget.of("0.3", "1e-6")])
def test_an_estimator_takes_a_budget_for_epsilon(budget: AnyBudget) -> None:
    assert budget_of(budget) is budget_of(budget, 0) is budget
    with pytest.raises(ParameterError, match="delta must be 0 with an epsilon that is a budget"):
        budget_of(budget, 1e-6)
    assert budget_of("0.3", 1e-6) == Budget.of("0.3", "1e-6")
    with pytest.raises(ParameterError, match="epsilon must be a number, not NoneType"):
        budget_of(None)
