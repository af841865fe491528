"""A rule in plain words: what it recommends, what it costs, what the promise rests on."""

from dpwerm.learn.certificate import Certificate
from dpwerm.report.meaning import meaning
from dpwerm.report.noise_interval import half_width
from dpwerm.report.settings_words import chosen_lines, middle, setting_rows
from dpwerm.rules.rule import Rule
from dpwerm.rules.rule_file import notice

UNITS = {
    "centred": "a number runs from -1 to 1 over its declared range, two levels are -1 and 1",
    "paper": "the paper's: every feature runs from 0 to 1 and is divided by the same factor",
}
UNPUBLISHED_SPREAD = (
    "No ± is shown: under objective perturbation the spread of the noise in a coefficient depends",
    "on the data and is not published.",
)


def _rule_lines(rule: Rule) -> list[str]:
    first, second = rule.arms
    own = rule.release.own_units()
    width = max(map(len, own))
    return [
        f"Recommend {second!r} where the score is above 0, {first!r} where it is below;",
        f"a score of exactly 0 gives {rule.default!r}.",
        "The score is the sum of these, in the columns' own units:",
        "",
        *(
            f"  {name:<{width}}  {value:+.4g}{'' if _is_constant(name) else ' per unit'}"
            for name, value in own.items()
        ),
    ]


def _is_constant(name: str) -> bool:
    return name == "intercept" or "=" in name


def _units(rule: Rule) -> str:
    encoding = rule.release.encoding
    units = UNITS[encoding.kind]
    if encoding.saturation == 1:
        return units
    return units.replace("its declared", f"the middle {middle(encoding.saturation)} of its")


def _noise_lines(rule: Rule) -> list[str]:
    release = rule.release
    names = release.encoding.coefficient_names
    width = max(map(len, names))
    reach = half_width(release)
    lines = [f"Coefficients in encoded units ({_units(rule)}):", ""]
    zeroed = [one != kept for one, kept in zip(release.integers, release.kept, strict=True)]
    for name, value, small in zip(names, release.theta, zeroed, strict=True):
        noise = f"  ± {reach:.4f}" if reach else ""
        lines.append(f"  {name:<{width}}  {value:+9.4f}{'  set to 0' if small else noise}")
    if reach is None:
        return [*lines, "", *UNPUBLISHED_SPREAD]
    if not reach:
        return lines
    lines += ["", "± is the reach of the privacy noise in 95 of 100 releases, not sampling error."]
    if max(abs(release.theta)) <= reach:
        lines += [
            "NO COEFFICIENT STANDS OUT from the privacy noise: this rule may be noise alone.",
            "A larger gamma, more people or a larger budget would give a clearer one.",
        ]
    return lines


def _certificate_lines(rule: Rule) -> list[str]:
    c = rule.release.certificate
    shown = {
        "mechanism": f"{c.mechanism} ({c.proof})",
        "relation": str(c.relation) + (f", n = {c.n}" if c.n is not None else ", n is not written"),
        "loss": " ".join([c.loss.name, *(f"{k} = {v:g}" for k, v in c.loss.parameters.items())]),
        "gamma": f"{c.gamma:g}",
        "weights": f"at most {c.weight_bound:.6g}, origin {c.weight_origin.name}",
        "row norm": f"at most {c.radius:.6g}",
        **setting_rows(rule),
        **_perturbation_rows(c),
        "noise scale": f"{c.noise.scale:.6g} on a grid of 2^{c.noise.grid_exponent}",
        **_gaussian_row(c),
        "randomness": c.randomness,
        "ledger": c.ledger,
    }
    width = max(map(len, shown))
    heading = "What the promise rests on:" if c.private else "How it was made, without a promise:"
    return [heading, "", *(f"  {k:<{width}}  {v}" for k, v in shown.items())]


def _gaussian_row(c: Certificate) -> dict[str, str]:
    """Return what Gaussian noise promises in the other notions, nothing for other noise."""
    both = c.gaussian
    if both is None:
        return {}
    return {"other notions": f"rho = {both.rho:.6g} (zCDP), mu = {both.mu:.6g} (Gaussian DP)"}


def _perturbation_rows(c: Certificate) -> dict[str, str]:
    """Return what the noise is made for, and the noise inside the objective if there is one."""
    s, inside = c.sensitivity, c.perturbation
    total = f"{s.total:.8g} with solver tolerance"
    if inside is None:
        return {"sensitivity": f"{s.minimiser:.8g} of the minimiser, {total}"}
    size = f"rate {inside.rate:.6g}" if inside.sigma is None else f"sigma {inside.sigma:.6g}"
    return {
        "noise inside": f"{inside.norm}, {size}, kappa {inside.kappa:.6g}",
        "epsilon": f"{inside.epsilon_inside} inside, of which {inside.jacobian:.4g} for curvature; "
        f"{inside.epsilon_outside} outside",
        "sensitivity": f"{s.total:.8g}, twice the solver tolerance",
    }


def summary(rule: Rule) -> str:
    """Return the rule, the meaning of its promise and the certificate as text."""
    title = rule.title
    parts = [
        [title, "=" * len(title), "", notice(rule)],
        _rule_lines(rule),
        _noise_lines(rule),
        meaning(rule.release.certificate),
        _certificate_lines(rule),
        chosen_lines(rule),
    ]
    return "\n\n".join("\n".join(part) for part in parts if part) + "\n"
