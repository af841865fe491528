r"""Random propensity models inside public bounds, and how wrong the weights of a fitted one are.

    P(second arm | x) = σ(t₀ + θᵀx),   |t₀ + θᵀx| mostly below log((1 − floor)/floor)

A weight divides by p̂ instead of p, so a rule sees the mean benefit of each arm times p/p̂. What is
scored is therefore the mean of (p/p̂ − 1)² over people and both arms.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from dpwerm.arrays import FloatArray
from dpwerm.choose.question import Question
from dpwerm.choose.rehearsal import Rehearsal
from dpwerm.simulate.proxies import Proxies, generator, random_labels
from dpwerm.study.encoding import Encoding

SPREADS = (0.3, 0.5, 0.6)
SHIFTS = (0.0, 0.3, 0.0)
"""Standard deviations of θᵀx and of t₀, in units of log((1 − floor)/floor).

Few models are nearly constant: there any settings do, and ignoring confounding would do as well.
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
        proxies = Proxies(drawn.X, arm, ones, ones, drawn.people, np.sign(logits[:, rows:]))
        weight = question.n / rows
        return cls(question, proxies, draws, (seed, 2), weight, second[:, rows:], floor)

    def _accuracy(self, theta: FloatArray, encoding: Encoding) -> FloatArray:
        """Return 1 − the root mean square of p/p̂ − 1 for θ (B, R, p), shape (1,)."""
        first = int(encoding.intercept_scale > 0)
        constant = encoding.intercept_scale * theta[..., :1] if first else 0.0
        rows = encoding.of_centred(self.proxies.people).swapaxes(1, 2)
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
