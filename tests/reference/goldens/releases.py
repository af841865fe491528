"""Seeded releases of every mechanism, relation, loss and encoding, with all settings given."""

import math
from itertools import product
from typing import Any

import numpy as np
from tests.reference.goldens.surface import Content, attempt, rule_content, versionless
from tests.reference.goldens.tables import (
    BY_COLUMN,
    BY_DESIGN,
    BY_MODEL,
    EXTERNAL,
    arrow,
    columns,
    odd_columns,
    study_text,
)

from dpwerm import Budget, PrivateTreatmentRule, PrivateWeightedClassifier, Study

PURE = ("spherical-laplace", "product-laplace", "objective-l2", "objective-block")
WITH_DELTA = ("gaussian", "objective-gaussian")
MECHANISMS = (*PURE, *WITH_DELTA, "none")
RELATIONS = ("replace_one", "add_remove")
LOSSES: dict[str, dict[str, Any]] = {
    "hinge": {"loss": "huberised-hinge", "h": 0.5},
    "logistic": {"loss": "logistic"},
}
ENCODINGS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "centred": ({}, {}),
    "bare": ({"intercept_scale": 0}, {}),
    "saturated": ({"saturation": 2.5, "threshold": 0.3, "intercept_scale": 1}, {}),
    "paper": (
        {"encoding": "paper", "intercept_scale": 1},
        {"weights": "nonnegative", "centre": "lower", "clip": "range"},
    ),
    "paper-bare": ({"encoding": "paper", "intercept_scale": 0, "threshold": 0.1}, {}),
}


def privacy(mechanism: str, epsilon: float = 2) -> dict[str, Any]:
    """Return epsilon and delta that a mechanism can be given."""
    if mechanism == "none":
        return {"epsilon": math.inf}
    return {"epsilon": epsilon, "delta": "1e-6" if mechanism in WITH_DELTA else 0}


def fitted(text: str, seed: int, table: Any = None, **asked: Any) -> Any:
    """Return the rule of a study file; columns by formula unless a table is given."""
    rows = arrow(columns()) if table is None else table
    return PrivateTreatmentRule.from_study(Study.parse(text), random_state=seed, **asked).fit(rows)


def released(text: str, seed: int, table: Any = None, **asked: Any) -> Content:
    """Return the content of the rule file of a study, or its refusal."""
    return attempt(lambda: rule_content(fitted(text, seed, table, **asked)))


def studies() -> dict[str, Content]:
    """Every mechanism × relation × loss × encoding."""
    found = {}
    every = product(MECHANISMS, RELATIONS, LOSSES, ENCODINGS)
    for seed, (mechanism, relation, loss, encoding) in enumerate(every):
        method, benefit = ENCODINGS[encoding]
        text = study_text(
            relation=relation,
            benefit=benefit,
            method={"mechanism": mechanism, "gamma": 60, **LOSSES[loss], **method},
        )
        name = f"{mechanism} {relation} {loss} {encoding}"
        found[name] = released(text, seed, **privacy(mechanism))
    return found


REGRESSIONS: dict[str, dict[str, Any]] = {
    "contrast": {"estimator": "contrast", "width": 0.1},
    "contrast without mean": {"estimator": "contrast", "width": 0.3, "mean_scale": 0},
    "contrast, huber": {"estimator": "contrast", "loss": "huber", "width": 0.2, "mean_scale": 4},
    "arm-wise": {"estimator": "arm-wise", "width": 0.1},
    "arm-wise, main 0.25": {"estimator": "arm-wise", "width": 0.04, "main_penalty": 0.25},
    "arm-wise, cubes": {"estimator": "arm-wise", "width": 0.1, "main_effect": "cubes"},
}


def regressions() -> dict[str, Content]:
    """Contrast and arm-wise regression: every mechanism × relation."""
    found = {}
    every = product(MECHANISMS, RELATIONS, REGRESSIONS)
    for seed, (mechanism, relation, name) in enumerate(every):
        usual = {"mechanism": mechanism, "gamma": 20, "loss": "exp-huber"}
        method = {**usual, **REGRESSIONS[name]}
        text = study_text(relation=relation, benefit={}, method=method)
        found[f"{mechanism} {relation} {name}"] = released(text, seed, **privacy(mechanism))
    return found


