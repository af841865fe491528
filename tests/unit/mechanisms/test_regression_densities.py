"""Contrast and arm-wise regression against exact densities: each norm, relation and loss.

Domain, design rows, penalty, W and facts are the library's own for each estimator; the norms are
written out by hand. A constant too small breaks the first tests, one too large those of attainment.
"""

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import pytest
from tests.unit.mechanisms.calibrations import PURE, inside_of, rate_of
from tests.unit.mechanisms.densities import ROUNDING
from tests.unit.mechanisms.pages import rows_of
from tests.unit.mechanisms.residual_densities import (
    FAR,
    Case,
    Crowd,
    Norm,
    Person,
    neighbours,
    opposite,
    people_of,
    worst,
)

from dpwerm.arrays import FloatArray
from dpwerm.features.blocks import CategoryBlock, Level, NumberBlock
from dpwerm.features.encoding import Encoding
from dpwerm.mechanisms import MECHANISMS
from dpwerm.mechanisms.contract import Calibration, Inside
from dpwerm.objective.losses import Loss
from dpwerm.objective.regularizers import Ridge
from dpwerm.objective.residual_losses import ExpHuber, Huber
from dpwerm.privacy.budget import Budget, Relation
from dpwerm.releases.certificate import Specification, facts_of
from dpwerm.weighting.arm_wise import ArmWiseRegression
from dpwerm.weighting.contract import Weighting
from dpwerm.weighting.contrast import ContrastRegression

CLAIM, T, S0, M0 = 1.0, 0.4, 0.5, 0.75
INSIDE = 0.99 * CLAIM
RELATIONS = list(Relation)
LOSSES: dict[str, Loss] = {"huber": Huber(T), "exp-huber": ExpHuber(T)}

NUMBER = Encoding.of_numbers(["x"], [(-1.0, 1.0)], intercept=S0)
LEVELS = CategoryBlock(
    name="site",
    column="site",
    levels=tuple(Level(name=one, cells=(one,)) for one in "abc"),
    default="a",
)
MIXED = Encoding(
    kind="centred",
    intercept=S0,
    blocks=(NumberBlock(name="x", column="x", lower=-1.0, upper=1.0, default=0.0), LEVELS),
)
EXTREMES = {
    "number": (NUMBER, [[1.0], [-1.0]]),
    "mixed": (MIXED, [[s, *level] for s in (1.0, -1.0) for level in np.eye(3).tolist()]),
}


def row_norm(b: FloatArray) -> FloatArray:
    """The norm of (s₀, x), or of (s₀, x, one of three levels)."""
    sizes = [abs(b[:, 0]) / S0, abs(b[:, 1])]
    if b.shape[1] > 2:
        sizes.append(abs(b[:, 2:]).sum(axis=1))
    return np.asarray(np.max(sizes, axis=0))


def contrast_norm(b: FloatArray) -> FloatArray:
    return np.maximum(abs(b[:, 0]) / M0, row_norm(b[:, 1:]))


def arms_norm(columns: int) -> Norm:
    """Each arm's norm, added; curves beside them."""

    def norm(b: FloatArray) -> FloatArray:
        both = row_norm(b[:, :columns]) + row_norm(b[:, columns : 2 * columns])
        return np.asarray(np.maximum(both, abs(b[:, 2 * columns :]).max(axis=1, initial=0.0)))

    return norm


@dataclass(frozen=True)
class Estimator:
    """A weighting with γ_main/γ_contrast, and whether its bound on xᵀM⁻¹x is attained."""

    weighting: Weighting
    features: str = "number"
    main: float = 1.0
    tight: bool = True

    @property
    def encoding(self) -> Encoding:
        return EXTREMES[self.features][0]

    def case(self) -> Case:
        """Return the domain, its norm and the design rows of extreme people in each arm."""
        encoding, rows = EXTREMES[self.features]
        columns = len(encoding.coefficient_names)
        X = np.array(rows * 2)
        arm = np.repeat([-1.0, 1.0], len(rows))
        design = self.weighting.design(X, arm, encoding)
        constant = self.weighting.constant(encoding)
        if constant:
            design = np.column_stack([np.full(len(design), constant), design])
        norm: Norm = arms_norm(columns)
        if isinstance(self.weighting, ContrastRegression):
            norm = contrast_norm if self.weighting.mean else row_norm
        corners = tuple(tuple(row) for row in design.tolist())
        return Case(self.weighting.domain(encoding), norm, corners)

    def calibration(
        self, loss: Loss, gamma: float, relation: Relation, name: str, claim: float = CLAIM
    ) -> Calibration:
        spec = Specification(
            budget=Budget.of(claim),
            gamma=gamma,
            weight_bound=1.0,
            mechanism=name,
            relation=relation,
            loss=loss,
            regularizer=self.weighting.penalty(self.encoding, self.main) or Ridge(),
            weighting=self.weighting,
        )
        return MECHANISMS[name].calibrate(facts_of(spec, self.encoding, 1), spec.budget)

    def stated(self) -> float:
        """Return the library's bound on xᵀM⁻¹x."""
        calibration = self.calibration(LOSSES["huber"], 50.0, Relation.REPLACE_ONE, PURE[0])
        return float(calibration.facts.curvature_bound)

    def leverage(self) -> float:
        """sup xᵀM⁻¹x, from the extreme rows and the inverse itself."""
        rows = np.array(self.case().corners)
        penalty = self.weighting.penalty(self.encoding, self.main) or Ridge()
        matrix = penalty.matrix(rows.shape[1])
        assert matrix is not None
        return float(np.einsum("np,pq,nq->n", rows, np.linalg.inv(matrix), rows).max())


