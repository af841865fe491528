"""From a trial to the rows of the weighted problem: x, y', w with w ≤ W."""

from dataclasses import dataclass

from dpwerm.arrays import FloatArray
from dpwerm.rules.declaration import Declaration
from dpwerm.rules.outcome_weights import outcome_weights
from dpwerm.rules.trial import Trial
from dpwerm.study.encoding import Encoding
from dpwerm.study.treatment import received_probabilities


@dataclass(frozen=True, repr=False)
class TrialRows:
    """Encoded features, labels and weights of one trial: sensitive, never printed."""

    X: FloatArray
    labels: FloatArray
    weights: FloatArray


def rows_of(
    trial: Trial, declaration: Declaration, encoding: Encoding, second: FloatArray
) -> TrialRows:
    """Return the rows of a trial; second: (n,) P(second arm | x), wherever it comes from."""
    labels, weights = outcome_weights(
        trial.arm,
        declaration.benefit.centred(trial.outcome),
        received_probabilities(declaration.treatment, trial.arm, second),
        declaration.weight_bound,
    )
    return TrialRows(trial.encode(encoding), labels, weights)
