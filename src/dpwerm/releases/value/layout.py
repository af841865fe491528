r"""What the sums mean: which cells and shares there are, and how values are read from them.

A policy's value is a ratio of two linear forms of the sums,

    m = Σ_c numerator_c·(Σy, Σ1)_c / Σ_c denominator_c·(Σ1)_c,

where Σ runs over the rows of cell c with their weights. With h = numerator − m·denominator the
error of m is that of Σ(h·(y, 1)), and its sampling variance is Σ(h·(y, 1))²: both follow from the
same released sums, through ``linear`` and ``square``.

A row is divided into shares by Bernstein polynomials, which add up to 1 whatever the row:

    (1 − u)² + 2u(1 − u) + u² = 1,   u in [0, 1]

Three sums of these shares tell Σ1, Σu and Σu² and cost what one count costs. A weight 1/P that
differs from row to row is divided in the same way: t² + 2t(1 − t) ≤ 1 with t = π_min/P. A row whose
arm, benefit or propensity is missing is in no cell, whatever the others are.

A doubly robust value starts from a public model m_A of the benefit under each arm:

    ψ_A = m_A(x) + 1(y = A)/P(A|x)·(u − m_A(x)),   u the benefit in units of its range

is unbiased for the value of arm A whatever m_A is, if P is right; a good m_A makes it vary less.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any, Self

import numpy as np
from pydantic import AfterValidator, ValidationError, field_validator

from dpwerm.arrays import BoolArray, FloatArray, IntArray
from dpwerm.data.table import normalise
from dpwerm.errors import ParameterError, StudyError
from dpwerm.faults import faults_of, wrong
from dpwerm.features.blocks import Frozen, ReadOnly
from dpwerm.features.encoding import Encoding
from dpwerm.mechanisms.laplace_sums import UNIT, whole_shares
from dpwerm.releases.release import Rule
from dpwerm.study.propensity import LinearModel
from dpwerm.study.treatment import Declaration
from dpwerm.study.values import BROKEN, parse_toml, read_study_text
from dpwerm.text import stays_in_line
from dpwerm.weighting.trial import Trial, model_encoding, probabilities


class OutcomeModel(Frozen):
    """One linear model of the benefit's column for each arm, in the columns' own units.

    It must come from other people than the table's.
    ``[arms.pill]`` has ``intercept`` and ``[arms.pill.coefficients]``, one for each number and
    each ``category=level``.
    """

    arms: Annotated[dict[str, LinearModel], AfterValidator(ReadOnly)]

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
        named = set(map(normalise, self.arms))
        if named != set(map(normalise, arms)) or len(named) != len(self.arms):
            raise ParameterError(
                f"the outcome model must have one model for each of the arms {' and '.join(arms)}"
            )
        for name, model in self.arms.items():
            try:
                model.check(model_encoding(encoding))
            except ParameterError as error:
                raise ParameterError(f"outcome model of {name}: {error}") from None

    def predict(self, arm: str, trial: Trial, encoding: Encoding) -> FloatArray:
        """Return the predicted benefit under an arm, in its column's units, shape (n,)."""
        seen, models = model_encoding(encoding), {normalise(k): v for k, v in self.arms.items()}
        return np.asarray(models[normalise(arm)].scores(seen, trial.encode(seen)))


CONFIDENCES = (0.5, 0.999)


def for_evaluation(declaration: Declaration) -> Declaration:
    """Return a declaration whose benefit is clipped at nothing but its bounds.

    The centre is the midpoint: it makes V as small as it can be and changes no value.
    """
    whole = {"weights": "signed", "declared_centre": "midpoint", "declared_clip": "range"}
    return replace(declaration, benefit=declaration.benefit.model_copy(update=whole))


ONES, MEANS, SQUARES = (1.0, 1.0, 1.0), (0.0, 0.5, 1.0), (0.0, 0.0, 1.0)
"""Σ1, Σu and Σu² from the sums of the three shares of u."""

PRODUCTS = np.array([[SQUARES, MEANS], [MEANS, ONES]])
"""The map from three shares to Σy², Σy, Σ1, shape (2, 2, 3)."""

SHARES = ("(1-u)^2", "2u(1-u)", "u^2")
RULE = "rule"
"""The name of the policy that follows the rule; the others are named after their arm."""


@dataclass(frozen=True)
class Policy:
    """Who counts for a policy, and how far one further person could pull its value.

    numerator: (C, v + 1), the last entry for Σ1; denominator: (C,). A person has weight at most
    ``weight`` and a term in [bottom, top], in units of the benefit's range.
    """

    name: str
    numerator: FloatArray
    denominator: FloatArray
    weight: float
    bottom: float = 0.0
    top: float = 1.0


