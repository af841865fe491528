"""P(second arm | x) of a trial's rows, from the design, the table or a public model.

Given a public model each row's probability depends on that row alone. Probabilities of a model that
was fitted to the same people and is not released never come from here.
"""

import numpy as np
from scipy.special import expit

from dpwerm.arrays import FloatArray
from dpwerm.errors import ParameterError
from dpwerm.learn.release import Release
from dpwerm.rules.declaration import Declaration
from dpwerm.rules.propensity import model_encoding
from dpwerm.rules.trial import Trial
from dpwerm.study.cells import normalise
from dpwerm.study.encoding import Encoding
from dpwerm.study.propensity import ExternalPropensity, PrivatePropensity
from dpwerm.study.treatment import received_probabilities


def second_arm(
    declaration: Declaration, trial: Trial, encoding: Encoding, released: Release | None = None
) -> FloatArray:
    """Return P(second arm | x) of each row (n,) from design, table or a public model.

    encoding : any encoding of the trial's features
    released : the private propensity model, where the declaration has one
    """
    model = declaration.treatment.propensity
    if trial.given_propensity is not None:
        return trial.given_propensity
    if isinstance(model, ExternalPropensity):
        seen = model_encoding(encoding)
        scores = model.scores(seen, trial.encode(seen))
        first = normalise(model.arm) == normalise(declaration.treatment.arms[0])
        return np.asarray(expit(-scores if first else scores))
    if isinstance(model, PrivatePropensity) and released is not None:
        return np.asarray(expit(released.score(trial.encode(released.encoding))))
    raise ParameterError(
        "the propensity model of this study was fitted to the same people and is not released: "
        "everybody's weight would move with one person. Declare "
        'propensity = { model = "private" }'
    )


def probabilities(
    declaration: Declaration, trial: Trial, encoding: Encoding, released: Release | None = None
) -> FloatArray:
    """Return P(arm received | x) in [π_min, 1], shape (n,), NaN where it is not known."""
    second = second_arm(declaration, trial, encoding, released)
    return received_probabilities(declaration.treatment, trial.arm, second)
