"""Base draws of noise in doubles: common random numbers for simulation, not the exact samplers.

One set of base draws serves every candidate, scaled by each calibration, so that they are
compared on the same numbers.
"""

from dataclasses import dataclass, field

import numpy as np

from dpwerm.arrays import FloatArray


@dataclass(frozen=True, eq=False)
class Draws:
    """Base draws (…, p): normals, uniforms of [−1, 1], Laplace numbers, and two Gamma radii.

    ``radius`` is Gamma(p), ``longer`` is Gamma(p + 1); ``seed`` is where ``spare`` draws from.
    """

    normals: FloatArray
    uniforms: FloatArray
    laplace: FloatArray
    exponential: FloatArray
    radius: FloatArray
    longer: FloatArray
    seed: tuple[int, ...]
    _spares: dict[int, FloatArray] = field(default_factory=dict, repr=False)

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
            # A child of its own: what is drawn after this is the same with and without it.
            seed=tuple(rng.spawn(1)[0].integers(2**63, size=4).tolist()),
        )

    @property
    def spherical(self) -> FloatArray:
        """Density ∝ exp(−‖z‖₂): a Gamma(p) radius times a uniform direction."""
        lengths = np.linalg.norm(self.normals, axis=-1)
        return np.asarray(self.normals * (self.radius / lengths)[..., None])

    def spare(self, depth: int) -> FloatArray:
        """Return further Exp(1) numbers (2, …, p), independent of all others, the same each time.

        depth: int ≥ 0; sets of other depths are independent.
        """
        if depth not in self._spares:
            state = np.random.SeedSequence(self.seed, spawn_key=(depth,))
            rng = np.random.Generator(np.random.PCG64(state))
            self._spares[depth] = rng.exponential(size=(2, *self.normals.shape))
        return self._spares[depth]
