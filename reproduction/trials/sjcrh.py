r"""A SIMULATED stand-in for the paper's SJCRH trial, whose data are not public.

What the paper prints: 246 people, 120 melatonin and 126 placebo; ages in [0, 20] and [18, 60]; sex,
race and diagnosis as 0 or 1; benefits in units of their standard deviation, shifted by the sample
minimum; V = 4, γ = 50; melatonin for 197 of 246 people without privacy, value 2.101. All else is
ours: enrolment is uniform on its range, diagnosis uniform up to 20 years or five years before
enrolment; half of the people are women, 80 % white, half have the second diagnosis. What melatonin
gains depends on the age at enrolment, sex and diagnosis, and is positive for 80 % of people.
Benefits are cut at ± 2.2: the smallest of 246 normal numbers would be near −2.8, and then the
shifted benefits would have the mean 2.8, not the published 2.1.

.. math:: B \sim N(\mp c(x)/2,\; 1) \text{ within } \pm 2.2, \qquad P(c(x) > 0) = 0.8
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

import numpy as np
import pyarrow as pa
from scipy.special import ndtr, ndtri

from dpwerm.arrays import FloatArray
from dpwerm.data.table import read_table
from dpwerm.simulate.scenarios.scenario import ARM, BENEFIT, Outcome, Scenario, numbers, two_arms
from dpwerm.study.study import Study
from dpwerm.study.treatment import arm_labels
from reproduction.paper_method import arm_probabilities, shifted
from reproduction.trials.trial import OpenTrial

ARMS = ("placebo", "melatonin")
GAMMA = 50.0
PEOPLE, MELATONIN = 246, 120
REACH = 2.2
EFFECT = 0.3
SHARES = {"sex": ("M", "F", 0.5), "race": ("other", "white", 0.8), "diagnosis": ("a", "b", 0.5)}
"""Level 0, level 1, and the share of level 1."""


@dataclass(frozen=True)
class CutNormal:
    """N(mean, 1) within ± reach; the mean of what is drawn is a little nearer to 0."""

    reach: float = REACH

    def __str__(self) -> str:
        return f"normal, sd 1, within ± {self.reach:g}"

    def __call__(self, mean: FloatArray, rng: np.random.Generator) -> FloatArray:
        """Return one benefit for each mean, shape (n,), by the inverse distribution function."""
        low, high = ndtr(-self.reach - mean), ndtr(self.reach - mean)
        return np.asarray(mean + ndtri(low + rng.random(len(mean)) * (high - low)))


NOISE = CutNormal()


@dataclass(frozen=True, kw_only=True)
class Sjcrh(Scenario):
    """Survivors of childhood cancer: placebo or melatonin, a gain in nonverbal reasoning."""

    name: str = "sjcrh-stand-in"
    tests: str = "the paper's SJCRH trial, invented from its published marginals"
    bounds: tuple[float, float] = (-2.0, 2.0)
    arms: tuple[str, str] = ARMS
    outcome: Outcome = NOISE
    effect: float = EFFECT

    def features(self) -> Mapping[str, Mapping[str, object]]:
        """Return the declaration of each feature, with the keys of a study file."""
        return {
            "age_at_diagnosis": {"kind": "number", "bounds": [0, 20]},
            "age_at_enrolment": {"kind": "number", "bounds": [18, 60]},
            **{
                name: {"kind": "category", "levels": [zero, one]}
                for name, (zero, one, _) in SHARES.items()
            },
        }

    def place(self, uniforms: FloatArray) -> pa.Table:
        """Return ages in years and levels."""
        enrolment = 18.0 + 42.0 * uniforms[:, 1]
        columns: dict[str, object] = {
            "age_at_diagnosis": np.round(uniforms[:, 0] * np.minimum(20.0, enrolment - 5.0), 1),
            "age_at_enrolment": np.round(enrolment, 1),
        }
        for (name, (zero, one, share)), u in zip(SHARES.items(), uniforms.T[2:], strict=True):
            columns[name] = np.where(u < share, one, zero)
        return pa.table(columns)

    def means(self, table: pa.Table) -> FloatArray:
        """Return E[B | x, arm] before the cut, shape (n, 2), first arm first."""
        age = (numbers(table, "age_at_enrolment") - 39.0) / 21.0
        woman, second = (
            np.where(table[name].to_numpy(zero_copy_only=False) == SHARES[name][1], 1.0, -1.0)
            for name in ("sex", "diagnosis")
        )
        score = 0.8 - age + 0.5 * woman + 0.5 * second
        return two_arms(np.zeros(len(age)), self.effect * score)

    def draw(self, n: int, rng: np.random.Generator) -> pa.Table:
        """Return n people, of every 246 in a row 120 with melatonin."""
        table = self.people(n, rng)
        trials = -(-n // PEOPLE)
        second = rng.permuted(np.tile(np.arange(PEOPLE) < MELATONIN, (trials, 1)), axis=1)
        given = second.reshape(-1)[:n]
        mean = self.means(table)[np.arange(n), given.astype(np.int64)]
        table = table.append_column(ARM, pa.array(np.where(given, *self.arms[::-1])))
        return table.append_column(BENEFIT, pa.array(self.outcome(mean, rng)))


@cache
def declared() -> Study:
    """Return the public declaration of the stand-in."""
    return Sjcrh().study()


def stand_in(seed: int) -> OpenTrial:
    """Return one simulated trial, benefits shifted by their minimum as the paper does."""
    study = declared()
    rows = Sjcrh().draw(PEOPLE, np.random.default_rng(seed))
    table = read_table(rows, study.columns)
    received = arm_labels(table, study.treatment)
    return OpenTrial(
        study,
        rows,
        received,
        shifted(table.numbers(study.benefit.column)),
        arm_probabilities(table, study.treatment, received),
        ARMS,
    )
