"""A second opinion in 60 digits: ∇F and its zero in mpmath, sharing no code with the library."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
from tests.unit.objective.residuals import Huber

from dpwerm.objective.losses import HuberisedHinge
from dpwerm.objective.objective import Objective
from dpwerm.objective.regularizers import Ridge
from dpwerm.objective.rows import MemoryRows

DIGITS = 60
Vector = list[Any]
GradientOf = Callable[[Objective, Sequence[Fraction | float]], Vector]
MinimiserOf = Callable[[Objective], Vector]


class _Reference:
    """F of one objective with a quadratic penalty, from the definitions in the theory."""

    def __init__(self, objective: Objective) -> None:
        data = objective.data
        assert isinstance(data, MemoryRows)
        scale = [data.intercept_scale] if data.intercept_scale else []
        self.huber = isinstance(objective.loss, Huber)
        targets = [mpmath.mpf(t) for t in data.targets.tolist()]
        self.rows = [
            [(1 if self.huber else t) * mpmath.mpf(x) for x in (*scale, *row)]
            for row, t in zip(data.X.tolist(), targets, strict=True)
        ]
        self.offsets = [t if self.huber else mpmath.mpf(0) for t in targets]
        self.weights = [mpmath.mpf(w) for w in data.weights.tolist()]
        self.gamma = mpmath.mpf(objective.gamma)
        columns = zip(*(part.tolist() for part in objective.linear_term or ()), strict=True)
        self.linear_term = [mpmath.fsum(map(mpmath.mpf, column)) for column in columns]
        self.p = data.dimension
        self.parameters = {k: mpmath.mpf(v) for k, v in objective.loss.parameters.items()}
        self.matrix = mpmath.eye(self.p)
        if not isinstance(objective.regularizer, Ridge):
            self.matrix = mpmath.matrix(objective.regularizer.hessian(np.zeros(self.p)).tolist())
        hinge = isinstance(objective.loss, HuberisedHinge)
        self.h = mpmath.mpf(objective.loss.parameters["h"]) if hinge else None

    def loss(self, z: Any) -> tuple[Any, Any, Any]:
        """ℓ, ℓ', ℓ''."""
        h = self.h
        if self.huber:
            T, r = self.parameters["T"], z - self.parameters["m"]
            if abs(r) > T:
                return T * abs(r) - T * T / 2, T * mpmath.sign(r), mpmath.mpf(0)
            return r * r / 2, r, mpmath.mpf(1)
        if h is None:
            e = mpmath.exp(-abs(z))
            share = e / (1 + e) if z > 0 else 1 / (1 + e)
            return mpmath.log1p(e) + max(-z, 0), -share, share * (1 - share)
        if z > 1 + h:
            return mpmath.mpf(0), mpmath.mpf(0), mpmath.mpf(0)
        if z < 1 - h:
            return 1 - z, mpmath.mpf(-1), mpmath.mpf(0)
        return (1 + h - z) ** 2 / (4 * h), -(1 + h - z) / (2 * h), 1 / (2 * h)

    def all(self, theta: Vector) -> tuple[Any, Vector, Any]:
        """F, ∇F, ∇²F."""
        pull = self.matrix * mpmath.matrix(theta) if theta else []
        value = self.gamma * mpmath.fdot(theta, pull) / 2
        gradient = [self.gamma * t for t in pull]
        if self.linear_term:
            value += mpmath.fdot(self.linear_term, theta)
            gradient = [g + b for g, b in zip(gradient, self.linear_term, strict=True)]
        hessian = self.gamma * self.matrix
        for row, w, o in zip(self.rows, self.weights, self.offsets, strict=True):
            loss, slope, bend = self.loss(mpmath.fdot(row, theta) - o)
            value += w * loss
            for j, x in enumerate(row):
                gradient[j] += w * slope * x
                if w * bend:
                    for k, other in enumerate(row):
                        hessian[j, k] += w * bend * x * other
        return value, gradient, hessian

    def minimiser(self) -> Vector:
        """Damped Newton from 0 until ‖∇F‖/γ is below 1e-50, which proves the answer."""
        theta = [mpmath.mpf(0)] * self.p
        value, gradient, hessian = self.all(theta)
        for _ in range(500):
            if mpmath.norm(gradient) / self.gamma < mpmath.mpf(10) ** -50:
                return theta
            step = mpmath.lu_solve(hessian, -mpmath.matrix(gradient))
            slope, t = mpmath.fdot(gradient, step), mpmath.mpf(1)
            while True:
                trial = [a + t * b for a, b in zip(theta, step, strict=True)]
                there = self.all(trial)
                if there[0] <= value + t * slope / 10**4:
                    break
                t /= 2
            theta, (value, gradient, hessian) = trial, there
        pytest.fail("the reference did not converge")


def _number(value: Fraction | float) -> Any:
    exact = Fraction(value)
    return mpmath.mpf(exact.numerator) / exact.denominator


@pytest.fixture
def true_gradient() -> GradientOf:
    """Return a function for ∇F in at least 60 digits (120 inside), more if the caller asks."""

    def gradient(objective: Objective, theta: Sequence[Fraction | float]) -> Vector:
        with mpmath.workdps(max(mpmath.mp.dps, 2 * DIGITS)):
            return _Reference(objective).all([_number(t) for t in theta])[1]

    return gradient


@pytest.fixture
def true_minimiser() -> MinimiserOf:
    """Return a function for argmin F to 50 digits."""

    def minimiser(objective: Objective) -> Vector:
        with mpmath.workdps(2 * DIGITS):
            return _Reference(objective).minimiser()

    return minimiser
