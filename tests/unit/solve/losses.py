"""A loss that is another one with nothing but the protocol."""

from dataclasses import dataclass

from flint import arb

from dpwerm.arrays import FloatArray
from dpwerm.objective.losses import Loss


@dataclass(frozen=True)
class Plain:
    """A loss of one's own, without ``curvature_at_slope``; it may claim less than is true."""

    honest: Loss
    claimed_smoothness: float | None = None
    claimed_error: float | None = None
    name: str = "plain"

    @property
    def parameters(self) -> dict[str, float]:
        return {}

    @property
    def lipschitz(self) -> float:
        return self.honest.lipschitz

    @property
    def smoothness(self) -> float:
        claimed = self.claimed_smoothness
        return self.honest.smoothness if claimed is None else claimed

    @property
    def derivative_error(self) -> float:
        return self.honest.derivative_error if self.claimed_error is None else self.claimed_error

    def value(self, z: FloatArray) -> FloatArray:
        return self.honest.value(z)

    def derivative(self, z: FloatArray) -> FloatArray:
        return self.honest.derivative(z)

    def second_derivative(self, z: FloatArray) -> FloatArray:
        return self.honest.second_derivative(z)

    def derivative_ball(self, z: arb) -> arb:
        return self.honest.derivative_ball(z)
