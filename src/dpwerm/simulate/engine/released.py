r"""What mechanisms would release on many simulated data sets: each optimum is found once.

.. math:: \theta^* = \hat\theta(D, \gamma) + \text{noise}(\varepsilon)
          \quad\text{or}\quad \operatorname{argmin} F(\theta; D) + b^\top\theta

With output perturbation the minimiser depends on the data and γ alone, so every ε and every draw of
noise shares it. Noise inside the objective needs a minimiser for each draw; those of one γ start
from the last.
"""

from collections.abc import Sequence

import numpy as np

from dpwerm.arrays import FloatArray
from dpwerm.errors import ParameterError
from dpwerm.mechanisms.plan import Plan
from dpwerm.problem.losses import MarginLoss
from dpwerm.simulate.engine.noise import Draws, inside_noise, outside_noise
from dpwerm.solve.batch import BatchProblems, minimise_path

TOLERANCE = 1e-3
"""How near to the minimiser, in units of ‖θ‖ near 1: far below what accuracy can see."""


def released(
    problems: BatchProblems,
    loss: MarginLoss,
    plans: Sequence[Plan],
    draws: Draws,
    *,
    tolerance: float = TOLERANCE,
) -> FloatArray:
    """Return what each plan would release for each data set and draw, θ (P, B, R, p).

    Parameters
    ----------
    problems : BatchProblems, B data sets; weights within the plans' W
    loss : MarginLoss
    plans : P plans, in any order
    draws : Draws of shape (B, R, p), which all plans share: they are compared on the same luck
    tolerance : float > 0, the distance from the minimiser that is allowed
    """
    if not plans:
        raise ParameterError("there must be at least one plan")
    found = np.empty((len(plans), *draws.normals.shape))
    outside = [place for place, plan in enumerate(plans) if plan.inside is None]
    inside = [place for place, plan in enumerate(plans) if plan.inside is not None]
    if outside:
        # From the largest γ on, each minimiser starts from the last.
        gammas = sorted({plans[place].facts.gamma for place in outside}, reverse=True)
        optima = minimise_path(problems, loss, gammas, tolerance=tolerance).theta
        optimum = dict(zip(gammas, optima, strict=True))
        for place in outside:
            plan = plans[place]
            found[place] = optimum[plan.facts.gamma][:, None] + outside_noise(plan, draws)
    if inside:
        order = sorted(inside, key=lambda place: -plans[place].facts.gamma)
        tilts = [inside_noise(plans[place], draws) for place in order]
        path = [plans[place].facts.gamma for place in order]
        solution = minimise_path(
            problems,
            loss,
            path,
            tilts=np.stack([tilt for tilt in tilts if tilt is not None]),
            tolerance=tolerance,
        )
        found[order] = solution.theta
    return found
