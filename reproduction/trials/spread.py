r"""What else might have given the published standard deviations: what was tried.

.. math:: \text{SD over repeats of}\quad V(f_r) \text{ on some people, by some weights}

The rules are those of the paper's method. For CYP-GUIDES it is the reading with one propensity and
no intercept, which gives the published row without privacy.
"""

from dataclasses import dataclass

import numpy as np

from dpwerm.arrays import FloatArray
from reproduction.trials.measures import empirical_values
from reproduction.trials.method import METHODS
from reproduction.trials.published import published_rows
from reproduction.trials.source import Source
from reproduction.trials.table import EPSILONS, arms_of
from reproduction.trials.trial import OpenTrial

NOTHING_BUT_NOISE = "0.001"
EVERYBODY = "Eqn 14 on everybody"
BOOTSTRAP = "on a bootstrap sample of n, new in each repeat"
NOISE = "rules that are noise alone"


@dataclass(frozen=True)
class AskSpread:
    """A task: every attempt at every ε."""

    source: Source
    method: str
    gamma: float
    repeats: int
    seed: int


def spreads(ask: AskSpread) -> dict[str, list[float]]:
    """Return the SD of the value at each ε, by what was tried."""
    trial = ask.source.load()
    found: dict[str, list[float]] = {}
    for epsilon in EPSILONS:
        thirds = f"{float(epsilon) / 3:.6f}"
        arms, tripled, noise = (
            _arms(trial, ask, one) for one in (epsilon, thirds, NOTHING_BUT_NOISE)
        )
        attempts = {
            **_attempts(trial, arms, np.random.default_rng(ask.seed)),
            "noise three times as large": _by_eqn_14(trial, tripled),
            NOISE: _by_eqn_14(trial, noise),
        }
        for name, values in attempts.items():
            found.setdefault(name, []).append(float(np.nanstd(values, ddof=1)))
    return found


def _arms(trial: OpenTrial, ask: AskSpread, epsilon: str) -> FloatArray:
    cells = [(epsilon, ask.gamma)]
    (rules,) = METHODS[ask.method].rules(trial, trial.everybody(), cells, ask.repeats, ask.seed)
    arms = arms_of(rules, trial)
    return np.empty((0, trial.n)) if arms is None else arms


def _by_eqn_14(trial: OpenTrial, arms: FloatArray) -> FloatArray:
    return empirical_values(arms, trial.received, trial.benefit, np.full(trial.n, 0.5))


def _attempts(
    trial: OpenTrial, arms: FloatArray, rng: np.random.Generator
) -> dict[str, FloatArray]:
    """Return the values (R,) of the same rules (R, n), computed in other ways."""
    got, n = trial.received > 0, trial.n
    share = got.mean()
    observed = np.where(got, share, 1.0 - share)
    weights = (arms == trial.received) / trial.propensity

    def on(size: int, *, again: bool) -> FloatArray:
        people = [rng.choice(n, size, replace=again) for _ in arms]
        return np.concatenate(
            [
                empirical_values(
                    one[None, at], trial.received[at], trial.benefit[at], np.full(size, 0.5)
                )
                for one, at in zip(arms, people, strict=True)
            ]
        )

    return {
        EVERYBODY: _by_eqn_14(trial, arms),
        BOOTSTRAP: on(n, again=True),
        "on 5,000 people drawn anew in each repeat": on(5_000, again=True),
        "on a random fifth of the people": on(n // 5, again=False),
        "weights by the observed shares of the arms": empirical_values(
            arms, trial.received, trial.benefit, observed
        ),
        "weights by arm, divided by n": np.asarray(weights @ trial.benefit / n),
    }


def spread_words(study: str, name: str, found: dict[str, list[float]]) -> str:
    """Return the published SDs of a study beside those of what was tried, in words."""
    printed = [row.deviation or 0.0 for row in published_rows(study) if row.epsilon in EPSILONS]
    rows = {
        "published": printed,
        "over noise alone": found[EVERYBODY],
        f"the largest of {len(found)} ways that were tried": [
            max(several) for several in zip(*found.values(), strict=True)
        ],
        "rules that are nothing but noise": found[NOISE],
    }
    parts = [
        f"{title} {', '.join(f'{one:.3f}' for one in numbers)}" for title, numbers in rows.items()
    ]
    return f"{name}, SD of the value at ε = {', '.join(EPSILONS)}: {'; '.join(parts)}."
