"""A weight bound that is declared and not enforced."""

import math

import pytest

from dpwerm.audit.faults.loose_weights import LARGE, chain


@pytest.mark.parametrize(("bound", "spent"), [(math.inf, LARGE), (1.0, 1.0)])
def test_a_heavy_person_costs_as_much_as_they_weigh(bound: float, spent: float) -> None:
    assert chain("weights", bound).moved == pytest.approx(spent, abs=1e-4)
