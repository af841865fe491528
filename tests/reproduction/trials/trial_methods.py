"""Methods for tests: no settings are chosen, so they are quick."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from dpwerm.arrays import IntArray
from dpwerm.features.encoding import Encoding
from reproduction.synthetic.simulated import Rules
from reproduction.trials.method import METHODS, Cell, PaperMethod, TrialMethod
from reproduction.trials.trial import OpenTrial

QUICK_METHODS: dict[str, TrialMethod] = {**METHODS, "ours": PaperMethod("automatic")}
"""Every method, with the paper's in the place of ours."""


@dataclass
class Fixed:
    """A method whose rule is known: the intercept and a slope for each encoded column.

    without : the ε at which there is no rule
    """

    slopes: Sequence[float]
    name: str = "fixed"
    by_arm: bool = True
    without: tuple[str, ...] = ()
    seen: list[IntArray] = field(default_factory=list)

    def rules(
        self, trial: OpenTrial, rows: IntArray, cells: Sequence[Cell], repeats: int, seed: int
    ) -> list[Rules | None]:
        """Return the same rule everywhere, and remember whom it could have learned from."""
        self.seen.append(rows)
        blocks = trial.study.encoding().blocks
        encoding = Encoding(kind="centred", intercept=1.0, blocks=blocks)
        theta = np.tile(np.asarray(self.slopes, dtype=np.float64), (len(rows), repeats, 1))
        return [None if cell[0] in self.without else Rules(encoding, theta) for cell in cells]
