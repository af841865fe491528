"""Conditions of parameters: numbers out of range, names that do not exist, facts left out."""

import math

from tests.bad_input.arrays import both, classifier, rule, with_column
from tests.bad_input.base import ADD_REMOVE, PROPENSITY_COLUMN, N, replaced
from tests.bad_input.fitting import Condition, Conditions, Through, only_option, option, study_says

from dpwerm import Budget

EPSILON, GAMMA = "epsilon = 2", "gamma = 50"
RHO = Budget.zcdp("0.1")
AGE, GAIN = "bounds = [18, 80]", "bounds = [-10, 10]"
ARMS = "arms = { pill = 0.5, therapy = 0.5 }"
ID = 'id = "small-trial"'


def _epsilon(toml: str, text: str, number: object) -> Condition:
    edit = replaced(EPSILON, f"epsilon = {toml}")
    return option(edit, "--epsilon", text, *both(epsilon=number))


def _gamma(toml: str, text: str, number: object) -> Condition:
    return option(replaced(GAMMA, f"gamma = {toml}"), "--gamma", text, *both(gamma=number))


def _weight_bound(toml: str, number: float) -> Condition:
    edit = replaced(GAIN, f"{GAIN}\nclip = {toml}")
    return study_says(edit, classifier(weight_bound=number))


def _h(toml: str, number: float) -> Condition:
    return study_says(replaced(GAMMA, f"{GAMMA}\nh = {toml}"), *both(h=number))


def _feature_bounds(toml: str, pair: tuple[float, float]) -> Condition:
    return study_says(replaced(AGE, f"bounds = {toml}"), *both(feature_bounds=pair))


def _benefit_bounds(toml: str, pair: tuple[float, float]) -> Condition:
    return study_says(replaced(GAIN, f"bounds = {toml}"), rule(benefit_bounds=pair))


def _probabilities(first: float, second: float) -> Condition:
    edit = replaced(ARMS, f"arms = {{ pill = {first}, therapy = {second} }}")
    return study_says(edit, rule(propensity={"pill": first, "therapy": second}))


def _method(line: str, **parameter: object) -> Condition:
    return study_says(replaced(GAMMA, f"{GAMMA}\n{line}"), *both(**parameter))


def _of_rule(line: str, **parameter: object) -> Condition:
    """Return a parameter that a treatment rule has and a classifier has not."""
    return study_says(replaced(GAMMA, f"{GAMMA}\n{line}"), rule(**parameter))


def _study(line: str, **parameter: object) -> Condition:
    return study_says(replaced(ID, f"{ID}\n{line}"), *both(**parameter))


def _gaussian(delta: str, number: float) -> Condition:
    return only_option(
        "--mechanism",
        "gaussian",
        "--delta",
        delta,
        arrays=both(mechanism="gaussian", delta=number),
    )


