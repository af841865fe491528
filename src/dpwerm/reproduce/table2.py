"""Table II of the paper's supplement: accuracy and value on the synthetic trial by ε and n.

The paper's own method (``paper_method``) with its γ. The shift by the sample minimum lets one
person move everybody's weight, so the published figures carry no privacy guarantee.

Run ``python -m dpwerm.reproduce.table2`` for the whole table.
"""

import argparse
import csv
import math
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table

from dpwerm.arrays import FloatArray
from dpwerm.reproduce.paper_method import paper_release, shifted
from dpwerm.simulate.paper import PROPENSITY, SLOPES, paper_trial
from dpwerm.study.encoding import Encoding

BENEFIT_BOUND = 15.0
TEST_SIZE = 5_000
LARGEST_Z = 4.5
# A published interval spans two 97.5 % quantiles of Student's t with 199 degrees of freedom.
QUANTILE = 1.972


@dataclass(frozen=True)
class Published:
    """One published cell: settings, and mean with half width of its 95 % interval."""

    epsilon: str
    n: int
    gamma: float
    accuracy: tuple[float, float]
    value: tuple[float, float]


@dataclass(frozen=True)
class Cell:
    """Reproduced accuracies (in %) and values, one per repeat, beside the published cell."""

    published: Published
    accuracy: FloatArray
    value: FloatArray

    def z(self, measure: str) -> float:
        """Return the difference of the two means in its standard errors."""
        repeats: FloatArray = getattr(self, measure)
        mean, half_width = getattr(self.published, measure)
        error = repeats.std(ddof=1) / math.sqrt(len(repeats))
        return float((repeats.mean() - mean) / math.hypot(error, half_width / QUANTILE))

    @property
    def agrees(self) -> bool:
        """Whether both means agree with the published ones."""
        return max(abs(self.z("accuracy")), abs(self.z("value"))) < LARGEST_Z


def published_cells() -> list[Published]:
    """Return the 24 published cells with the γ that produced them."""

    def measure(row: dict[str, str], name: str) -> tuple[float, float]:
        width = float(row[f"{name}_hi"]) - float(row[f"{name}_lo"])
        return float(row[f"{name}_mean"]), width / 2

    text = files("dpwerm.reproduce").joinpath("data/table2.csv").read_text(encoding="utf-8")
    return [
        Published(
            row["epsilon"],
            int(row["n"]),
            float(row["gamma"]),
            measure(row, "accuracy"),
            measure(row, "value"),
        )
        for row in csv.DictReader(text.splitlines())
    ]


def paper_encoding() -> Encoding:
    """Return the paper's encoding of its four features in [0, 1]."""
    names = [f"x{j + 1}" for j in range(len(SLOPES))]
    return Encoding.of_numbers(names, [(0.0, 1.0)] * len(SLOPES), kind="paper")


def one_repeat(published: Published, seed: int) -> tuple[float, float]:
    """Return accuracy in % and treatment value of one simulated trial, fit and test set."""
    rng = np.random.default_rng(seed)
    train, test = paper_trial(published.n, rng), paper_trial(TEST_SIZE, rng)
    encoding = paper_encoding()
    release = paper_release(
        encoding.encode_numbers(train.features),
        train.treatment,
        train.benefit,
        np.full(published.n, PROPENSITY),
        encoding=encoding,
        benefit_bound=BENEFIT_BOUND,
        smallest_propensity=PROPENSITY,
        gamma=published.gamma,
        epsilon=published.epsilon,
        rng=rng,
    )
    scores = release.score(encoding.encode_numbers(test.features))
    assigned = np.where(scores > 0, 1.0, -1.0)
    followed = assigned == test.treatment
    # Both arms have the same propensity, so the weighted mean of Eqn 14 is a plain one.
    value = shifted(test.benefit)[followed].mean()
    return 100.0 * float(np.mean(assigned == test.best)), float(value)


def reproduce_cell(published: Published, repeats: int, seed: int) -> Cell:
    """Return one cell from simulated repeats; the same seed gives the same cell."""
    seeds = np.random.SeedSequence([seed, published.n]).generate_state(repeats, np.uint64)
    results = np.array([one_repeat(published, int(s)) for s in seeds])
    return Cell(published, results[:, 0], results[:, 1])


def reproduce_table(repeats: int, seed: int) -> Iterator[Cell]:
    """Yield all 24 cells in the published order."""
    for index, published in enumerate(published_cells()):
        yield reproduce_cell(published, repeats, seed + index)


def print_table(repeats: int, seed: int) -> bool:
    """Print published and reproduced figures side by side and say whether all agree."""
    console = Console()
    table = Table("ε", "n", "γ", "accuracy %", "published", "z", "value", "published", "z")
    agree = True
    cells = track(reproduce_table(repeats, seed), "Table II", total=24, console=console)
    for cell in cells:
        found = cell.published
        agree = agree and cell.agrees
        table.add_row(
            found.epsilon,
            str(found.n),
            f"{found.gamma:g}",
            f"{cell.accuracy.mean():.2f}",
            f"{found.accuracy[0]:.2f}",
            f"{cell.z('accuracy'):+.2f}",
            f"{cell.value.mean():.2f}",
            f"{found.value[0]:.2f}",
            f"{cell.z('value'):+.2f}",
        )
    console.print(table)
    verdict = "agree" if agree else "DISAGREE in at least one cell"
    console.print(f"{repeats} repeats, seed {seed}: the means {verdict} (|z| < {LARGEST_Z}).")
    return agree


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Table II of the supplement, side by side")
    parser.add_argument("--repeats", type=int, default=200)
    parser.add_argument("--seed", type=int, default=20261)
    arguments = parser.parse_args()
    raise SystemExit(0 if print_table(arguments.repeats, arguments.seed) else 1)
