r"""Synthetic trials inside public bounds: what a study might look like before a row of it is read.

    u = c + main(x) + y·f(x) + noise,   f(x) = t₀ + Σ_blocks θᵀx

with random coefficients, sparse or dense, and random sizes of effect, main effect and noise, all in
units of half the declared range of the benefit; c is where benefits are expected. Nothing here
depends on data, so hyperparameters that are chosen on such trials cost no privacy.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.random import Generator

from dpwerm.arrays import FloatArray
from dpwerm.features.blocks import CategoryBlock
from dpwerm.features.encoding import Encoding
from dpwerm.study.variables import Benefit

MOST_ACTIVE = 8
"""Of many features, up to this many matter; in a quarter of the problems all do."""

TESTS = 500
"""People on whom the accuracy of a rule is measured, per problem."""

EFFECTS = (0.37, 0.1, 0.2, 0.3)
NOISES = (0.07, 0.3, 0.15)
MAINS = (0.0, 0.15, 0.05)
SHIFTS = (0.0, 0.0, 1.5, 0.5)
LABEL_NOISES = (0.1, 0.5, 1.0)
DENSE = (1, 0, 0, 0)
CROWDED = (1, 0, 0)
FIXED_WEIGHTS = (1, 1, 0)
"""Standard deviations in units of half the range, and of t₀ and labels in units of the effect's.

