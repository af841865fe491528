"""The library's own calibrations for a setting, so that a wrong constant shows in the densities."""

from decimal import Decimal

from tests.unit.features.domains import of_blocks
from tests.unit.mechanisms.densities import Law, Setting, block_norm, exponential, l2_norm

from dpwerm.mechanisms import MECHANISMS
from dpwerm.mechanisms.contract import Calibration, Inside
from dpwerm.objective.regularizers import Ridge
from dpwerm.privacy.budget import Budget, Relation
from dpwerm.privacy.sensitivity import Facts
from dpwerm.privacy.weight_origin import KnownByDesign

PURE = ("objective-l2", "objective-block")
EPSILON = Decimal(1)


def facts_of(setting: Setting, n: int = 1) -> Facts:
    """Return the public facts of a setting; n is published under replace-one only."""
    return Facts(
        weight_bound=setting.weight_bound,
        lipschitz=setting.loss.lipschitz,
        smoothness=setting.loss.smoothness,
        domain=of_blocks(setting.blocks),
        gamma=setting.gamma,
        regularizer=Ridge(),
        relation=setting.relation,
        n=n if setting.relation is Relation.REPLACE_ONE else None,
        origin=KnownByDesign(),
    )


def calibration_of(
    setting: Setting, name: str, epsilon: Decimal = EPSILON, delta: Decimal = Decimal(0)
) -> Calibration:
    return MECHANISMS[name].calibrate(facts_of(setting), Budget(epsilon, delta))


def inside_of(calibration: Calibration) -> Inside:
    assert calibration.inside is not None
    return calibration.inside


def rate_of(calibration: Calibration) -> float:
    rate = inside_of(calibration).rate
    assert rate is not None
    return rate


def sigma_of(calibration: Calibration) -> float:
    sigma = inside_of(calibration).sigma
    assert sigma is not None
    return sigma


def law_of(setting: Setting, calibration: Calibration, rate: float | None = None) -> Law:
    """Return log ν in the calibration's norm, at the calibration's rate unless another is given."""
    norm = {"l2": l2_norm, "block": block_norm(setting.blocks)}[inside_of(calibration).norm]
    return exponential(rate_of(calibration) if rate is None else rate, norm)
