r"""Ways to tune that earlier versions had: what their files say, and what that cost.

    flip: max(fit, choice)     repeats: 3·max(fit, choice)

Nothing is tuned so any more; files that were are read and verified for good. Proof:
docs/proofs/private-tuning.md.
"""

from decimal import ROUND_FLOOR, Context, Decimal, localcontext

from dpwerm.errors import ParameterError
from dpwerm.privacy.budget import EPSILON_SMALLEST, Budget

FLIP, REPEATS = RETIRED = ("flip", "repeats")

RUNS = 3
"""What the best of a geometric number of runs costs, in units of one run."""

RUNS_PER_CANDIDATE = 4
"""How often each candidate was expected to be tried with ``repeats``."""

TRAINING = (7, 10)
"""The share of rows on which repeated runs were fitted."""

_RUN_DIGITS = 9

FLIP_CLAIM = (
    "Candidate j was fitted on slot j alone, and permute-and-flip chose one by scores on the "
    "last slot. One person is in one slot, so all of it costs the larger of a fit and the choice."
)
REPEATS_CLAIM = (
    "Each of a secret, random number of runs drew a candidate, fitted it on the first slot and "
    "scored it with Laplace noise on the second, which costs the larger of the two. The best run "
    "was kept, which costs three runs."
)
SPLIT_CLAIM = (
    "Candidate j was fitted on slot j alone, and permute-and-flip chose one by scores on the last "
    "slot, which costs the larger of a fit and the choice. Only the chosen gamma was kept; the "
    "rule was then fitted to all rows, and that cost is added."
)
"""Of a split whose choice was permute-and-flip's, as all were then."""

WAY_OUT = {
    FLIP: "parts does the same with the exponential mechanism",
    REPEATS: "split tunes at a part of epsilon and learns from all rows",
}


def refuse_retired(name: str, how: object) -> None:
    """Raise if somebody asks for a way that is gone, and say what there is instead."""
    if isinstance(how, str) and how in RETIRED:
        raise ParameterError(
            f"{name} {how} is no longer offered: {WAY_OUT[how]}. Rule files that were tuned by "
            f"{how} are read and verified as before"
        )


def training_slots(rows: int) -> tuple[int, int]:
    """Return the rows of the two slots of ``repeats``: seven tenths to fit on, the rest to score.

    rows ≥ 2
    """
    top, bottom = TRAINING
    training = max(1, rows * top // bottom)
    return training, rows - training


def one_run(total: Budget) -> Budget:
    """Return the part of one run: ε/3 rounded down to nine digits, so the total is kept."""
    if not total.is_private:
        return total
    with localcontext(Context(prec=_RUN_DIGITS, rounding=ROUND_FLOOR)):
        part: Decimal = total.epsilon / RUNS
    if part < EPSILON_SMALLEST:
        raise ParameterError(
            f"a third of epsilon = {total.epsilon} is less than {EPSILON_SMALLEST:f} for one run"
        )
    return Budget(part)


def best_run(one: Budget) -> Budget:
    """Return what the best of the runs costs if each run costs ``one``: 3ε, exactly."""
    if not one.is_private:
        return one
    with localcontext(Context(prec=200)):
        return Budget(RUNS * one.epsilon)