@dataclass(frozen=True)
class Layout:
    """Names of cells and shares, and the maps from sums (C, K) to moments.

    linear: (C, v + 1, K) gives Σy_1, …, Σy_v, Σ1 with weights; square: (C, v + 1, v + 1, K) gives
    the sums of their products with squared weights.
    """

    kind: str
    cells: tuple[str, ...]
    shares: tuple[str, ...]
    linear: FloatArray
    square: FloatArray
    policies: tuple[Policy, ...]

    @property
    def count(self) -> int:
        """How many sums there are."""
        return len(self.cells) * len(self.shares)

    @property
    def names(self) -> tuple[str, ...]:
        """One name per sum, cell by cell."""
        return tuple(f"{cell}: {share}" for cell in self.cells for share in self.shares)


def layout_by_design(arms: Sequence[str], probabilities: Sequence[Fraction]) -> Layout:
    """Return the layout where each arm has one probability: rows count 1, sums are weighted."""
    weights = [1 / float(one) for one in probabilities]
    linear = [np.multiply(weights[arm], [MEANS, ONES]) for arm in (0, 0, 1, 1)]
    square = [weights[arm] ** 2 * PRODUCTS for arm in (0, 0, 1, 1)]
    return _by_received("design", arms, SHARES, linear, square, (max(weights), *weights))


def layout_by_row(arms: Sequence[str], pi_min: float) -> Layout:
    """Return the layout where the probability differs from row to row and is at least π_min."""
    most = 1 / pi_min
    means, ones = (*MEANS, 0.0, 0.5), (*ONES, 0.5, 0.5)
    linear = np.multiply(most, [means, ones])
    square = np.zeros((2, 2, 5))
    square[:, :, :3] = most**2 * PRODUCTS
    names = (*(f"t^2 {one}" for one in SHARES), "2t(1-t) (1-u)", "2t(1-t) u")
    return _by_received("weighted", arms, names, [linear] * 4, [square] * 4, (most, most, most))


def _by_received(
    kind: str,
    arms: Sequence[str],
    shares: tuple[str, ...],
    linear: Sequence[FloatArray],
    square: Sequence[FloatArray],
    weights: Sequence[float],
) -> Layout:
    """Return the layout of cells by received and recommended arm; weights: largest of each policy.

    The policies are the rule (received as recommended) and each arm for everybody (received).
    """
    cells = tuple(f"{got} received, {told} recommended" for got in arms for told in arms)
    counted = ((1.0, 0.0, 0.0, 1.0), (1.0, 1.0, 0.0, 0.0), (0.0, 0.0, 1.0, 1.0))
    policies = tuple(
        Policy(name, np.outer(who, (1.0, 0.0)), np.array(who), weight)
        for name, who, weight in zip((RULE, *arms), counted, weights, strict=True)
    )
    return Layout(kind, cells, shares, np.array(linear), np.array(square), policies)


def layout_robust(arms: Sequence[str], largest: Sequence[float]) -> Layout:
    r"""Return the layout of the doubly robust terms of both arms, cells by recommended arm.

    The term ψ of an arm lies in [1 − a, a], a = ``largest``, the largest 1/P of that arm, and
    y = (ψ + a − 1)/(2a − 1) in [0, 1] is what is divided into shares.
    """
    pairs = [np.kron(MEANS, ONES), np.kron(ONES, MEANS), np.kron(ONES, ONES)]
    square = [
        [np.kron(SQUARES, ONES), np.kron(MEANS, MEANS), pairs[0]],
        [np.kron(MEANS, MEANS), np.kron(ONES, SQUARES), pairs[1]],
        pairs,
    ]
    scale, shift = [2 * a - 1 for a in largest], [1 - a for a in largest]
    term = [[scale[0], 0.0, shift[0]], [0.0, scale[1], shift[1]]]
    chosen = ((RULE, (0, 1)), (arms[0], (0, 0)), (arms[1], (1, 1)))
    policies = []
    for name, by_cell in chosen:
        most, numerator = max(largest[arm] for arm in by_cell), [term[arm] for arm in by_cell]
        policies.append(Policy(name, np.array(numerator), np.ones(2), 1.0, 1 - most, most))
    names = tuple(f"u {i} w {j}" for i in SHARES for j in SHARES)
    cells = tuple(f"{arm} recommended" for arm in arms)
    linear, squares = np.array([pairs] * 2), np.array([square] * 2)
    return Layout("doubly robust", cells, names, linear, squares, tuple(policies))


