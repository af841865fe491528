"""Penalties R(θ) = ½θᵀMθ with a public matrix M ⪰ I: the ridge, and the one for arms."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import chain
from typing import ClassVar

import numpy as np
from flint import arb, arb_mat

from dpwerm.arrays import FloatArray
from dpwerm.errors import ParameterError
from dpwerm.exact import ETA, SLACK, U, growth, round_up
from dpwerm.features.domain import Domain
from dpwerm.parameters import positive, real


class QuadraticPenalty(ABC):
    r"""Base of R(θ) = ½θᵀMθ with a public symmetric matrix M ⪰ I of doubles, taken as exact.

    .. math:: \nabla R(\theta) = M\theta, \qquad \sup_{\|x\| \le r} x^\top M^{-1} x \le r^2

    A class of one's own gives ``name``, ``parameters`` and ``matrix``.
    """

    @abstractmethod
    def matrix(self, p: int) -> FloatArray:
        """Return M (p, p)."""

    def leverage(self, domain: Domain) -> Fraction:
        """Return r², because M⁻¹ ⪯ I; with r rounded up, as a certificate has it."""
        return Fraction(domain.radius) ** 2

    def value(self, theta: FloatArray) -> float:
        """Return ½θᵀMθ."""
        return 0.5 * float(theta @ (self.matrix(len(theta)) @ theta))

    def gradient(self, theta: FloatArray) -> FloatArray:
        """Return Mθ."""
        return np.asarray(self.matrix(len(theta)) @ theta)

    def hessian(self, theta: FloatArray) -> FloatArray:
        """Return M."""
        return self.matrix(len(theta))

    def gradient_error(self, theta: FloatArray) -> FloatArray:
        """Return G(p+1)·Σ_k |M_jk||θ_k|: each entry of Mθ is a sum of p products."""
        p = len(theta)
        sizes: FloatArray = np.abs(self.matrix(p)) @ np.abs(theta)
        return growth(p + 1) * (SLACK + p * U) * sizes + 4 * (p + 1) * ETA

    def gradient_ball(self, theta: Sequence[arb]) -> list[arb]:
        """Return Mθ."""
        matrix = np.asarray(self.matrix(len(theta)), dtype=np.float64)
        slope = _exact_matrix(matrix.tobytes(), len(theta)) * arb_mat([[t] for t in theta])
        return [slope[j, 0] for j in range(len(theta))]


@lru_cache(maxsize=16)
def _exact_matrix(content: bytes, p: int) -> arb_mat:
    """Return M as exact balls; making them takes longer than multiplying with them."""
    return arb_mat(np.frombuffer(content).reshape(p, p).tolist())


@dataclass(frozen=True)
class Ridge(QuadraticPenalty):
    r"""Return ½‖θ‖² over every coordinate, the intercept too.

    .. math:: R(\theta) = \tfrac{1}{2} \sum_j \theta_j^2

    The factor ½ makes it exactly 1-strongly convex. M = I, and ∇R(θ) = θ is exact in doubles.
    """

    name: ClassVar[str] = "ridge"

    @property
    def parameters(self) -> dict[str, float]:
        """No parameters."""
        return {}

    def value(self, theta: FloatArray) -> float:
        """Return ½‖θ‖²."""
        return 0.5 * float(theta @ theta)

    def gradient(self, theta: FloatArray) -> FloatArray:
        """Return θ."""
        return theta.copy()

    def matrix(self, p: int) -> FloatArray:
        """Return the identity."""
        return np.eye(p)

    def gradient_error(self, theta: FloatArray) -> FloatArray:
        """Return 0: the gradient is θ itself."""
        return np.zeros_like(theta)

    def gradient_ball(self, theta: Sequence[arb]) -> list[arb]:
        """Return θ."""
        return list(theta)


@dataclass(frozen=True)
class ArmPenalty(QuadraticPenalty):
    r"""Coefficients of K arms side by side: their mean is penalised by a, what differs by b.

    .. math:: R = \tfrac{1}{2} \Bigl( a K \|\bar\theta\|^2
              + b \sum_k \|\theta_k - \bar\theta\|^2 \Bigr), \qquad
              M = \bigl( b I_K + \tfrac{a-b}{K} 1 1^\top \bigr) \otimes I

    for θ = (θ_1, …, θ_K). The eigenvalues of M are a and b, and a row in one arm's columns has

    .. math:: x^\top M^{-1} x = \bigl( \tfrac{1}{b} + \tfrac{1}{K}
              (\tfrac{1}{a} - \tfrac{1}{b}) \bigr) \|x\|^2

    With two arms, a main effect α = (θ_1 + θ_2)/2 and a contrast τ = (θ_2 − θ_1)/2, it is
    a‖α‖² + b‖τ‖². Columns that the arms share come last and are penalised by a times ``bend``. With
    u in one arm's columns and v in the shared ones

    .. math:: x^\top M^{-1} x = \bigl( \tfrac{1}{b} + \tfrac{1}{K}
              (\tfrac{1}{a} - \tfrac{1}{b}) \bigr) \|u\|^2 + \tfrac{1}{a \, bend} \|v\|^2

    main, contrast : float ≥ 1, a and b; arms : K ≥ 2; shared : how many columns the arms share
    bend : float ≥ 1, the penalty of shared columns in units of a
    """

    main: float = 1.0
    contrast: float = 1.0
    arms: float = 2.0
    shared: float = 0.0
    bend: float = 1.0

    name: ClassVar[str] = "arm-wise"
    omitted: ClassVar[tuple[str, ...]] = ("bend",)

    def __post_init__(self) -> None:
        for name in ("main", "contrast", "arms", "bend"):
            object.__setattr__(self, name, positive(name, getattr(self, name)))
        object.__setattr__(self, "shared", real("shared", self.shared))
        least = {"main": 1, "contrast": 1, "arms": 2, "shared": 0, "bend": 1}
        low = [name for name, one in least.items() if not getattr(self, name) >= one]
        if low or self.arms != int(self.arms) or self.shared != int(self.shared):
            raise ParameterError(
                "regularizer arm-wise: main, contrast and bend must be at least 1, arms a whole "
                "number from 2 on, shared one from 0 on"
            )

    @property
    def parameters(self) -> dict[str, float]:
        """The weights a and b, K, the number of shared columns, and their penalty if not a."""
        return {key: one for key, one in asdict(self).items() if key != "bend" or one != 1}

    @cached_property
    def _entries(self) -> tuple[float, float]:
        """The diagonal and what joins two arms, rounded so that no eigenvalue is too small."""
        a, b, K = map(Fraction, (self.main, self.contrast, self.arms))
        o = Fraction(float((a - b) / K))
        return round_up(max(b + o, a - (K - 1) * o)), float(o)

    @property
    def _curved(self) -> float:
        """The penalty of shared columns, as it stands in M."""
        return self.main * self.bend

    def matrix(self, p: int) -> FloatArray:
        """Return M (p, p); columns that are not K equal parts count as shared."""
        arms, (diagonal, joined) = int(self.arms), self._entries
        own, whole = max(0, p - int(self.shared)) // arms, self._curved * np.eye(p)
        if own:
            between = np.where(np.eye(arms, dtype=bool), diagonal, joined)
            whole[: own * arms, : own * arms] = np.kron(between, np.eye(own))
        return whole

    @cached_property
    def _shares(self) -> tuple[Fraction, Fraction]:
        """What a row of length 1 has of xᵀM⁻¹x in one arm's columns, and in shared ones."""
        d, o, K = *map(Fraction, self._entries), int(self.arms)
        differ, mean = d - o, d + (K - 1) * o
        return 1 / differ + (1 / mean - 1 / differ) / K, 1 / Fraction(self._curved)

    def leverage(self, domain: Domain) -> Fraction:
        """Return the bound for rows in one arm's columns; r² where the domain has other rows.

        With ``bend`` 1 it is r² times the larger of the two shares: so it is in files of before.
        """
        K, whole, (arm, shared) = int(self.arms), Fraction(domain.radius) ** 2, self._shares
        own = max(0, domain.dimension - int(self.shared)) // K
        # The arms that each piece stands in; K is what they share.
        faces = [
            [({j // own if j < own * K else K for j in js}, square) for js, square in face]
            for face in domain.faces
        ]
        if any(len({*chain.from_iterable(arms for arms, _ in face)} - {K}) > 1 for face in faces):
            return whole
        if self.bend == 1:
            return whole * (max(arm, shared) if own * K < domain.dimension else arm)
        if any(len(arms) > 1 for face in faces for arms, _ in face):
            return whole
        return max(
            sum((square * (shared if K in arms else arm) for arms, square in face), Fraction(0))
            for face in faces
        )
