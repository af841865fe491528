"""Synthetic trials as a fit sees them: by their tightness, inside private ranges; in doubles."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from dpwerm.arrays import FloatArray
from dpwerm.privacy.budget import Budget
from dpwerm.releases.ranges import BENEFIT, CUT, DEVIATIONS, FEATURES, LEAST, steps
from dpwerm.releases.tightness import simulated_tight
from dpwerm.simulate.judged import SyntheticTrials


def are_tight(
    trials: SyntheticTrials,
    part: Budget,
    widths: Sequence[int],
    values: int | None,
    n: int,
    rng: Generator,
) -> NDArray[np.bool_]:
    """Return which of the trials a tightness of n people would find to be declared tightly, (B,).

    values : how many the benefit has; with two it is left out
    """
    columns, numbers = {}, _numbers(widths)
    if values != 2:
        columns[BENEFIT] = trials.benefit[..., None]
    if numbers:
        columns[FEATURES] = trials.X[..., numbers]
    return simulated_tight(columns, n, part, rng)


def inside_ranges(
    trials: SyntheticTrials,
    parts: Mapping[str, Budget],
    widths: Sequence[int],
    n: int,
    rng: Generator,
) -> SyntheticTrials:
    """Return the trials inside ranges that are released for n people with these parts of ε."""
    found = trials
    if (part := parts.get("ranges")) is not None:
        centre, half = _released(trials.benefit[..., None], BENEFIT, part, n, rng)
        both = {
            name: np.clip((getattr(trials, name) - centre[..., 0]) / half[..., 0], -1.0, 1.0)
            for name in ("benefit", "other")
            if getattr(trials, name).size
        }
        found = replace(found, **both)
    numbers = _numbers(widths)
    if (part := parts.get("feature_ranges")) is not None and numbers:
        centre, half = _released(trials.X[..., numbers], FEATURES, part, n, rng)
        moved = {}
        for name in ("X", "people"):
            rows = getattr(trials, name).copy()
            rows[..., numbers] = np.clip((rows[..., numbers] - centre) / half, -1.0, 1.0)
            moved[name] = rows
        found = replace(found, **moved)
    return found


def _released(
    u: FloatArray, of: str, budget: Budget, n: int, rng: Generator
) -> tuple[FloatArray, FloatArray]:
    """Return middle and half-width (B, 1, m) of ranges that are released of columns (B, n, m)."""
    count, m = len(u), u.shape[-1]
    first, second = steps(m, budget)

    def noise(scale: float) -> FloatArray:
        radius = scale / n * rng.gamma(m + 1, size=(count, 1, 1))
        return np.asarray(radius * rng.uniform(-1.0, 1.0, size=(count, 1, m)))

    centre = np.clip(u.mean(axis=1, keepdims=True) + noise(first.scale), -1.0, 1.0)
    far = np.minimum(np.abs(u - centre), float(CUT)).mean(axis=1, keepdims=True)
    least = LEAST * float(second.mean_size) / n
    half = float(DEVIATIONS[of]) * np.maximum(far + noise(second.scale), least)
    low, high = np.maximum(centre - half, -1.0), np.minimum(centre + half, 1.0)
    return (low + high) / 2, (high - low) / 2


def _numbers(widths: Sequence[int]) -> list[int]:
    """Return the places of the numbers among the columns."""
    starts = np.cumsum([0, *(max(width, 1) for width in widths[:-1])]).tolist()
    return [at for at, width in zip(starts, widths, strict=True) if width == 0]
