r"""A rule in plain words: what it recommends, what the promise means, and what that rests on.

All of it is public: hyperparameters are declared, or chosen on synthetic trials without reading a
row, or, for γ alone, chosen privately on the rows at a cost that is said.

An (ε, δ) promise is a factor by which anybody's odds can change:

.. math:: \frac{P(a \mid result)}{P(b \mid result)} \le e^{\varepsilon} \frac{P(a)}{P(b)}

for two possible rows a and b of a person (or being in the data and not), because the published
result is at most e^ε times as likely under one as under the other. ρ-zCDP and μ-GDP are a game of
guessing: under μ-GDP a test with a share a of false alarms detects at most Φ(Φ⁻¹(a) + μ); Gaussian
noise that is ρ-zCDP has μ = √(2ρ), so one picture serves both.
"""

from collections.abc import Iterator
from decimal import ROUND_CEILING, Decimal, localcontext
from statistics import NormalDist

from dpwerm.documents.chosen import chosen_words, tuning_words, unclear_words
from dpwerm.documents.document import Block, Document, Facts, Paragraph, Section, Table, told
from dpwerm.documents.effects import beyond, coefficient_texts
from dpwerm.documents.half_widths import no_trials, simulated_by_law, simultaneous, why_not
from dpwerm.documents.method import (
    is_outcome_weighted,
    learning_words,
    method_rows,
    shrunk_words,
    warning_words,
)
from dpwerm.documents.own_units import score_rows
from dpwerm.documents.parts import (
    guard_words,
    parts_rows,
    ranges_words,
    tightness_words,
    units_words,
)
from dpwerm.documents.render import as_text
from dpwerm.documents.verdict import Verdict, verdict_of
from dpwerm.privacy.budget import AnyBudget, Budget
from dpwerm.privacy.weight_origin import KnownByDesign
from dpwerm.releases.certificate import Certificate
from dpwerm.releases.release import Release, Rule
from dpwerm.releases.rule_file import notice
from dpwerm.releases.tuning import SPLIT
from dpwerm.text import at_least, at_most, number

RESTS, MADE = "What the promise rests on:", "How it was made, without a promise:"
LARGEST_TOLD = 20
"""Above this ε a factor is no protection, and its number says nothing."""

FALSE_ALARMS = 0.05
ROUNDING = 1e-12
"""More than doubles err in the distribution function of a normal number."""

DIGITS = 40
"""Of e^ε before it is rounded up: it is irrational, so the last digits decide nothing."""

UNPUBLISHED_SPREAD = (
    "No ± is shown: under objective perturbation the spread of the noise in a coefficient depends "
    "on the data and is not published."
)
KEPT = (
    "The rule is one of several releases, chosen by its score. ± is the half-width of the noise in "
    "one release by itself. The choice changes it, and how much depends on the data."
)
WEIGHTS = (
    "The noise of the private propensity model moves the weights, and through them the "
    "coefficients. That is not in ±, which is the half-width of the rule's own noise."
)
EXACT = (
    "In 95 of 100 releases the privacy noise of no coefficient goes beyond its ±. It is not "
    "sampling error."
)
NO_SPREAD = "No ± is shown here."
SIMULATED = " `dpwerm report` shows a ± from synthetic trials instead."
BOTH = "`dpwerm report` says what goes beyond privacy noise and chance together."


NOISE_ALONE = (
    "NO COEFFICIENT STANDS OUT from the privacy noise: this rule may be noise alone. A larger "
    "gamma, more people or a larger budget would give a clearer one."
)


def hyperparameter_rows(rule: Rule) -> dict[str, str]:
    """Return a row for each part of a regression, and for what is not plain of the rest."""
    encoding, release, benefit = rule.release.encoding, rule.release, rule.declaration.benefit
    rows = method_rows(rule)
    if is_outcome_weighted(rule) and benefit.clip < benefit.largest_clip:
        clip, largest = (number(one, digits=6) for one in (benefit.clip, benefit.largest_clip))
        rows["clip"] = f"V = {clip}; without it benefits lie up to {largest} from the centre"
    if encoding.intercept != 1:
        column = f"a column of {number(encoding.intercept, digits=6)}"
        rows["intercept"] = column if encoding.intercept else "none"
    if encoding.saturation != 1:
        part = number(encoding.saturation, digits=6)
        rows["saturation"] = f"learned from the middle 1/{part} of each number's range, stretched"
    if release.threshold > 0:
        slopes = zeroed(release)[int(encoding.intercept > 0) :]
        rows["threshold"] = (
            f"coefficients below {number(release.threshold, digits=6)} of the largest were set to "
            f"0, here {sum(slopes)} of {len(slopes)}"
        )
    return rows


def zeroed(release: Release) -> list[bool]:
    """Return for each coefficient whether the threshold set it to 0; never the intercept."""
    return [k != kept for k, kept in zip(release.used, release.kept, strict=True)]


