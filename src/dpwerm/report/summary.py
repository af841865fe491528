"""A rule in plain words: what it recommends, what it costs, what the promise rests on."""

from dpwerm.learn.certificate import Certificate
from dpwerm.report.meaning import meaning
from dpwerm.report.noise_interval import caveat, effect_reach, effect_reach_together
from dpwerm.report.settings_words import (
    chosen_lines,
    setting_rows,
    tuning_lines,
    unclear_lines,
    zeroed,
)
from dpwerm.report.simulated_reach import why_not
from dpwerm.rules.rule import Rule
from dpwerm.rules.rule_file import notice
from dpwerm.study.blocks import NumberBlock
from dpwerm.text import wrapped

UNITS = {
    "centred": "a number runs from -1 to 1 over its declared range, two levels are -1 and 1",
    "paper": "the paper's: every feature runs from 0 to 1 and is divided by the same factor",
}
UNPUBLISHED_SPREAD = (
    "No ± is shown: under objective perturbation the spread of the noise in a coefficient depends",
    "on the data and is not published.",
)
SIMULATED = " `dpwerm report` shows a ± from simulated trials instead."


def _rule_lines(rule: Rule) -> list[str]:
    first, second = rule.arms
    own = rule.release.own_units()
    width = max(map(len, own))
    blocks = rule.release.encoding.blocks
    numbers = {block.name for block in blocks if isinstance(block, NumberBlock)}
    return [
        f"Recommend {second!r} where the score is above 0, {first!r} where it is below;",
        f"a score of exactly 0 gives {rule.default!r}.",
        "The score is the sum of these, in the columns' own units:",
        "",
        *(
            f"  {name:<{width}}  {value:+.4g}{' per unit' if name in numbers else ''}"
            for name, value in own.items()
        ),
    ]


def _noise_lines(rule: Rule) -> list[str]:
    release = rule.release
    names, effects = release.encoding.coefficient_names, release.effects
    width = max(map(len, names))
    reach, together = effect_reach(release), effect_reach_together(release)
    noise = [""] * len(names)
    if reach is not None and reach.any():
        noise = [f"  ± {half:.4f}" for half in reach]
    lines = [f"Coefficients in encoded units ({UNITS[release.encoding.kind]}):", ""]
    for name, value, spread, small in zip(names, effects, noise, zeroed(release), strict=True):
        lines.append(f"  {name:<{width}}  {value:+9.4f}{'  set to 0' if small else spread}")
    if reach is None or together is None:
        *before, last = UNPUBLISHED_SPREAD
        return [*lines, "", *before, last + ("" if why_not(rule) else SIMULATED)]
    if not reach.any():
        return lines
    lines += ["", "± is the reach of the privacy noise in 95 of 100 releases, not sampling error."]
    lines += wrapped(caveat(rule))
    if (abs(effects) <= together).all():
        lines += [
            "NO COEFFICIENT STANDS OUT from the privacy noise: this rule may be noise alone.",
            "A larger gamma, more people or a larger budget would give a clearer one.",
        ]
    return lines


def certificate_rows(rule: Rule) -> dict[str, str]:
    """Return what the promise of a rule rests on, each fact by its name."""
    c = rule.release.certificate
    return {
        "mechanism": f"{c.mechanism} ({c.proof})",
        "relation": f"{c.relation}, {_people(rule)}",
        "loss": " ".join([c.loss.name, *(f"{k} = {v:g}" for k, v in c.loss.parameters.items())]),
        "gamma": f"{c.gamma:g}" + _tuned(rule),
        "weights": f"at most {c.weight_bound:.6g}, origin {c.weight_origin.name}",
        "row norm": f"at most {c.radius:.6g}",
        **setting_rows(rule),
        **_perturbation_rows(c),
        **_gaussian_row(c),
        "randomness": c.randomness,
        "ledger": str(c.receipt or c.ledger),
    }


def _certificate_lines(rule: Rule) -> list[str]:
    shown = certificate_rows(rule)
    width = max(map(len, shown))
    private = rule.release.certificate.private
    heading = "What the promise rests on:" if private else "How it was made, without a promise:"
    return [heading, "", *(f"  {k:<{width}}  {v}" for k, v in shown.items())]


def _tuned(rule: Rule) -> str:
    if rule.tuning is None:
        return ""
    return ", tuned privately" if rule.private else ", tuned on the same rows"


def _people(rule: Rule) -> str:
    """Return the rows behind the release; of a tuned rule perhaps some of all."""
    n, tuning = rule.release.certificate.n, rule.tuning
    if n is None:
        return "n is not written"
    return f"n = {n}" if tuning is None or tuning.rows == n else f"n = {n} of {tuning.rows} rows"


def _gaussian_row(c: Certificate) -> dict[str, str]:
    """Return what Gaussian noise promises in the other notions, nothing for other noise."""
    both = c.gaussian
    if both is None:
        return {}
    return {"other notions": f"rho = {both.rho:.6g} (zCDP), mu = {both.mu:.6g} (Gaussian DP)"}


def _perturbation_rows(c: Certificate) -> dict[str, str]:
    """Return the noise and what it is made for; inside the objective, both of its noises.

    There the second noise covers the solver's tolerance alone and is far below the first.
    """
    s, inside = c.sensitivity, c.perturbation
    scale = f"{c.noise.scale:.6g} on a grid of 2^{c.noise.grid_exponent}"
    if inside is None:
        total = f"{s.total:.8g} with solver tolerance"
        sensitivity = f"{s.minimiser:.8g} of the minimiser, {total}"
        return {"sensitivity": sensitivity, "noise scale": scale}
    size = f"rate {inside.rate:.6g}" if inside.sigma is None else f"sigma {inside.sigma:.6g}"
    return {
        "noise inside": f"{inside.norm}, {size}, kappa {inside.kappa:.6g}",
        "epsilon": f"{inside.epsilon_inside} inside, of which {inside.jacobian:.4g} for curvature; "
        f"{inside.epsilon_outside} for the second noise",
        "second noise": f"scale {scale}; covers {s.total:.8g}, twice the solver tolerance",
    }


def _propensity_lines(rule: Rule) -> list[str]:
    """Return the private propensity model in own units, and what it cost; nothing without one."""
    model = rule.propensity
    if model is None:
        return []
    certificate, own = model.certificate, model.own_units()
    width = max(map(len, own))
    cost = f" at epsilon = {certificate.epsilon}" if certificate.private else ", NOT PRIVATE"
    floor = rule.declaration.treatment.pi_min
    return [
        f"Propensity model, released with the rule{cost} ({certificate.mechanism}):",
        f"log-odds of having received {rule.arms[1]!r}, in the columns' own units; probabilities",
        f"are clipped to [{floor:.6g}, {1 - floor:.6g}]:",
        "",
        *(f"  {name:<{width}}  {value:+.4g}" for name, value in own.items()),
    ]


def summary(rule: Rule) -> str:
    """Return the rule, the meaning of its promise and the certificate as text."""
    title = rule.title
    parts = [
        [title, "=" * len(title), "", notice(rule)],
        _rule_lines(rule),
        _noise_lines(rule),
        unclear_lines(rule),
        _propensity_lines(rule),
        meaning(rule.release.certificate, rule.budget),
        _certificate_lines(rule),
        tuning_lines(rule),
        chosen_lines(rule),
    ]
    return "\n\n".join("\n".join(part) for part in parts if part) + "\n"
