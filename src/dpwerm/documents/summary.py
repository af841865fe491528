r"""A rule in plain words: what it recommends, what the promise means, and what that rests on.

All of it is public: settings are declared, or chosen on simulated problems without reading a row,
or, for γ alone, chosen privately on the rows at a cost that is said.

An (ε, δ) promise is a factor by which anybody's odds can change:

.. math:: \frac{P(a \mid result)}{P(b \mid result)} \le e^{\varepsilon} \frac{P(a)}{P(b)}

for two possible rows a and b of a person (or being in the data and not), because the published
result is at most e^ε times as likely under one as under the other. ρ-zCDP and μ-GDP are a game of
guessing: under μ-GDP a test with a share a of false alarms detects at most Φ(Φ⁻¹(a) + μ); Gaussian
noise that is ρ-zCDP has μ = √(2ρ), so one picture serves both.
"""

import math
from collections.abc import Collection, Mapping
from decimal import Decimal
from statistics import NormalDist

from dpwerm.documents.half_widths import why_not
from dpwerm.features.blocks import NumberBlock
from dpwerm.privacy.budget import AnyBudget, Budget
from dpwerm.releases.certificate import Certificate
from dpwerm.releases.release import Release, Rule
from dpwerm.releases.rule_file import notice
from dpwerm.releases.tuning import FLIP, REPEATS, SPLIT
from dpwerm.text import listed, rests_on, stacked, underlined, wrapped

CLEAR = 0.6
"""Below this share of right answers on simulated problems a private rule may be noise alone."""

LARGEST_TOLD = 20
"""Above this ε a factor is no protection, and its number says nothing."""

FALSE_ALARMS = 0.05
UNITS = {
    "centred": "a number runs from -1 to 1 over its declared range, two levels are -1 and 1",
    "paper": "the paper's: every feature runs from 0 to 1 and is divided by the same factor",
}
UNPUBLISHED_SPREAD = (
    "No ± is shown: under objective perturbation the spread of the noise in a coefficient depends",
    "on the data and is not published.",
)
KEPT = (
    "The rule is one of several releases, chosen by its score. ± is the reach of the noise in one "
    "release by itself. The choice changes that reach, and how much depends on the data."
)
WEIGHTS = (
    "The noise of the private propensity model moves the weights, and through them the "
    "coefficients. That is not in ±, which is the reach of the rule's own noise."
)
SIMULATED = " `dpwerm report` shows a ± from simulated trials instead."


def setting_rows(rule: Rule) -> dict[str, str]:
    """Return a row for each of clip, intercept, saturation and threshold that is not plain."""
    encoding, release, benefit = rule.release.encoding, rule.release, rule.declaration.benefit
    rows = {}
    if benefit.clip < benefit.largest_clip:
        rows["clip"] = (
            f"V = {benefit.clip:.6g}; without it benefits reach {benefit.largest_clip:.6g} from "
            "the centre"
        )
    if encoding.intercept != 1:
        rows["intercept"] = (
            f"a column of {encoding.intercept:.6g}" if encoding.intercept else "none"
        )
    if encoding.saturation != 1:
        rows["saturation"] = (
            f"learned from the middle 1/{encoding.saturation:.6g} of each number's range, stretched"
        )
    if release.threshold > 0:
        slopes = zeroed(release)[int(encoding.intercept > 0) :]
        rows["threshold"] = (
            f"coefficients below {release.threshold:.6g} of the largest were set to 0, "
            f"here {sum(slopes)} of {len(slopes)}"
        )
    return rows


def zeroed(release: Release) -> list[bool]:
    """Return for each coefficient whether the threshold set it to 0; never the intercept."""
    return [k != kept for k, kept in zip(release.used, release.kept, strict=True)]


def chosen_lines(rule: Rule) -> list[str]:
    """Return the paragraph on what was chosen automatically; nothing if nothing was."""
    chosen = rule.release.certificate.chosen
    if chosen is None:
        return []
    were = "were" if len(chosen.settings) > 1 else "was"
    words = f"Settings: {listed(chosen.settings or ['nothing'])} {were} {chosen.reason}."
    if rule.declaration.treatment.propensity is not None:
        words += " Probabilities of the arms count as known there."
    if rule.tuning is not None:
        words += f" That is about fits of {rule.tuning.folds[0]} rows at {rule.tuning.steps.fit},"
        words += " as each candidate had."
    return wrapped(words)


