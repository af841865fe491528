"""The paper's Table II: the many trials at once against the exact pipeline and the published cells.

With fixed seeds every outcome is fixed. The threshold |z| < 4.5 over 14 comparisons would have a
false-alarm probability of 1e-4 for a random seed; here none is drawn.
"""

from typing import Any

import numpy as np
import pytest

from dpwerm.arrays import FloatArray
from reproduction.paper_method import paper_release
from reproduction.published import Published, published_cells
from reproduction.synthetic.repeats import Repeats, Task, drawn, measured
from reproduction.synthetic.simulated import paper_encoding_of
from reproduction.synthetic.table2 import LARGEST_Z, Cell

CELLS = {
    (cell.epsilon, cell.n): cell
    for cell in published_cells()
    if (cell.epsilon, cell.n)
    in {("0.1", 200), ("1", 1000), ("2", 800), ("5", 500), ("inf", 200), ("inf", 1000)}
}
SEED = 7


def reproduced(published: Published, epsilon: str, repeats: int) -> Cell:
    task = Task("paper", published.n, (epsilon,), (published.gamma,), repeats, SEED)
    accuracy, value = np.array(measured(task))[:, 0]
    return Cell(published, Repeats(accuracy, value), Repeats(accuracy, value))


@pytest.mark.parametrize("key", sorted(CELLS), ids=lambda key: f"epsilon={key[0]},n={key[1]}")
def test_published_cells_are_reproduced(key: tuple[str, int]) -> None:
    cell = reproduced(CELLS[key], key[0], repeats=200)
    assert abs(cell.z("accuracy")) < LARGEST_Z
    assert abs(cell.z("value")) < LARGEST_Z


def test_the_comparison_has_power() -> None:
    """A sensitivity of W instead of 2W (half the noise) is not mistaken for the paper's."""
    halved = reproduced(CELLS["2", 800], "4", repeats=200)
    assert abs(halved.z("accuracy")) > LARGEST_Z


def exact_accuracies(published: Published, repeats: int) -> FloatArray:
    """Return accuracies of the same trials through the exact solver and the exact sampler."""
    trials, people = drawn(published.n, 0, repeats, SEED)
    encoding = paper_encoding_of(trials.scenario)
    trial, rows = trials.trial(), trials.encoded(encoding)
    tests, best = people.encoded(encoding), people.best()
    settings: dict[str, Any] = {
        "encoding": encoding,
        "benefit_bound": 15.0,
        "smallest_propensity": 0.5,
        "gamma": published.gamma,
        "epsilon": published.epsilon,
    }
    found = []
    for repeat, chosen in enumerate(trials.rows):
        release = paper_release(
            rows[repeat],
            trial.arm[chosen],
            trial.outcome[chosen],
            np.full(published.n, 0.5),
            rng=np.random.default_rng([SEED, repeat]),
            **settings,
        )
        found.append(100.0 * np.mean((release.score(tests[repeat]) > 0) == best[repeat]))
    return np.array(found)


def test_without_noise_both_pipelines_give_the_same_rules() -> None:
    published = CELLS["inf", 200]
    batch = reproduced(published, "inf", repeats=30).paper.accuracy
    assert np.abs(batch - exact_accuracies(published, 30)).max() < 0.2


def test_with_noise_both_pipelines_agree_on_the_same_trials() -> None:
    published = CELLS["5", 500]
    batch = reproduced(published, "5", repeats=50).paper.accuracy
    difference = exact_accuracies(published, 50) - batch
    error = difference.std(ddof=1) / np.sqrt(len(difference))
    assert abs(difference.mean()) < LARGEST_Z * error
