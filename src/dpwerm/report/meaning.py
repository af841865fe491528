"""What a promise means in plain words: in (ε, δ) a factor, in ρ-zCDP and μ-GDP a game of guessing.

Under μ-GDP a test with a share a of false alarms detects at most Φ(Φ⁻¹(a) + μ); Gaussian noise that
is ρ-zCDP has μ = √(2ρ), so one picture serves both.
"""

import math
from statistics import NormalDist

from dpwerm.learn.certificate import Certificate
from dpwerm.privacy.budget import AnyBudget, Budget
from dpwerm.privacy.odds import factor_words

FALSE_ALARMS = 0.05
NOTHING_LEFT = 0.999
"""Above this share of detections nobody is protected."""


def meaning(certificate: Certificate, whole: AnyBudget | None = None) -> list[str]:
    """Return what the promise means, line by line; nothing where there is no promise.

    whole: what was spent in all, if more than this certificate's budget.
    """
    if not certificate.private:
        return []
    budget = certificate.budget if whole is None else whole
    if isinstance(budget, Budget):
        return _factor(certificate, budget)
    return _guessing(certificate, f"{budget.symbol} = {budget.parameter}")


def _factor(certificate: Certificate, budget: Budget) -> list[str]:
    epsilon, delta = budget.epsilon, budget.delta
    if certificate.n is not None:
        unit, bet = "replacing one person's row", "one possible row of that person against another"
    else:
        unit, bet = "adding or removing a row", "that person being in the data against not"
    lines = [
        f"What epsilon = {epsilon} means: {unit} changes the probability",
        f"of any published result by at most {factor_words(epsilon)}.",
    ]
    if delta > 0:
        return [*lines, f"Beyond that factor a probability may differ by delta = {delta:f}."]
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
    if detected > NOTHING_LEFT:
        return [*lines, "That is so easy that it protects nobody."]
    share, guess = math.ceil(1000 * detected) / 10, 100 * FALSE_ALARMS
    test = f"A test with {guess:g} false alarms in 100"
    return [*lines, f"{test} detects at most {share:g} in 100; a mere guess detects {guess:g}."]