def tuning_lines(rule: Rule) -> list[str]:
    """Return the paragraph on how γ was tuned on the rows, and what that cost; nothing if not."""
    tuning = rule.tuning
    if tuning is None:
        return []
    steps, fitted, scored = tuning.steps, tuning.folds[0], tuning.folds[-1]
    tried = f"{len(tuning.candidates)} candidates from {tuning.candidates[0]:g} to "
    tried += f"{tuning.candidates[-1]:g}"
    if tuning.how == REPEATS:
        found = (
            f"It is that of the best of a secret number of runs, {tuning.repeats} expected: each "
            f"drew one of {tried}, fitted it to {fitted} rows and scored it with noise on the "
            f"other {scored}"
        )
        cost = f"A run costs {steps.fit}, the best of them three times that: {tuning.budget} in all"
    else:
        flipped = tuning.flipped or tuning.how == FLIP
        chooser = "permute-and-flip" if flipped else "the exponential mechanism"
        found = (
            f"The {tried} were each fitted to {fitted} rows of their own, and {chooser} chose one "
            f"by scores on the other {scored}"
        )
        cost = f"Each person is in one of these parts, so all of it costs {tuning.budget} once"
        if tuning.how == SPLIT:
            cost = f"That cost {steps.fit}; the rule was then learned from all {tuning.rows} rows"
            cost += f" at {steps.rule}"
    way = "privately " if rule.private else ""
    words = f"Gamma was tuned {way}on the same {tuning.rows} rows. {found}."
    return wrapped(f"{words} {cost}." if tuning.budget.is_private else words)


def unclear_lines(rule: Rule) -> list[str]:
    """Return a warning if so private a rule was hardly better than a coin on simulated problems.

    With a split budget the settings were chosen for the fits of candidates, not for this one.
    """
    chosen, tuning = rule.release.certificate.chosen, rule.tuning
    if chosen is None or not rule.release.private or chosen.accuracy >= CLEAR:
        return []
    if tuning is not None and tuning.how == SPLIT:
        return []
    return wrapped(
        f"ON SIMULATED PROBLEMS such a rule was right for only {100 * chosen.accuracy:.1f} % of "
        "the people: this rule may be noise alone. More people or a larger budget would give a "
        "clearer one."
    )


def factor_words(epsilon: Decimal) -> str:
    """Return the factor e^ε in words."""
    if epsilon > LARGEST_TOLD:
        return "a factor so large that it protects nobody"
    return f"a factor {math.exp(float(epsilon)):.3g}"


def even_odds(epsilon: Decimal) -> tuple[float, float]:
    r"""Return what odds of 50:50 become at most, in percent, the first rounded up to a tenth.

    .. math:: \frac{e^\varepsilon}{1 + e^\varepsilon}
    """
    share = 1 / (1 + math.exp(-min(float(epsilon), 700.0)))
    larger = min(math.ceil(1000 * share - 1e-9) / 10, 100.0)
    return larger, round(100 - larger, 1)


def odds_words(epsilon: Decimal) -> str:
    """Say by how much a reader's odds change at most at ε, and what becomes of even odds."""
    larger, smaller = even_odds(epsilon)
    if epsilon > LARGEST_TOLD:
        return "odds may change by any factor that matters: nobody is protected"
    return (
        f"odds change by at most {factor_words(epsilon)}; "
        f"50:50 becomes at most {larger:g}:{smaller:g}"
    )


def meaning(certificate: Certificate, whole: AnyBudget | None = None) -> list[str]:
    """Return what the promise means, line by line; nothing where there is no promise.

    whole: what was spent in all, if more than this certificate's budget.
    """
    if not certificate.private:
        return []
    budget = certificate.budget if whole is None else whole
    if not isinstance(budget, Budget):
        return _guessing(certificate, f"{budget.symbol} = {budget.parameter}")
    unit, bet = "adding or removing a row", "that person being in the data against not"
    if certificate.n is not None:
        unit, bet = "replacing one person's row", "one possible row of that person against another"
    lines = [
        f"What epsilon = {budget.epsilon} means: {unit} changes the probability",
        f"of any published result by at most {factor_words(budget.epsilon)}.",
    ]
    if budget.delta > 0:
        return [*lines, f"Beyond that factor a probability may differ by delta = {budget.delta:f}."]
    return [
        *lines,
        f"The odds that a reader gives to {bet}",
        "change by at most the same factor.",
    ]


def _guessing(certificate: Certificate, promise: str) -> list[str]:
    gaussian = certificate.gaussian
    if gaussian is None:  # no such certificate is made
        return []
    task = "whether a person is in the data"
    if certificate.n is not None:
        task = "which of two possible rows a person has"
    standard = NormalDist()
    detected = standard.cdf(standard.inv_cdf(FALSE_ALARMS) + gaussian.mu)
    lines = [
        f"What {promise} means: to tell {task} from the published result",
        "is at least as hard as to tell by one draw whether a normal number has",
        f"mean 0 or mean {gaussian.mu:.3g}, both with standard deviation 1.",
    ]
    if detected > 0.999:
        return [*lines, "That is so easy that it protects nobody."]
    share, guess = math.ceil(1000 * detected) / 10, 100 * FALSE_ALARMS
    test = f"A test with {guess:g} false alarms in 100"
    return [*lines, f"{test} detects at most {share:g} in 100; a mere guess detects {guess:g}."]


