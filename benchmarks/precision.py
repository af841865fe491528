"""``python -m benchmarks.precision``: how much errors in tight trials count when rules are scored.

The score of a candidate joins its gain in sloppy trials and its errors in tight ones. How, is
settled here, on synthetic trials alone and by a rule that stood before anything was measured:

    Among the forms and weights below, take those with which a study that declares tightly loses
    on average at most one point of accuracy against hyperparameters chosen for tight trials, and
    at most two points for every shape of study and for every size and budget. Of these take the
    one with the best score in sloppy trials, gain with a loss counting twice.

Candidates are chosen on one half of the trials and judged on the other, both ways round. The shapes
are those of no scenario.
"""

import argparse
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.choice import asked
from dpwerm import Study
from dpwerm.choose.grid import mechanisms
from dpwerm.choose.question import Question
from dpwerm.choose.search import Rehearsal, _grid, _paths
from dpwerm.choose.shares import Key
from dpwerm.simulate.engine.run import bar, run
from dpwerm.simulate.synthetic import generator

SHAPES: Mapping[str, tuple[int, ...]] = {
    "3 numbers": (0,) * 3,
    "6 numbers": (0,) * 6,
    "5 numbers, 2 categories": (0,) * 5 + (2, 3),
    "12 numbers": (0,) * 12,
    "20 numbers": (0,) * 20,
}
PLACES = ((200, "1"), (500, "1"), (1_000, "0.5"), (1_000, "1"), (3_000, "1"), (1_000, "5"))
TRIALS, PARTS, MOST_ROWS, SEED = 240, 4, 1_500, 4_711
MEAN_LOSS, LARGEST_LOSS = 1.0, 2.0
"""In points of accuracy."""

WEIGHTS: Mapping[str, tuple[float, ...]] = {
    "errors": (2, 4, 6, 8, 10, 15, 20, 30, 40),
    "squares": (10, 20, 30, 40, 60, 80, 100, 150, 200),
    "logarithm": (0.25, 0.5, 0.75, 1, 1.5, 2, 3, 4, 6),
}
RESULTS = Path(__file__).parent / "results" / "precision.csv"

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Landscape:
    """What every candidate did in every trial: errors and scores (K, B), and which are tight."""

    errors: Floats
    scores: Floats
    tight: NDArray[np.bool_]

    def halves(self) -> list[NDArray[np.intp]]:
        """Return the two halves of the trials, each with as many tight ones."""
        tight, sloppy = (np.flatnonzero(kind) for kind in (self.tight, ~self.tight))
        return [np.concatenate([tight[half::2], sloppy[half::2]]) for half in (0, 1)]

    def means(self, trials: NDArray[np.intp]) -> "Means":
        """Return the means of every candidate over some of the trials."""
        tight, sloppy = (trials[kind] for kind in (self.tight[trials], ~self.tight[trials]))
        errors = self.errors[:, tight]
        return Means(errors.mean(1), (errors**2).mean(1), self.scores[:, sloppy].mean(1))

    def chosen(self, form: str, weight: float) -> tuple[float, float]:
        """Return errors in tight and the score in sloppy trials of what the other half chose."""
        found = []
        for choose, judge in (self.halves(), self.halves()[::-1]):
            best = int(np.argmax(FORMS[form](weight, self.means(choose))))
            judged = self.means(judge)
            found.append((judged.errors[best], judged.sloppy[best]))
        errors, scores = np.mean(found, axis=0)
        return float(errors), float(scores)


class Means(NamedTuple):
    """Of every candidate: errors and their squares in tight trials, the score in sloppy ones."""

    errors: Floats
    squares: Floats
    sloppy: Floats


FORMS: Mapping[str, Callable[[float, Means], Floats]] = {
    "tight alone": lambda weight, means: -weight * means.errors,
    "errors": lambda weight, means: 2 * means.sloppy - weight * means.errors,
    "squares": lambda weight, means: 2 * means.sloppy - weight * means.squares,
    "logarithm": lambda weight, means: means.sloppy - weight * np.log(means.errors + 0.001),
}
"""How the score in sloppy trials, two thirds of all, and the errors in tight ones are joined."""


