"""The paper's bounds in a table: each term as a number, beside what simulation shows."""

from dpwerm.errors import ParameterError
from dpwerm.mechanisms.contract import Stage, no_progress
from dpwerm.objective.losses import HuberisedHinge, Loss
from dpwerm.parameters import real
from dpwerm.plan.expected import people_of, settle
from dpwerm.privacy.budget import Budget
from dpwerm.study.study import Study
from dpwerm.text import aligned, wrapped
from reproduction.bounds.asymptotic import Asymptotic, asymptotic_figures
from reproduction.bounds.measured import (
    ALPHA,
    ESTIMATOR,
    MECHANISM,
    RHO,
    Bounds,
    Term,
    bounds_of,
)

HEADER = ("term", "bound", "simulated, mean", "95 in 100 below", "of what")
NAMES = {
    "length": ("noise", "length of the noise"),
    "T1": ("T1 = lambda |theta0|^2 / 2", "regularising"),
    "T2": ("T2", "privacy: the objective at the noisy point"),
    "T3": ("T3 = Wh/4", "the rounded corner of the hinge"),
    "empirical": ("T1 + T2 + T3", "excess risk in the trial (Theorem 11)"),
    "T4": ("T4, order only", "trial against population"),
    "population": ("T1 + T2 + T3 + T4", "excess risk of other people (Theorem 12)"),
}


def study_blocks(
    study: Study,
    n: int | None,
    epsilon: str,
    smallest_eigenvalue: float | None = None,
    on_stage: Stage = no_progress,
) -> list[list[str]]:
    """Return the bounds of a study as text, and H if the smallest eigenvalue is given.

    Parameters
    ----------
    study : Study
    n : int in [1, 1e12], the planned number of people; planned_n of the study if None
    epsilon : str, finite
    smallest_eigenvalue : float > 0, of E[x xᵀ]; H is for the clip V of outcome weights at ε
    on_stage : called with what is under way
    """
    budget, people = Budget.of(epsilon), people_of(study, n)
    if not budget.is_private:
        raise ParameterError("the paper's bounds are about noise: epsilon must be finite")
    if smallest_eigenvalue is not None:
        eigenvalue = real("the smallest eigenvalue", smallest_eigenvalue)
        asymptotic_figures(study, study.benefit.clip, eigenvalue, people)
    on_stage(f"epsilon {epsilon}, n {people:,}: the paper's bounds")
    settled = settle(study, budget, people, mechanism=MECHANISM, estimator=ESTIMATOR)
    blocks = [bounds_lines(bounds_of(settled), settled.spec.loss)]
    if smallest_eigenvalue is not None:
        on_stage(f"epsilon {epsilon}, n {people:,}: the clip that a fit would use")
        clip = settle(study, budget, people, estimator=ESTIMATOR).declared.benefit.clip
        figures = asymptotic_figures(study, clip, smallest_eigenvalue, people)
        blocks.append(asymptotic_lines(figures, people, clip, smallest_eigenvalue))
    return blocks


def bound_rows(found: Bounds) -> list[tuple[str, ...]]:
    """Return the table of terms, header first."""
    first, second, third = found.terms
    terms = {
        "length": found.length,
        "T1": first,
        "T2": second,
        "T3": third,
        "empirical": found.empirical,
        "T4": found.generalisation,
        "population": found.population,
    }
    return [HEADER, *(_row(*NAMES[name], term) for name, term in terms.items())]


def _row(name: str, what: str, term: Term) -> tuple[str, ...]:
    return (name, f"{term.bound:.3g}", f"{term.mean:.3g}", f"{term.quantile:.3g}", what)


def bounds_lines(found: Bounds, loss: Loss) -> list[str]:
    """Return the bounds as text."""
    return [
        *wrapped(
            f"The paper's bounds at {found.calibration.budget}, beside simulation, in units of W. "
            "They are about output perturbation, so this is mechanism spherical-laplace with the "
            f"hyperparameters that suit it: gamma = {found.calibration.facts.gamma:.4g} W, "
            f"{_loss(loss)}, lambda = gamma/n = {found.calibration.facts.gamma / found.n:.3g} W."
        ),
        "",
        *aligned(bound_rows(found)),
        "",
        *wrapped(verdict(found)),
        *wrapped(sizes_words(found)),
    ]


def _loss(loss: Loss) -> str:
    return f"h = {loss.h:g}" if isinstance(loss, HuberisedHinge) else f"loss {loss.name}"


def verdict(found: Bounds) -> str:
    """Say how often the bound failed, and how long noise really is."""
    return (
        f"The bound of Theorem 11 was exceeded in {100 * found.exceeded:.1f} % of the draws; it "
        f"allows {100 * RHO:g} %. 95 in 100 noises are shorter than {found.exact_length:.3g} "
        f"exactly, the bound says {found.length.bound:.3g}. T4 has the constant 1 in the place of "
        "an unknown one, so it is no bound."
    )


def sizes_words(found: Bounds) -> str:
    """Return the three terms of Corollary 13 as numbers of people."""
    sizes = found.sizes
    return (
        f"Corollary 13, an order of magnitude with all constants 1, for an excess risk of "
        f"{ALPHA:g} W, h = {ALPHA:g} and |theta0| = {found.norm:.3g}: {sizes.generalisation:,.0f} "
        f"people for generalisation, {sizes.privacy:,.0f} for privacy, "
        f"{sizes.privacy_and_corner:,.0f} for privacy and corner together."
    )


def asymptotic_lines(
    found: Asymptotic, n: int, clip: float, smallest_eigenvalue: float
) -> list[str]:
    """Return the paper's H, the constant C that follows, and why it is never used."""
    known = f"for V = {clip:.4g}, if no eigenvalue of E[x x'] is below {smallest_eigenvalue:g}"
    return [
        "The paper's H (Proposition 8), for a propensity model of the same people without penalty:",
        "",
        *aligned(
            [
                (
                    "H",
                    f"{found.h:.6g}, {known}",
                ),
                ("C = L r H", f"{found.constant:.6g}, what would have to be added to 2WLr"),
                ("H/n", f"{found.printed:.6g}, what the paper prints for C with n = {n:,}"),
            ]
        ),
        "",
        *wrapped(f"It is never the basis of a release: {found.refusal}."),
    ]
