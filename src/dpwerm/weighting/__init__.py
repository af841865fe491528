"""Designs of estimators: one class each; this package registers the library's own."""

from dpwerm.weighting.arm_wise import ArmWiseRegression
from dpwerm.weighting.contract import register_weighting
from dpwerm.weighting.contrast import ContrastRegression

for _own in (ContrastRegression, ArmWiseRegression):
    register_weighting(_own.name, _own)