The last three are shares: problems in which every feature matters, in which numbers crowd in the
middle of their range, and in which all weights are equal.
"""


def generator(*key: int) -> Generator:
    """Return the generator of synthetic trials and noise for a public key."""
    return np.random.default_rng(key)


@dataclass(frozen=True)
class SyntheticTrials:
    """B synthetic trials of n people each, features encoded with numbers in [−1, 1].

    X: (B, n, d); arm: (B, n) in {−1, +1}; probability: (B, n) of the arm received; benefit: (B, n)
    in [−1, 1]; people: (B, T, d) and best: (B, T) in {−1, +1}, people with their better arm;
    contrast: (B, T), half of what the second arm gains them before benefits are cut at their
    bounds, or the score behind a label; empty where it is not known.
    """

    X: FloatArray
    arm: FloatArray
    probability: FloatArray
    benefit: FloatArray
    people: FloatArray
    best: FloatArray
    contrast: FloatArray = field(default_factory=lambda: np.empty((0, 0)))


def widths_of(encoding: Encoding) -> tuple[int, ...]:
    """Return the columns of each feature: 0 for a number, 1 for two levels, k for k levels."""
    blocks = encoding.blocks
    return tuple(block.width if isinstance(block, CategoryBlock) else 0 for block in blocks)


def random_trials(
    widths: Sequence[int],
    *,
    count: int,
    rows: int,
    propensity: tuple[float, float],
    rng: Generator,
    around: float = 0.0,
    spread: float = 0.0,
) -> SyntheticTrials:
    """Return random trials.

    widths : columns of each feature, as :func:`widths_of` gives them
    count, rows : int, B and n
    propensity : the range of P(second arm | x), a point if the design fixes it
    around : float in [−1, 1], where benefits are expected; 0 is the middle of their range
    spread : float ≥ 0, how far from there they lie as a whole, as a standard deviation
    """
    mixed = _mixed((EFFECTS, NOISES, MAINS, SHIFTS, DENSE, CROWDED), count, rng)
    places = np.full(count, around)
    if spread > 0:
        places += spread * rng.normal(size=count)
    parts = []
    for effect, noise, main, shift, dense, crowded, place in zip(*mixed, places, strict=True):
        X = _features(widths, rows + TESTS, crowded=crowded > 0, rng=rng)
        f = _contrast(X, widths, dense=dense > 0, rng=rng)
        f = effect * (f + rng.normal() * shift)
        mean = main * (rng.normal() + _contrast(X, widths, dense=True, rng=rng))
        second = rng.uniform(*propensity, size=rows + TESTS)
        arm = np.where(rng.uniform(size=rows + TESTS) < second, 1.0, -1.0)
        scatter = noise * rng.normal(size=rows + TESTS)
        u = np.clip(place + mean + arm * f + scatter, -1.0, 1.0)
        chance = np.where(arm > 0, second, 1.0 - second)
        best = np.where(f > 0, 1.0, -1.0)
        trial = (X[:rows], arm[:rows], chance[:rows], u[:rows])
        parts.append((*trial, X[rows:], best[rows:], f[rows:]))
    return SyntheticTrials(*(np.stack(column) for column in zip(*parts, strict=True)))


def random_labels(
    widths: Sequence[int], *, count: int, rows: int, rng: Generator
) -> SyntheticTrials:
    """Return random labels with weights: the arm is the label, the benefit its weight in [0, 1]."""
    mixed = _mixed((LABEL_NOISES, SHIFTS, FIXED_WEIGHTS, DENSE, CROWDED), count, rng)
    parts = []
    for noise, shift, fixed, dense, crowded in zip(*mixed, strict=True):
        X = _features(widths, rows + TESTS, crowded=crowded > 0, rng=rng)
        f = _contrast(X, widths, dense=dense > 0, rng=rng)
        f = f + rng.normal() * shift
        label = np.where(f[:rows] + noise * rng.logistic(size=rows) > 0, 1.0, -1.0)
        weight = np.ones(rows) if fixed else rng.uniform(size=rows)
        best = np.where(f > 0, 1.0, -1.0)
        parts.append((X[:rows], label, np.ones(rows), weight, X[rows:], best[rows:], f[rows:]))
    return SyntheticTrials(*(np.stack(column) for column in zip(*parts, strict=True)))


def in_own_units(benefit: Benefit, u: FloatArray) -> FloatArray:
    """Return benefits of which u in [−1, 1] is the place in their range after transform."""
    lower, upper = benefit.range
    found = lower + (1.0 + u) * (upper - lower) / 2
    if benefit.direction == "smaller":
        found = -found
    return np.exp(found) if benefit.transform == "log" else found


def _mixed(kinds: Sequence[Sequence[float]], count: int, rng: Generator) -> list[FloatArray]:
    """Return the options of each kind, (count,), in random order, all equally often within one."""
    return [rng.permutation(np.resize(options, count)) for options in kinds]


def _features(widths: Sequence[int], rows: int, *, crowded: bool, rng: Generator) -> FloatArray:
    """Return rows (n, d): numbers over the whole range or around its middle, levels at random."""
    columns = []
    for width in widths:
        if width == 0:
            spread = rng.normal(0.0, 0.45, rows) if crowded else rng.uniform(-1, 1, rows)
            columns.append(np.clip(spread, -1, 1)[:, None])
        elif width == 1:
            second = rng.uniform(size=rows) < rng.uniform(0.3, 0.7)
            columns.append(np.where(second, 1.0, -1.0)[:, None])
        else:
            shares = rng.dirichlet(np.full(width, 4.0))
            columns.append(np.eye(width)[rng.choice(width, rows, p=shares)])
    return np.concatenate(columns, axis=1)


def _contrast(X: FloatArray, widths: Sequence[int], *, dense: bool, rng: Generator) -> FloatArray:
    """Return θᵀx (n,) with mean 0 and variance 1; only some features matter unless ``dense``."""
    count = len(widths)
    active = count if dense else min(count, int(rng.integers(1, MOST_ACTIVE + 1)))
    chosen = set(rng.permutation(count)[:active].tolist())
    theta = []
    for index, width in enumerate(widths):
        size = max(width, 1)
        if width > 1:
            part = rng.normal(size=size)
        else:
            part = rng.choice([-1.0, 1.0], size) * rng.uniform(0.4, 1.4, size)
        theta.append(part if index in chosen else np.zeros(size))
    f: FloatArray = X @ np.concatenate(theta)
    f -= f.mean()
    spread = float(f.std())
    return f / spread if spread > 0 else f
