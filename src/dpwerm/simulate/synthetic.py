r"""Synthetic trials inside public bounds: what a study might look like before a row of it is read.

    u = c + main(x) + y·f(x) + noise,   f(x) = t₀ + Σ_blocks θᵀx

with random coefficients, sparse or dense, and random sizes of effect, main effect and noise, all in
units of half the declared range of the benefit; c is where benefits are expected. Nothing here
depends on data, so hyperparameters that are chosen on such trials cost no privacy.
"""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.random import Generator
from scipy.special import expit

from dpwerm.arrays import FloatArray
from dpwerm.features.blocks import CategoryBlock
from dpwerm.features.encoding import Encoding
from dpwerm.simulate.judged import SyntheticTrials
from dpwerm.simulate.scale import Scale
from dpwerm.study.variables import Benefit

MOST_ACTIVE = 8
"""Of many features, up to this many matter; in a quarter of the problems all do."""

TESTS = 500
"""People on whom a rule is measured, per problem."""

SLOPPY, TIGHT, FILLED, FITTED = range(4)
"""Kinds of trials: as people declare them, with bounds far too wide; declared tightly, with effects
that stand out; with effects as people find them while features fill their bounds and the benefit
does not; and with such effects while both do."""

MIXED = (TIGHT, SLOPPY, SLOPPY)
"""A third of the trials is declared tightly, the others as people declare them."""

EFFECTS = (0.37, 0.1, 0.2, 0.3)
NOISES = (0.07, 0.3, 0.15)
MAINS = (0.0, 0.3, 1.5, 0.7)
SHIFTS = (0.0, 0.0, 1.5, 0.5)
LABEL_NOISES = (0.1, 0.5, 1.0)
DENSE = (1, 0, 0, 0)
CROWDED = (1, 0, 0)
OFF_MIDDLE = 0.6
FIXED_WEIGHTS = (1, 1, 0)
"""Of tight trials: standard deviations in units of half the range, those of main effects, t₀ and
labels in units of the effect's. The last three are shares: problems in which every feature matters,
in which numbers crowd in a part of their range, and in which all weights are equal.
"""

MOST_WIDE = 10.0
WIDTHS = (1.5, 3.0, 5.0, 9.0)
FITTING = (1.0, 1.5, 2.0)
CONTRASTS = (0.1, 0.17, 0.3)
EXPLAINED = (0.05, 0.2, 0.4, 0.6)
BETTER = (0.5, 0.65, 0.8, 0.95)
SKEWED = (0, 0, 1)
WIDE = {SLOPPY: WIDTHS, FILLED: WIDTHS[1:], FITTED: FITTING}
"""Of trials as people find them: how many times too wide the bounds of a number are at most, and
those of the benefit, also where they fit; the standard deviation of half the contrast in units of
the scatter's; the share of the benefit's variance that features explain in both arms alike, as what
was measured before a treatment often explains half of what is measured after it; for whom the
better arm is better, and where the scatter is skewed. Last, the widths of each kind.
"""

INDICATION = (0.5, 2.0)
INDICATED_MAINS = (0.3, 1.0, 2.0, 4.0)
MOST_MAIN = 0.6
"""Where no design fixes them: how strongly the log-odds of the second arm hang on features, as a
standard deviation, and main effects in units of the effect's, at most so much of half the range."""


