r"""Whom rules give the second arm: f(x) = s₀θ₀ + Σ φ_j θ_j x_j > 0, for many rules at once.

A coefficient below a share of the largest counts as 0, as in a release; never the intercept.
"""

import numpy as np
from numpy.typing import NDArray

from dpwerm.arrays import FloatArray
from dpwerm.study.encoding import Encoding


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
