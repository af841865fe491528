"""Hyperparameters of a private propensity model, chosen on synthetic models; no row is ever read.

    θ̂_p = argmin Σ log(1 + exp(−y_i x_iᵀθ)) + ½γ_p‖θ‖²,   y: the arm received, all weights 1
    P(second arm | x) = σ(t₀ + θᵀx),   |t₀ + θᵀx| mostly below log((1 − floor)/floor)

A weight divides by p̂ instead of p, so a rule sees the mean benefit of each arm times p/p̂. What is
scored is therefore the mean of (p/p̂ − 1)² over people and both arms; γ_p, the mechanism and the
intercept's constant are those that came nearest. One round is enough: nothing else is chosen.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import expit

from dpwerm.arrays import FloatArray
from dpwerm.choose.grid import ABOVE_FLOOR, floor_of, gammas, mechanisms
from dpwerm.choose.hyperparameters import Hyperparameters
from dpwerm.choose.question import Choice, Outcome, Question, called
from dpwerm.choose.search import Progress, Rehearsal
from dpwerm.choose.settle import by_analogy, narrowed, remembered
from dpwerm.errors import ParameterError
from dpwerm.features.encoding import Encoding
from dpwerm.mechanisms import plain_mechanism
from dpwerm.mechanisms.contract import no_progress
from dpwerm.objective.losses import Logistic
from dpwerm.privacy.budget import AnyBudget, Relation
from dpwerm.releases.certificate import Specification
from dpwerm.simulate.judged import Judged, SyntheticTrials
from dpwerm.simulate.synthetic import generator, random_labels

SPREADS = (0.3, 0.5, 0.6)
SHIFTS = (0.0, 0.3, 0.0)
"""Standard deviations of θᵀx and of t₀, in units of log((1 − floor)/floor).

