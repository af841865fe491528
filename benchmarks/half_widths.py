"""How near simulated half-widths come to the true: ``python -m benchmarks.half_widths``.

Trials of every scenario are fitted with automatic hyperparameters. What the noise of objective
perturbation really does to them is measured, which only a simulated trial allows, and set beside
the half-widths that the report simulates from the rule alone. And trials in which there is nothing
to learn are released, to count how many of them name a feature (``benchmarks.null_trials``). Writes
the tables of docs/report-intervals.md; about two minutes on one core with settings in the cache.
"""

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median

import numpy as np

from benchmarks.null_trials import named_rows
from benchmarks.page import DATA, fill, write_table
from dpwerm import PrivateTreatmentRule
from dpwerm.arrays import FloatArray
from dpwerm.documents.half_widths import SimulatedHalfWidths, simulated_half_widths
from dpwerm.draws import Draws
from dpwerm.releases.certificate import certify
from dpwerm.releases.release import Rule
from dpwerm.simulate.engine.released import inside_noise
from dpwerm.simulate.scenarios import OBSERVATIONAL, SCENARIOS
from dpwerm.simulate.scenarios.scenario import Scenario
from dpwerm.simulate.synthetic import generator
from dpwerm.solve.batch import minimise_batch
from dpwerm.solve.batch_problems import BatchProblems
from dpwerm.study.study import Study, read_trial
from dpwerm.weighting.trial import Trial, second_arm, trial_of_table
from reproduction.shown import markdown

PAGE = Path(__file__).parents[1] / "docs" / "report-intervals.md"
SEED, N, EPSILON, COVERAGE = 42026, 1000, 1, 0.95
TRIALS, DRAWS = 10, 400
MECHANISM = "objective-block"


@dataclass(frozen=True)
class Found:
    """The true half-width over the simulated one, of each trial and coefficient, and what held.

    gamma : γ/(nW); held : how often the pointwise one of a coefficient; all_held : how often the
    simultaneous ones, of all coefficients at once
    """

    name: str
    gamma: float
    ratios: FloatArray
    held: float
    all_held: float


def rule_of(study: Study, table: object, seed: int) -> Rule:
    """Return the rule of one trial, from a seed."""
    asked = PrivateTreatmentRule.from_study(study, EPSILON, mechanism=MECHANISM, random_state=seed)
    return asked.fit(table).rule_


def true_sizes(rule: Rule, trial: Trial, rng: np.random.Generator) -> FloatArray:
    """Return how far each draw of noise moves each effect of this trial's rule, (R, p)."""
    release, spec = rule.release, rule.release.certificate.specification()
    encoding = release.encoding
    design, second = spec.weighting, np.full(trial.n_rows, np.nan)
    if design.uses_probabilities:
        second = second_arm(rule.declaration, trial, encoding, rule.propensity)
    rows = design.rows(trial, rule.declaration, encoding, second)
    X = design.design(encoding.learning_rows(rows.X), rows.received, encoding)
    constant = design.constant(encoding)
    data = BatchProblems(X[None], rows.targets[None], rows.weights[None], constant)
    _, plan = certify(spec, encoding, trial.n_rows, secure=False, library="")
    b = inside_noise(plan, Draws.of((1, DRAWS), data.dimension, rng))
    if b is None:
        raise SystemExit(f"{plan.mechanism} has no noise inside the objective")
    near = 1e-3 * float(b.std()) / spec.gamma
    solve = partial(
        minimise_batch,
        data,
        spec.loss,
        spec.gamma,
        tolerance=near,
        regularizer=spec.regularizer,
    )
    moved = design.rules(solve(linear_term=b).theta[0] - solve().theta[0], encoding)
    return np.asarray(np.abs(moved) * encoding.stretch)


def measured(scenario: Scenario) -> Found:
    """Return the ratios of a scenario over its trials."""
    study = scenario.study()
    ratios, held, all_held = [], [], []
    stated: SimulatedHalfWidths | None = None
    for trial in range(TRIALS):
        table = scenario.draw(N, generator(SEED, trial, 1))
        rule = rule_of(study, table, trial)
        stated = stated or simulated_half_widths(rule, coverage=COVERAGE)
        if stated is None:
            raise SystemExit(f"nothing is simulated for {scenario.name}")
        read = trial_of_table(rule.declaration, read_trial(study, table))
        sizes = true_sizes(rule, read, generator(SEED, trial, 2))
        ratios.append(np.quantile(sizes, COVERAGE, axis=0) / stated.pointwise)
        held.append(float(np.mean(sizes <= stated.pointwise)))
        all_held.append(float(np.mean((sizes <= stated.simultaneous).all(axis=1))))
    certificate = rule.release.certificate
    gamma = certificate.gamma / certificate.weight_bound / N
    shares = float(np.mean(held)), float(np.mean(all_held))
    return Found(scenario.name, gamma, np.stack(ratios), *shares)


def table_of(found: list[Found]) -> str:
    """Return a line for each scenario."""
    head = ("data", "γ/(nW)", "median", "one within, %", "all within ±, %")
    rows = [
        (
            f"`{one.name}`",
            f"{one.gamma:.2g}",
            f"{np.median(one.ratios):.2f}",
            f"{100 * one.held:.1f}",
            f"{100 * one.all_held:.1f}",
        )
        for one in found
    ]
    return markdown([head, *rows])


def words(found: list[Found]) -> str:
    """Say in sentences what the table shows."""
    ratios = np.concatenate([one.ratios.ravel() for one in found])
    held = [100 * one.held for one in found]
    all_held = [100 * one.all_held for one in found]
    within = 100 * float(np.mean((ratios > 0.5) & (ratios < 2)))
    return (
        f"Over all {len(found)} scenarios the true half-width of one coefficient was "
        f"{ratios.min():.2f} to {ratios.max():.2f} times\nthe simulated one, the median "
        f"{np.median(ratios):.2f}; {within:.0f} % of the coefficients lay within a factor of two."
        f"\nThe noise of one coefficient stayed within its half-width in {min(held):.1f} to "
        f"{max(held):.1f} % of the releases\nof a scenario, in the median of them "
        f"{median(held):.1f} %, where {100 * COVERAGE:g} % is aimed at. The ± of the report, which "
        f"is\nsimultaneous, held all coefficients in {min(all_held):.1f} to {max(all_held):.1f} %, "
        f"in the median {median(all_held):.1f} %."
    )


def main() -> None:
    """Measure, and write the page's tables."""
    write_table(DATA / "named.csv", named_rows())
    scenarios = {**SCENARIOS, **OBSERVATIONAL}
    found = [measured(scenario) for scenario in scenarios.values()]
    print(table_of(found))
    fill(PAGE, "ratios", words(found))


if __name__ == "__main__":
    main()