def budgets() -> dict[str, Content]:
    """Other budgets and strengths of regularisation; what no claim can be made for is refused."""
    found = {}
    asked: dict[str, dict[str, Any]] = {
        "rho 0.05": {"epsilon": Budget.zcdp("0.05")},
        "mu 0.4": {"epsilon": Budget.gdp("0.4")},
        "epsilon 0.1": {"epsilon": "0.1"},
        "epsilon 8, delta 1e-3": {"epsilon": 8, "delta": "0.001"},
        "epsilon 0.5, delta 1e-9": {"epsilon": "0.5", "delta": "1e-9"},
    }
    for relation, mechanism, (name, cost) in product(RELATIONS, MECHANISMS[:-1], asked.items()):
        for gamma in (2.5, 700):
            text = study_text(relation=relation, method={"mechanism": mechanism, "gamma": gamma})
            found[f"{mechanism} {relation} {name} gamma {gamma}"] = released(text, 17, **cost)
    return found


BENEFITS: dict[str, dict[str, Any]] = {
    "midpoint, range": {"centre": "midpoint", "clip": "range"},
    "lower": {"centre": "lower", "clip": 25},
    "smaller": {"direction": "smaller", "centre": -3, "clip": 5},
    "nonnegative": {"weights": "nonnegative", "centre": "lower", "clip": 12},
    "nonnegative above": {"weights": "nonnegative", "centre": 2, "clip": 12},
    "log": {"bounds": [0.5, 20], "transform": "log", "centre": "midpoint", "clip": 1.5},
    "log smaller": {
        "bounds": [0.5, 20],
        "transform": "log",
        "direction": "smaller",
        "centre": -1.5,
        "clip": "range",
    },
}
TREATMENTS = {
    "uneven": 'arms = { pill = 0.2, talk = 0.8 }\ndefault = "talk"',
    "turned": 'arms = { talk = "2/3", pill = "1/3" }',
    "worst case": f'{BY_DESIGN}\norigin = "worst_case"',
    "external": f'{BY_DESIGN}\norigin = "external"',
}


def weights() -> dict[str, Content]:
    """How benefit and treatment become weights, and how odd cells are mapped."""
    found = {}
    for seed, ((name, benefit), mechanism) in enumerate(
        product(BENEFITS.items(), ("spherical-laplace", "objective-block", "none"))
    ):
        text = study_text(benefit=benefit, method={"mechanism": mechanism})
        found[f"benefit {name}, {mechanism}"] = released(text, seed, **privacy(mechanism))
    for (name, treatment), mechanism in product(TREATMENTS.items(), ("product-laplace", "none")):
        text = study_text(treatment=treatment, method={"mechanism": mechanism})
        found[f"treatment {name}, {mechanism}"] = released(text, 3, **privacy(mechanism))
    odd = arrow(odd_columns())
    for relation, (encoding, (method, benefit)) in product(RELATIONS, ENCODINGS.items()):
        text = study_text(
            relation=relation, benefit=benefit, method={"mechanism": "none", **method}, person=True
        )
        found[f"odd cells {relation} {encoding}"] = released(text, 5, odd, **privacy("none"))
    return found


PROPENSITIES = {
    "column design": BY_COLUMN.replace("ORIGIN", "design"),
    "column external": BY_COLUMN.replace("ORIGIN", "external"),
    "column worst case": BY_COLUMN.replace("ORIGIN", "worst_case"),
    "external model": BY_MODEL.replace("MODEL", EXTERNAL),
    "ridge": BY_MODEL.replace("MODEL", '{ model = "ridge", gamma = 90 }'),
}
PRIVATE = BY_MODEL.replace("MODEL", '{ model = "private", share = 0.25 }')


def propensities() -> dict[str, Content]:
    """Every way in which the probability of an arm can be known, by study."""
    found = {}
    every = product(PROPENSITIES.items(), RELATIONS, MECHANISMS)
    for seed, ((name, treatment), relation, mechanism) in enumerate(every):
        text = study_text(
            relation=relation, treatment=treatment, method={"mechanism": mechanism, "gamma": 300}
        )
        found[f"{name} {relation} {mechanism}"] = released(text, seed, **privacy(mechanism))
    odd = arrow(odd_columns())
    for name in ("column design", "external model", "ridge"):
        text = study_text(treatment=PROPENSITIES[name], method={"mechanism": "none"})
        found[f"{name}, odd cells"] = released(text, 11, odd, **privacy("none"))
    return found


def private_propensities() -> dict[str, Content]:
    """Rules with a private propensity model, whose own settings are always chosen by simulation."""
    found = {}
    for relation, mechanism in (
        ("replace_one", "spherical-laplace"),
        ("add_remove", "objective-l2"),
        ("replace_one", "gaussian"),
        ("replace_one", "none"),
    ):
        text = study_text(
            relation=relation, treatment=PRIVATE, method={"mechanism": mechanism, "gamma": 300}
        )
        found[f"{relation} {mechanism}"] = released(text, 23, **privacy(mechanism, 4))
    return found


