"""From a treatment rule's parameters to the declaration that a study file would make.

One way of saying things: with a study the study declares them, without one the parameters do, and
both become the same typed facts.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpwerm.choose.hyperparameters import PLAIN_WIDTH, Hyperparameters, is_auto, planned_of
from dpwerm.choose.question import able
from dpwerm.choose.settle import fixed_clip, public_people
from dpwerm.errors import ParameterError
from dpwerm.estimators.base import paying_ledger
from dpwerm.exact import decimal_of
from dpwerm.features.encoding import Encoding
from dpwerm.mechanisms import plain_mechanism
from dpwerm.objective.losses import HuberisedHinge, Loss, form_of, get_loss
from dpwerm.objective.regularizers import ArmPenalty, Ridge, get_regularizer
from dpwerm.objective.residual_losses import ExpHuber
from dpwerm.parameters import interval, positive, real
from dpwerm.privacy.budget import Relation, budget_of
from dpwerm.privacy.randomness import PrivacyFilter
from dpwerm.privacy.weight_origin import KnownByDesign, ReleasedModel, stated_origin
from dpwerm.problem import Problem
from dpwerm.releases.certificate import Specification
from dpwerm.releases.charging import privacy_filter_of
from dpwerm.releases.rule_file import WITHOUT_ARMS
from dpwerm.study.propensity import LIMIT, NoPropensity, PrivatePropensity, RidgePropensity
from dpwerm.study.treatment import Declaration
from dpwerm.weighting.arm_wise import ArmWiseRegression
from dpwerm.weighting.contract import OUTCOME_WEIGHTED, WEIGHTINGS, Weighting, get_weighting
from dpwerm.weighting.trial import split

PARAMETERS = {
    "arms": "propensity",
    "origin": "weight_origin",
    "declared_origin": "weight_origin",
    "default": "default_arm",
    "bounds": "benefit_bounds",
    "clip": "benefit_clip",
}
"""The parameter behind each key of a study file, where the two have different names."""

USUAL_H, USUAL_WEIGHTS = 1.0, "signed"
"""The half-width of the hinge's corner, and the kind of weights, unless others are named."""

BARE_MODELS = ("private", "ridge", "outcome")
"""The models of the propensity that need no word besides their name."""

OPTIONS = {
    "width": "width", "main": "main_penalty", "mean": "mean_scale", "degree": "main_effect",
}  # fmt: skip
"""The parameter behind each hyperparameter that belongs to some estimators only."""

OF_MARGINS = ("h", "weights")
"""The parameters of outcome weights that no regression has, beside loss and clip."""

METHOD = (
    "estimator", "gamma", "mechanism", "loss", "h", "saturation", "threshold", "width",
    "main_penalty", "mean_scale", "main_effect", "tightness", "ranges", "feature_ranges", "guard",
)  # fmt: skip
"""The parameters that [method] of a study fills in where they are not given."""

BESIDE = (*METHOD, "epsilon", "delta", "regularizer", "random_state", "study", "ledger")
"""The parameters that may stand beside a study; it declares all others."""


def declaration_of(estimator: Any) -> Declaration:
    """Return treatment and benefit as a study file would declare them."""
    _refuse_twice_declared(estimator)
    if estimator.study is not None:
        declared: Declaration = estimator.study.declaration()
        return declared
    if estimator.benefit_bounds is None:
        raise ParameterError(
            "benefit_bounds is missing: declare (lower, upper) from what is known before "
            "seeing the data"
        )
    benefit = {
        "column": "benefit",
        "bounds": interval("benefit_bounds", estimator.benefit_bounds),
        "transform": estimator.transform,
        "direction": estimator.direction,
        "weights": estimator.weights,
        "clip": estimator.benefit_clip,
    }
    centre = {} if estimator.centre is None else {"centre": estimator.centre}
    return Declaration.of_keys(_treatment_keys(estimator), benefit | centre, PARAMETERS)


