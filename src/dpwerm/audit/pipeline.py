r"""A study's whole pipeline audited twice: with many canaries in one run, and on neighbours.

One run: each of m canaries has one of two records by a fair coin. Practice runs teach which numbers
of the files speak for which record; then r coins of fresh runs are guessed from their files alone,
the surest first. If ε is what is claimed, the number V of right guesses is bounded by

.. math:: P(V \ge v) \le P(B_r \ge v)
          + \frac{m\,\delta}{1 + e^\varepsilon}\,\frac1r \sum_{k=0}^{r-1} \max_j P(B_k = j),
          \qquad B_k \sim \text{Binomial}(k, q),\; q = \frac{e^\varepsilon}{1 + e^\varepsilon}

For δ = 0 this is the theorem of Steinke, Nasr and Jagielski (2023); the term for δ has a proof of
its own. Several runs with coins of their own count as one. Proof: docs/audit-pipeline.md.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.special import betainc, expit, gammaln, xlogy

from dpwerm.arrays import BoolArray, FloatArray
from dpwerm.audit.attack import Audited
from dpwerm.audit.canaries import (
    Canary,
    canaries_for,
    mistaken_pairs,
    simulated_people,
    worst_pairs,
)
from dpwerm.audit.pipeline_target import (
    Pipeline,
    PipelineTarget,
    Seen,
    StudyPipeline,
    claim_of,
    run_pipeline,
    tell_apart,
)
from dpwerm.audit.target import rng_of
from dpwerm.errors import ParameterError
from dpwerm.privacy.budget import Budget
from dpwerm.simulate.engine.run import OnDone, unseen
from dpwerm.study.study import Study

SHARES = (1.0, 0.75, 0.5, 0.25, 0.125)
"""Shares of the canaries that may be guessed; practice says which is best."""

SILENT = 10
"""People without a benefit in neighbouring data sets whose rows are divided by private tuning."""

MOST_EPSILON = 64.0


def chance(
    right: int, guesses: int, epsilon: float, *, canaries: int | None = None, delta: float = 0.0
) -> float:
    """Return the largest chance of so many right guesses under (ε, δ)-differential privacy.

    canaries : int ≥ guesses, those without a guess too; as many as guesses if left out
    """
    m = guesses if canaries is None else canaries
    if not 0 <= right <= guesses <= m:
        raise ParameterError("need 0 <= right <= guesses <= canaries")
    if not 0.0 <= delta < 1.0:
        raise ParameterError("delta must be at least 0 and below 1")
    by_chance = float(betainc(right, guesses - right + 1, expit(epsilon))) if right else 1.0
    if delta == 0.0 or guesses == 0:
        return by_chance
    return min(1.0, by_chance + m * delta * float(expit(-epsilon)) * _mean_mode(guesses, epsilon))


def one_run_lower(
    right: int, guesses: int, *, confidence: float, canaries: int | None = None, delta: float = 0.0
) -> float:
    """Return the largest ε whose ``chance`` is below 1 − confidence; 0 if there is none.

    What is private with ε is private with more, so a chance that is too small at any ε speaks
    against all smaller ones: the bound exceeds the true ε with probability at most 1 − confidence.
    """
    if not 0.0 < confidence < 1.0:
        raise ParameterError("confidence must be above 0 and below 1")
    error = 1.0 - confidence
    low, high = 0.0, MOST_EPSILON
    if chance(right, guesses, low, canaries=canaries, delta=delta) >= error:
        return 0.0
    for _ in range(50):
        middle = (low + high) / 2
        rejected = chance(right, guesses, middle, canaries=canaries, delta=delta) < error
        low, high = (middle, high) if rejected else (low, middle)
    return low


def _mean_mode(guesses: int, epsilon: float) -> float:
    """Return the mean over k < r of the largest probability of Binomial(k, q)."""
    q, rest = expit(epsilon), expit(-epsilon)
    k = np.arange(guesses)
    j = np.minimum(np.floor((k + 1) * q), k)
    ways = gammaln(k + 1) - gammaln(j + 1) - gammaln(k - j + 1)
    return float(np.mean(np.exp(ways + xlogy(j, q) + xlogy(k - j, rest))))


@dataclass(frozen=True)
class OneRun:
    """What guessing the coins of canaries found.

    claim : Budget, of the files
    lower : float ≥ 0, ε is at least this
    right, guesses : int, right guesses and all
    canaries, people, runs, practice : int, canaries and others in a table, audited runs and runs
        that only taught how to guess
    confidence : float in (0, 1), that the bound does not exceed the true ε
    """

    claim: Budget
    lower: float
    right: int
    guesses: int
    canaries: int
    people: int
    runs: int
    practice: int
    confidence: float

    @property
    def holds(self) -> bool:
        """Whether the bound is not above the claimed ε."""
        return self.lower <= float(self.claim.epsilon)


@dataclass(frozen=True)
class StudyAudit:
    """Both audits of one pipeline."""

    study: str
    one_run: OneRun
    neighbours: Audited

    @property
    def holds(self) -> bool:
        """Whether no bound is above the claimed ε."""
        return self.one_run.holds and self.neighbours.holds


def guess_coins(
    pipeline: Pipeline,
    study: Study,
    *,
    canaries: int = 8,
    people: int = 0,
    runs: int = 1,
    practice: int = 200,
    confidence: float = 0.95,
    seed: int = 0,
    workers: int | None = None,
    on_done: OnDone = unseen,
) -> OneRun:
    """Return what canaries show; several runs count as one with more canaries.

    study : Study, which says what may be in a table
    canaries : int ≥ 1, at corners of the public bounds
    people : int ≥ 0, simulated others inside the bounds
    runs : int ≥ 1, audited runs, with coins of their own
    practice : int ≥ 8, runs that teach how to guess
    seed : int ≥ 0, of people and coins alone
    """
    if canaries < 1 or runs < 1 or practice < 8 or people < 0:
        raise ParameterError("need canaries >= 1, runs >= 1, practice >= 8 and people not negative")
    birds = canaries_for(study, canaries)
    others = simulated_people(study, people, seed)
    coins = rng_of(seed, "canaries").integers(0, 2, (practice + runs, canaries)).astype(bool)
    tables = [[*others, *hatched(birds, row)] for row in coins]
    claim = claim_of(pipeline, study, tables[0])
    seen = run_pipeline(
        pipeline, study, tables, [bird.first for bird in birds], workers=workers, on_done=on_done
    )
    evidence = learned_evidence(np.array([numbers(one) for one in seen]), coins[:practice])
    surest = best_share(evidence[:practice], coins[:practice], runs, confidence)
    right = _right(evidence[practice:], coins[practice:], surest)
    guesses, delta = surest * runs, float(claim.delta)
    lower = one_run_lower(
        right, guesses, canaries=canaries * runs, delta=delta, confidence=confidence
    )
    return OneRun(
        claim=claim,
        lower=lower,
        right=right,
        guesses=guesses,
        canaries=canaries,
        people=people,
        runs=runs,
        practice=practice,
        confidence=confidence,
    )


def hatched(birds: Sequence[Canary], coins: BoolArray) -> list[dict[str, str]]:
    """Return the rows of canaries under their coins."""
    chosen = zip(birds, coins, strict=True)
    return [row for bird, coin in chosen for row in bird.row(is_first=bool(coin))]


def numbers(seen: Seen) -> FloatArray:
    """Return what speaks for or against each canary's first record, (m, f).

    Its score under the coefficients of rule and propensity model, and the sums of its own cells.
    """
    columns = [seen.rows @ seen.rule]
    if len(seen.propensity):
        columns.append(seen.seen_rows @ seen.propensity)
    sums = [seen.sums[:, told, :].ravel() for told in seen.told]
    return np.column_stack([*columns, np.array(sums)])


def learned_evidence(looks: FloatArray, coins: BoolArray) -> FloatArray:
    r"""Return evidence for the first record of each canary in each run, (runs, m).

    .. math:: t = (z - \tfrac{\mu_1 + \mu_2}{2})^\top \Sigma^{-1} (\mu_1 - \mu_2)

    Fisher's discriminant, one for each canary, learned on the first runs.

    looks : (runs, m, f), the runs with known coins first
    coins : (practice, m)
    """
    evidence = np.zeros(looks.shape[:2])
    for bird in range(looks.shape[1]):
        z = looks[:, bird]
        known, coin = z[: len(coins)], coins[:, bird]
        if coin.all() or not coin.any():
            continue
        means = known[coin].mean(axis=0), known[~coin].mean(axis=0)
        spread = np.atleast_2d(np.cov((known - np.where(coin[:, None], *means)).T))
        # Where practice is short, a tenth is added to the variance of each number.
        spread += np.diag(0.1 * np.diag(spread) + 1e-300)
        weights = np.linalg.lstsq(spread, means[0] - means[1], rcond=None)[0]
        evidence[:, bird] = (z - (means[0] + means[1]) / 2) @ weights
    return evidence


def _right(evidence: FloatArray, coins: BoolArray, surest: int) -> int:
    """Return how many of the surest guesses of each run are right."""
    order = np.argsort(-np.abs(evidence), axis=1, kind="stable")[:, :surest]
    hits = (evidence > 0) == coins
    return int(np.take_along_axis(hits, order, axis=1).sum())


def best_share(evidence: FloatArray, coins: BoolArray, runs: int, confidence: float) -> int:
    """Return how many canaries to guess in each of ``runs`` runs, by how often practice is right.

    Few sure guesses are right more often, but too few of them prove nothing.
    """
    practice, birds = coins.shape
    sizes: list[int] = sorted({max(1, round(share * birds)) for share in SHARES}, reverse=True)
    found = []
    for size in sizes:
        expected = _right(evidence, coins, size) * runs // practice
        found.append(one_run_lower(expected, size * runs, confidence=confidence))
    return sizes[int(np.argmax(found))]


def audit_study(
    study: Study | str | Path,
    *,
    budget: Budget,
    evaluation: Budget | None = None,
    tuning: str | None = None,
    pipeline: Pipeline | None = None,
    canaries: int = 8,
    people: int = 0,
    one_runs: int = 1,
    practice: int = 200,
    runs: int = 1000,
    confidence: float = 0.95,
    seed: int = 0,
    workers: int | None = None,
    on_done: OnDone = unseen,
) -> StudyAudit:
    """Return lower bounds on ε of the way from a study file to a rule file and a value file.

    study : Study, or the path of a study file
    budget, evaluation, tuning : as in :class:`~dpwerm.audit.pipeline_target.StudyPipeline`
    pipeline : another one to audit in its place; the claim is then that of its files
    canaries, people, one_runs, practice : as in :func:`guess_coins`
    runs : int ≥ 8, on neighbouring data sets
    confidence : float in (0, 1), that neither bound exceeds the true ε; they share the error
    seed : int ≥ 0, of people and coins; the noise is the operating system's
    on_done : told how much is done of first the one and then the other
    """
    declared = study if isinstance(study, Study) else Study.load(study)
    way = pipeline or StudyPipeline(declared, budget, evaluation, tuning)
    each = (1.0 + confidence) / 2
    one_run = guess_coins(
        way,
        declared,
        canaries=canaries,
        people=people,
        runs=one_runs,
        practice=practice,
        confidence=each,
        seed=seed,
        workers=workers,
        on_done=on_done,
    )
    pairs = worst_pairs(declared, silent=0 if tuning is None else SILENT)
    pairs += mistaken_pairs(declared)
    target = PipelineTarget(f"study {declared.id}", declared, way, pairs, workers)
    found = tell_apart(target, runs=runs, confidence=each, seed=seed, on_done=on_done)
    return StudyAudit(declared.id, one_run, found)
