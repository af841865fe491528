r"""What mechanisms would release on many synthetic data sets, and whom those rules give which arm.

.. math:: \theta^* = \hat\theta(D, \gamma) + \text{noise}(\varepsilon)
          \quad\text{or}\quad \operatorname{argmin} F(\theta; D) + b^\top\theta

With output perturbation the minimiser depends on the data and γ alone, so every ε and every draw of
noise shares it. Noise inside the objective needs a minimiser for each draw; those of one γ start
from the last. A rule gives the second arm where f(x) = s₀θ₀ + Σ φ_j θ_j x_j > 0; a coefficient
below a share of the largest counts as 0, as in a release, never the intercept.
"""

from collections.abc import Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from dpwerm.arrays import FloatArray
from dpwerm.draws import Draws
from dpwerm.errors import ParameterError
from dpwerm.features.encoding import Encoding
from dpwerm.mechanisms import get_mechanism
from dpwerm.mechanisms.contract import Calibration
from dpwerm.objective.losses import Loss
from dpwerm.objective.regularizers import Ridge
from dpwerm.solve.batch import minimise_path
from dpwerm.solve.batch_problems import BatchProblems


def second_arm(
    theta: FloatArray, encoding: Encoding, rows: FloatArray, threshold: float = 0.0
) -> NDArray[np.bool_]:
    """Return whom each rule gives the second arm, shape (…, R, T).

    theta : (…, R, p), in encoded units
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


def inside_noise(calibration: Calibration, draws: Draws) -> FloatArray | None:
    """Return b of shape (…, p) in doubles, or None if there is no noise inside the objective."""
    return get_mechanism(calibration.mechanism).inside_noise(calibration, draws)


def outside_noise(calibration: Calibration, draws: Draws) -> FloatArray:
    """Return the noise (…, p) that is added to what the solver returns, in doubles."""
    return get_mechanism(calibration.mechanism).outside_noise(calibration, draws)


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

    problems : BatchProblems, B data sets; weights within the calibrations' W
    calibrations : P calibrations of one regularizer, in any order
    draws : Draws of shape (B, R, p), which all calibrations share (common random numbers)
    tolerance : float > 0, the distance from the minimiser that is allowed

    A regularizer that is not quadratic is simulated as ridge of the same γ: the batch solver takes
    no other, and noise outside the objective depends on γ alone.
    """
    if not calibrations:
        raise ParameterError("there must be at least one calibration")
    regularizer = calibrations[0].facts.regularizer
    if any(one.facts.regularizer != regularizer for one in calibrations):
        raise ParameterError("calibrations that are compared must have one regularizer")
    if calibrations[0].facts.leverage is None:
        regularizer = Ridge()
    solve = partial(minimise_path, problems, loss, tolerance=tolerance, regularizer=regularizer)
    # From the largest γ on, each minimiser starts from the last.
    order = sorted(range(len(calibrations)), key=lambda place: -calibrations[place].facts.gamma)
    outside = [place for place in order if calibrations[place].inside is None]
    inside = [place for place in order if calibrations[place].inside is not None]
    found = np.empty((len(calibrations), *draws.normals.shape))
    if outside:
        gammas = list(dict.fromkeys(calibrations[place].facts.gamma for place in outside))
        optimum = dict(zip(gammas, solve(gammas).theta, strict=True))
        for place in outside:
            one = calibrations[place]
            found[place] = optimum[one.facts.gamma][:, None] + outside_noise(one, draws)
    if inside:
        linear_terms = [inside_noise(calibrations[place], draws) for place in inside]
        path = [calibrations[place].facts.gamma for place in inside]
        shifted = np.stack([linear_term for linear_term in linear_terms if linear_term is not None])
        found[inside] = solve(path, linear_terms=shifted).theta
    return found
