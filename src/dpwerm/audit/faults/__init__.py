"""Faults the auditor must catch: broken variants as targets, and beside each its healthy twin.

None of them is registered anywhere; ``dpwerm audit --self-test`` shows that each is caught.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from dpwerm.audit.faults import (
    arm_shares,
    benefit_shift,
    coarse_solver,
    free_intercept,
    gamma_from_n,
    ignored_gamma,
    loose_weights,
    own_encoding,
    own_propensity,
    own_scaling,
    plain_doubles,
    reused_noise,
    small_noise,
    tuned_on_rows,
)
from dpwerm.audit.faults.fault import Fault
from dpwerm.audit.target import Target

__all__ = ["CATALOGUE", "CONFIDENCE", "FAULTS", "RUNS", "TWINS", "Fault"]

RUNS = 200_000
"""With this many runs every fault is caught, in a second or so each."""

CONFIDENCE = 1 - 1e-6


_SHELVES = (
    small_noise,
    benefit_shift,
    own_propensity,
    arm_shares,
    ignored_gamma,
    own_scaling,
    own_encoding,
    free_intercept,
    coarse_solver,
    plain_doubles,
    tuned_on_rows,
    reused_noise,
    gamma_from_n,
    loose_weights,
)

CATALOGUE: Mapping[str, Fault] = MappingProxyType(
    {fault.name: fault for shelf in _SHELVES for fault in shelf.faults()}
)
"""Every fault by its name."""

FAULTS: Mapping[str, Callable[[], Target]] = MappingProxyType(
    {name: fault.broken for name, fault in CATALOGUE.items()}
)
"""The broken targets, by the name of the fault."""

TWINS: Mapping[str, Callable[[], Target]] = MappingProxyType(
    {name: fault.healthy for name, fault in CATALOGUE.items()}
)
"""The healthy twins, by the name of the fault they do not have."""