def generator(*key: int) -> Generator:
    """Return the generator of synthetic trials and noise for a public key."""
    return np.random.default_rng(key)


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
    values: int | None = None,
    degree: int = 1,
    scale: Scale | None = None,
    useless: Sequence[int] = (),
    kinds: Sequence[int] | None = None,
) -> SyntheticTrials:
    """Return random trials.

    widths : columns of each feature, as :func:`widths_of` gives them
    count, rows : int, B and n
    propensity : the range of P(second arm | x), a point if the design fixes it; in a range it
        hangs on what features do to the benefit, as where arms were given by indication
    around : float in [−1, 1], where benefits of tight trials are expected; 0 is the middle
    spread : float ≥ 0, how far from there they lie as a whole, as a standard deviation
    values : int ≥ 2, how many values the benefit has, evenly over its range; None for any
    degree : 1, 2 or 3, of numbers in the main effect
    scale : of the benefit and of the arms' difference, None for scales at random
    useless : columns of further features, which stand behind the others and do not matter
    kinds : of which kind they are, in turn; :data:`MIXED` by default
    """
    drawn = rng.permutation(np.resize(MIXED if kinds is None else kinds, count))
    size = rows + TESTS
    mains = MAINS if propensity[0] == propensity[1] else INDICATED_MAINS
    often = np.bincount(drawn, minlength=1 + max(TIGHT, *WIDE)).tolist()
    of = {
        TIGHT: _tight(widths, often[TIGHT], size, rng, around, spread, degree, mains),
        **{one: _found(widths, often[one], size, rng, degree, one) for one in WIDE},
    }
    parts = []
    for kind in drawn.tolist():
        X, f, mean, scatter = next(of[kind])
        second = rng.uniform(*propensity, size=rows + TESTS)
        if propensity[0] < propensity[1]:
            second = _indicated(X, widths, f, mean, propensity, rng)
        if scale is not None:
            f, mean, scatter = scale.applied((f, mean, scatter), values)
        if useless:
            X = np.hstack([X, _useless(useless, size, tight=kind != SLOPPY, rng=rng)])
        arm = np.where(rng.uniform(size=rows + TESTS) < second, 1.0, -1.0)
        u, other = (np.clip(mean + one * f + scatter, -1.0, 1.0) for one in (arm, -arm))
        if values is not None:  # up or down at random, so that means stay where they are
            up, most = rng.uniform(size=rows + TESTS), values - 1
            u, other = (np.floor((v + 1) / 2 * most + up) / most * 2 - 1 for v in (u, other))
        chance = np.where(arm > 0, second, 1.0 - second)
        best = np.where(f > 0, 1.0, -1.0)
        trial = (X[:rows], arm[:rows], chance[:rows], u[:rows])
        truth = (X[rows:], best[rows:], f[rows:])
        parts.append((*trial, *truth, np.array(u.std()), np.array(kind == TIGHT), other[:rows]))
    return SyntheticTrials(*(np.stack(column) for column in zip(*parts, strict=True)))


Drawn = tuple[FloatArray, FloatArray, FloatArray, FloatArray]
"""Rows, half the contrast, the mean benefit and its scatter, of one trial."""


def _useless(widths: Sequence[int], rows: int, *, tight: bool, rng: Generator) -> FloatArray:
    """Return columns (n, d) of features that do not matter."""
    return (_filling if tight else _loose_features)(widths, rows, rng)


def _filling(widths: Sequence[int], rows: int, rng: Generator) -> FloatArray:
    """Return rows of features (n, d) that fill their bounds."""
    crowded = float(rng.choice(CROWDED)) > 0
    return _features(widths, rows, crowded=crowded, rng=rng, off=OFF_MIDDLE)


def _indicated(
    X: FloatArray,
    widths: Sequence[int],
    f: FloatArray,
    mean: FloatArray,
    propensity: tuple[float, float],
    rng: Generator,
) -> FloatArray:
    """Return P(second arm | x) (n,) that hangs on main effect, contrast and features by chance."""
    other = _contrast(X, widths, dense=False, rng=rng)
    score = sum(rng.normal() * _standard(one) for one in (mean, mean, f, other))
    return np.clip(expit(rng.uniform(*INDICATION) * _standard(np.asarray(score))), *propensity)


def _tight(
    widths: Sequence[int],
    count: int,
    rows: int,
    rng: Generator,
    around: float,
    spread: float,
    degree: int,
    mains: Sequence[float],
) -> Iterator[Drawn]:
    """Yield trials whose bounds were well declared: benefits and features fill their ranges."""
    mixed = _mixed((EFFECTS, NOISES, mains, SHIFTS, DENSE, CROWDED), count, rng)
    places = around + spread * rng.normal(size=count)
    for effect, noise, main, shift, dense, crowded, place in zip(*mixed, places, strict=True):
        X = _features(widths, rows, crowded=crowded > 0, rng=rng, off=OFF_MIDDLE)
        f = _contrast(X, widths, dense=dense > 0, rng=rng)
        f = effect * (f + rng.normal() * shift)
        main = min(main * effect, MOST_MAIN)
        level, common = rng.normal(), _contrast(X, widths, dense=True, rng=rng)
        mean = place + main * (level + _bent(common, X, widths, degree, rng))
        yield X, f, mean, noise * rng.normal(size=rows)


def _found(
    widths: Sequence[int], count: int, rows: int, rng: Generator, degree: int, kind: int
) -> Iterator[Drawn]:
    """Yield trials as people find them: benefits anywhere inside bounds, main effects, small gains.

    kind : whose bounds are too wide
    """
    mixes = (WIDE[kind], CONTRASTS, EXPLAINED, BETTER, SKEWED, DENSE)
    features = _loose_features if kind == SLOPPY else _filling
    for wide, size, share, better, skewed, dense in zip(*_mixed(mixes, count, rng), strict=True):
        X = features(widths, rows, rng)
        f = _contrast(X, widths, dense=dense > 0, rng=rng)
        f = size * rng.choice([-1.0, 1.0]) * (f - np.quantile(f, 1 - better))
        common = _contrast(X, widths, dense=False, rng=rng)
        main = np.sqrt(share / (1 - share) * (1 + size**2))
        mean = main * _bent(common, X, widths, degree, rng)
        noise = rng.normal(size=rows)
        if skewed:
            noise = rng.gamma(2.0, size=rows) / np.sqrt(2) - np.sqrt(2)
        scale = 0.4 / wide / np.sqrt(1 + size**2 + main**2)
        room = max(0.0, 1 - 1.0 / wide)
        place = rng.uniform(-room, room)
        yield X, scale * f, place + scale * mean, scale * rng.choice([-1.0, 1.0]) * noise


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