def split_evenly(u: FloatArray) -> IntArray:
    """Return the shares (1 − u)², 2u(1 − u), u² of each row, shape (n, 3), of total 1."""
    return _three(u, np.full(len(u), UNIT), np.ones(len(u)))


def split_weighted(u: FloatArray, t: FloatArray) -> IntArray:
    """Return the shares of rows with weights, shape (n, 5), of total t² + 2t(1 − t) ≤ 1.

    t²(1 − u)², 2t²u(1 − u), t²u², 2t(1 − t)(1 − u), 2t(1 − t)u; u, t: (n,) in [0, 1].
    """
    everything = np.full(len(u), UNIT)
    square = whole_shares(t * t, everything)
    mixed = whole_shares(2 * t * (1 - t), everything - square)
    upper = whole_shares(2 * t * (1 - t) * u, mixed)
    return np.column_stack([_three(u, square, t * t), mixed - upper, upper])


def split_pair(u: FloatArray, w: FloatArray) -> IntArray:
    """Return the nine products of the shares of u and of w, shape (n, 9), of total 1.

    Piece 3i + j is the i-th share of u times the j-th of w; u, w: (n,) in [0, 1].
    """
    return np.column_stack([_three(w, part, part / UNIT) for part in split_evenly(u).T])


def _three(u: FloatArray, whole: IntArray, weight: FloatArray) -> IntArray:
    """Return ``whole`` divided into three; what rounding leaves over goes to the middle."""
    last = whole_shares(weight * (u * u), whole)
    first = whole_shares(weight * ((1 - u) * (1 - u)), whole - last)
    return np.column_stack([first, whole - first - last, last])


def layout_for(declaration: Declaration, *, robust: bool) -> Layout:
    """Return which sums are released, from public facts alone."""
    treatment = declaration.treatment
    if robust:
        return layout_robust(treatment.arms, largest_weights(declaration))
    if treatment.probabilities is not None:
        return layout_by_design(treatment.arms, treatment.probabilities)
    return layout_by_row(treatment.arms, treatment.pi_min)


def largest_weights(declaration: Declaration) -> tuple[float, float]:
    """Return the largest 1/P of each arm."""
    least = (declaration.treatment.pi_min,) * 2
    first, second = declaration.treatment.probabilities or least
    return 1 / float(first), 1 / float(second)


def shared_rows(
    rule: Rule,
    declaration: Declaration,
    trial: Trial,
    encoding: Encoding,
    model: OutcomeModel | None = None,
) -> tuple[IntArray, IntArray]:
    """Return the cell (n,) and the shares (n, K) of each row of a trial, which are sensitive.

    declaration : as ``for_evaluation`` gives it; encoding : what an outcome model is about
    """
    treatment = declaration.treatment
    u = _unit(declaration, trial.outcome)
    probability = probabilities(declaration, trial, encoding, rule.propensity)
    told = rule.arms_for(rule.release.score(trial.encode(rule.release.encoding))) == rule.arms[1]
    usable = ~(np.isnan(trial.arm) | np.isnan(u) | np.isnan(probability))
    u, probability = np.where(usable, u, 0.0), np.where(usable, probability, 1.0)
    second = trial.arm > 0
    if model is not None:
        largest, terms = largest_weights(declaration), []
        for arm, got, most in zip(treatment.arms, (~second, second), largest, strict=True):
            predicted = _unit(declaration, model.predict(arm, trial, encoding))
            terms.append(robust_term(predicted, u, probability, got, most))
        return np.where(usable, told, -1).astype(np.int64), split_pair(*terms)
    cells = np.where(usable, 2 * second + told, -1).astype(np.int64)
    if treatment.probabilities is not None:
        return cells, split_evenly(u)
    return cells, split_weighted(u, np.minimum(treatment.pi_min / probability, 1.0))


def _unit(declaration: Declaration, outcome: FloatArray) -> FloatArray:
    """Return the benefit as u in [0, 1], 1 the best; NaN where it is missing."""
    shares = declaration.benefit.centred(outcome) / declaration.benefit.clip
    return np.asarray(np.clip((shares + 1) / 2, 0.0, 1.0))


def robust_term(
    predicted: FloatArray, u: FloatArray, probability: FloatArray, received: BoolArray, most: float
) -> FloatArray:
    """Return ψ of one arm as a number y in [0, 1]: y = (ψ + a − 1)/(2a − 1), a = ``most``."""
    residual = np.where(received, (u - predicted) / probability, 0.0)
    return np.asarray(np.clip((predicted + residual + most - 1) / (2 * most - 1), 0.0, 1.0))
