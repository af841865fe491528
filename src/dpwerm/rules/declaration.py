"""The public facts a rule rests on besides its encoding: treatment, benefit, and W = V/π_min.

They are kept in the rule, so that the weight bound of its certificate can be derived again.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self

from pydantic import ValidationError

from dpwerm.errors import ParameterError
from dpwerm.rules.outcome_weights import weight_bound
from dpwerm.study.benefit import Benefit
from dpwerm.study.declaration import Study
from dpwerm.study.faults import faults_of
from dpwerm.study.treatment import Treatment


@dataclass(frozen=True)
class Declaration:
    """Treatment and benefit as a study file declares them, and where bounds come from."""

    treatment: Treatment
    benefit: Benefit
    study_id: str = ""
    study_name: str = ""
    sources: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of_study(cls, study: Study) -> Self:
        """Return what a rule keeps of its study."""
        sources = {name: feature.source for name, feature in study.features.items()}
        return cls(
            study.treatment,
            study.benefit,
            study.id,
            study.name or "",
            {name: source for name, source in sources.items() if source},
        )

    @classmethod
    def of_keys(
        cls,
        treatment: Mapping[str, Any],
        benefit: Mapping[str, Any],
        names: Mapping[str, str] | None = None,
    ) -> Self:
        """Return the declaration of a study file's keys; every fault is one parameter error.

        names: what a key is called where the error will be read, if not by its own name.
        """
        faults = []
        try:
            declared = Treatment.model_validate(dict(treatment))
        except ValidationError as error:
            faults += faults_of(error)
        try:
            outcome = Benefit.model_validate(dict(benefit))
        except ValidationError as error:
            faults += faults_of(error)
        if faults:
            known = names or {}
            called = [replace(fault, where=known.get(fault.where, fault.where)) for fault in faults]
            raise ParameterError("; ".join(str(fault) for fault in called))
        return cls(declared, outcome)

    @property
    def weight_bound(self) -> float:
        """The bound W = V/π_min on every weight, rounded up."""
        return weight_bound(self.benefit.clip, self.treatment.pi_min)

    def treatment_keys(self) -> dict[str, Any]:
        """Return the treatment as plain keys that ``of_keys`` reads back."""
        treatment = self.treatment
        keys: dict[str, Any] = {
            "column": treatment.column,
            "origin": treatment.origin,
            "default": treatment.default,
        }
        if treatment.probabilities is not None:
            pairs = zip(treatment.arms, treatment.probabilities, strict=True)
            return {**keys, "arms": {arm: str(probability) for arm, probability in pairs}}
        return {
            **keys,
            "arms": list(treatment.arms),
            "propensity": treatment.propensity_column,
            "propensity_floor": str(treatment.propensity_floor),
        }

    def benefit_keys(self) -> dict[str, Any]:
        """Return the benefit as plain keys that ``of_keys`` reads back, nothing left to default."""
        benefit = self.benefit
        keys = {
            "column": benefit.column,
            "bounds": list(benefit.bounds),
            "transform": benefit.transform,
            "direction": benefit.direction,
            "weights": benefit.weights,
            "centre": benefit.centre,
            "clip": benefit.clip,
        }
        return keys | ({"source": benefit.source} if benefit.source else {})
