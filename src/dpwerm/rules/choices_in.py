"""From a treatment rule's parameters to the public choices of a fit; no row is read."""

from dataclasses import replace
from typing import Any

from dpwerm.learn.settings import CHECKED_ROWS, Asked, check_claim, people, plain_settings
from dpwerm.learn.specification import Specification, specification_of
from dpwerm.privacy.budget import budget_of
from dpwerm.privacy.origin import ReleasedModel
from dpwerm.privacy.payment import Payment
from dpwerm.privacy.relation import Relation
from dpwerm.rules.declaration import Declaration
from dpwerm.rules.fit_rule import Wanted
from dpwerm.rules.outcome_in import fixed_clip
from dpwerm.rules.parameters_in import declaration_of
from dpwerm.rules.propensity import split
from dpwerm.rules.study_payment import study_payment
from dpwerm.study.encoding import Encoding


def wanted_in(estimator: Any, declaration: Declaration, encoding: Encoding) -> Wanted:
    """Return the public choices of a fit."""
    spec, asked = _specification(estimator, declaration), _asked(estimator, declaration)
    return Wanted(declaration, spec, asked, encoding)


def payment_in(estimator: Any, what: str) -> Payment:
    """Return how a fit is paid for; a ledger in which too little is left refuses here."""
    budget = budget_of(estimator.epsilon, estimator.delta)
    return study_payment(
        estimator.ledger,
        estimator.study,
        budget,
        estimator.random_state,
        what,
        relation=_relation(estimator),
    )


def check_choices(estimator: Any) -> None:
    """Raise for every parameter that is wrong but the ledger; nothing is read or chosen."""
    declaration = declaration_of(estimator).checked()
    whole, asked = _specification(estimator, declaration), _asked(estimator, declaration)
    _, rest = split(whole.budget, declaration.treatment)
    spec = whole.with_settings(budget=rest)
    if declaration.treatment.origin == ReleasedModel.name:
        people(asked, spec, whose="a private propensity model")
    if asked.gamma is None:
        people(asked, spec)
    plain_settings(asked, spec.budget).specification(spec, declaration.weight_bound)
    if estimator.study is not None:
        encoding = estimator.study.encoding()
        wanted = Wanted(declaration, whole, asked, encoding)
        check_claim(asked, wanted.rule_spec(CHECKED_ROWS), encoding)


def _relation(estimator: Any) -> Relation:
    study = estimator.study
    declared = study.relation if study is not None else estimator.relation
    return Relation.of(declared or Relation.REPLACE_ONE)


def _specification(estimator: Any, declaration: Declaration) -> Specification:
    """Return what is fixed before γ, the mechanism and the origin of the weights are."""
    return specification_of(
        estimator, weight_bound=declaration.weight_bound, relation=_relation(estimator)
    )


def _asked(estimator: Any, declaration: Declaration) -> Asked:
    """Return what the parameters and the study fix."""
    clip, study = fixed_clip(declaration), estimator.study
    if study is None:
        return Asked.of(estimator, intercept=estimator.intercept_scale, clip=clip)
    asked = Asked.of(estimator, intercept=study.method.intercept_scale, clip=clip)
    return replace(asked, planned_n=study.about.planned_n)