def matrix(n: int = 60) -> tuple[np.ndarray[Any, Any], ...]:
    """Return X (n, 3), arms, benefits and P(second arm) as arrays."""
    table = columns(n)
    X = np.column_stack(
        [table["age"], table["dose"], [float(one == "M") for one in table["sex"]]]
    ).astype(float)
    return X, np.array(table["arm"]), np.array(table["gain"]), np.array(table["p"])


BOUNDS = [(18, 90), (0, 4), (0, 1)]
GIVEN: dict[str, Any] = {
    "gamma": 50,
    "intercept_scale": 0.5,
    "saturation": 1,
    "threshold": 0,
    "feature_bounds": BOUNDS,
}
ESTIMATED: dict[str, dict[str, Any]] = {
    "plain": {},
    "logistic": {"loss": "logistic"},
    "paper": {"encoding": "paper", "intercept_scale": 1, "threshold": 0.2},
    "bare": {"intercept_scale": 0, "saturation": 3, "h": 0.25},
}


def classifiers() -> dict[str, Content]:
    """``PrivateWeightedClassifier`` on arrays: release, scores and predictions."""
    X, arms, gain, _ = matrix()
    weight = np.abs(gain)
    found = {}
    for seed, (mechanism, relation, (name, more)) in enumerate(
        product(MECHANISMS, RELATIONS, ESTIMATED.items())
    ):
        asked = {**GIVEN, "classes": ("pill", "talk"), "weight_bound": 12, **more}
        found[f"{mechanism} {relation} {name}"] = _classified(
            X, arms, weight, mechanism, random_state=seed, relation=relation, **asked
        )
    for origin, mechanism in product(("external", "worst_case"), MECHANISMS):
        asked = {**GIVEN, "classes": ("talk", "pill"), "weight_bound": 12, "weight_origin": origin}
        found[f"{mechanism} {origin}"] = _classified(
            X, arms, weight, mechanism, random_state=2, **asked
        )
    asked = {**GIVEN, "classes": ("pill", "talk")}
    found["no weights"] = _classified(X, arms, None, "none", random_state=0, **asked)
    return found


def _classified(X: Any, y: Any, weight: Any, mechanism: str, **asked: Any) -> Content:
    def work() -> Content:
        cost = privacy(mechanism)
        model = PrivateWeightedClassifier(mechanism=mechanism, **cost, **asked).fit(X, y, weight)
        content = versionless(model.release_.to_dict())
        scores = model.decision_function(X[:6]).tolist()
        return content | {"scores": scores, "predicted": model.predict(X[:6]).tolist()}

    return attempt(work)


def rules_of_arrays() -> dict[str, Content]:
    """``PrivateTreatmentRule`` on arrays: rule file, scores and predictions."""
    X, arms, gain, p = matrix()
    asked = {**GIVEN, "benefit_bounds": (-10, 20), "benefit_clip": 9, "centre": 4}
    known: dict[str, dict[str, Any]] = {
        "design": {"propensity": {"pill": "1/3", "talk": "2/3"}},
        "one number": {"propensity": 0.6, "arms": ("pill", "talk"), "default_arm": "talk"},
        "column": {
            "propensity": "column",
            "arms": ("pill", "talk"),
            "propensity_floor": 0.15,
            "weight_origin": "external",
        },
        "ridge": {
            "propensity": {"model": "ridge", "gamma": 80},
            "arms": ("pill", "talk"),
            "propensity_floor": 0.15,
        },
    }
    found = {}
    for seed, (mechanism, (name, facts), (variant, more)) in enumerate(
        product(("product-laplace", "objective-block", "none"), known.items(), ESTIMATED.items())
    ):
        relation = RELATIONS[seed % 2] if name != "ridge" else "replace_one"

        def work(
            mechanism: str = mechanism,
            every: dict[str, Any] = asked | facts | more | {"relation": relation},
            seed: int = seed,
            given: Any = p if name == "column" else None,
        ) -> Content:
            rule = PrivateTreatmentRule(
                mechanism=mechanism, random_state=seed, **privacy(mechanism), **every
            ).fit(X, arms, gain, given)
            scores = rule.decision_function(X[:6]).tolist()
            answers = {"scores": scores, "predicted": rule.predict(X[:6]).tolist()}
            return rule_content(rule) | answers

        found[f"{mechanism} {name} {variant} {relation}"] = attempt(work)
    return found