Few models are nearly constant: there any hyperparameters do, and ignoring confounding would do as
well.
"""

ACTIVE = (1.0, 0.4)
"""The share of columns that matter, at least one."""


@dataclass(frozen=True)
class PropensityRehearsal(Rehearsal):
    """A rehearsal of propensity models, scored by their weights.

    truth : (B, T), P(second arm | x) of the people on whom a model is judged
    floor : float in (0, 0.5], every probability is clipped to [floor, 1 − floor]
    """

    truth: FloatArray
    floor: float

    @classmethod
    def of(
        cls, question: Question, floor: float, *, count: int, rows: int, draws: int, seed: int
    ) -> "PropensityRehearsal":
        """Return a rehearsal of ``count`` random models; its rows stand for all n people."""
        rng = generator(seed, 1)
        drawn = random_labels(question.widths, count=count, rows=rows, rng=rng)
        logits = random_logits(np.concatenate([drawn.X, drawn.people], axis=1), floor, rng)
        second = expit(logits)
        arm = np.where(rng.uniform(size=(count, rows)) < second[:, :rows], 1.0, -1.0)
        ones = np.ones_like(arm)
        synthetic = SyntheticTrials(
            drawn.X, arm, ones, ones, drawn.people, np.sign(logits[:, rows:])
        )
        weight = question.n / rows
        return cls(question, synthetic, draws, (seed, 2), weight, second[:, rows:], floor)

    def scores(
        self, candidate: Hyperparameters, gammas: Sequence[float]
    ) -> dict[float, FloatArray]:
        """Return for each γ the score of the models, shape (1,) each."""
        models = self.released(candidate, gammas)
        return {gamma: self._score(theta, candidate) for gamma, theta in models.items()}

    def _score(self, theta: FloatArray, candidate: Hyperparameters) -> FloatArray:
        """Return 1 − the root mean square of p/p̂ − 1 for θ (B, R, p), shape (1,)."""
        encoding = candidate.encoding(self.question.encoding)
        first = int(encoding.intercept_scale > 0)
        constant = encoding.intercept_scale * theta[..., :1] if first else 0.0
        rows = encoding.of_centred(self.synthetic.people).swapaxes(1, 2)
        found = expit(theta[..., first:] @ rows + constant)
        fitted = np.clip(found, self.floor, 1.0 - self.floor)
        true = np.clip(self.truth, self.floor, 1.0 - self.floor)[:, None]
        errors = (true / fitted - 1.0) ** 2 + ((1.0 - true) / (1.0 - fitted) - 1.0) ** 2
        return np.array([1.0 - np.sqrt(np.mean(errors) / 2.0)])


def random_logits(X: FloatArray, floor: float, rng: np.random.Generator) -> FloatArray:
    """Return t₀ + θᵀx (B, n) of one random model for each of the B sets of rows X (B, n, d)."""
    count, _, columns = X.shape
    far = np.log((1.0 - floor) / floor)
    theta = rng.choice([-1.0, 1.0], (count, columns)) * rng.uniform(0.4, 1.4, (count, columns))
    shares = rng.permutation(np.resize(ACTIVE, count))[:, None]
    kept = rng.uniform(size=(count, columns)).argsort(axis=1) < np.maximum(1.0, shares * columns)
    f = np.einsum("bnd,bd->bn", X, theta * kept)
    f -= f.mean(axis=1, keepdims=True)
    f /= np.maximum(f.std(axis=1, keepdims=True), 1e-12)
    spread, shift = (rng.permutation(np.resize(each, count))[:, None] for each in (SPREADS, SHIFTS))
    return np.asarray(far * (spread * f + shift * rng.normal(size=(count, 1))))


# -- the search ------------------------------------------------------------------------------


SEED = 20261
REVISION = 3
"""To be raised with every change of what is tried or on what, so that old answers are forgotten."""

PROBLEMS, DRAWS = 72, 2
EFFORT = 4e8
"""Rows times squared columns times fits that the search may take."""

MOST_ROWS = 2_000
INTERCEPTS = (0.5, 1.0)
FURTHER = (0.0003, 0.001, 0.005, 0.02, 0.05, 10.0, 100.0, 1000.0)
"""Shares of n tried for γ besides those for a rule: small ones, as a logistic model bears them,
finer steps, and large ones, which say p̂ = ½ for everybody where noise would say worse."""

BARE_GAMMAS = (10.0, 3.0, 1.0, 0.3)
"""γ without noise: small whatever n is, so that the model is right in the limit."""


def propensity_hyperparameters(
    encoding: Encoding,
    n: int,
    budget: AnyBudget,
    relation: Relation,
    floor: float,
    on_progress: Progress = no_progress,
) -> Choice:
    """Return the hyperparameters for a logistic model of P(second arm | x).

    encoding : Encoding, whose intercept and saturation are replaced
    n : int ≥ 1, the public or the planned number of people
    budget : Budget or GaussianBudget, the propensity model's own part
    relation : Relation
    floor : float in (0, 0.5], π_min
    on_progress : called with the share of the work that is done
    """
    if not 0 < floor <= 0.5:
        raise ParameterError(f"the floor must be above 0 and at most 0.5, not {floor:g}")
    question = question_of(encoding, n, budget, relation)

    def searched(question: Question, on_progress: Progress) -> Choice:
        return _searched(question, floor, on_progress)

    def found() -> Choice:
        if not budget.is_private:  # γ is small whatever n is
            return searched(narrowed(question) or question, on_progress)
        return by_analogy(question, searched, on_progress)

    # No weight is off by more than 1/floor.
    revision = f"propensity, floor {floor!r}, revision {REVISION}"
    return remembered(question, revision, found, least=1.0 - 1.0 / floor)


def question_of(encoding: Encoding, n: int, budget: AnyBudget, relation: Relation) -> Question:
    """Return the question in the form of labels with weights that are all 1."""
    named = plain_mechanism(budget)
    return Question(
        Specification(budget, 1.0, 1.0, named, relation=relation, loss=Logistic()),
        encoding.changed(intercept=1.0, saturation=1.0),
        n,
        Outcome.of_labels(),
        Hyperparameters(clip=1.0, saturation=1.0, threshold=0.0),
    )


def _searched(question: Question, floor: float, on_progress: Progress) -> Choice:
    candidates = [
        Hyperparameters(
            name,
            clip=1.0,
            intercept=intercept,
            saturation=1.0,
            estimator=question.spec.weighting.name,
        )
        for name in mechanisms(question)
        for intercept in INTERCEPTS
    ]
    paths = {candidate: _gammas(question, candidate) for candidate in candidates}
    rehearsal = _rehearsal(question, floor, fits=sum(map(len, paths.values())))
    found: list[tuple[float, Hyperparameters, float]] = []
    for done, (candidate, path) in enumerate(paths.items(), start=1):
        scores = rehearsal.scores(candidate, path)
        found += [(float(score[0]), candidate, gamma) for gamma, score in scores.items()]
        on_progress(done / len(paths))
    if not found:
        raise ParameterError("no mechanism can fit a propensity model with this budget")
    accuracy, candidate, gamma = max(found, key=lambda one: one[0])
    winner = replace(candidate, gamma=gamma, threshold=0.0)
    tried = ((other, score) for score, other, _ in found)
    judged = Judged(accuracy, None, None)
    problems, rows = rehearsal.synthetic.arm.shape
    return Choice.of(winner, judged, accuracy, tried, (problems, rows))


def _gammas(question: Question, candidate: Hyperparameters) -> list[float]:
    """Return γ, falling: those of a rule and further ones, all above the mechanism's floor."""
    if not question.spec.budget.is_private:
        return list(BARE_GAMMAS)
    least = ABOVE_FLOOR[0] * floor_of(question, candidate)
    further = [float(f"{share * question.n:.3g}") for share in FURTHER]
    possible = {one for one in further if least <= one <= question.most_gamma}
    return sorted(possible | set(gammas(question, candidate)), reverse=True)


def _rehearsal(question: Question, floor: float, fits: int) -> PropensityRehearsal:
    columns = question.encoding.n_columns + 1
    work = fits * PROBLEMS * DRAWS * columns**2
    rows = question.rows(EFFORT / work, MOST_ROWS)
    return PropensityRehearsal.of(
        question, floor, count=PROBLEMS, rows=rows, draws=DRAWS, seed=SEED
    )


def reason_of(choice: Choice) -> str:
    """Say in one sentence what was tried and what won; its accuracy is 1 − the error."""
    off = f"{100 * (1 - choice.accuracy):.0f} %"
    rivals = ", ".join(f"{each} {100 * (1 - one):.0f} %" for each, one in choice.rivals.items())
    return (
        f"chosen on {choice.problems} simulated propensity models inside the declared bounds, "
        f"without reading a row: there {called(choice.mechanism)} gave weights that were off by "
        f"{off} (root mean square)" + (f"; others: {rivals}" if rivals else "")
    )
