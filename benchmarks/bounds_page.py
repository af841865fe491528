"""``make bounds``: every table of docs/bounds.md; seconds.

Commands are run as a reader would run them, and the bounds are measured on the paper's own problem.
"""

import io
from contextlib import redirect_stdout
from pathlib import Path

import numpy as np

from benchmarks.page import fill
from dpwerm.mechanisms import get_mechanism
from dpwerm.plan.expected import Settled, settle
from dpwerm.privacy.budget import Budget
from dpwerm.simulate.scenarios import get_scenario
from dpwerm.simulate.scenarios.scenario import Scenario
from dpwerm.solve.batch_problems import BatchProblems
from dpwerm.study.study import read_trial
from dpwerm.weighting.contract import OUTCOME_WEIGHTED, second_arm, trial_of_table
from reproduction.bounds.measured import MECHANISM, Bounds, bounds_beside
from reproduction.bounds.risks import Sample
from reproduction.bounds.words import bound_rows, sizes_words, verdict
from reproduction.command import PROGRAM
from reproduction.command import main as reproduction
from reproduction.shown import markdown

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "bounds.md"
STUDY = "docs/examples/paper.toml"
N, EPSILON = 1000, "1"
TRIALS, PEOPLE = 24, 4_000
H = ("--smallest-eigenvalue", "0.05")


def shown(*options: str) -> str:
    """Return a command and what it prints; with the option of H the part about H."""
    given = ("--n", str(N), *options)
    caught = io.StringIO()
    with redirect_stdout(caught):
        code = reproduction(["bounds", str(ROOT / STUDY), *given])
    if code:
        raise SystemExit(code)
    blocks = caught.getvalue().rstrip("\n").split("\n\n")
    if options == H:
        blocks = blocks[next(i for i, one in enumerate(blocks) if "Proposition 8" in one) :]
    command = f"$ {PROGRAM} bounds {STUDY} {' '.join(given)}"
    return "```console\n" + "\n\n".join([command, *blocks]) + "\n```"


def weighted(scenario: Scenario, settled: Settled, n: int, *key: int) -> BatchProblems:
    """Return trials of a scenario as weighted problems, weights in units of W."""
    study, encoding = scenario.study(), settled.encoding
    found = []
    for trial_number in range(TRIALS):
        rng = np.random.default_rng([*key, trial_number])
        trial = trial_of_table(settled.declared, read_trial(study, scenario.draw(n, rng)))
        second = second_arm(settled.declared, trial, encoding)
        rows = OUTCOME_WEIGHTED.rows(trial, settled.declared, encoding, second)
        X = encoding.learning_rows(rows.X)
        found.append((X, rows.targets, rows.weights / settled.spec.weight_bound))
    X, y, weights = (np.stack(part) for part in zip(*found, strict=True))
    return BatchProblems(X, y, weights, encoding.intercept_scale)


def paper_bounds(n: int, epsilon: str) -> Bounds:
    """Return the bounds on the paper's own problem, with the settings that suit the mechanism."""
    scenario = get_scenario("paper")
    settled = settle(scenario.study(), Budget.of(epsilon), n, mechanism=MECHANISM)
    sample = Sample(weighted(scenario, settled, n, 1), weighted(scenario, settled, PEOPLE, 2), n)
    facts = settled.question.facts(settled.encoding, settled.gamma)
    calibration = get_mechanism(MECHANISM).calibrate(facts, Budget.of(epsilon))
    return bounds_beside(sample, calibration, settled.spec.loss)


def main() -> None:
    """Write the page's tables."""
    fill(PAGE, "study", shown())
    fill(PAGE, "asymptotic", shown(*H))
    found = paper_bounds(N, EPSILON)
    fill(PAGE, "bounds", f"{markdown(bound_rows(found))}\n\n{verdict(found)}\n{sizes_words(found)}")


if __name__ == "__main__":
    main()
