"""What the paper says of its Figure 1, tested step by step.

    "improve as n or ε increases, approaching the non-private results"

A step from one ε or n to the next falls only if it does so beyond an interval; the intervals of all
steps of one kind hold together with 95 %. Cells count as independent, as in the paper's figure; the
steps in ε are also compared on the same trials, which sees much smaller falls.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from dpwerm.arrays import FloatArray
from reproduction.artefact import Verdict
from reproduction.published import published_gammas
from reproduction.summary import Summary
from reproduction.synthetic.repeats import Cells
from reproduction.synthetic.table2 import shown

NEAR = 0.1
"""Approaching: at the largest ε the gap is below this share of the gap at the smallest."""


@dataclass(frozen=True)
class Step:
    """From one cell to the next: its name, and what the measure gains."""

    name: str
    gain: Summary

    @property
    def falls(self) -> bool:
        """Whether the measure gets worse beyond the interval."""
        return self.gain.mean + self.gain.half < 0


def budget_steps(
    found: Cells, method: str, measure: str, epsilons: Sequence[str], sizes: Sequence[int]
) -> list[Step]:
    """Return the steps between neighbouring ε as if their trials were independent."""
    count = (len(epsilons) - 1) * len(sizes)
    return [
        Step(f"n = {n}, ε from {shown(small)} to {shown(large)}", _apart(before, after, count))
        for n in sizes
        for small, large in pairwise(epsilons)
        for before, after in [_both(found, measure, (method, small, n), (method, large, n))]
    ]


def paired_steps(
    found: Cells, method: str, measure: str, epsilons: Sequence[str], sizes: Sequence[int]
) -> list[Step]:
    """Return the steps between neighbouring ε on the same trials; γ changes with ε."""
    gammas = published_gammas()
    count = (len(epsilons) - 1) * len(sizes)
    steps = []
    for n in sizes:
        for small, large in pairwise(epsilons):
            before, after = _both(found, measure, (method, small, n), (method, large, n))
            name = f"n = {n}, ε from {shown(small)} to {shown(large)}"
            if method == "paper":
                name += f", γ from {gammas[small, n]:g} to {gammas[large, n]:g}"
            steps.append(Step(name, Summary.of(after - before, count)))
    return steps


def size_steps(
    found: Cells, method: str, measure: str, epsilons: Sequence[str], sizes: Sequence[int]
) -> list[Step]:
    """Return the steps between neighbouring n, whose trials are independent."""
    count = len(epsilons) * (len(sizes) - 1)
    return [
        Step(f"ε = {shown(epsilon)}, n from {small} to {large}", _apart(before, after, count))
        for epsilon in epsilons
        for small, large in pairwise(sizes)
        for before, after in [
            _both(found, measure, (method, epsilon, small), (method, epsilon, large))
        ]
    ]


def _both(
    found: Cells, measure: str, first: tuple[str, str, int], second: tuple[str, str, int]
) -> tuple[FloatArray, FloatArray]:
    return getattr(found[first], measure), getattr(found[second], measure)


def _apart(before: FloatArray, after: FloatArray, count: int) -> Summary:
    """Return the gain between independent repeats; ``count`` such intervals hold together."""
    start, end = Summary.of(before, count), Summary.of(after, count)
    return Summary(end.mean - start.mean, math.hypot(end.half, start.half), end.repeats)


def rising(claim: str, steps: list[Step], digits: int, paired: Sequence[Step] = ()) -> Verdict:
    """Return whether no step falls beyond its interval, with what falls."""
    fallen = [step for step in steps if step.falls]
    lower = sum(step.gain.mean < 0 for step in steps)
    found = f"{_fallen(fallen, len(steps), digits)}; {lower} means are lower than the one before."
    if paired:
        finer = [step for step in paired if step.falls]
        found += f" On the same trials {_fallen(finer, len(paired), digits)}."
    return Verdict(claim, not fallen, found)


def _fallen(fallen: list[Step], count: int, digits: int) -> str:
    text = f"{len(fallen)} of {count} steps fall beyond their interval"
    if fallen:
        worst = sorted(fallen, key=lambda step: step.gain.mean)[:4]
        text += f" ({'; '.join(f'{step.name}: {step.gain.text(digits)}' for step in worst)})"
    return text


def gap(found: Cells, method: str, measure: str, epsilon: str, n: int) -> Summary:
    """Return what the same trials lose to privacy: the mean at ε = ∞ minus that at ε."""
    without, private = (found[method, one, n] for one in ("inf", epsilon))
    return Summary.of(getattr(without, measure) - getattr(private, measure))


def approaching(
    found: Cells, method: str, measure: str, epsilons: Sequence[str], sizes: Sequence[int]
) -> Verdict:
    """Return whether the gap to the fit without privacy nearly closes at the largest ε."""
    private = [epsilon for epsilon in epsilons if epsilon != "inf"]
    digits = 1 if measure == "accuracy" else 2
    first, middle, last = private[0], "5", private[-1]
    gaps = {one: [gap(found, method, measure, one, n) for n in sizes] for one in private}
    closes = all(
        end.mean < NEAR * start.mean for start, end in zip(gaps[first], gaps[last], strict=True)
    )
    parts = []
    for epsilon in (first, middle, last):
        means = [round(one.mean, digits) + 0.0 for one in gaps[epsilon]]
        parts.append(f"{min(means):.{digits}f} to {max(means):.{digits}f} at ε = {epsilon}")
    unit = " points" if measure == "accuracy" else ""
    return Verdict(
        f"the {measure} approaches the non-private results.",
        closes,
        f"Over all n the gap to ε = ∞ is {', '.join(parts)}{unit}.",
    )


def reaching(found: Cells, epsilons: Sequence[str], sizes: Sequence[int]) -> list[list[str]]:
    """Return for each n the smallest ε with which our method is as accurate as the paper's."""
    lines = []
    for n in sizes:
        line = [f"{n:,}"]
        for target in ("5", "inf"):
            goal = found["paper", target, n].accuracy
            enough = [
                epsilon
                for epsilon in epsilons
                if found["ours", epsilon, n].accuracy.mean() >= goal.mean()
            ]
            line += [f"{goal.mean():.1f}", shown(enough[0]) if enough else "none"]
            line.append(f"{found['ours', enough[0], n].accuracy.mean():.1f}" if enough else "")
        lines.append(line)
    return lines
