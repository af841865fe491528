"""∇F in ball arithmetic: every entry is an interval that contains the true number.

    ∇F(θ) = Σ_i w_i ℓ'(y_i x_iᵀθ) y_i x_i + γ∇R(θ) + b

Doubles are exact balls, so the only width comes from the chosen precision, and any error can be
made as small as wished by raising it. Balls are many times slower than doubles: a last resort.
"""

from collections.abc import Callable, Iterator

import numpy as np
from flint import arb, arb_mat

from dpwerm.problem.objective import Objective

_ROWS = 512
_KEEP = 200_000


class BallObjective:
    """∇F and ∇²F of an objective in the current precision of flint; rows of weight 0 are left out.

    Up to 200,000 numbers are kept as balls; a larger table is turned into balls chunk by chunk.
    """

    def __init__(self, objective: Objective) -> None:
        self.objective = objective
        self._kept: list[tuple[arb_mat, list[arb]]] | None = None
        if objective.data.n_rows * objective.data.dimension <= _KEEP:
            self._kept = list(self._convert())

    def gradient(self, theta: list[arb]) -> list[arb]:
        """Return balls that contain the entries of ∇F(θ)."""
        total = arb_mat(1, len(theta))
        for rows, weights in self._chunks():
            total += self._slopes(rows, weights, theta, self.objective.loss.derivative_ball) * rows
        gamma = arb(self.objective.gamma)
        pulls = self.objective.regularizer.gradient_ball(theta)
        entries = [total[0, j] + gamma * pull for j, pull in enumerate(pulls)]
        for part in self.objective.tilts:
            entries = [entry + arb(b) for entry, b in zip(entries, part.tolist(), strict=True)]
        return entries

    def hessian(self, theta: list[arb], step: arb) -> arb_mat:
        """Return about ∇²F(θ), with ℓ'' as a central difference of ℓ' over ±``step``."""
        slope = self.objective.loss.derivative_ball

        def curvature(z: arb) -> arb:
            return max(arb(0), ((slope(z + step) - slope(z - step)) / (2 * step)).mid())

        near = np.array([float(t) for t in theta])
        pull = self.objective.gamma * self.objective.regularizer.hessian(near)
        total = arb_mat(pull.tolist())
        for rows, weights in self._chunks():
            positive = [abs(weight) for weight in weights]
            bends = self._slopes(rows, positive, theta, curvature)
            scaled = arb_mat(
                [[bends[0, i] * rows[i, j] for j in range(len(theta))] for i in range(rows.nrows())]
            )
            total += rows.transpose() * scaled
        return total.mid()

    def _slopes(
        self,
        rows: arb_mat,
        weights: list[arb],
        theta: list[arb],
        derivative: Callable[[arb], arb],
    ) -> arb_mat:
        """Return the row vector of w_i·f(z_i), where the rows already carry the sign y_i."""
        z = rows * arb_mat([[t] for t in theta])
        return arb_mat([[w * derivative(z[i, 0]) for i, w in enumerate(weights)]])

    def _chunks(self) -> Iterator[tuple[arb_mat, list[arb]]]:
        return iter(self._kept) if self._kept is not None else self._convert()

    def _convert(self) -> Iterator[tuple[arb_mat, list[arb]]]:
        """Yield the rows y_i(s₀, x_i) and weights, exactly, a few hundred rows at a time."""
        data = self.objective.data
        for start in range(0, data.n_rows, _ROWS):
            part = slice(start, start + _ROWS)
            used = np.flatnonzero(data.weights[part])
            if len(used) == 0:
                continue
            X = data.X[part][used]
            if data.first_feature:
                X = np.column_stack([np.full(len(used), data.intercept_scale), X])
            X = X * data.y[part][used, None]
            yield arb_mat(X.tolist()), [arb(w) for w in data.weights[part][used].tolist()]
