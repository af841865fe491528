r"""A whole pipeline as a target: from a table to released files, and back to numbers, by real runs.

A pipeline is anything that writes ``rule.json``, and ``value.json`` if it evaluates, for a table.
Ours is the real one: clipping, encoding, levels, propensities, tuning, noise of the operating
system, evaluation. The auditor sees the two files and nothing else.

A real run is slow, so few are made, and the attack is one score that needs few to be learned:

.. math:: t(\theta) = \sum_{parts} \frac{\|\theta - c_2\| - \|\theta - c_1\|}{s}

with the medians c of each world and the size s of the noise: the log-likelihood ratio where the
noise is spherical or, with the ℓ₁ norm, Laplace noise on sums.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from dpwerm.arrays import FloatArray, IntArray
from dpwerm.audit.attack import Audited, coins, sides, strength
from dpwerm.audit.canaries import DataSet, Record, write_table
from dpwerm.audit.guesser import Look, best_guesser
from dpwerm.audit.target import Key, Pair
from dpwerm.data.table import Table, read_table
from dpwerm.errors import ParameterError
from dpwerm.estimators.treatment_rule import PrivateTreatmentRule
from dpwerm.evaluate import treatment_value
from dpwerm.privacy.budget import Budget, total
from dpwerm.privacy.randomness import NO_LEDGER
from dpwerm.releases.files import read_json
from dpwerm.releases.release import Release
from dpwerm.releases.rule_file import read_rule, write_rule
from dpwerm.releases.value.release import read_value, write_value
from dpwerm.simulate.engine.run import OnDone, processors, run, unseen
from dpwerm.study.study import Study
from dpwerm.tune.private import fit_tuned

RULE, VALUE = "rule.json", "value.json"


Pipeline = Callable[[Path, Path], None]
"""Writes the files of one release of a table into a folder: ours, or what anybody plugs in."""


@dataclass(frozen=True)
class StudyPipeline:
    """What ``dpwerm fit`` or ``tune``, and ``evaluate``, do for a study; no ledger knows of it.

    budget : of the rule and all that it rests on; evaluation : δ = 0, None for a rule alone
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
        if self.tuning is None:
            estimator = PrivateTreatmentRule.from_study(study, self.budget, ledger=NO_LEDGER)
            rule = estimator.fit(table).rule_
        else:
            epsilon, delta = self.budget.epsilon, self.budget.delta
            rule = fit_tuned(
                study, table, epsilon=epsilon, delta=delta, how=self.tuning, ledger=NO_LEDGER
            )
        write_rule(rule, folder / RULE)
        if self.evaluation is not None:
            value = treatment_value(
                read_rule(folder / RULE), table, self.evaluation, study=study, ledger=NO_LEDGER
            )
            write_value(value, folder / VALUE)


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
    told: IntArray


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
    tables: Sequence[Sequence[Record]]
    records: Sequence[Record]


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
    """Return what is seen of one release for each table, over all processors.

    Fewer than 100 runs are not worth another process.
    """
    wanted = processors() if workers is None else workers
    wanted = max(1, min(wanted, len(tables) // 100))
    size = max(1, min(25, -(-len(tables) // wanted)))
    batches = [
        Batch(pipeline, study, tables[start : start + size], records)
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


def learned(place: slice, order: int, first: FloatArray, second: FloatArray) -> Look:
    """Return what numbers that got noise together say, by practice (runs, p) on the two data sets.

    It is how much nearer the first centre they are, in units s of the noise: E‖noise‖₂ = p·s for
    spherical noise, and E‖noise‖₁ = p·s for Laplace noise on each number.
    """

    def far_from(centre: FloatArray, outputs: FloatArray) -> FloatArray:
        return np.asarray(np.linalg.norm(outputs[:, place] - centre, order, axis=1))

    one, other = (np.median(side[:, place], axis=0) for side in (first, second))
    spread = [far_from(one, first).mean(), far_from(other, second).mean()]
    size = float(np.mean(spread)) / len(one) or 1.0
    return lambda outputs: (far_from(other, outputs) - far_from(one, outputs)) / size


@dataclass
class PipelineTarget:
    """A pipeline that claims what its files say.

    candidates : pairs of neighbouring data sets, at least one
    """

    name: str
    study: Study
    pipeline: Pipeline
    candidates: Sequence[Pair]
    workers: int | None = None
    _places: tuple[tuple[slice, int], ...] = field(default=(), init=False, repr=False)
    _known: dict[int, list[Look]] = field(default_factory=dict, init=False, repr=False)

    @cached_property
    def claim(self) -> Budget:
        """The claim of the files."""
        return claim_of(self.pipeline, self.study, self.candidates[0].first.rows)

    @property
    def dimension(self) -> int:
        """How many numbers are looked at in one release."""
        if not self._places:
            self.outputs(self.candidates[0].first, 1, ())
        return int(self._places[-1][0].stop)

    def pairs(self) -> Sequence[Pair]:
        """Return the pairs to start from."""
        return self.candidates

    def outputs(self, data: DataSet, runs: int, key: Key) -> FloatArray:  # noqa: ARG002
        """Return real releases, with randomness of the operating system whatever the key.

        Of the sums only those are looked at in which the person counts, if the person is there.
        """
        seen = run_pipeline(
            self.pipeline, self.study, [data.rows] * runs, [data.record], workers=self.workers
        )
        parts = [(one.rule, one.propensity, one.sums[:, one.told[0], :].ravel()) for one in seen]
        ends = np.cumsum([0, *(len(part) for part in parts[0])]).tolist()
        places = zip(ends[:-1], ends[1:], (2, 2, 1), strict=True)
        self._places = tuple((slice(a, b), order) for a, b, order in places if b > a)
        return np.array([np.concatenate(one) for one in parts])

    def learn(self, pair: Pair, first: FloatArray, second: FloatArray) -> None:
        """Learn the score of a pair from practice on its data sets, (runs, p) each."""
        self._known[id(pair)] = [learned(*where, first, second) for where in self._places]

    def score(self, outputs: FloatArray, pair: Pair) -> FloatArray:
        """Return how much more a release speaks for the first world, (runs,)."""
        return np.asarray(np.sum([part(outputs) for part in self._known[id(pair)]], axis=0))


def tell_apart(
    target: PipelineTarget,
    *,
    runs: int,
    confidence: float = 0.999,
    seed: int = 0,
    on_done: OnDone = unseen,
) -> Audited:
    """Return a lower bound on ε of a pipeline from real runs on the worst of its pairs.

    Half of the runs learn the score and its thresholds; the other half, on data sets that a coin
    chose, gives the bound.

    runs : int ≥ 8, on top of a few for every pair
    confidence : float in (0, 1), that the bound does not exceed the true ε
    seed : int ≥ 0, of the coins; the noise is the operating system's
    """
    if runs < 8:
        raise ParameterError("runs must be at least 8")
    pairs = target.pairs()
    steps = len(pairs) + 2
    short = min(max(runs // 20, 8), 40)
    on_done(0, steps)
    found = []
    for place, pair in enumerate(pairs):
        alone = len(pairs) == 1
        found.append(0.0 if alone else strength(target, pair, short, (), chosen_at=0.9))
        on_done(place + 1, steps)
    pair = pairs[int(np.argmax(found))]
    practice = sides(target, pair, (runs // 4, runs // 4), ())
    guesser = best_guesser(target, pair, *practice, confidence=confidence, quick=True)
    on_done(steps - 1, steps)
    judged = coins(runs // 2, seed)
    if not all(judged):
        raise ParameterError("all coins fell alike: give more runs")
    fresh = sides(target, pair, judged, ())
    lower = guesser.bound(*fresh, delta=float(target.claim.delta), confidence=confidence)
    on_done(steps, steps)
    return Audited(
        name=target.name,
        claim=target.claim,
        dimension=target.dimension,
        pair=pair.name,
        lower=lower,
        exact_lower=lower,
        runs=0,
        exact_runs=runs,
        statistic="nearer centre of each part",
        confidence=confidence,
    )
