"""Exact densities of θ* = argmin F(θ; D) + bᵀθ, and how far they differ between neighbours.

The density at θ is ν(b(θ; D))·det ∇²F(θ; D) with b(θ; D) = −∇F(θ; D). The constant of ν is the same
for every D and cancels in a ratio, so log-ratios are exact up to rounding.
"""

import itertools
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from dpwerm.arrays import FloatArray
from dpwerm.exact import sqrt_up
from dpwerm.objective.losses import HuberisedHinge, Logistic
from dpwerm.privacy.budget import Relation

Blocks = tuple[tuple[int, float], ...]
Law = Callable[[FloatArray], FloatArray]
Penalty = Callable[[FloatArray], tuple[FloatArray, FloatArray]]

ROUNDING = 1e-9
"""More than doubles can add to a log-ratio here."""


@dataclass(frozen=True)
class Setting:
    """The public facts: blocks (width, bound) say which rows are allowed, the intercept first."""

    loss: HuberisedHinge | Logistic
    blocks: Blocks
    weight_bound: float
    gamma: float
    relation: Relation = Relation.REPLACE_ONE

    @property
    def p(self) -> int:
        return sum(width for width, _ in self.blocks)

    @property
    def radius(self) -> float:
        return sqrt_up(sum((Fraction(s) ** 2 for _, s in self.blocks), start=Fraction(0)))

    @property
    def curvature(self) -> float:
        """The largest trace W·c·r² of one person's term."""
        return self.weight_bound * self.loss.smoothness * self.radius**2

    @property
    def bends(self) -> tuple[float, ...]:
        """Margins where the loss's derivatives do something: kinks, or the steepest change."""
        h = getattr(self.loss, "h", None)
        return (0.0,) if h is None else (1 - h, 1 + h)


@dataclass(frozen=True)
class Records:
    """Signed rows y·x (n, p) and weights (n,)."""

    rows: FloatArray
    weights: FloatArray

    def plus(self, other: "Records") -> "Records":
        return Records(
            np.concatenate([self.rows, other.rows]), np.concatenate([self.weights, other.weights])
        )


Pair = tuple[Records, Records]


def record(setting: Setting, row: Iterable[float], weight: float | None = None) -> Records:
    """Return one person with the signed row y·x, of the largest weight unless told."""
    w = setting.weight_bound if weight is None else weight
    return Records(np.array([list(row)], dtype=float), np.array([w]))


def nobody(setting: Setting) -> Records:
    return Records(np.zeros((0, setting.p)), np.zeros(0))


def l2_norm(b: FloatArray) -> FloatArray:
    length: FloatArray = np.linalg.norm(b, axis=1)
    return length


def block_norm(blocks: Blocks) -> Law:
    """Return ‖b‖_K: the largest over blocks of ‖b_block‖₁/s, which for width 1 is |b_j|/s_j."""
    ends = np.cumsum([width for width, _ in blocks])

    def norm(b: FloatArray) -> FloatArray:
        parts = np.split(b, ends[:-1], axis=1)
        sizes = [np.abs(part).sum(1) / s for part, (_, s) in zip(parts, blocks, strict=True)]
        largest: FloatArray = np.max(sizes, axis=0)
        return largest

    return norm


def exponential(rate: float, norm: Law) -> Law:
    """Return log ν for ν(b) ∝ exp(−β‖b‖)."""
    return lambda b: -rate * norm(b)


def normal(sigma: float) -> Law:
    """Return log ν for N(0, σ²I), up to the constant."""
    return lambda b: -((b / sigma) ** 2).sum(1) / 2


