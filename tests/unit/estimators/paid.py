"""Every kind of private release, each as a function of the ledger that pays for it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from tests.unit.estimators import observational
from tests.unit.releases.value import trials as valued
from tests.unit.tune import trials as tuned

from dpwerm import PrivateTreatmentRule, Study
from dpwerm.evaluate import treatment_value
from dpwerm.privacy.budget import AnyBudget, Budget
from dpwerm.privacy.randomness import Receipt
from dpwerm.releases.release import Rule
from dpwerm.releases.rule_file import KIND, content_of
from dpwerm.releases.tuning import WAYS
from dpwerm.releases.value.release import ValueRelease, value_content
from dpwerm.tune.private import fit_tuned

DESIGN, MODEL = tuned.STUDY.replace("[budget]\nepsilon = 5\n", ""), tuned.PRIVATE_MODEL
MODEL = MODEL.replace("[budget]\nepsilon = 5\n", "")
AUTO = DESIGN.replace("[method]\ngamma = 100\n", "")
PUBLIC_RULE = valued.fitted(valued.study(), epsilon=1)


@dataclass(frozen=True)
class Paid:
    """What came of a fit: its cost in all, its receipt, its digest and what it is called."""

    budget: AnyBudget
    receipt: Receipt | None
    digest: str
    what: str


def of_rule(rule: Rule) -> Paid:
    return Paid(rule.budget, rule.receipt, content_of(rule)["digest"], KIND.charged(rule)[0])


def of_value(value: ValueRelease) -> Paid:
    digest = value_content(value)["digest"]
    return Paid(value.budget, value.receipt, digest, "value")


Fit = Callable[..., Paid]


def rule(text: str, epsilon: Any, **other: Any) -> Fit:
    def fit(ledger: Any, **more: Any) -> Paid:
        parameters = other | {"ledger": ledger}
        estimator = PrivateTreatmentRule.from_study(Study.parse(text), epsilon, **parameters)
        return of_rule(estimator.fit(tuned.table(), **more).rule_)

    return fit


def arrays(**other: Any) -> Fit:
    def fit(ledger: Any, **more: Any) -> Paid:
        data = observational.columns()
        estimator = observational.arrays(1, ledger=ledger, **other)
        X = np.column_stack([data["x"], data["z"]])
        return of_rule(estimator.fit(X, data["arm"], data["outcome"], **more).rule_)

    return fit


def way(how: str, text: str, **other: Any) -> Fit:
    def fit(ledger: Any, **more: Any) -> Paid:
        asked: dict[str, Any] = {"epsilon": 1, "how": how, "gammas": tuned.GAMMAS}
        return of_rule(
            fit_tuned(Study.parse(text), tuned.table(), ledger=ledger, **(asked | other | more))
        )

    return fit


def evaluation(ledger: Any, **more: Any) -> Paid:
    study = valued.study(valued.DESIGN, ("[budget]\nepsilon = 2\n", ""))
    rule = PUBLIC_RULE
    return of_value(treatment_value(rule, valued.table(), 1, study=study, ledger=ledger, **more))


def without_a_study(ledger: Any, **more: Any) -> Paid:
    return of_value(treatment_value(PUBLIC_RULE, valued.table(), 1, ledger=ledger, **more))


FITS: dict[str, tuple[Fit, AnyBudget]] = {
    "rule": (rule(DESIGN, 1), Budget.of(1)),
    "arrays": (
        arrays(propensity={"a": 0.5, "b": 0.5}, arms=None, propensity_floor=None),
        Budget.of(1),
    ),
    "delta": (rule(DESIGN, 1, delta="1e-6"), Budget.of(1, "1e-6")),
    "a delta that nobody spends": (
        rule(AUTO, 1, delta="1e-6", mechanism="objective-block", saturation=1.0),
        Budget.of(1),
    ),
    "private model": (rule(MODEL, "0.7"), Budget.of("0.7")),
    "private model, arrays": (arrays(), Budget.of(1)),
    "private model and delta": (
        rule(MODEL, 1, delta="1e-6", mechanism="gaussian"),
        Budget.of(1, "1e-6"),
    ),
    "ridge": (arrays(propensity="ridge"), Budget.of(1)),
    "contrast": (rule(DESIGN, 1, estimator="contrast"), Budget.of(1)),
    "contrast, private model": (rule(MODEL, "0.7", estimator="contrast"), Budget.of("0.7")),
    "arm-wise": (
        rule(DESIGN, 1, estimator="arm-wise", mechanism="objective-block"),
        Budget.of(1),
    ),
    "arm-wise, no propensity": (
        arrays(propensity="outcome", propensity_floor=None, main_effect="squares"),
        Budget.of(1),
    ),
    "rho": (rule(DESIGN, Budget.zcdp("0.1")), Budget.zcdp("0.1")),
    "mu": (rule(DESIGN, Budget.gdp("0.3")), Budget.gdp("0.3")),
    **{f"tuned by {how}": (way(how, DESIGN), Budget.of(1)) for how in WAYS},
    **{f"tuned by {how}, model": (way(how, MODEL), Budget.of(1)) for how in WAYS},
    "tuned by split, contrast": (
        way("split", MODEL.replace("gamma = 100", 'gamma = 100\nestimator = "contrast"')),
        Budget.of(1),
    ),
    "tuned by parts, arm-wise": (
        way("parts", DESIGN.replace("gamma = 100", 'gamma = 100\nestimator = "arm-wise"')),
        Budget.of(1),
    ),
    "tuned by parts with a delta": (
        way("parts", DESIGN, delta="1e-6", mechanism="gaussian"),
        Budget.of(1, "1e-6"),
    ),
    "evaluation": (evaluation, Budget.of(1)),
    "evaluation without a study": (without_a_study, Budget.of(1)),
}
