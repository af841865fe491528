"""Decision rules from sensitive weighted data, released under differential privacy."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dpwerm.learn.classifier import PrivateWeightedClassifier
    from dpwerm.learn.release import Release
    from dpwerm.privacy.budget import Budget
    from dpwerm.privacy.ledger.ledger import Ledger
    from dpwerm.rules.treatment_rule import PrivateTreatmentRule
    from dpwerm.rules.value.evaluate import treatment_value
    from dpwerm.study.declaration import Study
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
    "PrivateTreatmentRule": "dpwerm.rules.treatment_rule",
    "PrivateWeightedClassifier": "dpwerm.learn.classifier",
    "Release": "dpwerm.learn.release",
    "Study": "dpwerm.study.declaration",
    "__version__": "dpwerm.version",
    "treatment_value": "dpwerm.rules.value.evaluate",
}


def __getattr__(name: str) -> Any:
    """Load a public name when it is first used: scikit-learn alone takes a second."""
    if name not in _HOMES:
        raise AttributeError(f"module 'dpwerm' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
