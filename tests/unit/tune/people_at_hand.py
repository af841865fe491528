"""A small study with everything fixed, and people for it whose better arm is known."""

import numpy as np
import pyarrow as pa

from dpwerm.arrays import FloatArray
from dpwerm.simulate.scenarios import get_scenario
from dpwerm.study.study import Study
from dpwerm.tune.people import FromTable, Repeats, Splits, Validation
from dpwerm.weighting.trial import Trial

PAPER = get_scenario("paper")


def fixed_study(**method: object) -> Study:
    """Return the paper's problem with plain settings: nothing is left to choose."""
    found = PAPER.study()
    fixed = {"gamma": 50.0, "intercept_scale": 1.0, "saturation": 1.0, "threshold": 0.0}
    return found.model_copy(update={"method": found.method.model_copy(update=fixed | method)})


def drawn(n: int, seed: int = 1) -> pa.Table:
    """Return a trial of the paper's problem."""
    return PAPER.draw(n, np.random.default_rng(seed))


def pilot(n: int, seed: int = 1, *, known: bool = False, study: Study | None = None) -> FromTable:
    """Return an independent data set; known: with the better arm of each person."""
    table = drawn(n, seed)
    source = FromTable.read(study or fixed_study(), table)
    return FromTable(source.study, source.table, PAPER.contrast(table)) if known else source


def judges(arm: FloatArray, benefit: FloatArray, probability: FloatArray) -> Validation:
    """Return one set of people who validate; labels and weights as without centring."""
    arm, benefit, probability = (
        np.atleast_2d(np.asarray(one, dtype=float)) for one in (arm, benefit, probability)
    )
    return Validation(arm, benefit, probability, label=arm, weight=np.ones_like(arm))


def one_split(trial: Trial, n: int) -> Repeats:
    """Return one repeat: the first n rows train, the others validate."""
    rows = np.arange(trial.n_rows)[None]
    return Repeats(trial, Splits(rows[:, :n], rows[:, n:]))
