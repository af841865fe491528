"""CPU time of the automatic choice, in units of one fit of scikit-learn's logistic regression.

The question is that of the demo's study. Both are timed in turn on one core, so that load hits them
alike, and the shortest of each counts. Read the ratio.
"""

import argparse
import time
from collections.abc import Callable

import numpy as np
from sklearn.linear_model import LogisticRegression

from dpwerm import PrivateTreatmentRule, Study
from dpwerm.choose.question import Question
from dpwerm.choose.search import search
from dpwerm.estimators.parameters import checked_problem
from dpwerm.simulate.demo import study_text

PEOPLE = 2_000
FITS = 50


def asked(study: Study, epsilon: str, people: int) -> Question:
    """Return what a fit of a study asks."""
    estimator = PrivateTreatmentRule.from_study(study, epsilon, ledger="none")
    _, problem = checked_problem(estimator)
    if problem is None:
        raise TypeError("the estimator has a study")
    own = problem.own(people)
    return Question(own.spec, own.encoding, people, own.outcome, own.hyperparameters)


def peer() -> None:
    """Fit weighted logistic regressions, one after the other."""
    random = np.random.default_rng(20)
    X, weights = random.uniform(-1, 1, (1000, 4)), random.uniform(0, 1, 1000)
    labels = X @ random.normal(size=4) + random.normal(size=1000) > 0
    for _ in range(FITS):
        LogisticRegression(C=0.1).fit(X, labels, sample_weight=weights)


def spent(call: Callable[[], object]) -> float:
    """Return the CPU seconds of a call."""
    start = time.process_time()
    call()
    return time.process_time() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=5)
    repeats = parser.parse_args().repeats
    question = asked(Study.parse(study_text()), "0.5", PEOPLE)
    turns = [(spent(lambda: search(question)), spent(peer) / FITS) for _ in range(repeats)]
    ours, unit = (min(times) for times in zip(*turns, strict=True))
    print(f"automatic choice {ours:.2f} s, one fit of scikit-learn's {1e3 * unit:.2f} ms")
    print(f"{ours / unit:,.0f} units")


if __name__ == "__main__":
    main()
