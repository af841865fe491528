"""The one fit pipeline: public certificate and plan → objective → the mechanism's run.

Every estimator and every command fits through ``fit_release``. What is computed on the way (the
solver's point, its bound, the noise inside the objective) is local to the run, never returned.
"""

from dpwerm.arrays import FloatArray
from dpwerm.learn.certificate import certify
from dpwerm.learn.release import Release
from dpwerm.learn.specification import Specification
from dpwerm.mechanisms import get_mechanism
from dpwerm.mechanisms.plan import Stage, no_progress
from dpwerm.privacy.randomness import BitSource
from dpwerm.problem.objective import Objective, WeightedData
from dpwerm.study.encoding import Encoding
from dpwerm.version import __version__

__all__ = ["Stage", "check_release", "fit_release", "no_progress"]


def check_release(spec: Specification, encoding: Encoding, n: int) -> None:
    """Raise if ``fit_release`` could make no claim, so that nothing is charged for it."""
    certify(spec, encoding, n, secure=True, library="")


def fit_release(
    X: FloatArray,
    y: FloatArray,
    weights: FloatArray,
    *,
    encoding: Encoding,
    spec: Specification,
    bits: BitSource,
    threshold: float = 0.0,
    on_stage: Stage = no_progress,
) -> Release:
    """Return the release of argmin Σ w_i ℓ(y_i x_iᵀθ) + γR(θ) under ``spec``.

    X: (n, d) encoded by ``encoding``; y: (n,) in {−1, +1}; weights: (n,) in [0, W]. Callers clip at
    W; a weight above it is a mistake of theirs, which the run refuses. threshold: in [0, 1),
    for what was released.
    """
    certificate, plan = certify(
        spec,
        encoding,
        len(y),
        secure=bits.secure,
        library=f"dpwerm {__version__}",
        receipt=bits.receipt,
    )
    data = WeightedData(
        encoding.learning_rows(X), y, weights, encoding.intercept_scale, encoding.column_bounds
    )
    objective = Objective(data, spec.loss, spec.gamma, spec.regularizer)
    integers = get_mechanism(spec.mechanism).run(objective, plan, bits, on_stage)
    return Release(encoding, integers, certificate, threshold)
