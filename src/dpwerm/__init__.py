"""Decision rules from sensitive weighted data, released under differential privacy."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dpwerm.estimators.classifier import PrivateWeightedClassifier
    from dpwerm.estimators.treatment_rule import PrivateTreatmentRule
    from dpwerm.evaluate import treatment_value
    from dpwerm.privacy.budget import Budget
    from dpwerm.privacy.ledger.ledger import Ledger
    from dpwerm.releases.release import Release
    from dpwerm.study.study import Study
    from dpwerm.version import __version__

__all__ = [
    "Budget",
    "Ledger",
    "PrivateTreatmentRule",
    "PrivateWeightedClassifier",
    "Release",
    "Study",
    "__version__",
    "treatment_value",
]

_HOMES = {
    "Budget": "dpwerm.privacy.budget",
    "Ledger": "dpwerm.privacy.ledger.ledger",
    "PrivateTreatmentRule": "dpwerm.estimators.treatment_rule",
    "PrivateWeightedClassifier": "dpwerm.estimators.classifier",
    "Release": "dpwerm.releases.release",
    "Study": "dpwerm.study.study",
    "__version__": "dpwerm.version",
    "treatment_value": "dpwerm.evaluate",
}


def __getattr__(name: str) -> Any:
    """Load a public name when it is first used: scikit-learn alone takes a second."""
    if name not in _HOMES:
        raise AttributeError(f"module 'dpwerm' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
