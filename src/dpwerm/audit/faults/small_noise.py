"""Noise 30 % too small, for every mechanism; and noise for W where the theorem says 2W.

The pair attains the sensitivity: one person at the edge of every bound, with one arm or the other,
and γ so large that both minimisers stay where the loss is straight. They lie 2WLr/γ apart.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from dpwerm.audit.faults.chain import CLAIM, Chain
from dpwerm.audit.faults.fault import Fault
from dpwerm.audit.faults.people import UNIT, People, facts_of, replaced, weighed
from dpwerm.mechanisms import MECHANISMS, get_mechanism
from dpwerm.mechanisms.plan import Plan
from dpwerm.privacy.budget import Budget
from dpwerm.privacy.relation import Relation

SHARE = 0.7
"""What is left of the noise."""

GAMMA = 1000.0

APPROXIMATE = Budget.of(2, "0.01")
"""What the mechanisms with δ claim here: with a smaller δ a fault takes more runs to see."""

NAMES = tuple(name for name in MECHANISMS if name != "none")


def healthy(name: str, label: str = "") -> Chain:
    """Return the mechanism as it is, on one person who received one arm or the other."""
    plan = _plan(name, Relation.REPLACE_ONE)
    one, another = People.alike(1, 1.0, arm=1.0), People.alike(1, 1.0, arm=-1.0)
    pair = replaced("one person, one arm or the other", People.alike(0, 1.0), one, another)
    return Chain(label or name, pair, plan, weighed)


def small_noise(name: str) -> Chain:
    """Return the mechanism with 0.7 of its noise."""
    right = healthy(name, f"small-noise-{name}")
    return replace(right, plan=times(right.plan, SHARE))


def single_weight(name: str) -> Chain:
    """Return the mechanism with the noise that adding a person would need, W in place of 2W."""
    return replace(healthy(name, f"single-weight-{name}"), plan=_plan(name, Relation.ADD_REMOVE))


def times(plan: Plan, share: float) -> Plan:
    """Return a plan with a share of its noise, inside and outside, and the same claim."""
    inside = plan.inside
    if inside is not None:
        inside = replace(
            inside,
            rate=None if inside.rate is None else inside.rate / share,
            sigma=None if inside.sigma is None else inside.sigma * share,
        )
    return replace(plan, noise=replace(plan.noise, scale=plan.noise.scale * share), inside=inside)


def _plan(name: str, relation: Relation) -> Plan:
    mechanism = get_mechanism(name)
    n = 1 if relation.publishes_n else None
    facts = facts_of(UNIT, n=n, gamma=GAMMA, relation=relation)
    return mechanism.plan(facts, APPROXIMATE if mechanism.needs_delta else CLAIM)


def faults() -> Iterator[Fault]:
    """Yield both faults for every mechanism."""
    for name in NAMES:
        yield Fault(
            name=f"small-noise-{name}",
            wrong=f"`{name}` with 30 % less noise than its theorem asks for",
            known_from="a slip in any constant",
            shows="both tails are too far apart",
            broken=partial(small_noise, name),
            healthy=partial(healthy, name),
        )
        yield Fault(
            name=f"single-weight-{name}",
            wrong=f"`{name}` with a sensitivity of W, under replace-one, where it is 2W",
            known_from="mixing up the two neighbouring relations",
            shows="as if half of the noise were missing",
            broken=partial(single_weight, name),
            healthy=partial(healthy, name),
        )
