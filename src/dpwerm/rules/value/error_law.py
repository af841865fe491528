r"""The law of an error that is normal plus independent Laplace numbers: sampling plus privacy.

    X = N(0, σ²) + Σ_j λ_j·Laplace_j,   φ(t) = exp(−σ²t²/2) / Π_j (1 + λ_j²t²)

Its distribution function follows from φ (Gil-Pelaez 1951); nothing is simulated.
"""

import numpy as np

from dpwerm.arrays import FloatArray

STEP, NODES = 0.25, 128
"""Nodes of the midpoint rule, in units of one over the standard deviation of X."""

FARTHEST = 12.0
"""Beyond so many standard deviations the probability counts as 0."""

_NODES = STEP * (np.arange(NODES) + 0.5)
_TINY = 1e-300


def upper_tail(x: FloatArray, variance: FloatArray, scales: FloatArray) -> FloatArray:
    r"""Return P(X ≥ x), shape (...,).

    .. math:: P(X \ge x) = \frac{1}{2} - \frac{1}{\pi}\int_0^\infty \frac{\sin tx}{t} \varphi(t)\,dt

    x, variance: (...,), σ² ≥ 0; scales: (..., J), λ ≥ 0. The midpoint rule is off by about 1e-4
    for a single Laplace number and far less for the sums of several that occur here.
    """
    deviation = np.sqrt(np.maximum(variance + 2 * (scales**2).sum(axis=-1), _TINY))
    place = np.clip(x / deviation, -FARTHEST, FARTHEST)
    share = np.minimum(variance / deviation**2, 1.0)
    squares = _NODES**2
    steep = np.ones_like(squares)
    for j in np.flatnonzero(scales.reshape(-1, scales.shape[-1]).any(axis=0)):
        ratio = (scales[..., j] / deviation) ** 2
        steep = steep * (1 + ratio[..., None] * squares)
    waves = np.sin(place[..., None] * _NODES) * np.exp(-0.5 * share[..., None] * squares) / steep
    tail = 0.5 - STEP / np.pi * (waves / _NODES).sum(axis=-1)
    certain = np.where(place >= FARTHEST, 0.0, np.where(place <= -FARTHEST, 1.0, tail))
    return np.clip(certain, 0.0, 1.0)
