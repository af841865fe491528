"""The way that is audited: from a table to released files, and back from the files to numbers.

A pipeline is anything that writes ``rule.json``, and ``value.json`` if it evaluates, for a table.
Ours is the real one: clipping, encoding, levels, propensities, tuning, noise of the operating
system, evaluation. The auditor sees the two files and nothing else.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Protocol

import numpy as np

from dpwerm.arrays import FloatArray
from dpwerm.audit.canaries import Record, write_table
from dpwerm.data.table import Table, read_table
from dpwerm.errors import ParameterError
from dpwerm.estimators.treatment_rule import PrivateTreatmentRule
from dpwerm.evaluate import treatment_value
from dpwerm.privacy.budget import Budget, total
from dpwerm.privacy.randomness import NO_LEDGER
from dpwerm.releases.files import read_json
from dpwerm.releases.release import Release, Rule
from dpwerm.releases.rule_file import read_rule, write_rule
from dpwerm.releases.value.release import read_value, write_value
from dpwerm.simulate.engine.run import OnDone, processors, run, unseen
from dpwerm.study.study import Study
from dpwerm.tune.private import fit_tuned

RULE, VALUE = "rule.json", "value.json"

RUNS_PER_PROCESS = 100
"""Fewer runs than this are not worth another process."""


class Pipeline(Protocol):
    """From a table to released files; ours, or what anybody plugs in."""

    def __call__(self, table: Path, folder: Path) -> None:
        """Write the files of one release into a folder."""


@dataclass(frozen=True)
class StudyPipeline:
    """What ``dpwerm fit`` or ``tune``, and ``evaluate``, do for a study; no ledger knows of it.

    Parameters
    ----------
    study : Study
    budget : Budget, of the rule and all that it rests on
    evaluation : Budget with δ = 0, or None for a rule alone
    tuning : None, or a private way of tuning γ: "parts" or "split"
    """

    study: Study
    budget: Budget
    evaluation: Budget | None = None
    tuning: str | None = None

    def __call__(self, table: Path, folder: Path) -> None:
        """Fit, write the rule, read it back, evaluate it and write its value."""
        # The people are made up: the study's total is for real ones.
        study = self.study.model_copy(update={"budget": None})
        write_rule(self._rule(study, table), folder / RULE)
        if self.evaluation is not None:
            value = treatment_value(
                read_rule(folder / RULE), table, self.evaluation, study=study, ledger=NO_LEDGER
            )
            write_value(value, folder / VALUE)

    def _rule(self, study: Study, table: Path) -> Rule:
        if self.tuning is None:
            estimator = PrivateTreatmentRule.from_study(study, self.budget, ledger=NO_LEDGER)
            return estimator.fit(table).rule_
        return fit_tuned(
            study,
            table,
            epsilon=self.budget.epsilon,
            delta=self.budget.delta,
            how=self.tuning,
            ledger=NO_LEDGER,
        )


@dataclass(frozen=True)
class Seen:
    """The numbers in the files of one release, and what they mean for some records.

    rule : (p,), propensity : (p',) coefficients on the grid, before any threshold; p' = 0 without
    sums : (2, 2, K) by arm received and arm recommended; K = 0 without an evaluation
    rows, seen_rows : (m, p), (m, p') the records as rule and propensity model encode them
    told : (m,) the arm recommended to each record, 0 or 1
    """

    rule: FloatArray
    propensity: FloatArray
    sums: FloatArray
    rows: FloatArray
    seen_rows: FloatArray
    told: np.ndarray[tuple[int, ...], np.dtype[np.int64]]


def look(folder: Path, records: Table) -> Seen:
    """Return what the files in a folder say; records: those who are looked for."""
    rule = read_rule(folder / RULE)
    scores = rule.release.score(rule.release.encoding.encode(records))
    theta, rows = _numbers(rule.release, records)
    beta, seen_rows = np.empty(0), np.empty((len(rows), 0))
    if rule.propensity is not None:
        beta, seen_rows = _numbers(rule.propensity, records)
    sums = np.empty((2, 2, 0))
    if (folder / VALUE).exists():
        found = read_json(folder / VALUE)["sums"]
        sums = np.array(found["integers"], float).reshape(2, 2, -1) * 2.0 ** found["exponent"]
    told = (rule.arms_for(scores) == rule.arms[1]).astype(np.int64)
    return Seen(theta, beta, sums, rows, seen_rows, told)


def _numbers(release: Release, records: Table) -> tuple[FloatArray, FloatArray]:
    """Return released coefficients and the records that they multiply, intercept first."""
    encoding = release.encoding
    theta = np.array(release.integers, float) * 2.0**release.exponent
    rows = encoding.learning_rows(encoding.encode(records))
    if encoding.intercept_scale > 0:
        rows = np.column_stack([np.full(len(rows), encoding.intercept_scale), rows])
    return theta, rows


@dataclass(frozen=True)
class Batch:
    """Some runs of a pipeline, each on a table of its own."""

    pipeline: Pipeline
    study: Study
    tables: tuple[tuple[Record, ...], ...]
    records: tuple[Record, ...]


def released(batch: Batch) -> list[Seen]:
    """Return what is seen of each release; the files are gone afterwards."""
    found = []
    with TemporaryDirectory() as name:
        folder = Path(name)
        table = folder / "table.csv"
        write_table(batch.study, batch.records, table)
        records = read_table(table, batch.study.feature_columns)
        for rows in batch.tables:
            write_table(batch.study, rows, table)
            batch.pipeline(table, folder)
            found.append(look(folder, records))
    return found


def run_pipeline(
    pipeline: Pipeline,
    study: Study,
    tables: Sequence[Sequence[Record]],
    records: Sequence[Record],
    *,
    workers: int | None = None,
    on_done: OnDone = unseen,
) -> list[Seen]:
    """Return what is seen of one release for each table, over all processors."""
    wanted = processors() if workers is None else workers
    wanted = max(1, min(wanted, len(tables) // RUNS_PER_PROCESS))
    size = max(1, min(25, -(-len(tables) // wanted)))
    batches = [
        Batch(
            pipeline,
            study,
            tuple(tuple(rows) for rows in tables[start : start + size]),
            tuple(records),
        )
        for start in range(0, len(tables), size)
    ]
    parts = run(released, batches, workers=wanted, on_done=on_done)
    return [seen for part in parts for seen in part]


def claim_of(pipeline: Pipeline, study: Study, rows: Sequence[Record]) -> Budget:
    """Return what the files of a release claim together, by their own certificates."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        write_table(study, rows, folder / "table.csv")
        pipeline(folder / "table.csv", folder)
        claim = read_rule(folder / RULE).budget
        if (folder / VALUE).exists():
            claim = total(claim, read_value(folder / VALUE).budget)
    if not isinstance(claim, Budget):
        raise ParameterError("a pipeline is audited for a claim in epsilon and delta")
    if not claim.is_private:
        raise ParameterError("a pipeline without privacy claims nothing that could be audited")
    return claim