ESTIMATORS = {
    "contrast": Estimator(ContrastRegression(M0)),
    "contrast, no mean": Estimator(ContrastRegression(0.0)),
    "contrast, levels": Estimator(ContrastRegression(M0), "mixed"),
    "arm-wise": Estimator(ArmWiseRegression()),
    "arm-wise, main effect penalised": Estimator(ArmWiseRegression(), main=4.0),
    "arm-wise, contrast penalised": Estimator(ArmWiseRegression(), main=0.25),
    "arm-wise, levels": Estimator(ArmWiseRegression(), "mixed", main=3.0),
    "arm-wise, squares": Estimator(ArmWiseRegression(2.0)),
    "arm-wise, cubes": Estimator(ArmWiseRegression(3.0)),
    "arm-wise, cubes, main effect penalised": Estimator(
        ArmWiseRegression(3.0), main=4.0, tight=False
    ),
    "arm-wise, cubes, contrast penalised": Estimator(
        ArmWiseRegression(3.0), main=0.25, tight=False
    ),
    "arm-wise, squares bent": Estimator(ArmWiseRegression(2.0, 4.0), "mixed", main=0.25),
    "arm-wise, cubes bent": Estimator(ArmWiseRegression(3.0, 4.0)),
    "arm-wise, cubes bent, main effect penalised": Estimator(ArmWiseRegression(3.0, 4.0), main=4.0),
    "arm-wise, cubes bent, contrast penalised": Estimator(ArmWiseRegression(3.0, 4.0), main=0.25),
}
every = pytest.mark.parametrize("name", ESTIMATORS)
each_norm = pytest.mark.parametrize("mechanism", PURE)
each_relation = pytest.mark.parametrize("relation", RELATIONS)
each_loss = pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES)


def attaining_gamma(estimator: Estimator) -> float:
    """Return γ = T sup xᵀM⁻¹x/(1 − T), at which targets ±1 attain the bound for Huber's loss."""
    return T * estimator.stated() / (1 - T)


def adversaries(case: Case, relation: Relation) -> list[tuple[Crowd, Crowd]]:
    """Return extreme people with near and far targets, and some of half the weight."""
    people = people_of(case, (1.0, -FAR))
    people += [Person(one.row, -one.target, 0.5) for one in people[::3]]
    random = np.random.default_rng(4)
    crowd = [
        Person(one.row * random.random(), random.uniform(-1, 1), random.random())
        for one in people[1:8:3]
    ]
    return neighbours(people, relation, crowd, firsts=3)


@every
@each_norm
@each_relation
@each_loss
def test_no_neighbours_exceed_the_claim(
    name: str, mechanism: str, relation: Relation, loss: Loss
) -> None:
    estimator = ESTIMATORS[name]
    case, gamma = estimator.case(), 1.3 * attaining_gamma(estimator)
    calibration = estimator.calibration(loss, gamma, relation, mechanism)
    found = worst(case, loss, calibration, adversaries(case, relation), count=40)
    assert 0.5 * INSIDE <= found <= INSIDE + ROUNDING


def longest(estimator: Estimator) -> FloatArray:
    """Return the extreme row with the largest xᵀM⁻¹x."""
    rows = np.array(estimator.case().corners)
    return np.asarray(max(rows, key=lambda row: float(row @ row)))


@every
@each_norm
@each_relation
def test_targets_within_the_bounds_attain_the_claim_for_huber_s_loss(
    name: str, mechanism: str, relation: Relation
) -> None:
    """Equal rows at a corner, targets ±1, γ from T sup xᵀM⁻¹x/(1 − T) on."""
    estimator, loss = ESTIMATORS[name], LOSSES["huber"]
    case, row = estimator.case(), longest(estimator)
    for times in (1.0, 5.0):
        gamma = times * attaining_gamma(estimator)
        calibration = estimator.calibration(loss, gamma, relation, mechanism)
        found = worst(case, loss, calibration, [opposite(row, relation)])
        assert found <= INSIDE + ROUNDING
        if estimator.tight:
            assert found >= 0.99 * INSIDE


