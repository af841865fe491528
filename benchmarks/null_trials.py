"""How many releases name a feature where there is nothing to learn, and where there is.

The trials look like a real one: earnings of which three in ten are 0 in bounds ten times too wide,
earlier earnings with the same bounds, age and education, and four categories of two levels.
"""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.random import Generator

from dpwerm import PrivateTreatmentRule, Study
from dpwerm.arrays import FloatArray
from dpwerm.documents.effects import leans
from dpwerm.documents.half_widths import simulated_half_widths, simultaneous
from dpwerm.documents.null_trials import bar_of
from dpwerm.releases.release import Rule
from dpwerm.simulate.synthetic import generator

SEED, RELEASES, TURNED_RELEASES = 61026, 200, 50
STUDY = """\
format = 1
study = { id = "work", relation = "replace_one" }
features.age = { kind = "number", bounds = [16, 80] }
features.education = { kind = "number", bounds = [0, 20] }
features.earned_before = { kind = "number", bounds = [0, 100000] }
features.earned = { kind = "number", bounds = [0, 100000] }
features.degree = { kind = "category", levels = ["no", "yes"] }
features.married = { kind = "category", levels = ["no", "yes"] }
features.city = { kind = "category", levels = ["no", "yes"] }
features.abroad = { kind = "category", levels = ["no", "yes"] }
treatment = { column = "arm", arms = { none = 0.6, course = 0.4 } }
benefit = { column = "later", BENEFIT }
"""
EARNINGS = "bounds = [0, 100000]"

Outcome = Callable[[Generator, int], FloatArray]


def earnings(rng: Generator, n: int, none: float = 0.3, mean: float = 7500) -> FloatArray:
    """Return earnings, a share of them 0."""
    return rng.exponential(mean, n) * (rng.uniform(size=n) > none)


def anything(rng: Generator, n: int) -> FloatArray:
    """Return outcomes all over their bounds."""
    return rng.uniform(0, 100_000, n)


def yes_or_no(rng: Generator, n: int) -> FloatArray:
    """Return 0 or 1, each for half of the people."""
    return rng.integers(0, 2, n).astype(float)


class Case(NamedTuple):
    """What is released, and how often; ``turned``: by how much a degree turns the answer."""

    said: str
    benefit: str = EARNINGS
    outcome: Outcome = earnings
    n: int = 445
    epsilon: float = 1
    turned: float = 0.0
    estimator: str = "auto"
    mechanism: str = "auto"


CASES = (
    Case("earnings, ε = 1"),
    Case("earnings, ε = 5", epsilon=5),
    Case("earnings, n = 3,000", n=3000),
    Case("earnings, `contrast`", estimator="contrast"),
    Case("earnings, `outcome-weighted`", estimator="outcome-weighted"),
    Case("earnings, `contrast`, output noise", estimator="contrast", mechanism="spherical-laplace"),
    Case("outcomes all over their bounds", outcome=anything),
    Case("a yes or no, declared so", 'bounds = [0, 1], kind = "yes-no"', yes_or_no),
    Case("a yes or no, not declared so", "bounds = [0, 1]", yes_or_no),
    Case("a yes or no, not declared so, n = 2,000", "bounds = [0, 1]", yes_or_no, 2000),
    Case("**a degree turns the answer by ±8,000**", turned=8000),
    Case("**by ±4,000, n = 2,000**", turned=4000, n=2000),
)


def table(case: Case, rng: Generator) -> pa.Table:
    """Return one trial."""
    n = case.n
    degree, arm = rng.uniform(size=n) < 0.22, rng.uniform(size=n) < 0.4
    gain = case.turned * np.where(degree, 1, -1) * np.where(arm, 1, -1)

    def yes(share: float) -> Any:
        return np.where(rng.uniform(size=n) < share, "yes", "no").tolist()

    return pa.table(
        {
            "age": 17 + rng.gamma(2.0, 4.5, n),
            "education": np.clip(rng.normal(10.2, 1.8, n), 3, 16),
            "earned_before": earnings(rng, n, 0.73, 7800),
            "earned": earnings(rng, n, 0.65, 4000),
            "degree": np.where(degree, "yes", "no").tolist(),
            "married": yes(0.17),
            "city": yes(0.83),
            "abroad": yes(0.09),
            "arm": np.where(arm, "course", "none").tolist(),
            "later": case.outcome(rng, n) + gain,
        }
    )


def released(case: Case) -> Iterator[Rule]:
    """Yield rules of trials of their own, noise from seeds."""
    study = Study.parse(STUDY.replace("BENEFIT", case.benefit))
    for seed in range(TURNED_RELEASES if case.turned else RELEASES):
        chosen: dict[str, Any] = {"estimator": case.estimator, "mechanism": case.mechanism}
        rule = PrivateTreatmentRule.from_study(study, case.epsilon, random_state=seed, **chosen)
        yield rule.fit(table(case, generator(SEED, seed))).rule_


def counted(case: Case) -> tuple[str, ...]:
    """Return how many releases name a feature, by either measure; of a turned one, the degree."""
    by_noise = by_bar = count = 0
    half = bar = None
    for rule in released(case):
        if bar is None:
            found = bar_of(rule)
            half = simultaneous(rule, simulated_half_widths(rule))
            bar = None if found is None else found.sizes
        noise, both = ({one.feature for one in leans(rule, one)} for one in (half, bar))
        by_noise += bool(noise & {"degree"} if case.turned else noise)
        by_bar += bool(both & {"degree"} if case.turned else both)
        count += 1
    name = rule.release.certificate.design.name
    return case.said, f"`{name}`", f"{by_noise} of {count}", f"{by_bar} of {count}"


def named_rows() -> list[tuple[str, ...]]:
    """Return a row for each case, the head first."""
    head = ("benefit", "estimator", "named by the ± of the privacy noise", "by the bar")
    return [head, *map(counted, CASES)]
