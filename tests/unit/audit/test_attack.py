import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from tests.unit.audit.laws import LaplaceShift, RealShift, WalkingShift

from dpwerm.arrays import FloatArray
from dpwerm.audit.attack import STEPS, Audited, audit
from dpwerm.audit.target import Key, rng_of
from dpwerm.errors import ParameterError
from dpwerm.privacy.budget import Budget

SURE = 1 - 1e-8


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 2.0, 4.0])
def test_a_true_claim_holds_and_is_nearly_reached(epsilon: float) -> None:
    found = audit(LaplaceShift(epsilon, f"{epsilon}"), runs=40_000, confidence=SURE)
    assert found.holds
    assert found.verdict == "holds"
    assert 0.7 * epsilon < found.lower < epsilon


def test_noise_30_percent_too_small_is_caught() -> None:
    found = audit(LaplaceShift(1 / 0.7, "1"), runs=40_000, confidence=SURE)
    assert found.verdict == "BROKEN"
    assert 1.0 < found.lower < 1 / 0.7


@pytest.mark.parametrize("odd", [math.nan, math.inf, -0.0])
@pytest.mark.parametrize("dimension", [1, 2])
def test_an_output_that_is_no_plain_number_gives_away_what_it_depends_on(
    odd: float, dimension: int
) -> None:
    class Odd(LaplaceShift):
        """In half of the runs on one data set, and never on the other."""

        def outputs(self, data: float, runs: int, key: Key) -> FloatArray:
            found = np.zeros((runs, dimension))
            found[rng_of(*key).random(runs) < data / 2] = odd
            return found

    found = audit(Odd(1.0, "1"), runs=4000, confidence=SURE)
    assert found.verdict == "BROKEN"


def test_what_was_found_says_what_it_rests_on() -> None:
    found = audit(LaplaceShift(1.0, "1", apart=(0.5, 1.0)), runs=8000, confidence=0.99, seed=3)
    assert (found.name, found.claim, found.dimension) == ("shift", Budget.of(1), 1)
    assert (found.runs, found.exact_runs, found.exact_lower) == (8000, 0, None)
    assert (found.pair, found.confidence) == ("1.0 apart", 0.99)
    assert found.statistic == "minus coordinate 1"
    assert found == audit(
        LaplaceShift(1.0, "1", apart=(0.5, 1.0)), runs=8000, confidence=0.99, seed=3
    )


def test_the_walk_of_a_searchable_target_is_used() -> None:
    assert audit(WalkingShift(3.0, "3"), runs=40_000).pair == "1.0 apart"


def test_a_fault_of_real_releases_alone_is_caught() -> None:
    target = RealShift(1.0, "1", really=3.0)
    found = audit(target, runs=20_000, confidence=0.999, exact_runs=2000)
    assert found.lower < 1.0
    assert found.exact_lower is not None
    assert found.exact_lower > 1.0
    assert not found.holds
    assert audit(replace(target, really=1.0), runs=20_000, exact_runs=2000).holds


def test_two_bounds_share_the_error() -> None:
    target = RealShift(1.0, "1", really=1.0)
    alone = audit(target, runs=20_000, confidence=0.98)
    shared = audit(target, runs=20_000, confidence=0.96, exact_runs=100)
    assert shared.lower == alone.lower


def test_progress_is_told() -> None:
    steps: list[tuple[int, int]] = []
    audit(LaplaceShift(1.0, "1"), runs=1000, on_done=lambda *step: steps.append(step))
    assert steps == [(place, STEPS) for place in range(STEPS + 1)]


def test_the_ratio_is_how_far_the_bound_is_from_the_claim() -> None:
    found = Audited("", Budget.of(2), 1, 0.5, 1.0, 8, 8, "", "", 0.9)
    assert found.ratio == 2.0
    assert replace(found, lower=0.0, exact_lower=None).ratio == math.inf


@pytest.mark.parametrize(
    ("target", "runs", "exact_runs", "words"),
    [
        (LaplaceShift(1.0, "inf"), 100, 0, "claims nothing"),
        (LaplaceShift(1.0, "1"), 3, 0, "runs must be at least 4"),
        (LaplaceShift(1.0, "1"), 100, -1, "exact_runs must not be negative"),
        (LaplaceShift(1.0, "1"), 100, 1, "has no exact release"),
    ],
)
def test_what_cannot_be_audited_is_refused(
    target: LaplaceShift, runs: int, exact_runs: int, words: str
) -> None:
    with pytest.raises(ParameterError, match=words):
        audit(target, runs=runs, exact_runs=exact_runs)


def test_a_verdict_is_wrong_no_more_often_than_stated() -> None:
    # 100 audits at confidence ½: at most a half may exceed a true claim; the seed fixes the luck.
    above = sum(
        not audit(LaplaceShift(1.0, "1"), runs=400, confidence=0.5, seed=seed).holds
        for seed in range(100)
    )
    assert above <= 55


class Plain(RealShift):
    """A target as somebody writes it: a claim of any kind, outputs of any shape."""

    said: Any
    shape: Any

    def __init__(self, claim: Any, shape: Callable[[FloatArray], Any]) -> None:
        super().__init__(1.0, "1")
        self.__dict__.update(said=claim, shape=shape)

    @property
    def claim(self) -> Any:
        return self.said

    def outputs(self, data: float, runs: int, key: Key) -> Any:
        return self.shape(super().outputs(data, runs, key))

    def exact(self, data: float, runs: int) -> Any:
        return self.shape(super().exact(data, runs))


def flat(outputs: FloatArray) -> FloatArray:
    return outputs[:, 0]


def test_one_number_per_release_and_a_claim_that_is_a_number_will_do() -> None:
    wanted = audit(RealShift(1.0, "1"), runs=4000, exact_runs=100)
    for claim in (1.0, 1, "1", Budget.of(1)):
        assert audit(Plain(claim, flat), runs=4000, exact_runs=100) == wanted
    assert (
        audit(Plain(1.0, lambda found: found[:, 0].tolist()), runs=4000, exact_runs=100) == wanted
    )


@pytest.mark.parametrize(
    ("claim", "shape", "words"),
    [
        (Budget.gdp(1), flat, "shift claims mu = 1 .*: an audit is of"),
        ((1, 1e-5), flat, "the claim of shift: epsilon must be a number, not tuple"),
        (math.inf, flat, "claims nothing that could be audited"),
        (1.0, lambda found: found.T, r"have the shape \(1, 1000\) for 1000 runs: they must be"),
        (1.0, lambda found: found[0, 0], r"have the shape \(\) for 1000 runs"),
        (1.0, lambda found: found[:, :0], r"have the shape \(1000, 0\)"),
        (1.0, lambda found: ["x"] * len(found), "must be numbers"),
    ],
)
def test_what_cannot_be_audited_is_said(claim: Any, shape: Any, words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        audit(Plain(claim, shape), runs=4000)