@every
@each_norm
@each_relation
@pytest.mark.parametrize("share", [0.2, 0.8, 1.5, 6.0])
def test_far_targets_attain_the_claim_for_a_tapered_loss(
    name: str, mechanism: str, relation: Relation, share: float
) -> None:
    """At a small γ, in between, and from where on nothing is paid for the Jacobian."""
    estimator, loss = ESTIMATORS[name], LOSSES["exp-huber"]
    case, row = estimator.case(), longest(estimator)
    floor = estimator.stated() / math.expm1(INSIDE)
    free = relation.terms * estimator.stated() / INSIDE
    gamma = 1.02 * floor + share * (free - floor) if share < 1 else share * free
    calibration = estimator.calibration(loss, gamma, relation, mechanism)
    found = worst(case, loss, calibration, [opposite(row, relation, FAR)])
    assert found <= INSIDE + ROUNDING
    if estimator.tight or share > 1:
        assert found >= 0.99 * INSIDE
    if share > 1:
        assert inside_of(calibration).jacobian == 0
        rate = INSIDE / (relation.terms * T * inside_of(calibration).kappa)
        assert rate_of(calibration) == pytest.approx(rate, rel=1e-12)


@every
def test_design_rows_have_norm_one_and_the_stated_leverage(name: str) -> None:
    estimator = ESTIMATORS[name]
    case = estimator.case()
    rows = np.array(case.corners)
    np.testing.assert_allclose(case.norm(rows), 1.0)
    assert case.domain.contains(rows)
    points = np.random.default_rng(3).normal(size=(200, case.domain.dimension))
    np.testing.assert_allclose(case.domain.gauge(points), case.norm(points))
    assert estimator.leverage() <= estimator.stated() * (1 + 1e-12)
    if estimator.tight:
        assert estimator.leverage() == pytest.approx(estimator.stated())


def test_a_person_who_changes_arms_shifts_both_parts_by_the_whole_claim() -> None:
    """Both arms' noise is moved, each by Tβ: together the whole of ε at a large γ."""
    estimator, loss = ESTIMATORS["arm-wise"], LOSSES["exp-huber"]
    case = estimator.case()
    calibration = estimator.calibration(loss, 400.0, Relation.REPLACE_ONE, "objective-block")
    first, second = (np.array(case.corners[j]) for j in (0, -1))
    targets = itertools.product((FAR, -FAR), repeat=2)
    pairs = [([Person(first, t)], [Person(second, u)]) for t, u in targets]
    found = worst(case, loss, calibration, pairs)
    assert 0.99 * INSIDE <= found <= INSIDE + ROUNDING
    apart = replace(calibration.facts, relation=Relation.ADD_REMOVE, n=None)
    half = rate_of(MECHANISMS["objective-block"].calibrate(apart, calibration.budget))
    assert worst(case, loss, calibration, pairs, half) > 1.6 * CLAIM


# -- what breaks contrast regression ---------------------------------------------------------------


def with_rate(change: Callable[[Inside], float]) -> float:
    """Return the log-ratio of targets ±1 at a corner with another rate, Huber's loss."""
    estimator, loss = ESTIMATORS["contrast"], LOSSES["huber"]
    gamma = 4 * attaining_gamma(estimator)
    calibration = estimator.calibration(loss, gamma, Relation.REPLACE_ONE, "objective-block")
    rate = change(inside_of(calibration))
    return worst(estimator.case(), loss, calibration, [opposite(longest(estimator))], rate)


def left_of(inside: Inside) -> float:
    return float(inside.epsilon_inside) - inside.jacobian


BREAKS: dict[str, Callable[[], float]] = {
    r"$\log(1 + r^2/\gamma)$ is left out of $\beta$": lambda: with_rate(
        lambda inside: INSIDE / (2 * T * inside.kappa)
    ),
    r"$T$ is halved in $\beta$": lambda: with_rate(
        lambda inside: left_of(inside) / (T * inside.kappa)
    ),
}


@pytest.mark.parametrize("name", BREAKS)
def test_a_wrong_constant_is_found(name: str) -> None:
    assert BREAKS[name]() > CLAIM + ROUNDING


def test_the_page_has_these_numbers_and_no_others() -> None:
    table = {row[0]: float(row[2]) for row in rows_of("hull-norm", r"Broken at $\varepsilon = 1$")}
    assert table.keys() == BREAKS.keys()
    for name, number in table.items():
        assert BREAKS[name]() == pytest.approx(number, abs=0.005)
