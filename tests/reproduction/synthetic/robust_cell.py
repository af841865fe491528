"""A cell of the robustness checks with a known change."""

import numpy as np

from reproduction.synthetic.robustness_cells import Cell
from reproduction.synthetic.variants import VARIANTS

LUCK = np.random.default_rng(3).normal(size=100)


def cell(change: float, epsilon: str = "0.5") -> Cell:
    """Return a cell in which three levels change the accuracy by so much, and nothing else."""
    accuracy = np.tile(60.0 + LUCK, (len(VARIANTS), 1))
    accuracy[list(VARIANTS).index("levels-3")] += change
    return Cell("paper", 200, epsilon, accuracy, accuracy / 10)
