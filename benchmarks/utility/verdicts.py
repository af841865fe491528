"""What was asked of the automatic choice, whether it is met, and every cell that is not."""

import math
from collections.abc import Iterator

from benchmarks.accuracy import Cell, Result, by_cell
from benchmarks.utility.cells import NAMED, OFF_CENTRE, TOO_WIDE, WIDENED
from benchmarks.utility.tables import Found, Results, means, published
from dpwerm.simulate.scenarios.sloppy import SLOPPY

GAINS = {("1", 3000): 0.7, ("1", 1000): 0.25, ("3", 1000): 0.45}
HARM = {("1", 3000): 2.0, ("1", 1000): 12.0, ("1", 500): 20.0, ("3", 1000): 5.0}
"""Asked of the means over the sloppy trials, by ε and n; harm in %."""

PAPER = {("1", 1000): 99.0}
"""Asked on the paper's problem, accuracy in %."""

BEFORE = {
    ("1", 200): 96.5, ("1", 500): 98.5,
    ("0.1", 200): 68.7, ("0.1", 500): 83.6, ("0.1", 1000): 95.3,
}  # fmt: skip
"""What auto reached there before it took private ranges and a guard."""

WITHOUT = {
    "paper": 99.4, "theta-1": 99.4, "theta-2": 98.7, "truncated-normal": 96.9,
    "two-coefficients": 99.5, "six-coefficients": 98.5, "eight-coefficients": 98.5,
    "main-effect": 99.0, "arms-2-1": 98.9, "arms-9-1": 96.6, "ten-features": 98.9,
    "twenty-features": 98.5, "zero-one-benefit": 94.1, "heavy-tails": 97.7,
    "nearly-constant": 98.8, "categories": 94.3, "circle": 89.3, "no-effect": 100.0,
    "constant-effect": 99.9,
}  # fmt: skip
"""The same of every tight scenario at n = 1,000 and ε = 1."""

BELOW, KEPT = 0.5, 0.98
"""Points that a scenario may lose against that, and the share of the accuracy that benefits off the
declared middle must keep."""

LOST = 0.1
"""How much gain bounds may cost that are far too wide, at n = 3,000 and ε = 1."""

Missed = Iterator[str | None]
"""For every cell that was measured: nothing, or what it misses."""


def verdicts(results: Results) -> str:
    """Say of each aim whether it is met, and name every cell that is not."""
    found = by_cell(results)
    aims = {
        "Sloppy trials, means at ε = 1: gain at least 0.25 and harm at most 12 % at n = 1,000, "
        "0.70 and 2 % at n = 3,000, harm at most 20 % at n = 500; at ε = 3 and n = 1,000 "
        "0.45 and 5 %": _sloppy(found),
        "The paper's problem: at least 99 % at n = 1,000 and ε = 1; nowhere more than "
        f"{BELOW:g} points below what auto reached without private ranges and a guard": (
            _paper(found)
        ),
        "At ε = 0.5 auto is more accurate than the published rule without privacy, at every n": (
            _published(found)
        ),
        f"Tight scenarios, n = 1,000, ε = 1: none more than {BELOW:g} points below what auto "
        "reached without private ranges and a guard": _tight(found),
        f"All bounds {TOO_WIDE:g} times too wide, n = 3,000, ε = 1: at most {LOST:g} of gain "
        f"lost ({', '.join(f'`{name}`' for name in WIDENED)})": _wide(found),
        f"Benefits off the declared middle: at least {100 * KEPT:g} % of the accuracy in the "
        "middle": _off_centre(found),
    }
    return "\n".join(f"- {aim}: {_list(list(missed))}" for aim, missed in aims.items())


def _sloppy(found: Found) -> Missed:
    for (epsilon, n), most in HARM.items():
        mean = means(found, list(SLOPPY), n, "auto", epsilon)
        if mean is None:
            continue
        _, gain, harm = mean
        where = f"ε = {epsilon}, n = {n:,}"
        least = GAINS.get((epsilon, n), -math.inf)
        yield _unless(gain >= least, f"{where}: gain {gain:+.2f}, asked {least:g}")
        yield _unless(harm <= most, f"{where}: harm {harm:.1f} %, asked {most:g}")


def _paper(found: Found) -> Missed:
    for (epsilon, n), asked in {**PAPER, **BEFORE}.items():
        one = found.get((NAMED, n, epsilon, "auto"))
        if one is not None:
            good = one.accuracy >= asked - (BELOW if (epsilon, n) in BEFORE else 0.0)
            what = "before" if (epsilon, n) in BEFORE else "asked"
            yield _unless(good, f"ε = {epsilon}, n = {n:,}: {_shown(one)}, {what} {asked:g}")


def _published(found: Found) -> Missed:
    for (epsilon, n), printed in published().items():
        one = found.get((NAMED, n, "0.5", "auto"))
        if epsilon == "inf" and one is not None:
            good = one.accuracy > printed
            yield _unless(good, f"n = {n:,}: {_shown(one)}, published {printed:.1f}")


def _tight(found: Found) -> Missed:
    for name, before in WITHOUT.items():
        one = found.get((name, 1000, "1", "auto"))
        if one is not None:
            good = one.accuracy >= before - BELOW
            yield _unless(good, f"`{name}`: {_shown(one)}, before {before:g}")


def _wide(found: Found) -> Missed:
    for name in WIDENED:
        tight, wide = (found.get((f"{one} {name}", 3000, "1", "auto")) for one in ("tight", "wide"))
        if tight is not None and wide is not None:
            words = f"`{name}`: {wide.gain:+.2f}, with tight bounds {tight.gain:+.2f}"
            yield _unless(wide.gain >= tight.gain - LOST, words)


def _off_centre(found: Found) -> Missed:
    for (scenario, n, epsilon, method), one in found.items():
        middle = found.get((NAMED, n, epsilon, method))
        if scenario in OFF_CENTRE and method == "auto" and middle is not None:
            kept = one.accuracy / middle.accuracy
            yield _unless(kept >= KEPT, f"{scenario}, n = {n:,}: {100 * kept:.1f} %")


def _shown(one: Result[Cell]) -> str:
    return f"{one.accuracy:.1f} ± {one.accuracy_half_width:.1f}"


def _unless(good: bool, words: str) -> str | None:
    return None if good else words


def _list(cells: list[str | None]) -> str:
    """Return "yes", or every number that misses on a line of its own."""
    missed = [one for one in cells if one is not None]
    if not cells:
        return "not measured."
    if not missed:
        return f"yes ({len(cells)} measured)."
    lines = "\n".join(f"  - {one}" for one in missed)
    return f"{len(missed)} of {len(cells)} measured miss it:\n{lines}"
