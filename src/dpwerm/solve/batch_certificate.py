"""The certificate of docs/proofs/solver-certificate.md for many problems at once.

    ‖θ − argmin F‖ ≤ (‖computed gradient‖ + ‖E‖)/γ

E_j bounds the rounding error of coordinate j. Sums run over all n rows in one go, so n stands
where the single solver has the length of its blocks, and Σ w (L + e_ℓ) bounds Σ w |ℓ'|.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpwerm.arrays import FloatArray
from dpwerm.problem.losses.protocol import MarginLoss
from dpwerm.solve.batch_block import Block

_U = 2.0**-53
_ETA = 2.0**-1000
_SLACK = 1 + 2.0**-40


@dataclass(frozen=True, eq=False)
class Rounding:
    """What the rounding error of one block's gradients needs to know before θ is known.

    E_j = ``fixed_j`` + ``per_margin_j``·Σ_k s_k|θ_k| + 4u·(sizes of the terms added last).
    """

    bounds: FloatArray
    fixed: FloatArray
    per_margin: FloatArray
    inflate: float

    @classmethod
    def of(cls, block: Block, loss: MarginLoss) -> "Rounding":
        """Return the constants of a block (b, 1, p) under a loss."""
        n, p = block.n_rows, block.dimension
        bounds = block.bounds[:, None, :]
        weight = block.weight[:, :, None] / (1 - 2 * (n + 1) * _U)
        slope = loss.lipschitz + loss.derivative_error
        slip = loss.smoothness * 4 * (p + 1) * _ETA + loss.derivative_error
        tiny = 4 * (n + 1) * (1 + slope) * _ETA
        rows = weight * (slip + _growth(n + 3) * slope) + tiny
        return cls(
            bounds=bounds,
            fixed=bounds * rows + tiny,
            per_margin=bounds * (weight * loss.smoothness * _growth(p + 1)),
            inflate=_SLACK + p * _U,
        )

    def permits(self, target: FloatArray) -> NDArray[np.bool_]:
        """Say whether the error that no θ escapes leaves room for ‖∇F‖ ≤ ``target`` (b, R)."""
        allowed: NDArray[np.bool_] = self.fixed.max(axis=-1, initial=0.0) < target
        return allowed

    def distance(
        self, theta: FloatArray, data: FloatArray, tilt: FloatArray, gamma: FloatArray
    ) -> FloatArray:
        """Return the certified distance (b, R) of θ from the minimiser.

        ``data`` (b, R, p) is the computed Σ w ℓ' a at θ; γ has shape (b, R, 1). ∇F is computed
        as (γθ + data) + tilt.
        """
        pull = gamma * theta
        entries = pull + data
        entries += tilt
        entries = np.abs(entries)
        entries += self.fixed
        entries += self.per_margin * np.vecdot(np.abs(theta), self.bounds)[:, :, None]
        entries += 4 * _U * (np.abs(data) + np.abs(pull) + np.abs(tilt))
        largest = entries.max(axis=-1, initial=_ETA)
        entries /= largest[:, :, None]
        norm = np.sqrt(np.vecdot(entries, entries)) * largest
        norm *= self.inflate * self.inflate * _SLACK
        norm /= gamma[:, :, 0]
        bound: FloatArray = np.nextafter(norm, np.inf)
        return bound


def _growth(k: int) -> float:
    """Return ku/(1−ku), the relative error that k roundings can build up."""
    return k * _U / (1 - k * _U)