def _refuse_twice_declared(estimator: Any) -> None:
    """Raise if a parameter says what the study declares: one of them would be ignored."""
    declared = [one for one in fields(estimator) if one.init and one.name not in BESIDE]
    given = [one for one in declared if not _is_default(getattr(estimator, one.name), one.default)]
    if given and estimator.study is not None:
        raise ParameterError(
            f"the study declares {', '.join(one.name for one in given)}; change it there, or fit "
            "without a study"
        )


def _is_default(value: Any, default: Any) -> bool:
    """Whether a parameter was left alone; an array never was."""
    return value is default or (np.isscalar(value) and bool(value == default))


def _treatment_keys(estimator: Any) -> dict[str, Any]:
    keys: dict[str, Any] = {"column": "treatment"}
    if _names_arms(estimator.propensity):
        if estimator.arms is not None:
            raise ParameterError("arms: the propensity already names the arms in their order")
        keys["arms"] = dict(estimator.propensity)
    elif estimator.arms is None or estimator.propensity is None:
        raise ParameterError(
            'propensity is missing: declare {"first arm": 0.5, "second arm": 0.5}, or arms '
            'together with P(second arm) or "column"'
        )
    elif isinstance(estimator.arms, str) or np.shape(estimator.arms) != (2,):
        raise ParameterError("arms must be two labels, such as ('pill', 'therapy')")
    elif isinstance(estimator.propensity, str | Mapping):
        keys |= {"arms": list(estimator.arms), "propensity": _model(estimator.propensity)}
    else:
        first, second = estimator.arms
        probability = decimal_of(real("propensity", estimator.propensity))
        keys["arms"] = {first: 1 - probability, second: probability}
    optional = {
        "propensity_floor": estimator.propensity_floor,
        "origin": estimator.weight_origin,
        "default": estimator.default_arm,
        "allocation": estimator.allocation,
    }
    return keys | {key: value for key, value in optional.items() if value is not None}


def _names_arms(propensity: object) -> bool:
    """Whether a propensity gives each arm its probability; one whose "model" is text does not."""
    return isinstance(propensity, Mapping) and not isinstance(propensity.get("model"), str)


def _model(propensity: str | Mapping[str, Any]) -> Any:
    """Return a propensity as a study file writes it."""
    if isinstance(propensity, Mapping):
        return dict(propensity)
    if propensity == "column":
        return "propensity"
    if propensity not in (*BARE_MODELS, LIMIT):  # the study says why not the last
        known = ", ".join(f'"{name}"' for name in ("column", *BARE_MODELS))
        raise ParameterError(f"propensity must be a number, a mapping or one of {known}")
    return {"model": propensity}


def declared_labels(estimator: Any) -> list[Any]:
    """Return the two arms as the parameters name them, the one for negative scores first."""
    named = estimator.propensity if _names_arms(estimator.propensity) else estimator.arms
    return list(named)


def loss_of(loss: str | Loss, h: object = None) -> Loss:
    """Return the loss by its registered name, or the instance of a registered class."""
    width = {} if h is None else {"h": positive("h", h)}
    if not isinstance(loss, str):
        return get_loss(loss.name, **loss.parameters)
    if is_auto(loss):
        return HuberisedHinge(**width)
    return get_loss(loss, **(width if loss == HuberisedHinge.name else {}))


def loss_for(weighting: Weighting, estimator: Any) -> Loss:
    """Return the loss that was named, or the usual one for a design."""
    if weighting.form == "residual" and is_auto(estimator.loss):
        return ExpHuber(PLAIN_WIDTH)
    loss = loss_of(estimator.loss, estimator.h)
    form = form_of(loss)
    if form != weighting.form:
        able = [name for name, kind in WEIGHTINGS.items() if getattr(kind, "form", "") == form]
        raise ParameterError(
            f"loss {loss.name} is of a {form}, and estimator {weighting.name} needs one of a "
            f"{weighting.form}: leave loss out, or name estimator {' or '.join(able)}"
        )
    return loss


