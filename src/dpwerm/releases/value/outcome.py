"""A public model of the benefit for each arm, from which a doubly robust value starts.

    ψ_A = m_A(x) + 1(y = A)/P(A|x)·(u − m_A(x)),   u the benefit in units of its range

is unbiased for the value of arm A whatever m_A is, if P is right; a good m_A makes it vary less.
The model must come from other people than the table's. Beside it stands what any evaluation is
made of: the benefit within its bounds alone, and the origins of weights that are refused.
"""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

import numpy as np
from pydantic import ValidationError, field_validator

from dpwerm.arrays import FloatArray
from dpwerm.data.table import normalise
from dpwerm.errors import ParameterError, StudyError
from dpwerm.faults import faults_of, wrong
from dpwerm.features.blocks import Frozen
from dpwerm.features.encoding import Encoding
from dpwerm.study.propensity import LinearModel
from dpwerm.study.treatment import Declaration
from dpwerm.study.values import BROKEN, parse_toml, read_study_text
from dpwerm.text import stays_in_line
from dpwerm.weighting.contract import Trial
from dpwerm.weighting.propensity import model_encoding


class OutcomeModel(Frozen):
    """One linear model of the benefit's column for each arm, in the columns' own units.

    ``[arms.pill]`` has ``intercept`` and ``[arms.pill.coefficients]``, one for each number and
    each ``category=level``.
    """

    arms: dict[str, LinearModel]

    @field_validator("arms")
    @classmethod
    def _are_named_in_one_line(cls, arms: dict[str, LinearModel]) -> dict[str, LinearModel]:
        if not all(map(stays_in_line, arms)):
            raise wrong(f"an arm {BROKEN}", "name the arms as the study does")
        return arms

    @classmethod
    def of(cls, model: "OutcomeModel | Mapping[str, Any] | None") -> "OutcomeModel | None":
        """Return the model of plain values."""
        if model is None or isinstance(model, OutcomeModel):
            return model
        if not isinstance(model, Mapping):
            kind = type(model).__name__
            raise ParameterError(f"outcome_model must be a mapping or an OutcomeModel, not {kind}")
        try:
            return cls.model_validate(dict(model))
        except ValidationError as error:
            raise ParameterError("; ".join(map(str, faults_of(error)))) from None

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Return the model in a TOML file; all its faults are reported at once."""
        label = f"outcome model {Path(path).name}"
        raw = parse_toml(read_study_text(path), label)
        try:
            return cls.model_validate(raw)
        except ValidationError as error:
            raise StudyError(label, faults_of(error)) from None

    def check(self, arms: tuple[str, str], encoding: Encoding) -> None:
        """Raise unless there is a model of these features for each of the arms and no other."""
        named = {normalise(name): name for name in self.arms}
        if set(named) != {normalise(name) for name in arms} or len(named) != len(self.arms):
            raise ParameterError(
                f"the outcome model must have one model for each of the arms {' and '.join(arms)}"
            )
        for name, model in self.arms.items():
            try:
                model.check(model_encoding(encoding))
            except ParameterError as error:
                raise ParameterError(f"outcome model of {name}: {error}") from None

    def of_arm(self, arm: str) -> LinearModel:
        """Return the model of one arm; arms are compared as cells are."""
        return next(one for name, one in self.arms.items() if normalise(name) == normalise(arm))

    def predict(self, arm: str, trial: Trial, encoding: Encoding) -> FloatArray:
        """Return the predicted benefit under an arm, in its column's units, shape (n,)."""
        seen = model_encoding(encoding)
        predicted: FloatArray = np.asarray(self.of_arm(arm).scores(seen, trial.encode(seen)))
        return predicted


# -- what is evaluated ---------------------------------------------------------------------

CONFIDENCES = (0.5, 0.999)
NOT_EVALUATED = {
    "worst_case": "nothing is known of where the probabilities come from",
    "ridge": "its propensity model was fitted to the same people and is not released",
}
"""Origins under which one person could move the weights of all others, and why."""


def for_evaluation(declaration: Declaration) -> Declaration:
    """Return a declaration whose benefit is clipped at nothing but its bounds.

    The centre is the midpoint: it makes V as small as it can be and changes no value.
    """
    benefit = declaration.benefit.model_copy(
        update={"weights": "signed", "declared_centre": "midpoint", "declared_clip": "range"}
    )
    return replace(declaration, benefit=benefit)