def _rule_lines(rule: Rule) -> list[str]:
    first, second = rule.arms
    blocks = rule.release.encoding.blocks
    numbers = {block.name for block in blocks if isinstance(block, NumberBlock)}
    return [
        f"Recommend {second!r} where the score is above 0, {first!r} where it is below;",
        f"a score of exactly 0 gives {rule.default!r}.",
        "The score is the sum of these, in the columns' own units:",
        "",
        *_own_lines(rule.release.own_units(), numbers),
    ]


def _own_lines(own: Mapping[str, float], numbers: Collection[str] = ()) -> list[str]:
    """Return what each feature adds, in its own units."""
    width = max(map(len, own))
    return [
        f"  {name:<{width}}  {value:+.4g}{' per unit' if name in numbers else ''}"
        for name, value in own.items()
    ]


def _noise_lines(rule: Rule) -> list[str]:
    release = rule.release
    names, effects = release.encoding.coefficient_names, release.effects
    width = max(map(len, names))
    reach, together = release.effect_reach(), release.effect_reach(together=True)
    noise = [""] * len(names)
    if reach is not None and reach.any():
        noise = [f"  ± {half:.4f}" for half in reach]
    lines = [f"Coefficients in encoded units ({UNITS[release.encoding.kind]}):", ""]
    for name, value, spread, small in zip(names, effects, noise, zeroed(release), strict=True):
        lines.append(f"  {name:<{width}}  {value:+9.4f}{'  set to 0' if small else spread}")
    if reach is None or together is None:
        if release.certificate.weighting is not None:
            return [*lines, "", *wrapped(f"No ± is shown. {why_not(rule)}")]
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


def caveat(rule: Rule) -> str:
    """Return what the reach of the noise leaves out for a rule, "" where it is the whole story."""
    if not rule.release.certificate.budget.is_private:
        return ""
    found = []
    if rule.tuning is not None and rule.tuning.how != SPLIT:
        found.append(KEPT)
    if rule.propensity is not None and rule.propensity.certificate.budget.is_private:
        found.append(WEIGHTS)
    return " ".join(found)


def certificate_rows(rule: Rule) -> dict[str, str]:
    """Return what the promise of a rule rests on, each fact by its name."""
    c, tuning, both = rule.release.certificate, rule.tuning, rule.release.certificate.gaussian
    people, tuned = "n is not written" if c.n is None else f"n = {c.n}", ""
    if tuning is not None:
        people += f" of {tuning.rows} rows" if c.n not in (None, tuning.rows) else ""
        tuned = ", tuned privately" if rule.private else ", tuned on the same rows"
    rows = {
        "mechanism": f"{c.mechanism} ({c.proof})",
        "relation": f"{c.relation}, {people}",
        "loss": " ".join([c.loss.name, *(f"{k} = {v:g}" for k, v in c.loss.parameters.items())]),
        "gamma": f"{c.gamma:g}{tuned}",
        "weights": f"at most {c.weight_bound:.6g}, origin {c.weight_origin.name}",
        "row norm": f"at most {c.radius:.6g}",
        **setting_rows(rule),
        **_perturbation_rows(c),
    }
    if both is not None:
        rows["other notions"] = f"rho = {both.rho:.6g} (zCDP), mu = {both.mu:.6g} (Gaussian DP)"
    return rows | {"randomness": c.randomness, "ledger": str(c.receipt or c.ledger)}


def _perturbation_rows(c: Certificate) -> dict[str, str]:
    """Return the noise and what it is made for; inside the objective, both of its noises.

    There the second noise covers the solver's tolerance alone and is far below the first.
    """
    s, inside = c.sensitivity, c.perturbation
    scale = f"{c.noise.scale:.6g} on a grid of 2^{c.noise.grid_exponent}"
    if inside is None:
        size = f"{s.minimiser:.8g} of the minimiser, {s.total:.8g} with solver tolerance"
        return {"sensitivity": size, "noise scale": scale}
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
    certificate = model.certificate
    cost = f" at epsilon = {certificate.epsilon}" if certificate.private else ", NOT PRIVATE"
    floor = rule.declaration.treatment.pi_min
    return [
        f"Propensity model, released with the rule{cost} ({certificate.mechanism}):",
        f"log-odds of having received {rule.arms[1]!r}, in the columns' own units; probabilities",
        f"are clipped to [{floor:.6g}, {1 - floor:.6g}]:",
        "",
        *_own_lines(model.own_units()),
    ]


def summary(rule: Rule) -> str:
    """Return the rule, the meaning of its promise and the certificate as text."""
    parts = [
        [*underlined(rule.title), "", notice(rule)],
        _rule_lines(rule),
        _noise_lines(rule),
        unclear_lines(rule),
        _propensity_lines(rule),
        meaning(rule.release.certificate, rule.budget),
        rests_on(certificate_rows(rule), private=rule.release.certificate.private),
        tuning_lines(rule),
        chosen_lines(rule),
    ]
    return stacked(parts) + "\n"
