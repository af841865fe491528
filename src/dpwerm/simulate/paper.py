r"""The paper's synthetic trial: four uniform features, two arms at random, a linear contrast.

    f(x) = 1 + x₁ + x₂ − 1.8x₃ − 2.2x₄,   B ~ N(0.01 + 0.02x₄ + 3·y·f(x), 0.5²)

The better arm is the sign of f. The benefit is as drawn: the paper's shift by the sample minimum
depends on everybody's data and lives in ``reproduce``.
"""

import numpy as np

from dpwerm.arrays import FloatArray
from dpwerm.simulate.trial import Trial

INTERCEPT = 1.0
SLOPES = np.array([1.0, 1.0, -1.8, -2.2])
PROPENSITY = 0.5


def contrast(features: FloatArray) -> FloatArray:
    """Return f(x) = 1 + x₁ + x₂ − 1.8x₃ − 2.2x₄."""
    return np.asarray(INTERCEPT + features @ SLOPES)


def paper_trial(n: int, rng: np.random.Generator) -> Trial:
    """Return n simulated people of the paper's synthetic experiment."""
    features = rng.uniform(size=(n, len(SLOPES)))
    f = contrast(features)
    treatment = rng.choice([-1.0, 1.0], size=n)
    benefit = rng.normal(0.01 + 0.02 * features[:, 3] + 3.0 * treatment * f, 0.5)
    return Trial(features, treatment, benefit, np.where(f > 0, 1.0, -1.0))
