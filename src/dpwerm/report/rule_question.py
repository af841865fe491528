"""From a released rule back to the public question that it is an answer to.

The certificate, the encoding and the declaration say what was known before a row was read: the
shape of the features, n, the budget, γ/W. Trials of that kind can be simulated from them.
"""

from dataclasses import replace

from dpwerm.choose.answer import plan_of
from dpwerm.choose.candidates import Setting
from dpwerm.choose.question import Outcome, Question
from dpwerm.errors import ParameterError
from dpwerm.mechanisms.plan import Plan
from dpwerm.rules.declaration import Declaration
from dpwerm.rules.outcome_in import SPREAD, outcome_of
from dpwerm.rules.rule import Rule
from dpwerm.simulate.proxies import Proxies, generator, random_trials

IN_THE_MIDDLE = 1e-9
"""A centre this near to the middle of the range, in units of half of it, is the middle."""


def question_of(rule: Rule) -> Question:
    """Return the question of a released rule, everything fixed, in units of W.

    Of a tuned rule, n and the budget are those of the fit that was released.
    """
    certificate, encoding = rule.release.certificate, rule.release.encoding
    if certificate.n is None:
        raise ParameterError("the rule does not say from how many people it was learned")
    spec, benefit = certificate.specification(), rule.declaration.benefit
    return Question(
        encoding=encoding,
        n=certificate.n,
        budget=spec.budget,
        relation=spec.relation,
        loss=spec.loss,
        origin=spec.origin,
        regularizer=spec.regularizer.name,
        outcome=_outcome(rule.declaration),
        mechanism=spec.mechanism,
        clip=benefit.clip / benefit.largest_clip,
        intercept=encoding.intercept,
        saturation=encoding.saturation,
        threshold=rule.release.threshold,
    )


def _outcome(declaration: Declaration) -> Outcome:
    """Return the outcome; a rule file and the rule it was written from have the same.

    The file does not say whether a centre in the middle was declared, so it counts as left open.
    """
    found = outcome_of(declaration)
    left_open = found.signed and abs(found.centre) < IN_THE_MIDDLE
    by_design = declaration.treatment.probabilities is not None
    return replace(found, spread=SPREAD if left_open and not by_design else 0.0)


def plan_for(rule: Rule, question: Question) -> Plan:
    """Return the plan of the rule's mechanism for W = 1: γ and the noise scale with W."""
    certificate = rule.release.certificate
    gamma = certificate.gamma / certificate.weight_bound
    return plan_of(question, question.encoding, certificate.mechanism, gamma)


def setting_of(question: Question) -> Setting:
    """Return everything but γ, as rehearsals take it."""
    encoding = question.encoding
    return Setting(
        mechanism=question.mechanism or "none",
        clip=question.clip or 1.0,
        intercept=encoding.intercept,
        saturation=encoding.saturation,
    )


def trials_for(question: Question, count: int, rows: int, *key: int) -> Proxies:
    """Return random trials inside the declared bounds for a public key."""
    outcome = question.outcome
    return random_trials(
        question.widths,
        count=count,
        rows=rows,
        propensity=outcome.propensity,
        rng=generator(*key),
        around=outcome.around,
        spread=outcome.spread,
    )
