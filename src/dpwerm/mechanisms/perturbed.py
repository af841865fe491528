"""The run that every objective perturbation shares: draw b, solve, release a second time.

    θ* = argmin F(θ) + bᵀθ,   ‖θ̃ − θ*‖₂ ≤ τ,   release θ̃ + noise for the sensitivity 2τ

θ* is private by its theorem. The second noise hides where in the ball of radius τ around θ* the
solver stopped. b, θ̃ and the precision that was needed are local and never returned.
"""

from dataclasses import replace
from fractions import Fraction

from dpwerm.errors import ParameterError
from dpwerm.exact import round_down, round_up
from dpwerm.mechanisms.plan import Inside, Mechanism, Plan, Stage, check_run
from dpwerm.mechanisms.spherical_laplace import SphericalLaplace
from dpwerm.privacy.budget import AnyBudget, Budget
from dpwerm.privacy.enclosure import nearby_vector
from dpwerm.privacy.facts import Facts
from dpwerm.privacy.randomness import BitSource
from dpwerm.privacy.samplers import Sampler
from dpwerm.privacy.sensitivity import objective_tolerance
from dpwerm.problem.objective import Objective
from dpwerm.problem.regularizers.ridge import Ridge
from dpwerm.solve.newton import minimise

SECOND = SphericalLaplace()
"""The law of the second noise."""


def check_facts(name: str, facts: Facts) -> None:
    """Raise unless the weights depend on their own record only and R is ½‖θ‖²."""
    # One more record than there may be, so that the answer does not depend on n.
    probe = facts if facts.n is None else replace(facts, n=max(2, facts.n))
    if facts.origin.constant(probe) != 0:
        raise ParameterError(
            f"mechanism {name} needs weights that follow from their own record and public facts; "
            f"for origin {facts.origin.name} use spherical-laplace, product-laplace or gaussian"
        )
    if facts.regularizer != Ridge.name:
        raise ParameterError(
            f"mechanism {name} needs the regularizer {Ridge.name} on every coefficient; for "
            f"{facts.regularizer} use spherical-laplace, product-laplace or gaussian"
        )


def perturbed_plan(name: str, facts: Facts, budget: AnyBudget, inside: Inside) -> Plan:
    """Return the plan with a public τ and second noise for 2τ at ε_out."""
    tolerance = objective_tolerance(facts)
    second = Budget(inside.epsilon_outside)
    return Plan(
        mechanism=name,
        facts=facts,
        budget=budget,
        sensitivity=None,
        tolerance=tolerance,
        noise=SECOND.calibrate(round_up(2 * Fraction(tolerance)), facts.dimension, second),
        inside=inside,
    )


def run_perturbed(
    mechanism: Mechanism,
    sampler: Sampler,
    objective: Objective,
    plan: Plan,
    bits: BitSource,
    on_stage: Stage,
) -> tuple[int, ...]:
    """Return the grid integers; ``sampler`` is the law of b.

    b̃ is within γτ/4 of b, so its minimiser is within τ/4 of θ*; the solver adds τ/2 at most. The
    same b serves whatever precision the solver needs.
    """
    check_run(mechanism, objective, plan)
    if not isinstance(objective.regularizer, Ridge):
        raise ParameterError(f"mechanism {mechanism.name} needs the regularizer {Ridge.name}")
    for_b, for_second = bits.substream(), bits.substream()
    tau = Fraction(plan.tolerance)
    on_stage("drawing noise")
    tilt = nearby_vector(sampler, Fraction(plan.facts.gamma) * tau / 4, for_b)
    on_stage("solving")
    solution = minimise(replace(objective, tilt=tilt), round_down(tau / 2))
    on_stage("adding noise")
    return SECOND.release(solution.theta, plan.noise, for_second)
