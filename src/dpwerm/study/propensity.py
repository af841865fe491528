r"""Where P(second arm | x) comes from, when the design does not fix it.

.. math:: P(\text{second} \mid x) = \sigma(a_0 + {\textstyle\sum_j} a_j x_j)

for a model, a column of the table otherwise. Which people a model was fitted to decides what the
weights cost: an external model nothing, a private one its own part of the budget, an unreleased one
the constant C (docs/proofs/weight-origin.md).
"""

from decimal import Decimal
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import AfterValidator, BeforeValidator, Field, PlainValidator

from dpwerm.arrays import FloatArray
from dpwerm.errors import ParameterError
from dpwerm.faults import nearest, shown, wrong
from dpwerm.features.blocks import Frozen, NumberBlock, ReadOnly
from dpwerm.features.encoding import Encoding
from dpwerm.study.values import AutoPositive, Cell, Real, Text, decimal

LIMIT = "asymptotic"
"""The paper's second case of C, known by name so that asking for it says why not."""

ASYMPTOTIC = (
    "the paper's H/n is a statement about large samples, up to terms that vanish only in "
    "probability, so no release can rest on it; its own proof gives H, not H/n"
)
"""Why it is never the basis of a release."""

INSTEAD = (
    "Use a private propensity model; how large H would be, python -m reproduction bounds says in "
    "the repository"
)

DECLARABLE = {"design": True, "external": True, "worst_case": False}
"""The weight origins that a study may declare, and whether one says that each weight follows from
its own record; ``register_origin`` adds to them."""

MODELS = ("private", "external", "ridge", "outcome", "column")


def refuse_limit(name: object) -> None:
    """Raise where a study names the paper's second case as a model or an origin."""
    if name == LIMIT:
        raise wrong(f"cannot be {LIMIT}: {ASYMPTOTIC}", 'use model = "private"')


def share_of(value: object) -> Decimal | str:
    """Return "auto" or the exact part of a budget, above 0 and below 1."""
    if value == "auto":
        return "auto"
    found = decimal(value)
    if not 0 < found < 1:
        remedy = "both the propensity model and the rule need a part of the budget"
        raise wrong(f"must be above 0 and below 1, not {shown(found)}", remedy)
    return found


class ColumnPropensity(Frozen):
    """A column of the table holds P(second arm | x)."""

    origin: ClassVar[str | None] = None  # the study declares it
    model: Literal["column"] = "column"
    column: Text


class PrivatePropensity(Frozen):
    """A logistic model of the same people, released with its own share of the budget."""

    origin: ClassVar[str | None] = "released"
    model: Literal["private"] = "private"
    share: Annotated[Decimal | str, PlainValidator(share_of)] = "auto"


class RidgePropensity(Frozen):
    """A logistic model of the same people with penalty γ_p that is used and never released."""

    origin: ClassVar[str | None] = "ridge"
    model: Literal["ridge"] = "ridge"
    gamma: AutoPositive = "auto"

    def penalty(self, n: int) -> float:
        """Return γ_p; "auto" is n, the order at which the constant C is bearable."""
        return float(max(n, 1)) if isinstance(self.gamma, str) else self.gamma


class NoPropensity(Frozen):
    """No probabilities are known: the rule rests on a model of the outcome in each arm instead."""

    origin: ClassVar[str | None] = "unused"
    model: Literal["outcome"] = "outcome"


class LinearModel(Frozen):
    """A linear score of public coefficients in the columns' own units.

    score(x) = intercept + Σ coefficient of each number · x + Σ coefficient of each row's level

    Every number has a coefficient, 0 if the model does without it, and every category at least one
    level; a level that is not named adds 0.
    """

    intercept: Real
    coefficients: Annotated[dict[str, Real], AfterValidator(ReadOnly)]

    def check(self, encoding: Encoding) -> None:
        """Raise unless the coefficients are for these features."""
        known = [name for block in encoding.blocks for name in block.own_names]
        faults = []
        for name in self.coefficients:
            if name not in known:
                guess = nearest(name, known)
                known_names = f"known: {shown(', '.join(known))}"
                hint = f"did you mean {shown(guess)}?" if guess else known_names
                faults.append(f"{shown(name)} is no feature or level of the study; {hint}")
        for block in encoding.blocks:
            names = block.own_names
            if not any(name in self.coefficients for name in names):
                faults.append(f"{shown(names[-1])} has no coefficient; write 0 if it is not used")
        if faults:
            raise ParameterError("; ".join(faults))

    def scores(self, encoding: Encoding, X: FloatArray) -> FloatArray:
        """Return the score of rows (n, d) that ``encoding``, of the kind centred, encoded."""
        self.check(encoding)
        constant, slopes = self.intercept, []
        for block in encoding.blocks:
            values = [self.coefficients.get(name, 0.0) for name in block.own_names]
            if isinstance(block, NumberBlock):
                half = (block.upper - block.lower) / 2
                constant += values[0] * (block.lower + half)
                slopes.append(values[0] * half)
            elif block.width == 1:
                constant += (values[0] + values[1]) / 2
                slopes.append((values[1] - values[0]) / 2)
            else:
                slopes += values
        # One row's score must not depend on the rows beside it, so no matrix product.
        scores: FloatArray = constant + np.einsum("ij,j->i", X, np.array(slopes))
        return scores


class ExternalPropensity(LinearModel):
    """A logistic model fitted to independent data: its score is the log-odds of ``arm``."""

    origin: ClassVar[str | None] = "external"
    model: Literal["external"] = "external"
    arm: Cell


def _tabled(value: object) -> object:
    """Return the name of a column as the table that it stands for."""
    if isinstance(value, str):
        return {"model": "column", "column": value}
    if value is None or isinstance(value, Frozen):
        return value
    model = value.get("model") if isinstance(value, dict) else None
    refuse_limit(model)
    if not isinstance(value, dict) or model not in MODELS:
        known = ", ".join(f'"{name}"' for name in MODELS)
        raise wrong(f"must name a column, or a model among {known}", 'use model = "private"')
    if "file" in value:
        remedy = "load the study from its file, or write intercept and coefficients here"
        raise wrong("a file of coefficients is found beside a study file only", remedy)
    return value


Propensity = Annotated[
    ColumnPropensity | PrivatePropensity | RidgePropensity | ExternalPropensity | NoPropensity,
    Field(discriminator="model"),
]
PROPENSITIES = (
    ColumnPropensity,
    PrivatePropensity,
    RidgePropensity,
    ExternalPropensity,
    NoPropensity,
)
WrittenPropensity = Annotated[Propensity | None, BeforeValidator(_tabled)]
"""A column's name, or a table with a model."""
