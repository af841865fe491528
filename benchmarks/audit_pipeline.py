"""``python -m benchmarks.audit_pipeline``: both tables of docs/audit-pipeline.md; half an hour.

Every run is a real one, from a CSV file to released files, with the operating system's noise. So
the numbers differ a little from run to run.
"""

import sys
from dataclasses import dataclass

from tests.unit.audit.made_up import EVEN, made_up

from benchmarks.page import DATA, write_table
from dpwerm.audit.canaries import worst_pairs
from dpwerm.audit.pipeline import SILENT, guess_coins
from dpwerm.audit.pipeline_target import PipelineTarget, StudyPipeline, tell_apart
from dpwerm.privacy.budget import Budget

CONFIDENCE = 0.95
PRACTICE, MANY = 200, 50
MODEL = """arms = ["pill", "therapy"]
propensity = { model = "private" }
propensity_floor = 0.3
"""


@dataclass(frozen=True)
class Cell:
    """One audited pipeline."""

    what: str
    p: int
    epsilon: str
    mechanism: str = "spherical-laplace"
    evaluation: str | None = None
    tuning: str | None = None
    arms: str = EVEN
    weighed: float = 50.0
    """γ in units of W·p: how little one person moves the coefficients beside the loss's curve."""

    def pipeline(self) -> StudyPipeline:
        """Return the pipeline of p coefficients, intercept included."""
        bound = 20.0 if self.arms == EVEN else 10 / 0.3
        features = "".join(
            f'[features.x{j}]\nkind = "number"\nbounds = [-1, 1]\n' for j in range(self.p - 1)
        )
        gamma = self.weighed * bound * self.p
        study = made_up(
            0, gamma=gamma, mechanism=self.mechanism, arms=self.arms, more=features, about=""
        )
        evaluation = None if self.evaluation is None else Budget.of(self.evaluation)
        return StudyPipeline(study, Budget.of(self.epsilon), evaluation, self.tuning)


ONE_RUN = (
    Cell("rule", 4, "4"),
    Cell("rule", 8, "4"),
    Cell("rule", 8, "8"),
    Cell("rule", 16, "8"),
    Cell("rule", 32, "16"),
    Cell("rule", 64, "16"),
    Cell("rule", 8, "8", "objective-block"),
    Cell("rule, private propensity model", 8, "8", arms=MODEL),
    Cell("rule tuned by parts", 8, "8", tuning="parts"),
    Cell("rule and value", 8, "4", evaluation="4"),
)
NEIGHBOURS = (
    (Cell("rule", 2, "1"), 4000),
    (Cell("rule", 2, "4"), 2000),
    (Cell("rule", 5, "4"), 2000),
    (Cell("rule", 2, "4", "objective-block"), 2000),
    (Cell("rule", 2, "4", "product-laplace"), 2000),
    (Cell("rule, private propensity model", 2, "4", arms=MODEL), 2000),
    (Cell("rule tuned by parts", 2, "4", tuning="parts"), 2000),
    (Cell("rule tuned by split", 2, "4", tuning="split"), 2000),
    (Cell("rule and value", 2, "2", evaluation="2"), 1000),
)


def one_run_rows() -> list[list[str]]:
    """Return one row for each pipeline with as many canaries as coefficients."""
    rows = []
    for cell in ONE_RUN:
        way = cell.pipeline()
        found = [
            guess_coins(
                way,
                way.study,
                canaries=cell.p,
                runs=runs,
                practice=PRACTICE,
                confidence=CONFIDENCE,
                seed=runs,
            )
            for runs in (1, MANY)
        ]
        guessed = [
            part for one in found for part in (f"{one.right}/{one.guesses}", _two(one.lower))
        ]
        claim = str(found[0].claim.epsilon)
        rows.append([cell.what, cell.mechanism, str(cell.p), claim, *guessed])
        say(rows[-1])
    return rows


def neighbour_rows() -> list[list[str]]:
    """Return one row for each pipeline told apart on its worst pair."""
    rows = []
    for cell, runs in NEIGHBOURS:
        way = cell.pipeline()
        pairs = worst_pairs(way.study, silent=0 if cell.tuning is None else SILENT)
        target = PipelineTarget(cell.what, way.study, way, pairs)
        found = tell_apart(target, runs=runs, confidence=CONFIDENCE)
        claim = str(found.claim.epsilon)
        rows.append(
            [
                cell.what,
                cell.mechanism,
                str(cell.p),
                claim,
                f"{runs:,}",
                _two(found.lower),
                f"{found.ratio:.1f}",
                found.pair,
            ]
        )
        say(rows[-1])
    return rows


def _two(number: float) -> str:
    return f"{number:.2f}"


def say(row: list[str]) -> None:
    """Show a row as it is found."""
    sys.stdout.write(" | ".join(row) + "\n")
    sys.stdout.flush()


def main() -> None:
    """Measure and write both tables."""
    head = ["released", "mechanism", "p = canaries", "claimed ε"]
    one = [*head, "one run: right", "ε at least", f"{MANY} runs: right", "ε at least"]
    write_table(DATA / "audit-one-run.csv", [one, *one_run_rows()])
    head = ["released", "mechanism", "p", "claimed ε", "runs", "ε at least", "claim/bound"]
    write_table(DATA / "audit-two-tables.csv", [[*head, "worst pair"], *neighbour_rows()])


if __name__ == "__main__":
    main()