def factor_words(epsilon: Decimal) -> str:
    """Return the factor e^ε in words, rounded up: it stands under "at most"."""
    if epsilon > LARGEST_TOLD:
        return "a factor so large that it protects nobody"
    with localcontext(prec=DIGITS):
        return f"a factor {at_most(epsilon.exp())}"


def even_odds(epsilon: Decimal) -> tuple[float, float]:
    r"""Return what odds of 50:50 become at most, in percent, the first rounded up to a tenth.

    .. math:: \frac{e^\varepsilon}{1 + e^\varepsilon}
    """
    with localcontext(prec=DIGITS):
        share = 100 / (1 + (-epsilon).exp())
        larger = share.quantize(Decimal("0.1"), rounding=ROUND_CEILING)
        return float(larger), float(100 - larger)


def odds_words(epsilon: Decimal) -> str:
    """Say by how much a reader's odds change at most at ε, and what becomes of even odds."""
    larger, smaller = even_odds(epsilon)
    if epsilon > LARGEST_TOLD:
        return "odds may change by any factor that matters: nobody is protected"
    return (
        f"odds change by at most {factor_words(epsilon)}; "
        f"50:50 becomes at most {larger:g}:{smaller:g}"
    )


def meaning(certificate: Certificate, whole: AnyBudget | None = None) -> str:
    """Return what the promise means, "" where there is no promise.

    whole: what was spent in all, if more than this certificate's budget.
    """
    if not certificate.private:
        return ""
    budget = certificate.budget if whole is None else whole
    if not isinstance(budget, Budget):
        return _guessing(certificate, f"{budget.symbol} = {budget.parameter}")
    unit, bet = "adding or removing a row", "that person being in the data against not"
    if certificate.n is not None:
        unit, bet = "replacing one person's row", "one possible row of that person against another"
    words = f"What epsilon = {budget.epsilon} means: {unit} changes the probability of any "
    words += f"published result by at most {factor_words(budget.epsilon)}."
    if budget.delta > 0:
        return f"{words} Beyond that factor a probability may differ by delta = {budget.delta:f}."
    return f"{words} The odds that a reader gives to {bet} change by at most the same factor."


def _guessing(certificate: Certificate, promise: str) -> str:
    gaussian = certificate.gaussian
    if gaussian is None:  # no such certificate is made
        return ""
    task = "whether a person is in the data"
    if certificate.n is not None:
        task = "which of two possible rows a person has"
    standard = NormalDist()
    detected = standard.cdf(standard.inv_cdf(FALSE_ALARMS) + gaussian.mu) + ROUNDING
    words = f"What {promise} means: to tell {task} from the published result is at least as hard "
    words += "as to tell by one draw whether a normal number has mean 0 or mean "
    words += f"{at_most(gaussian.mu)}, both with standard deviation 1."
    if detected > 0.999:
        return f"{words} That is so easy that it protects nobody."
    share = Decimal(100 * detected).quantize(Decimal("0.1"), rounding=ROUND_CEILING).normalize()
    guess = 100 * FALSE_ALARMS
    test = f"A test with {guess:g} false alarms in 100"
    return f"{words} {test} detects at most {share:f} in 100; a mere guess detects {guess:g}."


def _rule_blocks(rule: Rule, verdict: Verdict) -> Iterator[Block]:
    yield Paragraph(verdict.words)
    first, second = rule.arms
    words = f"Recommend {second!r} where the score is above 0, {first!r} where it is below; a "
    words += f"score of exactly 0 gives {rule.default!r}."
    yield Paragraph(f"{words} {learning_words(rule)}".strip())
    yield from told(tightness_words(rule), ranges_words(rule), guard_words(rule))
    yield from told(warning_words(rule))
    yield _own_units(rule.release, "The score is the sum of these, in the columns' own units:")
    yield from told(shrunk_words(rule))


def _own_units(release: Release, caption: str) -> Facts:
    """Return what each feature adds, in its own units."""
    return Facts(tuple((row.name, row.adds) for row in score_rows(release)), caption)


def _noise_blocks(rule: Rule) -> Iterator[Block]:
    release, simulated = rule.release, simulated_by_law(rule)
    half = simultaneous(rule, simulated)
    names, shown = release.encoding.coefficient_names, coefficient_texts(release, half)
    noise = [""] * len(names)
    if half is not None and half.any():
        noise = [f"± {number(one, one)}" for one in half]
    wide = max(map(len, shown))
    yield Table(
        f"Coefficients in encoded units ({units_words(rule)}):",
        (),
        tuple(
            (name, f"{text:>{wide}}", "set to 0" if small else spread)
            for name, text, spread, small in zip(names, shown, noise, zeroed(release), strict=True)
        ),
    )
    both = "" if no_trials(rule) else BOTH
    if half is None:
        inside = release.certificate.perturbation is not None
        none, why = UNPUBLISHED_SPREAD if inside else NO_SPREAD, why_not(rule)
        if why and not is_outcome_weighted(rule):
            none = f"No ± is shown. {why}"
        yield Paragraph(f"{none}{'' if why else SIMULATED} {both}".strip())
    elif half.any():
        said = (EXACT if simulated is None else simulated.words, both, caveat(rule))
        yield Paragraph(" ".join(filter(None, said)))
        if not any(beyond(release, half)):
            yield Paragraph(NOISE_ALONE)


