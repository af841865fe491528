r"""Whom rules give the second arm: f(x) = s₀θ₀ + Σ φ_j θ_j x_j > 0, for many rules at once.

A coefficient below a share of the largest counts as 0, as in a release; never the intercept.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpwerm.arrays import FloatArray
from dpwerm.errors import ParameterError
from dpwerm.features.encoding import Encoding
from dpwerm.mechanisms.contract import Calibration
from dpwerm.objective.losses import Loss
from dpwerm.solve.batch import minimise_path
from dpwerm.solve.batch_problems import BatchProblems


def second_arm(
    theta: FloatArray, encoding: Encoding, rows: FloatArray, threshold: float = 0.0
) -> NDArray[np.bool_]:
    """Return whom each rule gives the second arm, shape (…, R, T).

    Parameters
    ----------
    theta : (…, R, p), in encoded units
    encoding : Encoding
    rows : (…, T, d), encoded over their whole range; leading axes as those of ``theta``, or none
    threshold : float in [0, 1)
    """
    first = int(encoding.intercept_scale > 0)
    slopes = theta[..., first:]
    constant = encoding.intercept_scale * theta[..., :1] if first else 0.0
    if threshold > 0:
        sizes = np.abs(slopes)
        slopes = np.where(sizes < threshold * sizes.max(axis=-1, keepdims=True), 0.0, slopes)
    scores = (slopes * encoding.stretch[first:]) @ rows.swapaxes(-1, -2)
    return np.asarray(scores + constant > 0)


# ------------------------------------------------------------------------------------------
# The noise of a calibration in doubles, for simulation only: the same laws, not the exact samplers.
#
# One set of base draws serves every setting, scaled by each calibration: settings are then
# compared on common random numbers.


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


def inside_noise(calibration: Calibration, draws: Draws) -> FloatArray | None:
    """Return b of shape (…, p), or None if the calibration has no noise inside the objective."""
    inside = calibration.inside
    if inside is None:
        return None
    scale = inside.sigma if inside.rate is None else 1.0 / inside.rate
    return INSIDE[inside.norm](draws, calibration.facts.blocks) * (scale or 0.0)


def outside_noise(calibration: Calibration, draws: Draws) -> FloatArray:
    """Return the noise (…, p) that is added to what the solver returns."""
    return (
        OUTSIDE[calibration.noise.mechanism](draws, calibration.facts.blocks)
        * calibration.noise.scale
    )


# ------------------------------------------------------------------------------------------
# What mechanisms would release on many simulated data sets: each optimum is found once.
#
# .. math:: \theta^* = \hat\theta(D, \gamma) + \text{noise}(\varepsilon)
#           \quad\text{or}\quad \operatorname{argmin} F(\theta; D) + b^\top\theta
#
# With output perturbation the minimiser depends on the data and γ alone, so every ε and every
# draw of noise shares it. Noise inside the objective needs a minimiser for each draw; those of
# one γ start from the last.


TOLERANCE = 1e-3
"""How near to the minimiser, in units of ‖θ‖ near 1: far below what accuracy can see."""


def released(
    problems: BatchProblems,
    loss: Loss,
    calibrations: Sequence[Calibration],
    draws: Draws,
    *,
    tolerance: float = TOLERANCE,
) -> FloatArray:
    """Return what each calibration would release for each data set and draw, θ (P, B, R, p).

    Parameters
    ----------
    problems : BatchProblems, B data sets; weights within the calibrations' W
    loss : Loss
    calibrations : P calibrations, in any order
    draws : Draws of shape (B, R, p), which all calibrations share (common random numbers)
    tolerance : float > 0, the distance from the minimiser that is allowed
    """
    if not calibrations:
        raise ParameterError("there must be at least one calibration")
    found = np.empty((len(calibrations), *draws.normals.shape))
    outside = [
        place for place, calibration in enumerate(calibrations) if calibration.inside is None
    ]
    inside = [
        place for place, calibration in enumerate(calibrations) if calibration.inside is not None
    ]
    if outside:
        # From the largest γ on, each minimiser starts from the last.
        gammas = sorted({calibrations[place].facts.gamma for place in outside}, reverse=True)
        optima = minimise_path(problems, loss, gammas, tolerance=tolerance).theta
        optimum = dict(zip(gammas, optima, strict=True))
        for place in outside:
            calibration = calibrations[place]
            found[place] = optimum[calibration.facts.gamma][:, None] + outside_noise(
                calibration, draws
            )
    if inside:
        order = sorted(inside, key=lambda place: -calibrations[place].facts.gamma)
        tilts = [inside_noise(calibrations[place], draws) for place in order]
        path = [calibrations[place].facts.gamma for place in order]
        solution = minimise_path(
            problems,
            loss,
            path,
            tilts=np.stack([tilt for tilt in tilts if tilt is not None]),
            tolerance=tolerance,
        )
        found[order] = solution.theta
    return found