def study_text(widths: Sequence[int]) -> str:
    """Return a study of such features; its arms are 1:1."""
    lines = ['format = 1\n\n[study]\nid = "shape"\n']
    for j, width in enumerate(widths):
        levels = ", ".join(f'"{level}"' for level in range(width))
        said = 'kind = "number"\nbounds = [0, 1]'
        if width:
            said = f'kind = "category"\nlevels = [{levels}]'
        lines.append(f"[features.x{j}]\n{said}\n")
    lines.append('[treatment]\ncolumn = "arm"\narms = { a = "1/2", b = "1/2" }\n')
    lines.append('[benefit]\ncolumn = "y"\nbounds = [0, 1]\n')
    return "\n".join(lines)


def landscape(place: tuple[str, int, str]) -> Landscape:
    """Return the landscape of a shape, a size and a budget."""
    shape, n, epsilon = place
    question = asked(Study.parse(study_text(SHAPES[shape])), epsilon, n)
    keys: list[Key] = _grid(question, mechanisms(question)[0])
    parts = [
        _part(question, keys, (SEED, [*SHAPES].index(shape), n, part)) for part in range(PARTS)
    ]
    return Landscape(*(np.concatenate(column, axis=-1) for column in zip(*parts, strict=True)))


def _part(
    question: Question, keys: list[Key], seed: tuple[int, ...]
) -> tuple[Floats, Floats, NDArray[np.bool_]]:
    """Return errors and scores of every candidate on some trials, and which of them are tight."""
    n, rows = question.n, min(question.n, MOST_ROWS)
    rng, count = generator(*seed, 1), TRIALS // PARTS
    synthetic = question.outcome.trials(question.widths, count=count, rows=rows, rng=rng)
    rehearsal = Rehearsal(question, synthetic.standing_for(n), 1, (*seed, 2), n / rows)
    errors, scores = [], []
    for candidate, path in _paths(keys):
        for seconds in rehearsal.given(candidate, path).values():
            for second in seconds:
                errors.append(1 - synthetic.accuracy(second)[:, 0])
                scores.append(synthetic.score(second)[:, 0])
    return np.array(errors), np.array(scores), synthetic.tight


def settled(rows: Iterable[Sequence[str]]) -> tuple[str, float]:
    """Return the form and the weight that the rule takes of the rows of a table of results."""
    best, taken = -np.inf, ("", np.nan)
    for form, weight, mean, shape, size, score in rows:
        keeps = float(mean) <= MEAN_LOSS and max(float(shape), float(size)) <= LARGEST_LOSS
        if keeps and float(score) > best:
            best, taken = float(score), (form, float(weight))
    return taken


def main() -> None:
    argparse.ArgumentParser(description=__doc__).parse_args()
    places = [(shape, n, epsilon) for shape in SHAPES for n, epsilon in PLACES]
    with bar("landscapes") as on_done:
        found = run(landscape, places, on_done=on_done)
    shape_by_place = (len(SHAPES), len(PLACES))
    least = np.array([one.chosen("tight alone", 1)[0] for one in found]).reshape(shape_by_place)
    head = ("form", "weight", "mean loss", "of a shape", "of a size", "sloppy score")
    rows: list[tuple[str, ...]] = [head]
    for form, weights in WEIGHTS.items():
        for weight in weights:
            chosen = np.array([one.chosen(form, weight) for one in found])
            loss = chosen[:, 0].reshape(shape_by_place) - least
            worst = (loss.mean(axis=1).max(), loss.mean(axis=0).max())
            told = [f"{100 * one:.2f}" for one in (loss.mean(), *worst)]
            rows.append((form, f"{weight:g}", *told, f"{chosen[:, 1].mean():+.4f}"))
    print(*(", ".join(row) for row in rows), f"settled: {settled(rows[1:])}", sep="\n")
    RESULTS.write_text("\n".join(",".join(row) for row in rows) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
