"""Our method without the time it takes to choose its settings."""

from collections.abc import Sequence

import numpy as np

from reproduction.synthetic.simulated import Rules, Simulated, paper_rules


def like_the_papers(
    trials: Simulated, epsilon: str, rng: np.random.Generator, *, factors: Sequence[float] = (1.0,)
) -> Rules:
    """Return the paper's rules in the place of ours, for each factor on γ."""
    return paper_rules(trials, [(epsilon, 50.0 * factor) for factor in factors], rng)
