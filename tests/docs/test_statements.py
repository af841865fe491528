"""What pages say of privacy is so: each statement stands there, and code shows the fact."""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
import pytest
from benchmarks.cells import measured, moved, table, ways
from tests.docs.pages import ROOT

from dpwerm.arrays import FloatArray
from dpwerm.audit.attack import audit
from dpwerm.audit.target import Key, Pair
from dpwerm.mechanisms.gaussian import delta_ball, noise_multiplier
from dpwerm.privacy.budget import AnyBudget, Budget
from dpwerm.privacy.ledger.account import Account
from dpwerm.privacy.ledger.entry import Total


def page(name: str) -> str:
    """Return the words of a page, on one line."""
    return " ".join((ROOT / "docs" / name).read_text(encoding="utf-8").split())


@dataclass(frozen=True)
class CountInDoubles:
    """A count with the right noise, added in doubles and not rounded."""

    count: int
    name: ClassVar[str] = "a count"
    claim: ClassVar[Budget] = Budget.of(1)
    dimension: ClassVar[int] = 1

    def pairs(self) -> list[Pair]:
        return [Pair("one more", self.count, self.count + 1)]

    def outputs(self, data: int, runs: int, key: Key) -> FloatArray:
        seed = [value for value in key if isinstance(value, int)]
        noise = np.random.default_rng([*seed, data]).laplace(size=(runs, 1))
        return np.asarray(data + noise)


@pytest.mark.parametrize(("count", "verdict"), [(0, "BROKEN"), (10, "holds")])
def test_noise_in_doubles_is_told_apart_at_some_counts_only(count: int, verdict: str) -> None:
    assert audit(CountInDoubles(count), runs=20_000).verdict == verdict
    assert "0 against 1 is told apart, 10 against 11 is not" in page("audit.md")
    assert "at any claim" not in page("audit.md")


@pytest.mark.parametrize("cost", [Budget.zcdp("0.0001"), Budget.gdp("0.001")])
def test_rho_and_mu_are_charged_to_totals_of_their_own(cost: AnyBudget) -> None:
    """Such noise is far within (2, 0.01) by its curve, and refused all the same."""
    assert float(delta_ball(Fraction(50), Fraction(2))) < 0.01
    study = Account("trial", "replace_one", Total.of("2", "0.01"))
    assert "has no total to be charged to" in (study.refusal(cost) or "")
    assert Account("trial", "replace_one", Total.of("2", "0.01", "0.1")).refusal(cost) is None
    assert "is refused, however small its (ε, δ) curve is" in page("conventions.md")
    assert "within it if the exact" not in page("conventions.md")


def test_rows_of_one_person_cost_more_than_their_number_but_for_epsilon() -> None:
    """Gaussian noise for one row, moved as far as k rows move it, against the page's table."""
    k, epsilon, delta = 4, Fraction(1, 2), Fraction(1, 10**6)
    multiplier = noise_multiplier(epsilon, delta)
    spent = float(delta_ball(multiplier / k, k * epsilon))
    grown = float(delta) * math.expm1(k * epsilon) / math.expm1(epsilon)
    assert grown == pytest.approx(9.85e-6, rel=1e-3)
    assert grown < k * math.exp((k - 1) * epsilon) * delta
    assert k * delta < spent < grown
    rho, mu = 1 / (2 * multiplier**2), 1 / multiplier
    assert 1 / (2 * (multiplier / k) ** 2) == k**2 * rho
    assert 1 / (multiplier / k) == k * mu
    text = page("threat-model.md")
    assert "| (ε, δ) | (kε, δ·(e^(kε) − 1)/(e^ε − 1))" in text
    assert "| ρ (zCDP) | k²ρ |" in text
    assert "k rows of one person cost kε." not in text
    assert "k rows cost kε." not in page("tutorials/privacy-engineer.md")


def test_cells_that_follow_from_the_sample_break_the_promise() -> None:
    found = measured()
    assert all(own > 1 >= public for own, public in found.values())
    weaker = {way.name: moved(way.cells, way.one, way.other, 1_000.0) for way in ways()}
    assert sum(times > 9 for times in weaker.values()) == len(weaker) - 1
    assert " ".join(table(found).split()) in page("threat-model.md")
    times, _ = found["standardise a feature by the sample's mean and deviation"]
    for name in ("study-file.md", "tutorials/statistician.md"):
        assert "must follow from its person alone" in page(name)
        assert f"{times:.1f} times as far as the noise covers" in page(name)
