"""The noise of a plan in doubles, for simulation only: the same laws, not the exact samplers.

One set of base draws serves every setting, scaled by each plan: settings are then compared on the
same luck.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from dpwerm.arrays import FloatArray
from dpwerm.mechanisms.plan import Plan

Blocks = tuple[tuple[int, float], ...]


@dataclass(frozen=True)
class Draws:
    """Base draws (…, p): normals, uniforms of [−1, 1], Laplace numbers, and two Gamma radii."""

    normals: FloatArray
    uniforms: FloatArray
    laplace: FloatArray
    exponential: FloatArray
    radius: FloatArray
    longer: FloatArray

    @classmethod
    def of(cls, shape: tuple[int, ...], dimension: int, rng: np.random.Generator) -> "Draws":
        """Return base draws for noise vectors of that dimension."""
        full = (*shape, dimension)
        radius = rng.gamma(dimension, size=shape)
        return cls(
            normals=rng.normal(size=full),
            uniforms=rng.uniform(-1.0, 1.0, size=full),
            laplace=rng.laplace(size=full),
            exponential=rng.exponential(size=full),
            radius=radius,
            longer=radius + rng.exponential(size=shape),
        )


def _sphere(draws: Draws, _blocks: Blocks) -> FloatArray:
    """Density ∝ exp(−‖z‖₂): a Gamma(p) radius times a uniform direction."""
    lengths = np.linalg.norm(draws.normals, axis=-1)
    return np.asarray(draws.normals * (draws.radius / lengths)[..., None])


def _block(draws: Draws, blocks: Blocks) -> FloatArray:
    """Density ∝ exp(−‖z‖_K): a Gamma(p+1) radius times a uniform point of the block ball."""
    point = np.empty_like(draws.uniforms)
    start = 0
    for width, bound in blocks:
        part = slice(start, start + width)
        start += width
        if width == 1:
            point[..., part] = draws.uniforms[..., part] * bound
        else:
            sizes = np.abs(draws.laplace[..., part]).sum(axis=-1, keepdims=True)
            rest = draws.exponential[..., part.start : part.start + 1]
            point[..., part] = draws.laplace[..., part] / (sizes + rest) * bound
    return point * draws.longer[..., None]


def _normal(draws: Draws, _blocks: Blocks) -> FloatArray:
    return draws.normals


def _laplace(draws: Draws, _blocks: Blocks) -> FloatArray:
    return draws.laplace


def _nothing(draws: Draws, _blocks: Blocks) -> FloatArray:
    return np.zeros_like(draws.normals)


Law = Callable[[Draws, Blocks], FloatArray]
INSIDE: dict[str, Law] = {"l2": _sphere, "block": _block, "gaussian": _normal}
OUTSIDE: dict[str, Law] = {
    "spherical-laplace": _sphere,
    "product-laplace": _laplace,
    "gaussian": _normal,
    "none": _nothing,
}


def inside_noise(plan: Plan, draws: Draws) -> FloatArray | None:
    """Return b of shape (…, p), or None if the plan has no noise inside the objective."""
    inside = plan.inside
    if inside is None:
        return None
    scale = inside.sigma if inside.rate is None else 1.0 / inside.rate
    return INSIDE[inside.norm](draws, plan.facts.blocks) * (scale or 0.0)


def outside_noise(plan: Plan, draws: Draws) -> FloatArray:
    """Return the noise (…, p) that is added to what the solver returns."""
    return OUTSIDE[plan.noise.mechanism](draws, plan.facts.blocks) * plan.noise.scale
