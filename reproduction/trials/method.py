r"""The methods that are tried on real trials: the paper's, and this library's.

.. math:: \theta^*_{\varepsilon,\gamma,r} = \hat\theta(\gamma) + \text{noise}_r(\varepsilon)

Everything goes through the engine: a trial's optimum is found once for each γ, whatever ε and the
number of draws of noise are. Every ε and every γ has the same draws.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np

from dpwerm.arrays import IntArray
from dpwerm.data.table import read_table
from dpwerm.features.encoding import Encoding
from dpwerm.plan.expected import settle
from dpwerm.privacy.budget import Budget
from dpwerm.weighting.trial import trial_of_table
from reproduction.paper_batch import paper_theta
from reproduction.synthetic.simulated import Rules, rules_of
from reproduction.trials.trial import OpenTrial

TOLERANCE = 1e-6
"""How near to the minimiser: a trial is small, and nobody on the border shall change sides."""

Cell = tuple[str, float]
"""ε and the scale of γ: γ itself for the paper's method, a factor for the automatic one."""


class TrialMethod(Protocol):
    """A method by its name, and whether its value uses the propensity of each arm."""

    @property
    def name(self) -> str:
        """What tables call it."""

    @property
    def by_arm(self) -> bool:
        """Whether the value divides by the propensity of each arm, or by one for both."""

    def rules(
        self, trial: OpenTrial, rows: IntArray, cells: Sequence[Cell], repeats: int, seed: int
    ) -> list[Rules | None]:
        """Return the rules of each cell, θ (B, R, p); None where its γ is not allowed.

        rows : (B, n), the people whom each of B trials has
        repeats : R ≥ 1, draws of noise for each trial; without privacy all are the same
        """


@dataclass(frozen=True)
class PaperMethod:
    """The paper's method: its encoding, W = V/π_min, spherical Laplace noise; not private.

    Parameters
    ----------
    name : str
    intercept : 0 or 1, whether there is a constant
    by_arm : bool, whether weights use the propensity of each arm or one for both, which is π_min so
        that no weight exceeds W
    """

    name: str
    intercept: Literal[0, 1] = 1
    by_arm: bool = True

    def rules(
        self, trial: OpenTrial, rows: IntArray, cells: Sequence[Cell], repeats: int, seed: int
    ) -> list[Rules | None]:
        """Return the rules of each (ε, γ)."""
        smallest = trial.study.treatment.pi_min
        blocks = trial.study.encoding().blocks
        encoding = Encoding(kind="paper", intercept=float(self.intercept), blocks=blocks)
        propensity = trial.propensity if self.by_arm else np.full(trial.n, smallest)
        theta = paper_theta(
            trial.encoded(encoding)[rows],
            trial.received[rows],
            trial.benefit[rows],
            propensity[rows],
            cells,
            np.random.default_rng(seed),
            encoding=encoding,
            benefit_bound=trial.benefit_bound,
            smallest_propensity=smallest,
            draws=repeats,
            tolerance=TOLERANCE,
        )
        return [Rules(encoding, one) for one in theta]


@dataclass(frozen=True)
class Automatic:
    """Our library with everything left to it; γ may be multiplied by a factor."""

    name: str = "automatic"
    by_arm: bool = True

    def rules(
        self, trial: OpenTrial, rows: IntArray, cells: Sequence[Cell], repeats: int, seed: int
    ) -> list[Rules | None]:
        """Return the rules of each (ε, factor); hyperparameters are chosen anew for each ε.

        Noise inside the objective needs a γ of some size: below that there are no rules.
        """
        found: dict[Cell, Rules] = {}
        table = read_table(trial.rows, trial.study.columns)
        for epsilon in dict.fromkeys(epsilon for epsilon, _ in cells):
            settled = settle(trial.study, Budget.of(epsilon), rows.shape[1])
            rules = rules_of(
                settled,
                trial_of_table(settled.declared, table),
                rows,
                np.random.default_rng(seed),
                factors=[factor for other, factor in cells if other == epsilon],
                draws=repeats,
                tolerance=TOLERANCE,
            )
            for factor, theta in rules.items():
                found[epsilon, factor] = Rules(settled.encoding, theta, settled.threshold)
        return [found.get(cell) for cell in cells]


METHODS: Mapping[str, TrialMethod] = {
    "one-propensity": PaperMethod("paper, one propensity, no intercept", 0, by_arm=False),
    "by-arm": PaperMethod("paper, propensity by arm, intercept"),
    "paper": PaperMethod("paper"),
    "ours": Automatic(),
}
"""Every method by the name that tasks have of it."""
