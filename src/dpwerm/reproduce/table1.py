"""Table I of the paper: rules for CYP-GUIDES by ε, published and reproduced.

Run ``python -m dpwerm.reproduce.table1 --cyp-guides PATH`` with your own copy of the data. The
paper's other trial is not public; its published rows are kept for its p-values.
"""

import argparse
import csv
from dataclasses import dataclass, replace
from importlib.resources import files
from itertools import product

from rich.console import Console

from dpwerm.reproduce.cyp_guides import GAMMA, cyp_guides
from dpwerm.reproduce.measures import allocation
from dpwerm.reproduce.trials import RealTrial, TrialMethod, automatic, papers
from dpwerm.reproduce.trials_gain import gain_sheet
from dpwerm.reproduce.trials_page import Sheet, options, run
from dpwerm.reproduce.trials_table import trial_sheet

SKIPPED = (
    "Table I is skipped: it needs a copy of the CYP-GUIDES data, which is not part of this "
    "package. Give its path: make table1 CYP_GUIDES=path. docs/trials.md says where it is "
    "published."
)


@dataclass(frozen=True)
class PublishedRow:
    """One published row: the value over repeats, the allocation, and the agreement at ε = ∞."""

    study: str
    n: int
    gamma: float
    epsilon: str
    value: float
    deviation: float | None
    allocated: tuple[int, int]
    concordance: float | None
    p_value: str


def published_rows() -> list[PublishedRow]:
    """Return the published rows of both trials."""

    def number(text: str) -> float | None:
        return float(text) if text else None

    text = files("dpwerm.reproduce").joinpath("data/table1.csv").read_text(encoding="utf-8")
    return [
        PublishedRow(
            row["study"],
            int(row["n"]),
            float(row["gamma"]),
            row["epsilon"],
            float(row["value_mean"]),
            number(row["value_sd"]),
            (int(row["allocated_first"]), int(row["allocated_second"])),
            number(row["concordance"]),
            row["p_value"],
        )
        for row in csv.DictReader(text.splitlines())
    ]


def published_cells(study: str) -> list[list[str]]:
    """Return a trial's published rows in the words of our table."""
    return [
        [
            "published",
            "∞" if row.epsilon == "inf" else row.epsilon,
            f"{row.value:g}",
            "" if row.deviation is None else f"{row.deviation:g}",
            "",
            "{}:{}".format(*row.allocated),
            "" if row.concordance is None else f"{row.concordance:.3f}",
            row.p_value,
        ]
        for row in published_rows()
        if row.study == study
    ]


ONE_PROPENSITY = papers(
    "paper, one propensity, no intercept", gamma=GAMMA, intercept=0, by_arm=False
)
BY_ARM = papers("paper, propensity by arm, intercept", gamma=GAMMA, intercept=1, by_arm=True)


def methods() -> list[TrialMethod]:
    """Return the methods that are compared: the paper's twice, and this library's."""
    return [ONE_PROPENSITY, BY_ARM, automatic()]


def coded(trial: RealTrial, turned: tuple[str, ...]) -> RealTrial:
    """Return the trial with the two levels of some features in the other order."""
    features = {
        name: feature.model_copy(update={"levels": feature.levels[::-1]})
        if name in turned and feature.kind == "category"
        else feature
        for name, feature in trial.study.features.items()
    }
    study = trial.study.model_copy(update={"features": features})
    return replace(trial, study=study)


def codings_sheet(trial: RealTrial) -> Sheet:
    """Return the paper's rule without privacy for each way to call two levels 0 and 1.

    The penalty shrinks the intercept too, so that the rule depends on which level is 0.
    """
    names = ("sex", "race", "diagnosis")
    rows = []
    for choice in product((False, True), repeat=len(names)):
        turned = tuple(name for name, turn in zip(names, choice, strict=True) if turn)
        one = coded(trial, turned)
        cells = [first_level(one, name) for name in names]
        for method in (ONE_PROPENSITY, BY_ARM):
            arms = method.recommend(one, one, "inf", 0)
            cells.append("{}:{}".format(*allocation(arms)))
            cells.append(f"{one.value(arms, by_arm=method.by_arm):#.4g}")
        rows.append(cells)
    zeros = [f"0 of {name}" for name in names]
    header = [*zeros, "one propensity, guided:standard", "value", "by arm", "value"]
    return Sheet("codings", "The paper's method without privacy, γ = 75", header, rows)


def first_level(trial: RealTrial, name: str) -> str:
    """Return the level of a category that the paper's encoding calls 0."""
    feature = trial.study.features[name]
    return feature.levels[0].name if feature.kind == "category" else ""


def sheets(trial: RealTrial, repeats: int, seed: int, console: Console) -> list[Sheet]:
    """Return the tables of the page on trials."""
    compared = methods()
    measured = trial_sheet("table1", "CYP-GUIDES", trial, compared, repeats, seed, console)
    beside = [*published_cells("cyp_guides"), *measured.rows]
    return [
        Sheet(measured.name, measured.title, measured.header, beside),
        codings_sheet(trial),
        gain_sheet("table1-gain", "CYP-GUIDES", trial, compared, seed, console),
    ]


def main(arguments: list[str] | None = None) -> int:
    """Print the tables; the exit code is 2 if the file is not the data."""
    parser = argparse.ArgumentParser(prog="python -m dpwerm.reproduce.table1", description=__doc__)
    parser.add_argument("--cyp-guides", metavar="PATH", default="", help="your copy of the data")
    found = options(parser).parse_args(arguments)
    if not found.cyp_guides:
        Console().print(SKIPPED)
        return 0
    return run(lambda: cyp_guides(found.cyp_guides), sheets, found)


if __name__ == "__main__":
    raise SystemExit(main())
