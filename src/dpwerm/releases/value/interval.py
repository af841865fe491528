r"""Intervals for values and gains from noisy sums, with both errors or with one of them.

An interval holds every candidate e at which the estimate would not be surprising:

    P(X_e ≥ |ê − e| − pull) ≥ (1 − confidence)/2

X_e is a normal error of sampling plus the independent Laplace numbers that were added:

    X = N(0, σ²) + Σ_j λ_j·Laplace_j,   φ(t) = exp(−σ²t²/2) / Π_j (1 + λ_j²t²)

Its distribution function follows from φ (Gil-Pelaez 1951); nothing is simulated. σ² is that of the
rows' terms at e, not at ê. Two things keep an interval honest where little is known. The variance
is itself read from noisy sums and is raised by ``SAFETY`` standard deviations of that noise. And
``pull`` is what one further person at the far end of the benefit's range would do: the data cannot
rule out a rare outcome unseen.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from dpwerm.arrays import BoolArray, FloatArray
from dpwerm.releases.value.layout import Layout, Policy

STEP = 0.25
"""Between nodes of the midpoint rule, in units of one over the standard deviation of X."""

FARTHEST = 12.0
"""Beyond so many standard deviations the probability counts as 0."""

_NODES = STEP * (np.arange(128) + 0.5)


def upper_tail(x: FloatArray, variance: FloatArray, scales: FloatArray) -> FloatArray:
    r"""Return P(X ≥ x), shape (...,).

    .. math:: P(X \ge x) = \frac{1}{2} - \frac{1}{\pi}\int_0^\infty \frac{\sin tx}{t} \varphi(t)\,dt

    x, variance: (...,), σ² ≥ 0; scales: (..., J), λ ≥ 0. The midpoint rule is off by about 1e-4
    for a single Laplace number and far less for the sums of several that occur here.
    """
    deviation = np.sqrt(np.maximum(variance + 2 * (scales**2).sum(axis=-1), 1e-300))
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


SAFETY = 1.0
"""Chosen by simulation (benchmarks/coverage.py): coverage holds and intervals stay short."""


class Form(NamedTuple):
    """The error at one candidate: h (..., C, v + 1), and pulls of single people (..., people)."""

    h: FloatArray
    up: FloatArray
    down: FloatArray


@dataclass(frozen=True)
class Target:
    """Something to be estimated: its estimate (...,), its range, and its error at a candidate."""

    name: str
    estimate: FloatArray
    lower: float
    upper: float
    known: BoolArray
    form: Callable[[FloatArray], Form]


class Interval(NamedTuple):
    """Ends of intervals, each (...,)."""

    lower: FloatArray
    upper: FloatArray


def value_target(layout: Layout, policy: Policy, sums: FloatArray) -> Target:
    """Return the value of a policy, in units of the benefit's range; sums: (..., C, K).

    A person drawn by weight has weight Σa²/Σa, within [1, largest weight].
    """
    top = np.einsum("ci,cik,...ck->...", policy.numerator, layout.linear, sums)
    size = np.einsum("c,ck,...ck->...", policy.denominator, layout.linear[:, -1], sums)
    squares = np.einsum("c,ck,...ck->...", policy.denominator, layout.square[:, -1, -1], sums)
    known = size >= 1  # the least weight of one person
    size = np.where(known, size, 1.0)
    weight = np.clip(squares / size, 1.0, policy.weight)

    def form(m: FloatArray) -> Form:
        h = np.broadcast_to(policy.numerator, (*np.shape(m), *policy.numerator.shape)).copy()
        h[..., -1] -= np.multiply.outer(m, policy.denominator)
        up, down = weight * (policy.top - m) / size, weight * (m - policy.bottom) / size
        return Form(h / size[..., None, None], up[..., None], down[..., None])

    return Target(policy.name, np.clip(top / size, 0.0, 1.0), 0.0, 1.0, known, form)


def gain_target(layout: Layout, policy: Policy, other: Policy, sums: FloatArray) -> Target:
    """Return how much a policy gains over another; what both have in common cancels."""
    first, second = value_target(layout, policy, sums), value_target(layout, other, sums)
    gain = first.estimate - second.estimate

    def form(candidate: FloatArray) -> Form:
        half = (candidate - gain) / 2
        ours = first.form(np.clip(first.estimate + half, 0.0, 1.0))
        theirs = second.form(np.clip(second.estimate - half, 0.0, 1.0))
        up = np.concatenate([ours.up, theirs.down], axis=-1)
        return Form(ours.h - theirs.h, up, np.concatenate([ours.down, theirs.up], axis=-1))

    return Target(policy.name, gain, -1.0, 1.0, first.known & second.known, form)


def interval_of(
    layout: Layout,
    target: Target,
    sums: FloatArray,
    scale: float,
    confidence: float,
    *,
    privacy: bool = True,
    sampling: bool = True,
) -> Interval:
    """Return the interval of a target.

    sums: (..., C, K), noisy; scale: float ≥ 0, of the Laplace noise in each sum; confidence: in
    (0, 1); privacy, sampling: whether the error of the noise and the error of sampling count
    """
    tail = (1 - confidence) / 2
    estimate = target.estimate
    # Both ends are sought at once: the first entry is the lower, the second the upper.
    limits = np.stack([np.full_like(estimate, one) for one in (target.lower, target.upper)])
    above = (limits == target.upper)[..., None]

    def inside(candidate: FloatArray) -> BoolArray:
        form = target.form(candidate)
        variance, scales = _law(layout, form.h, sums, scale)
        away = np.abs(candidate - estimate)
        if sampling:
            pulls = np.where(above, form.up, form.down)
            away = away - pulls.sum(axis=-1)
            variance = variance + (pulls**2).sum(axis=-1)
        else:
            variance = np.zeros_like(variance)
        return upper_tail(away, variance, scales if privacy else np.zeros_like(scales)) >= tail

    whole = inside(limits) | ~target.known
    good, bad = np.broadcast_to(estimate, limits.shape), limits
    for _ in range(30):  # halvings: an end is found to 2^−30 of the range
        middle = (good + bad) / 2
        holds = inside(middle)
        good, bad = np.where(holds, middle, good), np.where(holds, bad, middle)
    return Interval(*np.where(whole, limits, good))


def _law(
    layout: Layout, h: FloatArray, sums: FloatArray, scale: float
) -> tuple[FloatArray, FloatArray]:
    """Return the sampling variance, made safe, and the scales of the Laplace noise (..., CK)."""
    linear = np.einsum("...ci,cik->...ck", h, layout.linear)
    square = np.einsum("...cj,...cjk->...ck", h, np.einsum("...ci,cijk->...cjk", h, layout.square))
    variance = np.maximum((square * sums).sum(axis=(-2, -1)), 0.0)
    spread = scale * np.sqrt(2 * (square**2).sum(axis=(-2, -1)))
    scales = scale * np.abs(linear)
    return variance + SAFETY * spread, scales.reshape(*scales.shape[:-2], -1)
