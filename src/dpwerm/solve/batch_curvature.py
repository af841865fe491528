"""ℓ'' for many problems at once, or its mean over a window while steps are long.

    (ℓ'(z+b) − ℓ'(z−b)) / 2b,    b = half the most that a margin has just moved

Where ℓ' can change by more than ¾L within b, ℓ''(z) says little about the next step: the Huberised
hinge is straight almost everywhere. The mean also sees the bends that the step will meet.
"""

from collections.abc import Callable

import numpy as np

from dpwerm.arrays import FloatArray
from dpwerm.problem.losses.protocol import MarginLoss

_SHARE = 0.5
_TURN = 0.75


def curvature(
    loss: MarginLoss, z: FloatArray, slope: FloatArray, reach: FloatArray | None = None
) -> FloatArray:
    """Return ℓ''(z) or its mean over a window, shape (b, R, n).

    Parameters
    ----------
    loss : MarginLoss
        May have a method ``curvature_at_slope``, ℓ'' as a function of ℓ', which is quicker than
        ``second_derivative``.
    z, slope : array (b, R, n)
        Margins, and ℓ' there.
    reach : array (b, R), optional
        The most that a margin of each problem has moved in the last step; 0 if left out.
    """
    from_slope: Callable[[FloatArray], FloatArray] | None = getattr(
        loss, "curvature_at_slope", None
    )
    bend = loss.second_derivative(z) if from_slope is None else from_slope(slope)
    if reach is not None:
        wide = _SHARE * reach > _TURN * loss.lipschitz / loss.smoothness
        if np.count_nonzero(wide):
            bend[wide] = _mean_curvature(loss, z[wide], _SHARE * reach[wide, None])
    return bend


def _mean_curvature(loss: MarginLoss, z: FloatArray, window: FloatArray) -> FloatArray:
    """Return the mean of ℓ'' over z ± window."""
    rise = loss.derivative(z + window)
    rise -= loss.derivative(z - window)
    rise /= 2 * window
    return np.maximum(rise, 0, out=rise)