def ridge(theta: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the gradient and the curvature of ½‖θ‖², coordinate by coordinate."""
    return theta, np.ones_like(theta)


def uneven_ridge(factors: Iterable[float]) -> Penalty:
    """Return ½Σ f_j θ_j²: some coordinates are penalised less than others."""
    f = np.array(list(factors))
    return lambda theta: (f * theta, f * np.ones_like(theta))


def perturbation(
    setting: Setting, data: Records, theta: FloatArray, penalty: Penalty = ridge
) -> FloatArray:
    """Return b(θ; D) = −∇F(θ; D) for each row of θ."""
    slopes = setting.loss.derivative(theta @ data.rows.T)
    total: FloatArray = (data.weights * slopes) @ data.rows
    return -(total + setting.gamma * penalty(theta)[0])


def log_determinant(
    setting: Setting, data: Records, theta: FloatArray, penalty: Penalty = ridge
) -> FloatArray:
    """Return log det ∇²F(θ; D) for each row of θ."""
    curvatures = data.weights * setting.loss.second_derivative(theta @ data.rows.T)
    hessian = np.einsum("mn,np,nq->mpq", curvatures, data.rows, data.rows)
    diagonal = np.arange(setting.p)
    hessian[:, diagonal, diagonal] += setting.gamma * penalty(theta)[1]
    logarithm: FloatArray = np.linalg.slogdet(hessian)[1]
    return logarithm


def log_density(
    setting: Setting, data: Records, theta: FloatArray, law: Law, penalty: Penalty = ridge
) -> FloatArray:
    """Return the log-density of θ* up to the constant of ν."""
    b = perturbation(setting, data, theta, penalty)
    return law(b) + log_determinant(setting, data, theta, penalty)


def points(setting: Setting, pair: Pair, count: int = 8_000) -> FloatArray:
    """Return a grid of θ, and points a hair to either side of every bend of every record."""
    p, span = setting.p, 6 / setting.radius
    axis = np.linspace(-span, span, max(3, round(count ** (1 / p))))
    found = [np.stack(np.meshgrid(*[axis] * p, indexing="ij"), axis=-1).reshape(-1, p)]
    along = np.random.default_rng(5).normal(size=(200, p)) * np.geomspace(1e-3, 1e3, 200)[:, None]
    along[0] = 0
    for row in np.concatenate([pair[0].rows, pair[1].rows]):
        square = float(row @ row)
        beside = along - np.outer(along @ row, row) / square
        for bend, hair in itertools.product(setting.bends, (-1e-11, 1e-11)):
            found.append(row * (bend + hair) / square + span / 6 * beside)
    return np.concatenate(found)


def largest_log_ratio(
    setting: Setting, pairs: Iterable[Pair], law: Law, penalty: Penalty = ridge
) -> float:
    """Return the largest |log p_D(θ) − log p_D'(θ)| over the pairs and their points."""
    worst = 0.0
    for pair in pairs:
        theta = points(setting, pair)
        one, other = (log_density(setting, data, theta, law, penalty) for data in pair)
        worst = max(worst, float(np.abs(one - other).max()))
    return worst


def corners(setting: Setting) -> list[FloatArray]:
    """Return the extreme rows: ±s in blocks of width 1, one signed level in a wider block."""
    choices = []
    for width, s in setting.blocks:
        signed = np.concatenate([np.eye(width), -np.eye(width)]) * s
        choices.append(list(signed))
    return [np.concatenate(parts) for parts in itertools.product(*choices)]


def opposite(setting: Setting) -> Pair:
    """Return one extreme person and the same person with the other label, or with nobody."""
    row = corners(setting)[0]
    if setting.relation is Relation.ADD_REMOVE:
        return record(setting, row), nobody(setting)
    return record(setting, row), record(setting, -row)


def corner_pairs(setting: Setting, others: Records | None = None) -> list[Pair]:
    """Return every pair of extreme people, up to a common sign, among the same others."""
    rows = corners(setting)
    first = rows[: len(rows) // 2]
    crowd = nobody(setting) if others is None else others
    if setting.relation is Relation.ADD_REMOVE:
        return [(crowd.plus(record(setting, row)), crowd) for row in first]
    return [
        (crowd.plus(record(setting, row)), crowd.plus(record(setting, other)))
        for row in first
        for other in rows
        if not np.array_equal(row, other)
    ]


def random_people(setting: Setting, n: int, generator: np.random.Generator) -> Records:
    """Return n people inside the bounds; rows of wide blocks lie in the cross-polytope."""
    parts = []
    for width, s in setting.blocks:
        raw = generator.exponential(size=(n, width + 1))
        share = raw[:, :width] / raw.sum(1, keepdims=True)
        parts.append(s * share * generator.choice([-1.0, 1.0], (n, width)))
    weights = setting.weight_bound * generator.random(n)
    return Records(np.concatenate(parts, axis=1), weights)


def random_pairs(setting: Setting, count: int, seed: int) -> list[Pair]:
    """Return pairs that differ in one person: random or extreme people among up to three others."""
    generator = np.random.default_rng(seed)
    extremes = corners(setting)
    pairs = []
    for _ in range(count):
        crowd = random_people(setting, int(generator.integers(4)), generator)
        two = []
        for _ in range(2):
            person = random_people(setting, 1, generator)
            if generator.random() < 0.6:
                person = record(setting, extremes[generator.integers(len(extremes))])
            two.append(crowd.plus(person))
        one, other = two
        pairs.append((one, crowd if setting.relation is Relation.ADD_REMOVE else other))
    return pairs


def margin_gamma(loss: HuberisedHinge, blocks: Blocks, weight_bound: float) -> float:
    """Return γ = W r²/(1 − h), at which the pair of opposite people attains the bound."""
    square = math.fsum(s * s for _, s in blocks)
    return weight_bound * square / (1 - loss.h)


def quadrature(setting: Setting, pair: Pair, size: float) -> tuple[FloatArray, FloatArray]:
    """Return nodes (m, 1) and weights (m,) for p = 1, split at every bend, for all |b| ≤ size."""
    people = max(len(data.rows) for data in pair)
    reach = (size + people * setting.weight_bound * setting.radius) / setting.gamma
    rows = np.concatenate([pair[0].rows, pair[1].rows])
    bends = [bend / float(row[0]) for row in rows for bend in setting.bends]
    inner = np.linspace(-min(reach, 9), min(reach, 9), 1001)
    edges = np.concatenate([np.linspace(-reach, reach, 3001), inner, bends])
    edges = np.unique(edges[np.abs(edges) <= reach])
    half, middle = np.diff(edges) / 2, (edges[1:] + edges[:-1]) / 2
    nodes, shares = np.polynomial.legendre.leggauss(6)
    theta = (middle[:, None] + half[:, None] * nodes).reshape(-1, 1)
    return theta, (half[:, None] * shares).ravel()
