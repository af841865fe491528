"""The results as Markdown: every method, the split of the budget, and the verdict."""

from benchmarks.confounded.cells import SHARES, Cell, Result

NAMED, SECOND = "confounded", "indication"
SHOWN = ("ignoring", "private", "known", "ridge", "worst case")
ASIDE = ("ignoring, centred", "private, centred", "private, no clip", "known, no clip")
"""Other declarations of the benefit."""

LISTED = (200, 1000, 5000)
"""The n of the tables; the figure and the file have more."""

Found = dict[tuple[str, int, str, str], Result]


def by_cell(results: list[Result]) -> Found:
    """Return the results by scenario, n, ε and method."""
    cells = ((one.cell, one) for one in results)
    return {(c.scenario, c.n, c.epsilon, c.method): one for c, one in cells}


def method_table(results: list[Result], scenario: str) -> str:
    """Return the accuracy in % for every ε and method, at three sizes."""
    mine = [one.cell for one in results if one.cell.scenario == scenario]
    methods = [name for name in SHOWN if any(cell.method == name for cell in mine)]
    tried = [cell for cell in mine if cell.method in methods and cell.n in LISTED]
    return _accuracies(results, sorted(tried, key=lambda c: (float(c.epsilon), c.n)), methods)


def aside_table(results: list[Result]) -> str:
    """Return the accuracy in % with another centre or clip of the benefit."""
    tried = [one.cell for one in results if one.cell.method in ASIDE]
    return _accuracies(results, tried, ["ignoring", "private", *ASIDE[:3]])


def _accuracies(results: list[Result], tried: list[Cell], methods: list[str]) -> str:
    """Return the accuracy in % of some methods in every cell that was tried."""
    found = by_cell(results)
    places = list(dict.fromkeys((c.scenario, c.epsilon, c.n) for c in tried))
    several = len({scenario for scenario, _, _ in places}) > 1
    head = [*(["scenario"] if several else []), "ε", "n", *methods]
    lines = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    halves = []
    for scenario, epsilon, n in places:
        row = [found.get((scenario, n, epsilon, name)) for name in methods]
        halves += [one.accuracy_half for one in row if one is not None]
        cells = ["" if one is None else f"{one.accuracy:.1f}" for one in row]
        first = [f"`{scenario}`"] if several else []
        lines.append(f"| {' | '.join([*first, _epsilon(epsilon), f'{n:,}', *cells])} |")
    return "\n".join([*lines, "", f"Half-widths are at most {max(halves):.1f} points."])


def split_words(results: list[Result]) -> str:
    """Return the mean accuracy in % for every share of ε that the propensity model may get."""
    parts = []
    for share in SHARES:
        found = [one.accuracy for one in results if one.cell.method == f"private, share {share}"]
        if found:
            parts.append(f"{sum(found) / len(found):.1f} with {share}")
    return f"{', '.join(parts)}."


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
            f"- ε = {_epsilon(epsilon)}: better than ignoring at {_sizes(beats, sizes)}, than a "
            f"coin at {_sizes(right, sizes)}; right for at least 80 % at {_sizes(most, sizes)}."
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