def specification_of(
    estimator: Any,
    *,
    weight_bound: float,
    relation: object,
    origin: str = KnownByDesign.name,
    weighting: Weighting = OUTCOME_WEIGHTED,
) -> Specification:
    """Return the public choices of an estimator, at γ = 1 and the plain mechanism until set."""
    budget = budget_of(estimator.epsilon, estimator.delta)
    return Specification(
        budget=budget,
        gamma=1.0,
        weight_bound=weight_bound,
        mechanism=plain_mechanism(budget),
        relation=Relation.of(relation),
        loss=loss_for(weighting, estimator),
        regularizer=get_regularizer(estimator.regularizer),
        origin=stated_origin(origin),
        weighting=weighting,
    )


def choices_of(
    estimator: Any, declaration: Declaration
) -> tuple[Specification, Hyperparameters, int | None]:
    """Return what is fixed before γ is, what is given, and the planned number of people."""
    study, intercept = estimator.study, estimator.intercept_scale
    if estimator.h is not None:
        positive("h", estimator.h)
    planned = planned_of(estimator.planned_n)
    if study is not None:
        planned, intercept = study.about.planned_n, study.method.intercept_scale
    given = Hyperparameters.of(estimator, intercept=intercept, clip=fixed_clip(declaration))
    given = _fitting(given, declaration)
    _refuse_unused(estimator, given, declaration)
    weighting = OUTCOME_WEIGHTED if given.estimator is None else get_weighting(given.estimator)
    if weighting.name in WITHOUT_ARMS and estimator.regularizer == ArmPenalty.name:
        raise ParameterError(
            f"regularizer {ArmPenalty.name} is for columns of each arm, which estimator "
            f"{weighting.name} has not: leave regularizer out, or name estimator arm-wise"
        )
    if weighting.form == "residual":  # a clip is around the centre, which a regression has not
        given = replace(given, clip=None)
    spec = specification_of(
        estimator,
        weight_bound=weighting.weight_bound(declaration),
        relation=_relation(estimator),
        weighting=weighting,
    )
    if given.width is None and not is_auto(estimator.loss):
        given = replace(given, width=_width_of(estimator.loss))
    return spec, given, planned


def _width_of(loss: str | Loss) -> float | None:
    """Return the width of a loss of residuals that was given as such, None of any other."""
    return None if isinstance(loss, str) else loss.parameters.get("width")


def _fitting(given: Hyperparameters, declaration: Declaration) -> Hyperparameters:
    """Return the hyperparameters with the estimator that a study without probabilities needs."""
    model, name = declaration.treatment.propensity, given.estimator
    if isinstance(model, NoPropensity):
        if name not in (None, ArmWiseRegression.name):
            raise ParameterError(
                f"estimator {name} needs probabilities of the arms, and propensity is 'outcome': "
                "use estimator arm-wise, or declare a propensity"
            )
        return replace(given, estimator=ArmWiseRegression.name)
    paid = PrivatePropensity | RidgePropensity
    if isinstance(model, paid) and name == ArmWiseRegression.name:
        raise ParameterError(
            f"estimator arm-wise uses no probabilities, so a {model.model} propensity model would "
            'be paid for in vain: declare propensity = { model = "outcome" }'
        )
    return given


def _refuse_unused(estimator: Any, given: Hyperparameters, declaration: Declaration) -> None:
    """Raise if a parameter was named that no estimator of this fit has: it would be ignored."""
    named = _named(estimator, given, declaration)
    if given.estimator is not None:
        tried: tuple[str, ...] = (given.estimator,)
    elif given.gamma is None and is_open(estimator, declaration):
        by_design = declaration.treatment.probabilities is not None
        tried = able(Hyperparameters(), fixed_design=by_design)
    else:
        tried = (OUTCOME_WEIGHTED.name,)
    known = {name: _options(kind) for name, kind in WEIGHTINGS.items()}
    if any(options is None or {*named} <= {*options} for options in map(known.get, tried)):
        return
    owners = [name for name, options in known.items() if {*named} <= {*(options or ())}]
    said = " and ".join(named.values())
    if isinstance(declaration.treatment.propensity, NoPropensity):
        raise ParameterError(
            f"{said} would not be used by estimator {tried[0]}, and propensity is 'outcome', which "
            f"has no other: leave {said} out"
        )
    if not owners:
        raise ParameterError(f"no estimator has {said} together: leave one of them out")
    raise ParameterError(
        f"{said} would not be used by estimator {' or '.join(tried)}: name estimator "
        f"{' or '.join(owners)}, or leave {said} out"
    )


