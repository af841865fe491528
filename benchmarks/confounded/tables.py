"""The results as Markdown: every method, the split of the budget, and the verdict."""

from benchmarks.confounded.cells import SHARES, Cell, Result

NAMED, SECOND = "confounded", "indication"
SHOWN = ("ignoring", "private", "known", "ridge", "worst case")
ASIDE = ("ignoring, centred", "private, centred", "private, no clip", "known, no clip")
"""Other declarations of the benefit, beside the first three methods."""

Found = dict[tuple[str, int, str, str], Result]


def by_cell(results: list[Result]) -> Found:
    """Return the results by scenario, n, ε and method."""
    cells = ((one.cell, one) for one in results)
    return {(c.scenario, c.n, c.epsilon, c.method): one for c, one in cells}


def method_table(results: list[Result], scenario: str, measure: str) -> str:
    """Return one measure, ``accuracy`` or ``share``, in % for every n, ε and method."""
    found = by_cell(results)
    mine = [one.cell for one in results if one.cell.scenario == scenario]
    methods = [name for name in SHOWN if any(cell.method == name for cell in mine)]
    lines = ["| ε | n | " + " | ".join(methods) + " |", "|---" * (len(methods) + 2) + "|"]
    at = sorted({(float(c.epsilon), c.n, c.epsilon) for c in mine if c.method in methods})
    for _, n, epsilon in at:
        cells = [_shown(found.get((scenario, n, epsilon, name)), measure) for name in methods]
        lines.append(f"| {_epsilon(epsilon)} | {n:,} | {' | '.join(cells)} |")
    return "\n".join(lines)


def split_table(results: list[Result]) -> str:
    """Return the accuracy in % for every share of ε that the propensity model may get."""
    tried = [one.cell for one in results if one.cell.method.startswith("private, share")]
    shares = [one for one in SHARES if any(cell.method.endswith(one) for cell in tried)]
    names = [f"private, share {share}" for share in shares]
    means = [_mean([one.accuracy for one in results if one.cell.method == name]) for name in names]
    table = _accuracies(results, tried, dict(zip(names, shares, strict=True)))
    return f"{table}\n| mean | | | {' | '.join(means)} |"


def aside_table(results: list[Result]) -> str:
    """Return the accuracy in % with another centre or clip of the benefit."""
    methods = [*SHOWN[:3], *ASIDE]
    tried = [one.cell for one in results if one.cell.method in ASIDE]
    return _accuracies(results, tried, dict(zip(methods, methods, strict=True)))


def _accuracies(results: list[Result], tried: list[Cell], heads: dict[str, str]) -> str:
    """Return the accuracy in % of some methods in every cell that was tried."""
    found = by_cell(results)
    lines = [
        "| scenario | ε | n | " + " | ".join(heads.values()) + " |",
        "|---" * (len(heads) + 3) + "|",
    ]
    for scenario, n, epsilon in dict.fromkeys((c.scenario, c.n, c.epsilon) for c in tried):
        cells = [_shown(found.get((scenario, n, epsilon, name)), "accuracy") for name in heads]
        lines.append(f"| `{scenario}` | {_epsilon(epsilon)} | {n:,} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _mean(numbers: list[float]) -> str:
    return f"{sum(numbers) / len(numbers):.1f}" if numbers else ""


def verdict(results: list[Result], scenario: str) -> str:
    """Say for each ε from which n on the private propensity beats ignoring, and a coin."""
    found = by_cell(results)
    cells = [one.cell for one in results if one.cell.scenario == scenario]
    mine = [cell for cell in cells if cell.method == "ignoring"]
    lines = []
    for epsilon in sorted({cell.epsilon for cell in mine}, key=float):
        sizes = sorted({cell.n for cell in mine if cell.epsilon == epsilon})
        pairs = {
            n: (
                found.get((scenario, n, epsilon, "private")),
                found[scenario, n, epsilon, "ignoring"],
            )
            for n in sizes
        }
        beats = [n for n, (own, other) in pairs.items() if own and _above(own, other)]
        right = [
            n for n, (own, _) in pairs.items() if own and own.accuracy - own.accuracy_half > 50
        ]
        most = [n for n, (own, _) in pairs.items() if own and own.accuracy >= 80]
        lines.append(
            f"- ε = {_epsilon(epsilon)}: clearly better than ignoring confounding at "
            f"{_sizes(beats, sizes)}; clearly right for more than half of the people at "
            f"{_sizes(right, sizes)}; right for at least 80 % at {_sizes(most, sizes)}."
        )
    return "\n".join(lines)


def _above(own: Result, other: Result) -> bool:
    """Whether the intervals of two accuracies lie apart, the first above."""
    return own.accuracy - own.accuracy_half > other.accuracy + other.accuracy_half


def _sizes(sizes: list[int], every: list[int]) -> str:
    if sizes == every:
        return "every n"
    return "n = " + ", ".join(f"{n:,}" for n in sizes) if sizes else "no n"


def _epsilon(epsilon: str) -> str:
    return "∞" if epsilon == "inf" else epsilon


def _shown(result: Result | None, measure: str) -> str:
    if result is None:
        return ""
    return f"{getattr(result, measure):.1f} ± {getattr(result, measure + '_half'):.1f}"
