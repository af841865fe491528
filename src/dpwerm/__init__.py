"""Decision rules from sensitive weighted data, released under differential privacy."""

from dpwerm.learn.classifier import PrivateWeightedClassifier
from dpwerm.learn.release import Release
from dpwerm.privacy.budget import Budget
from dpwerm.rules.treatment_rule import PrivateTreatmentRule
from dpwerm.study.declaration import Study
from dpwerm.version import __version__

__all__ = [
    "Budget",
    "PrivateTreatmentRule",
    "PrivateWeightedClassifier",
    "Release",
    "Study",
    "__version__",
]