def _named(estimator: Any, given: Hyperparameters, declaration: Declaration) -> dict[str, str]:
    """Return the parameters that were named and that some estimators do not have."""
    named = {one: name for one, name in OPTIONS.items() if getattr(given, one) is not None}
    if not (estimator.h is None or _is_default(estimator.h, USUAL_H)):
        named["h"] = "h"
    if declaration.benefit.weights != USUAL_WEIGHTS:
        named["weights"] = "weights"
    return named


def _options(kind: Any) -> tuple[str, ...] | None:
    """Return the parameters that an estimator has and others do not; None if it does not say."""
    options: tuple[str, ...] | None = getattr(kind, "options", None)
    if options is None or getattr(kind, "form", "") != "margin":
        return options
    return (*options, *OF_MARGINS)


def is_open(estimator: Any, declaration: Declaration) -> bool:
    """Whether the estimator is to be chosen: nothing was named that belongs to one alone.

    A centre is a fact about the benefit: outcome weights use it, and the others need none.
    """
    benefit = declaration.benefit
    plain = benefit.weights == USUAL_WEIGHTS and benefit.clip_is_open
    left = is_auto(estimator.loss) and estimator.regularizer == Ridge.name
    return plain and left and estimator.h == USUAL_H


def problem_of(estimator: Any, declaration: Declaration, encoding: Encoding) -> Problem:
    """Return the problem that an estimator's parameters and its study pose."""
    spec, given, planned = choices_of(estimator, declaration)
    return Problem(
        spec, encoding, given, declaration, planned, open_method=is_open(estimator, declaration)
    )


def privacy_filter_in(estimator: Any, what: str) -> PrivacyFilter:
    """Return how a fit is paid for; a ledger in which too little is left refuses here."""
    budget, relation = budget_of(estimator.epsilon, estimator.delta), _relation(estimator)
    ledger, seed, study = paying_ledger(estimator, budget), estimator.random_state, estimator.study
    return privacy_filter_of(ledger, budget, seed, what, relation=relation, study=study)


@dataclass(frozen=True)
class Checked:
    """What is public about a fit and was found right: nothing was read or chosen.

    problem : None where no study declares the features; parameters : those that were checked
    arms : the two of them as they were declared
    """

    declaration: Declaration
    problem: Problem | None
    privacy_filter: PrivacyFilter
    parameters: Mapping[str, Any]
    arms: NDArray[Any]


def checked_problem(estimator: Any) -> tuple[Declaration, Problem | None]:
    """Return what is public about a fit; raise for every parameter that is wrong.

    With a study the whole claim is checked, so that nothing can be refused once rows are read but
    the rows themselves.
    """
    declaration = declaration_of(estimator).checked()
    whole, given, planned = choices_of(estimator, declaration)
    _, rest = split(whole.budget, declaration.treatment)
    spec = whole.changed(budget=rest)
    if declaration.treatment.origin == ReleasedModel.name:
        public_people(planned, spec, whose="a private propensity model")
    if given.gamma is None:
        public_people(planned, spec)
    given.or_plain(rest).specification(spec, spec.weight_bound)
    if estimator.study is None:
        return declaration, None
    problem = problem_of(estimator, declaration, estimator.study.encoding())
    problem.check()
    return declaration, problem


def _relation(estimator: Any) -> Relation:
    declared = estimator if estimator.study is None else estimator.study
    return Relation.of(declared.relation or Relation.REPLACE_ONE)
