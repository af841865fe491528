"""The shared run: how near b its linear term is, how near the solver comes, and one b for all."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
from tests.unit.mechanisms.perturbed_cases import BLOCKS, blockwise, facts, two_streams

from dpwerm.errors import ParameterError
from dpwerm.mechanisms import contract, get_mechanism, perturbed
from dpwerm.mechanisms.perturbed import check_facts
from dpwerm.objective.losses import Logistic
from dpwerm.objective.objective import Objective
from dpwerm.objective.rows import MemoryRows
from dpwerm.privacy.budget import Budget, Relation
from dpwerm.privacy.randomness import SeededBits
from dpwerm.privacy.sampling import nearby_vector
from dpwerm.privacy.weight_origin import WorstCase
from dpwerm.solve.exact_newton import finish
from dpwerm.solve.gradient import Solution
from dpwerm.solve.newton import minimise

MECHANISM = get_mechanism("objective-block")
CALIBRATION = MECHANISM.calibrate(facts(Relation.ADD_REMOVE), Budget.of(1))


def objective(n: int = 20) -> Objective:
    random = np.random.default_rng(5)
    bounds = np.array([bound for width, bound in BLOCKS for _ in range(width)])
    X = np.column_stack(
        [
            random.uniform(-1, 1, n),
            np.eye(3)[random.integers(0, 3, n)],
            random.uniform(-0.5, 0.5, n),
        ]
    )
    data = MemoryRows(X, random.choice([-1.0, 1.0], n), random.uniform(0, 3, n), bounds[0], bounds)
    return Objective(data, Logistic(), 110.0)


def test_the_solver_sees_b_to_a_quarter_of_the_tolerance_and_ends_within_half(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen: list[tuple[Objective, float]] = []

    def spy(perturbed: Objective, tolerance: float) -> Solution:
        seen.append((perturbed, tolerance))
        return minimise(perturbed, tolerance)

    monkeypatch.setattr(contract, "minimise", spy)
    MECHANISM.run(objective(), CALIBRATION, SeededBits(2))
    [(perturbed, tolerance)] = seen
    tau = Fraction(CALIBRATION.tolerance)
    assert Fraction(tolerance) <= tau / 2
    assert CALIBRATION.inside is not None
    assert CALIBRATION.inside.rate is not None
    with mpmath.workdps(60):
        b = blockwise(two_streams(2)[0], BLOCKS, 1 / mpmath.mpf(CALIBRATION.inside.rate))
        columns = zip(*(part.tolist() for part in perturbed.linear_terms), strict=True)
        miss = mpmath.norm([mpmath.fsum(c) - one for c, one in zip(columns, b, strict=True)])
        assert miss <= 110 * mpmath.mpf(CALIBRATION.tolerance) / 4
    assert perturbed.data is not None
    assert perturbed.gamma == 110.0


def test_the_error_allowed_in_b_is_a_quarter_of_the_tolerance(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    allowed: list[Fraction] = []

    def spy(sampler: Any, error: Fraction, source: Any) -> Any:
        allowed.append(error)
        return nearby_vector(sampler, error, source)

    monkeypatch.setattr(perturbed, "nearby_vector", spy)
    MECHANISM.run(objective(), CALIBRATION, SeededBits(2))
    # b̃ moves the minimiser by at most error/γ; with the solver's half that is less than τ.
    assert allowed == [110 * Fraction(CALIBRATION.tolerance) / 4]


def test_b_stays_the_same_whatever_precision_the_solver_needs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fast = MECHANISM.run(objective(), CALIBRATION, SeededBits(4))
    linear_terms: list[Any] = []

    def slow(perturbed: Objective, tolerance: float) -> Solution:
        linear_terms.append(perturbed.linear_terms)
        return finish(perturbed, np.zeros(6), tolerance)

    monkeypatch.setattr(contract, "minimise", slow)
    other = MECHANISM.run(objective(), CALIBRATION, SeededBits(4))
    assert len(linear_terms) == 1
    # Both are within τ of one ideal point and get the same second noise: at most two cells apart
    # for each tolerance of distance.
    cells = 2 * CALIBRATION.tolerance / 2.0**CALIBRATION.noise.exponent
    assert max(abs(a - b) for a, b in zip(fast, other, strict=True)) <= cells + 1


def test_the_second_noise_is_always_added(monkeypatch: pytest.MonkeyPatch) -> None:
    # A solver that returns one point for every b: what is left is the second noise.
    point = (Fraction(1, 3),) * 6
    monkeypatch.setattr(contract, "minimise", lambda *_: Solution(point, 0.0, 53))
    released = [MECHANISM.run(objective(), CALIBRATION, SeededBits(seed)) for seed in range(40)]
    noise = np.array(released) * 2.0**CALIBRATION.noise.exponent - 1 / 3
    radii = np.linalg.norm(noise, axis=1) / CALIBRATION.noise.scale
    # Gamma(6): mean 6, standard error of the mean of 40 is 0.39; the seeds are fixed.
    assert np.mean(radii) == pytest.approx(6.0, abs=1.2)
    assert len(set(released)) == 40


def test_the_conditions_do_not_depend_on_n() -> None:
    check_facts("m", facts())
    for n in (1, 2, 10**6):
        with pytest.raises(ParameterError, match=r"^mechanism m needs weights"):
            check_facts("m", replace(facts(), origin=WorstCase(), n=n))
