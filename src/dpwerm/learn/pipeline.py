"""The one fit pipeline: public certificate → θ̃ within τ of argmin F → grid release.

Every estimator and every command fits through ``fit_release``. What it computes on the way
(θ̃, its bound, the precision that was needed) is local to it and is never returned.
"""

from collections.abc import Callable

from dpwerm.arrays import FloatArray
from dpwerm.errors import ParameterError
from dpwerm.learn.certificate import certify
from dpwerm.learn.release import Release
from dpwerm.learn.specification import Specification
from dpwerm.mechanisms import get_mechanism
from dpwerm.privacy.randomness import BitSource
from dpwerm.problem.objective import Objective, WeightedData
from dpwerm.solve.newton import minimise
from dpwerm.study.encoding import Encoding
from dpwerm.version import __version__

Stage = Callable[[str], None]
"""Called with the name of each stage as it starts; a stage never depends on a data value."""


def no_progress(stage: str) -> None:
    """Ignore the name of a stage."""


def fit_release(
    X: FloatArray,
    y: FloatArray,
    weights: FloatArray,
    *,
    encoding: Encoding,
    spec: Specification,
    bits: BitSource,
    on_stage: Stage = no_progress,
) -> Release:
    """Return the release of argmin Σ w_i ℓ(y_i x_iᵀθ) + γR(θ) under ``spec``.

    X: (n, d) encoded by ``encoding``; y: (n,) in {−1, +1}; weights: (n,) in [0, W]. Callers clip at
    W; a weight above it is a mistake of theirs, and the claim would be false.
    """
    if weights.max(initial=0.0) > spec.weight_bound:
        raise ParameterError("weights must not exceed weight_bound")
    certificate, noise = certify(
        spec, encoding, len(y), secure=bits.secure, library=f"dpwerm {__version__}"
    )
    on_stage("solving")
    data = WeightedData(X, y, weights, encoding.intercept_scale, encoding.column_bounds)
    objective = Objective(data, spec.loss, spec.gamma, spec.regularizer)
    solution = minimise(objective, certificate.sensitivity.tolerance)
    on_stage("adding noise")
    integers = get_mechanism(spec.mechanism).release(solution.theta, noise, bits)
    return Release(encoding, integers, certificate)
