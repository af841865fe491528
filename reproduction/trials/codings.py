"""The paper's rule for CYP-GUIDES without privacy, for each way to call two levels 0 and 1.

The penalty shrinks the intercept too, so that the rule depends on which level is 0.
"""

from dataclasses import replace
from itertools import product

from reproduction.sheet import Sheet
from reproduction.trials.cyp_guides import GAMMA
from reproduction.trials.method import METHODS
from reproduction.trials.table import measure
from reproduction.trials.trial import OpenTrial

NAMES = ("sex", "race", "diagnosis")


def coded(trial: OpenTrial, turned: tuple[str, ...]) -> OpenTrial:
    """Return the trial with the two levels of some features in the other order."""
    features = {
        name: feature.model_copy(update={"levels": feature.levels[::-1]})
        if name in turned and feature.kind == "category"
        else feature
        for name, feature in trial.study.features.items()
    }
    study = trial.study.model_copy(update={"features": features})
    return replace(trial, study=study)


def first_level(trial: OpenTrial, name: str) -> str:
    """Return the level of a category that the paper's encoding calls 0."""
    feature = trial.study.features[name]
    return feature.levels[0].name if feature.kind == "category" else ""


def codings_sheet(trial: OpenTrial) -> Sheet:
    """Return the allocation and the value of each coding, with one propensity and by arm."""
    rows = []
    for choice in product((False, True), repeat=len(NAMES)):
        turned = tuple(name for name, turn in zip(NAMES, choice, strict=True) if turn)
        one = coded(trial, turned)
        cells = [first_level(one, name) for name in NAMES]
        for method in ("one-propensity", "by-arm"):
            (found,) = measure(one, METHODS[method], (), GAMMA, 1, 0)
            cells += [f"{found.second}:{found.first}", f"{found.mean:#.4g}"]
        rows.append(cells)
    zeros = [f"0 of {name}" for name in NAMES]
    header = [*zeros, "one propensity, guided:standard", "value", "by arm", "value"]
    return Sheet("codings", "The paper's method without privacy, γ = 75", header, rows)
