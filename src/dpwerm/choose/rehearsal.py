"""One rehearsal: fit settings to random problems with their noise, and score the rules.

    accuracy = share of people, over problems and draws of noise, who get their better arm

The objective, the plan of the mechanism and the solver are those of a real fit.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpwerm.arrays import FloatArray
from dpwerm.choose.candidates import Setting, thresholds
from dpwerm.choose.question import Question
from dpwerm.errors import ParameterError
from dpwerm.mechanisms import get_mechanism
from dpwerm.mechanisms.plan import Plan, spent
from dpwerm.simulate.engine.judged import second_arm
from dpwerm.simulate.engine.noise import Draws
from dpwerm.simulate.engine.released import released
from dpwerm.simulate.proxies import Proxies, generator
from dpwerm.solve.batch import BatchProblems
from dpwerm.study.encoding import Encoding


@dataclass(frozen=True)
class Rehearsal:
    """Random problems, and the base draws of noise that every setting shares.

    weight : float ≥ 1, what each row counts for where fewer rows stand for n people
    """

    question: Question
    proxies: Proxies
    draws: int
    seed: tuple[int, ...]
    weight: float

    def scores(self, setting: Setting, gammas: Sequence[float]) -> dict[float, FloatArray]:
        """Return for each γ the mean accuracy at every threshold; no entry where no plan exists."""
        encoding = setting.encoding(self.question)
        rules = self.released(setting, gammas)
        return {gamma: self._accuracy(theta, encoding) for gamma, theta in rules.items()}

    def released(self, setting: Setting, gammas: Sequence[float]) -> dict[float, FloatArray]:
        """Return for each γ what would be released, θ (B, R, p); no entry where no plan exists."""
        encoding = setting.encoding(self.question)
        plans = self._plans(setting, encoding, gammas)
        if not plans:
            return {}
        problems = self._problems(setting, encoding)
        shape = (problems.n_sets, self.draws)
        base = Draws.of(shape, problems.dimension, generator(*self.seed))
        found = released(problems, self.question.loss, list(plans.values()), base)
        return dict(zip(plans, found, strict=True))

    def _plans(
        self, setting: Setting, encoding: Encoding, gammas: Sequence[float]
    ) -> dict[float, Plan]:
        """Return the plan of each γ that the mechanism accepts."""
        mechanism = get_mechanism(setting.mechanism)
        budget = spent(mechanism, self.question.budget)
        plans = {}
        for gamma in gammas:
            try:
                plans[gamma] = mechanism.plan(self.question.facts(encoding, gamma), budget)
            except ParameterError:
                continue
        return plans

    def problems(self, setting: Setting) -> BatchProblems:
        """Return the weighted problems that a setting makes of the trials, with W = 1."""
        return self._problems(setting, setting.encoding(self.question))

    def _problems(self, setting: Setting, encoding: Encoding) -> BatchProblems:
        """Return the weighted problems of these settings, with W = 1."""
        proxies, outcome = self.proxies, self.question.outcome
        bound = setting.clip * outcome.largest_clip
        v = np.clip(proxies.benefit - outcome.centre, -bound if outcome.signed else 0.0, bound)
        labels = proxies.arm * np.where(v < 0, -1.0, 1.0)
        weights = np.minimum(np.abs(v) / proxies.probability * outcome.pi_min / bound, 1.0)
        X = encoding.learning_rows(encoding.of_centred(proxies.X))
        return BatchProblems(X, labels, weights * self.weight, encoding.intercept_scale)

    def _accuracy(self, theta: FloatArray, encoding: Encoding) -> FloatArray:
        """Return the mean accuracy of θ (B, R, p) at every threshold."""
        best = self.proxies.best[:, None] > 0
        return np.array([np.mean(one == best) for one in self.second_arm(theta, encoding)])

    def second_arm(self, theta: FloatArray, encoding: Encoding) -> Iterator[NDArray[np.bool_]]:
        """Yield for every threshold whom θ (B, R, p) gives the second arm, shape (B, R, T)."""
        rows = encoding.of_centred(self.proxies.people)
        for threshold in thresholds(self.question):
            yield second_arm(theta, encoding, rows, threshold)