CONDITIONS: Conditions = {
    "epsilon zero": _epsilon("0", "0", 0.0),
    "epsilon negative": _epsilon("-1", "-1", -1.0),
    "epsilon NaN": _epsilon("nan", "nan", math.nan),
    "epsilon no number": _epsilon('"much"', "much", "much"),
    "epsilon infinite": _epsilon("inf", "inf", math.inf),
    "epsilon above the study's total": only_option("--epsilon", "2.1"),
    "delta negative": option(
        replaced(EPSILON, f"{EPSILON}\ndelta = -0.1"), "--delta", "-0.1", *both(delta=-0.1)
    ),
    "delta one": option(replaced(EPSILON, f"{EPSILON}\ndelta = 1"), "--delta", "1", *both(delta=1)),
    "delta NaN": option(
        replaced(EPSILON, f"{EPSILON}\ndelta = nan"), "--delta", "nan", *both(delta=math.nan)
    ),
    "delta above zero for a pure mechanism": Condition(
        None,
        Through(
            replaced(EPSILON, f"{EPSILON}\ndelta = 0.001"),
            options=("--delta", "0.000001", "--mechanism", "spherical-laplace"),
        ),
        both(delta=1e-6, mechanism="spherical-laplace"),
    ),
    "delta zero for mechanism gaussian": _gaussian("0", 0),
    "rho zero": only_option("--rho", "0"),
    "mu negative": only_option("--mu", "-1"),
    "rho infinite": only_option("--rho", "inf"),
    "rho together with epsilon": only_option("--rho", "0.1", "--epsilon", "1"),
    "rho together with a delta": only_option(
        "--rho", "0.1", "--delta", "1e-6", arrays=both(epsilon=RHO, delta=1e-6)
    ),
    "rho for another mechanism than gaussian": only_option(
        "--rho",
        "0.1",
        "--mechanism",
        "objective-block",
        arrays=both(epsilon=RHO, mechanism="objective-block"),
    ),
    "rho where the study's total has none": only_option("--rho", "0.001"),
    "mu above the study's total": Condition(
        None, Through(replaced(EPSILON, f"{EPSILON}\nmu = 0.5"), options=("--mu", "0.6"))
    ),
    "gamma zero": _gamma("0", "0", 0.0),
    "gamma negative": _gamma("-1", "-1", -1.0),
    "gamma infinite": _gamma("inf", "inf", math.inf),
    "gamma NaN": _gamma("nan", "nan", math.nan),
    "gamma huge": _gamma("1e300", "1e300", 1e300),
    "gamma no number": _gamma('"best"', "best", "best"),
    "gamma None": Condition(arrays=both(gamma=None)),
    "gamma left out": study_says(replaced(f"{GAMMA}\n", ""), *both(gamma="auto")),
    "gamma left out under add_remove, planned_n too": Condition(
        None,
        Through(lambda text: ADD_REMOVE(text).replace(f"{GAMMA}\n", "")),
        both(gamma="auto", relation="add_remove"),
    ),
    "gamma left out under add_remove, planned_n declared": study_says(
        lambda text: (
            ADD_REMOVE(text).replace(f"{GAMMA}\n", "").replace(ID, f"{ID}\nplanned_n = {N}")
        ),
        *both(gamma="auto", relation="add_remove", planned_n=N),
    ),
    "gamma below the floor of objective perturbation": study_says(
        replaced(GAMMA, 'gamma = 0.001\nmechanism = "objective-block"'),
        *both(gamma=0.001, mechanism="objective-block"),
    ),
    "weight bound W zero (through a study: clip V zero)": _weight_bound("0", 0.0),
    "weight bound W negative (through a study: clip V negative)": _weight_bound("-1", -1.0),
    "weight bound W infinite (through a study: clip V infinite)": _weight_bound("inf", math.inf),
    "weight bound W NaN (through a study: clip V NaN)": _weight_bound("nan", math.nan),
    "weight bound W missing": Condition(arrays=(classifier(weight_bound=None),)),
    "clip V zero": Condition(arrays=(rule(benefit_clip=0),)),
    "clip V NaN": Condition(arrays=(rule(benefit_clip=math.nan),)),
    "clip V no number": study_says(
        replaced(GAIN, f'{GAIN}\nclip = "wide"'), rule(benefit_clip="wide")
    ),
    "clip V beyond every benefit": study_says(
        replaced(GAIN, f"{GAIN}\nclip = 11"), rule(benefit_clip=1.1)
    ),
    "h zero": _h("0", 0.0),
    "h negative": _h("-0.5", -0.5),
    "h NaN": _h("nan", math.nan),
    "feature bounds: upper below lower": _feature_bounds("[80, 18]", (1, -1)),
    "feature bounds: equal": _feature_bounds("[18, 18]", (1, 1)),
    "feature bounds: infinite": _feature_bounds("[18, inf]", (-1, math.inf)),
    "feature bounds: NaN": _feature_bounds("[nan, 80]", (math.nan, 1)),
    "feature bounds: three numbers": study_says(
        replaced(AGE, "bounds = [18, 50, 80]"), *both(feature_bounds=[(-1, 0, 1), (-1, 1)])
    ),
    "feature bounds: missing": study_says(replaced(f"{AGE}\n", ""), *both(feature_bounds=None)),
    "feature bounds: not one pair per column": Condition(
        arrays=both(feature_bounds=[(-1, 1), (-1, 1), (-1, 1)])
    ),
    "benefit bounds: upper below lower": _benefit_bounds("[10, -10]", (1, -1)),
    "benefit bounds: infinite": _benefit_bounds("[-10, inf]", (-1, math.inf)),
    "benefit bounds: missing": study_says(replaced(f"{GAIN}\n", ""), rule(benefit_bounds=None)),
    "transform log with a lower bound not above 0": study_says(
        replaced(GAIN, f'{GAIN}\ntransform = "log"'), rule(transform="log")
    ),
    "arm probability 0": _probabilities(0.0, 1.0),
    "arm probability above 1": _probabilities(1.5, -0.5),
    "arm probabilities that do not sum to 1": _probabilities(0.5, 0.6),
    "arm probabilities missing": study_says(
        replaced(ARMS, 'arms = ["pill", "therapy"]'), rule(propensity=None)
    ),
    "three arms": study_says(
        replaced(ARMS, "arms = { pill = 0.4, therapy = 0.4, both = 0.2 }"),
        rule(propensity={"pill": 0.4, "therapy": 0.4, "both": 0.2}),
    ),
    "one arm twice": study_says(
        replaced(ARMS, 'arms = { "1" = 0.5, "1.0" = 0.5 }'),
        rule(propensity={"1": 0.5, "1.0": 0.5}),
    ),
    "default arm unknown": study_says(
        replaced(ARMS, f'{ARMS}\ndefault = "surgery"'), rule(default_arm="surgery")
    ),
    "propensity floor zero": study_says(
        lambda text: PROPENSITY_COLUMN(text).replace("floor = 0.1", "floor = 0"),
        with_column(propensity_floor=0.0),
    ),
    "propensity floor above one half": study_says(
        lambda text: PROPENSITY_COLUMN(text).replace("floor = 0.1", "floor = 0.6"),
        with_column(propensity_floor=0.6),
    ),
    "propensity floor missing": study_says(
        lambda text: PROPENSITY_COLUMN(text).replace("propensity_floor = 0.1\n", ""),
        with_column(propensity_floor=None),
    ),
    "origin of the weights missing for a propensity column": study_says(
        lambda text: PROPENSITY_COLUMN(text).replace('\norigin = "external"', ""),
        with_column(weight_origin=None),
    ),
    "origin of the weights unknown": study_says(
        lambda text: PROPENSITY_COLUMN(text).replace('"external"', '"guess"'),
        with_column(weight_origin="guess"),
        classifier(weight_origin="guess"),
    ),
    "mechanism unknown": _method('mechanism = "magic"', mechanism="magic"),
    "mechanism no text": _method("mechanism = 7", mechanism=7),
    "mechanism none at a finite epsilon": _method('mechanism = "none"', mechanism="none"),
    "mechanism gaussian without a delta in the budget": study_says(
        replaced(GAMMA, f'{GAMMA}\nmechanism = "gaussian"')
    ),
    "loss unknown": _method('loss = "magic"', loss="magic"),
    "loss of a residual for outcome weights": _of_rule('loss = "huber"', loss="huber"),
    "loss of a margin for a regression": _of_rule(
        'loss = "logistic"\nestimator = "contrast"', loss="logistic", estimator="contrast"
    ),
    "estimator unknown": _of_rule('estimator = "magic"', estimator="magic"),
    "estimator no text": _of_rule("estimator = 7", estimator=7),
    "width zero": _of_rule("width = 0", width=0),
    "width NaN": _of_rule("width = nan", width=math.nan),
    "width no number": _of_rule('width = "narrow"', width="narrow"),
    "width for outcome weights": _of_rule("width = 0.1", width=0.1),
    "main penalty negative": _of_rule("main_penalty = -1", main_penalty=-1.0),
    "main penalty no number": _of_rule('main_penalty = "strong"', main_penalty="strong"),
    "main penalty for contrast regression": _of_rule(
        'main_penalty = 2\nestimator = "contrast"', main_penalty=2, estimator="contrast"
    ),
    "mean scale negative": _of_rule("mean_scale = -1", mean_scale=-1.0),
    "mean scale no number": _of_rule('mean_scale = "none"', mean_scale="none"),
    "mean scale for arm-wise regression": _of_rule(
        'mean_scale = 2\nestimator = "arm-wise"', mean_scale=2, estimator="arm-wise"
    ),
    "mean scale and main penalty together": _of_rule(
        "mean_scale = 2\nmain_penalty = 2", mean_scale=2, main_penalty=2
    ),
    "main effect unknown": _of_rule('main_effect = "waves"', main_effect="waves"),
    "main effect no text": _of_rule("main_effect = 2", main_effect=2),
    "main effect for outcome weights": _of_rule(
        'main_effect = "squares"\nestimator = "outcome-weighted"',
        main_effect="squares",
        estimator="outcome-weighted",
    ),
    "h for a regression": _of_rule('h = 0.5\nestimator = "contrast"', h=0.5, estimator="contrast"),
    "h together with a width": _of_rule("h = 0.5\nwidth = 0.1", h=0.5, width=0.1),
    "weights for a regression": study_says(
        lambda text: replaced(GAMMA, f'{GAMMA}\nestimator = "arm-wise"')(
            replaced(GAIN, f'{GAIN}\nweights = "nonnegative"')(text)
        ),
        rule(weights="nonnegative", estimator="arm-wise"),
    ),
    "penalty for arms without arm-wise regression": Condition(
        arrays=(rule(regularizer="arm-wise", estimator="contrast"),)
    ),
    "kind of benefit unknown": study_says(replaced(GAIN, f'{GAIN}\nkind = "ordinal"')),
    "kind of benefit no text": study_says(replaced(GAIN, f"{GAIN}\nkind = 2")),
    "encoding unknown": _method('encoding = "magic"', encoding="magic"),
    "intercept scale negative": _method("intercept_scale = -1", intercept_scale=-1.0),
    "intercept scale NaN": _method("intercept_scale = nan", intercept_scale=math.nan),
    "intercept scale no number": _method('intercept_scale = "wide"', intercept_scale="wide"),
    "saturation below 1": _method("saturation = 0.5", saturation=0.5),
    "saturation above 100": _method("saturation = 101", saturation=101),
    "saturation NaN": _method("saturation = nan", saturation=math.nan),
    "saturation no number": _method('saturation = "much"', saturation="much"),
    "saturation with the paper's encoding": _method(
        'saturation = 2\nencoding = "paper"', saturation=2, encoding="paper"
    ),
    "threshold negative": _method("threshold = -0.1", threshold=-0.1),
    "threshold one": _method("threshold = 1", threshold=1),
    "threshold NaN": _method("threshold = nan", threshold=math.nan),
    "threshold no number": _method('threshold = "half"', threshold="half"),
    "planned_n zero": _study("planned_n = 0", planned_n=0),
    "planned_n no whole number": _study("planned_n = 20.5", planned_n=20.5),
    "planned_n no number": _study('planned_n = "many"', planned_n="many"),
    "planned_n huge": _study("planned_n = 10000000000000", planned_n=10**13),
    "relation unknown": study_says(
        replaced('"replace_one"', '"cousins"'), *both(relation="cousins")
    ),
    "classes not declared": Condition(arrays=(classifier(classes=None),)),
    "classes not two": Condition(
        arrays=(classifier(classes=("no",)), classifier(classes=("no", "no")))
    ),
    "arms not two": Condition(
        arrays=(rule(arms=("a", "b", "c"), propensity=0.5), rule(arms="ab", propensity=0.5))
    ),
    "propensity neither number, mapping, column nor model": Condition(
        arrays=(rule(arms=("a", "b"), propensity="half"),)
    ),
    "worst-case weights under add_remove": study_says(
        lambda text: ADD_REMOVE(PROPENSITY_COLUMN(text)).replace("external", "worst_case"),
        with_column(weight_origin="worst_case", relation="add_remove"),
        classifier(weight_origin="worst_case", relation="add_remove"),
    ),
    "seed negative": only_option("--seed", "-1", arrays=both(random_state=-1)),
    "seed no whole number": only_option("--seed", "0.5", arrays=both(random_state=0.5)),
}