def caveat(rule: Rule) -> str:
    """Return what the half-width of the noise leaves out, "" where it is the whole story."""
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
    loss = (f"{key} = {number(one)}" for key, one in c.loss.parameters.items())
    people, tuned = "n is not written" if c.n is None else f"n = {c.n}", ""
    if tuning is not None:
        people += f" of {tuning.rows} rows" if c.n not in (None, tuning.rows) else ""
        tuned = ", tuned privately" if rule.private else ", tuned on the same rows"
    by_design = c.weight_origin.name == KnownByDesign.name
    fixed = ", fixed before the first person" if by_design else ""
    rows = {
        "mechanism": f"{c.mechanism} ({c.proof})",
        "relation": f"{c.relation}, {people}",
        "loss": " ".join([c.loss.name, *loss]),
        "gamma": f"{number(c.gamma, digits=6)}{tuned}",
        "weights": f"at most {at_most(c.weight_bound, 6)}, origin {c.weight_origin.name}{fixed}",
        "row norm": f"at most {at_most(c.radius, 6)}",
        **hyperparameter_rows(rule),
        **parts_rows(rule),
        **_perturbation_rows(c),
    }
    if both is not None:
        rows["other notions"] = (
            f"rho = {at_most(both.rho, 6)} (zCDP), mu = {at_most(both.mu, 6)} (Gaussian DP)"
        )
    return rows | {"randomness": c.randomness, "ledger": str(c.receipt or c.ledger)}


def _perturbation_rows(c: Certificate) -> dict[str, str]:
    """Return the noise and what it is made for; inside the objective, both of its noises.

    There the second noise covers the solver's tolerance alone and is far below the first.
    """
    s, inside = c.sensitivity, c.perturbation
    scale = f"{number(c.noise.scale, digits=6)} on a grid of 2^{c.noise.grid_exponent}"
    total = number(s.total, digits=8)
    if inside is None:
        minimiser = number(s.minimiser or 0.0, digits=8)
        size = f"{minimiser} of the minimiser, {total} with solver tolerance"
        return {"sensitivity": size, "noise scale": scale}
    sizes = {"rate": inside.rate, "sigma": inside.sigma}
    (size,) = (f"{key} {number(one, digits=6)}" for key, one in sizes.items() if one is not None)
    curvature = number(inside.jacobian)
    return {
        "noise inside": f"{inside.norm}, {size}, kappa {number(inside.kappa, digits=6)}",
        "epsilon": f"{inside.epsilon_inside} inside, of which {curvature} for curvature; "
        f"{inside.epsilon_outside} for the second noise",
        "second noise": f"scale {scale}; covers {total}, twice the solver tolerance",
    }


def _propensity_blocks(rule: Rule) -> Iterator[Block]:
    """Yield the private propensity model in own units, and what it cost; nothing without one."""
    model = rule.propensity
    if model is None:
        return
    certificate = model.certificate
    cost = f" at epsilon = {certificate.epsilon}" if certificate.private else ", NOT PRIVATE"
    floor = rule.declaration.treatment.pi_min
    yield _own_units(
        model,
        f"Propensity model, released with the rule{cost} ({certificate.mechanism}): log-odds of "
        f"having received {rule.arms[1]!r}, in the columns' own units; probabilities are clipped "
        f"to [{at_least(floor, 6)}, {at_most(1 - floor, 6)}]:",
    )


def summary(rule: Rule) -> str:
    """Return the summary of a rule as text."""
    return as_text(summary_document(rule))


def summary_document(rule: Rule) -> Document:
    """Return the verdict, the rule, the meaning of its promise and the certificate."""
    private, verdict = rule.release.certificate.private, verdict_of(rule)
    blocks: list[Block] = [*_rule_blocks(rule, verdict), *_noise_blocks(rule)]
    blocks += told(unclear_words(rule, verdict))
    blocks += _propensity_blocks(rule)
    blocks += told(meaning(rule.release.certificate, rule.budget))
    blocks.append(Facts(tuple(certificate_rows(rule).items()), RESTS if private else MADE))
    blocks += told(tuning_words(rule), chosen_words(rule, verdict))
    return Document(
        "summary",
        rule.title,
        (Section("summary", "", tuple(blocks)),),
        notices=(notice(rule),),
        private=rule.private,
        verdict=verdict.outcome,
        about="Summary of a treatment rule",
        made_from="the rule file alone",
    )