def _features(
    widths: Sequence[int], rows: int, *, crowded: bool, rng: Generator, off: float = 0.0
) -> FloatArray:
    """Return rows (n, d): numbers over the whole range or crowded in a part, levels at random.

    off : how far from the middle of the range that part may lie
    """
    columns = []
    for width in widths:
        if width == 0:
            middle = rng.uniform(-off, off) if off else 0.0
            spread = rng.normal(middle, 0.45, rows) if crowded else rng.uniform(-1, 1, rows)
            columns.append(np.clip(spread, -1, 1)[:, None])
        elif width == 1:
            second = rng.uniform(size=rows) < rng.uniform(0.3, 0.7)
            columns.append(np.where(second, 1.0, -1.0)[:, None])
        else:
            shares = rng.dirichlet(np.full(width, 4.0))
            columns.append(np.eye(width)[rng.choice(width, rows, p=shares)])
    return np.concatenate(columns, axis=1)


def _loose_features(widths: Sequence[int], rows: int, rng: Generator) -> FloatArray:
    """Return rows (n, d): numbers in a part of their range, some skewed; levels of any share."""
    columns = []
    for width in widths:
        if width == 0:
            kind, z = rng.integers(3), rng.normal(size=rows)
            wide = np.exp(rng.uniform(0.0, np.log(MOST_WIDE)))  # times too wide
            if kind < 2:  # crowded somewhere
                room = 1 - 1 / wide
                values = rng.uniform(-room, room) + 0.4 / wide * z
            else:  # skewed, from one end
                tail = 0.35 / wide * np.exp(rng.uniform(0.3, 0.9) * z)
                values = rng.choice([-1.0, 1.0]) * (1 - 2 * np.minimum(tail, 1.0))
            columns.append(np.clip(values, -1, 1)[:, None])
        elif width == 1:
            second = rng.uniform(size=rows) < rng.uniform(0.1, 0.9)
            columns.append(np.where(second, 1.0, -1.0)[:, None])
        else:
            shares = rng.dirichlet(np.full(width, 2.0))
            columns.append(np.eye(width)[rng.choice(width, rows, p=shares)])
    return np.concatenate(columns, axis=1)


def _bent(
    common: FloatArray, X: FloatArray, widths: Sequence[int], degree: int, rng: Generator
) -> FloatArray:
    """Return a main effect with curves of numbers in it, if there are any and they are declared."""
    starts = np.cumsum([0, *(max(width, 1) for width in widths[:-1])])
    numbers = [at for at, width in zip(starts.tolist(), widths, strict=True) if width == 0]
    if degree < 2 or not numbers:
        return common
    x = X[:, numbers]
    curves = [2 * x * x - 1, 4 * x**3 - 3 * x][: degree - 1]
    bends = sum(curve @ rng.normal(size=len(numbers)) for curve in curves)
    return _standard(common + rng.uniform(0.0, 2.0) * _standard(np.asarray(bends)))


def _standard(f: FloatArray) -> FloatArray:
    """Return numbers with mean 0 and variance 1, zeros where all are equal."""
    f = f - f.mean()
    spread = float(f.std())
    return f / spread if spread > 1e-12 else f


def _contrast(X: FloatArray, widths: Sequence[int], *, dense: bool, rng: Generator) -> FloatArray:
    """Return a linear score (n,) with mean 0 and variance 1; some features matter, or all.

    What a feature does goes by its own spread, not by its bounds: wide bounds make nobody differ
    less.
    """
    count = len(widths)
    active = count if dense else min(count, int(rng.integers(1, MOST_ACTIVE + 1)))
    chosen = set(rng.permutation(count)[:active].tolist())
    f, place = np.zeros(len(X)), 0
    for index, width in enumerate(widths):
        size = max(width, 1)
        part = X[:, place : place + size] @ (rng.normal(size=size) if width > 1 else np.ones(1))
        weight = rng.choice([-1.0, 1.0]) * rng.uniform(0.4, 1.4)
        if index in chosen:
            f += weight * _standard(part)
        place += size
    return _standard(f)
