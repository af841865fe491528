"""What the paper says of its two real trials in words, and whether many runs say the same."""

from collections.abc import Sequence
from itertools import pairwise

from reproduction.artefact import Verdict
from reproduction.trials.runs import Runs

CLEAR = -1.3010299956639813
"""log₁₀ of 0.05, below which the paper calls a test significant."""


def rising(runs: dict[str, Runs], measure: str, least: float = 0.0) -> bool:
    """Whether a measure's mean over runs does not fall from any ε ≥ ``least`` to the next."""
    wanted = sorted((epsilon for epsilon in runs if float(epsilon) >= least), key=float)
    means = [runs[epsilon].middle(measure) for epsilon in wanted]
    return all(low <= high for low, high in pairwise(means))


def along(runs: dict[str, Runs], measure: str, digits: int = 3) -> str:
    """Return the means over runs from the smallest ε to no privacy, in words."""
    ordered = sorted(runs, key=float)
    return listed([f"{runs[epsilon].middle(measure):.{digits}f}" for epsilon in ordered], ordered)


def listed(numbers: Sequence[str], epsilons: Sequence[str]) -> str:
    """Return a number for each ε, of which the first and the last are named."""
    first, last = ("∞" if epsilon == "inf" else epsilon for epsilon in (epsilons[0], epsilons[-1]))
    return f"{', '.join(numbers)} (ε = {first} to {last})"


def associated(runs: Runs) -> int:
    """Return in how many runs the test between majority and no privacy is significant."""
    return sum(row.log10_p is not None and row.log10_p < CLEAR for row in runs.rows)


def sjcrh_claims(runs: dict[str, Runs]) -> list[Verdict]:
    """Return the verdicts on what the text says of SJCRH; ours are simulated trials."""
    return [
        Verdict(
            "SJCRH (simulated): the value increases monotonically with ε.",
            rising(runs, "mean"),
            f"Means over simulated trials: {along(runs, 'mean')}.",
        ),
        *_both("SJCRH (simulated)", runs),
    ]


def cyp_guides_claims(runs: dict[str, Runs]) -> list[Verdict]:
    """Return the verdicts on what the text says of CYP-GUIDES."""
    return [
        Verdict(
            "CYP-GUIDES: for ε ≥ 1 the value clearly increases with ε.",
            rising(runs, "mean", 1.0),
            f"Means over runs: {along(runs, 'mean')}. All differences are below the error of the "
            f"value as an estimate, {runs['inf'].middle('error'):.3f}.",
        ),
        *_both("CYP-GUIDES", runs),
    ]


def _both(name: str, runs: dict[str, Runs]) -> list[Verdict]:
    """Return the verdicts on what the text says of both trials."""
    private = [epsilon for epsilon in sorted(runs, key=float) if epsilon != "inf"]
    bare = runs["inf"].middle("mean")
    furthest = max(abs(runs[epsilon].middle("mean") - bare) for epsilon in private)
    error = runs["inf"].middle("error")
    counts = [associated(runs[epsilon]) for epsilon in private]
    total = len(runs[private[0]].rows)
    return [
        Verdict(
            f"{name}: values with and without privacy are comparable.",
            furthest < 2 * error,
            f"On average over runs they differ by at most {furthest:.3f}; the error of the value "
            f"as an estimate is {error:.3f}. Noise alone has comparable values too, so this says "
            "little about the rules.",
        ),
        Verdict(
            f"{name}: the majority's arms are close to those without privacy, p near 0.",
            min(counts) > 0.95 * total,
            f"Of {total} runs have p < 0.05: {listed([str(one) for one in counts], private)}. Mean "
            f"concordance: {along(runs, 'concordance')}.",
        ),
        Verdict(
            f"{name}: a smaller ε brings rules further from the one without privacy.",
            rising(runs, "single"),
            f"Share of people whom one release treats alike: {along(runs, 'single')}.",
        ),
    ]
