"""A solver without the ridge that the noise is made for."""

import pytest

from dpwerm.audit.faults.ignored_gamma import FORGOTTEN, GAMMA, N, chain


def test_the_effective_epsilon_is_that_of_the_reference_implementation() -> None:
    target = chain("ignored", FORGOTTEN)
    assert target.moved == pytest.approx(83, abs=0.5)
    assert (target.plan.facts.gamma, target.plan.facts.n) == (GAMMA, N) == (1000.0, 20)


def test_the_same_with_gamma_is_private() -> None:
    assert chain("heeded", None).moved < 1


def test_less_ridge_changes_nothing_more() -> None:
    assert chain("ignored", 1e-9).moved == pytest.approx(
        chain("ignored", FORGOTTEN).moved, rel=1e-4
    )
