"""What a rule keeps of its study besides its encoding: treatment, benefit, sources of bounds."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self

from pydantic import ValidationError

from dpwerm.errors import ParameterError
from dpwerm.faults import faults_of
from dpwerm.study.study import Study
from dpwerm.study.treatment import Treatment
from dpwerm.study.variables import Benefit


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

    @classmethod
    def of_record(cls, treatment: Mapping[str, Any], benefit: Mapping[str, Any]) -> Self:
        """Return the declaration of a rule file; the inverse of the two methods below.

        Arms are a list there: their order decides which is −1, and the order of keys in a JSON
        object decides nothing.
        """
        keys = dict(treatment)
        arms = _two_texts("arms", keys.get("arms"))
        if "probabilities" in keys:
            probabilities = _two_texts("probabilities", keys.pop("probabilities"))
            keys["arms"] = dict(zip(arms, probabilities, strict=True))
        return cls.of_keys(keys, benefit)

    def checked(self) -> Self:
        """Return this declaration if a rule file can hold it; called before any row is read."""
        back = self.of_record(self.treatment_keys(), self.benefit_keys())
        same = back.treatment_keys() == self.treatment_keys()
        if not (same and back.benefit_keys() == self.benefit_keys()):
            raise ParameterError("treatment and benefit cannot be written to a rule file exactly")
        return self

    def clipped_at(self, share: float | None) -> Self:
        """Return this declaration with V at a share of the largest, if it was left open."""
        if share is None or not self.benefit.clip_is_open:
            return self
        return replace(self, benefit=self.benefit.clipped_at(share))

    def treatment_keys(self) -> dict[str, Any]:
        """Return the treatment as plain values that ``of_record`` reads back."""
        treatment = self.treatment
        keys: dict[str, Any] = {
            "column": treatment.column,
            "arms": list(treatment.arms),
            "origin": treatment.origin,
            "default": treatment.default,
        }
        if treatment.probabilities is not None:
            return {**keys, "probabilities": [str(one) for one in treatment.probabilities]}
        if treatment.declared_origin is None:  # a model brings its own
            del keys["origin"]
        propensity = treatment.propensity
        return {
            **keys,
            "propensity": None if propensity is None else propensity.plain(),
            "propensity_floor": str(treatment.propensity_floor),
        }

    def benefit_keys(self) -> dict[str, Any]:
        """Return the benefit as plain values that ``of_record`` reads back, no default left."""
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


def _two_texts(name: str, value: object) -> list[str]:
    if isinstance(value, list) and len(value) == 2 and all(isinstance(one, str) for one in value):
        return value
    raise ParameterError(f"{name}: must be a list of two texts")
