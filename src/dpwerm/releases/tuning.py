r"""How γ was tuned privately on the rows of the trial: the public record, and what it all costs.

    parts: max(fit, choice)     split: max(fit, choice) + rule

by parallel composition over folds of rows, then by composition. Files of earlier versions may name
two ways by which nothing is tuned any more, and are read and verified for good:

    flip: max(fit, choice)     repeats: 3·max(fit, choice)

Folds, the budget of each step, claim and proof are written into a rule file for reading; they are
derived again. Proof: docs/proofs/private-tuning.md.
"""

from dataclasses import dataclass
from decimal import ROUND_FLOOR, Context, Decimal, localcontext
from itertools import pairwise
from typing import Annotated, Any, NamedTuple

from pydantic import Field

from dpwerm.errors import ParameterError
from dpwerm.features.blocks import Frozen as Record
from dpwerm.parameters import one_of, positive
from dpwerm.privacy.budget import (
    EPSILON_SMALLEST,
    Budget,
    parted,
    shortest,
    total,
    written_decimal,
)
from dpwerm.privacy.sensitivity import LARGEST_N
from dpwerm.privacy.weight_origin import origin_class
from dpwerm.releases.certificate import Count, Finite, Name, Text

PARTS, SPLIT = WAYS = ("parts", "split")
MOST_CANDIDATES = 50
SHARE = Decimal("0.3")
"""The part of ε that finds γ where the budget is split."""

FLIP, REPEATS = RETIRED = ("flip", "repeats")  # ways of earlier versions
RUNS = 3
"""What the best of a geometric number of runs costs, in units of one run."""

_CHOICE = "Candidate j was fitted on slot j alone, and {} chose one by scores on the last slot"
_PARTS = _CHOICE + (
    ". One person is in one slot, so all of it costs the larger of a fit and the choice."
)
_SPLIT = _CHOICE + (
    ", which costs the larger of a fit and the choice. Only the chosen gamma was kept; the rule "
    "was then fitted to all rows, and that cost is added."
)
CLAIMS = {
    PARTS: _PARTS.format("the exponential mechanism"),
    SPLIT: _SPLIT.format("the exponential mechanism"),
    FLIP: _PARTS.format("permute-and-flip"),
    REPEATS: "Each of a secret, random number of runs drew a candidate, fitted it on the first "
    "slot and scored it with Laplace noise on the second, which costs the larger of the two. The "
    "best run was kept, which costs three runs.",
}
"""The privacy claim of each way, in plain words."""

SPLIT_CLAIM = _SPLIT.format("permute-and-flip")
"""Of a split of earlier versions."""

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


def training_folds(rows: int) -> tuple[int, int]:
    """Return the folds of ``repeats`` of rows ≥ 2: seven tenths to fit on, the rest to score."""
    training = max(1, rows * 7 // 10)
    return training, rows - training


def one_run(total: Budget) -> Budget:
    """Return the part of one run: ε/3 rounded down to nine digits, so the total is kept."""
    if not total.is_private:
        return total
    with localcontext(Context(prec=9, rounding=ROUND_FLOOR)):
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


class Steps(NamedTuple):
    """What each step may cost: a candidate's fit, the choice, the released fit."""

    fit: Budget
    choice: Budget
    rule: Budget


@dataclass(frozen=True)
class Tuning:
    """How γ was found, all of it public.

    how : one of ``WAYS``; in files of earlier versions also one of ``RETIRED``
    candidates : the 2 to 50 values of γ that were tried, ascending
    rows : n, the rows of the trial
    budget : what tuning and the released fit cost together
    share : in (0, 1), the part of ε for tuning, with ``split`` alone
    repeats : the expected number of runs, four for each candidate, with ``repeats`` alone
    flipped : whether permute-and-flip chose, as in every ``split`` of earlier versions
    """

    how: str
    candidates: tuple[float, ...]
    rows: int
    budget: Budget
    share: Decimal | None = None
    repeats: int | None = None
    flipped: bool = False

    def __post_init__(self) -> None:
        one_of("how", self.how, (*WAYS, *RETIRED))
        checked_candidates(self.candidates)
        if self.share is not None:
            object.__setattr__(self, "share", checked_share(self.share))
        if (self.share is not None) != (self.how == SPLIT):
            raise ParameterError(f"there must be a share with {SPLIT} and with nothing else")
        if (self.repeats is not None) != (self.how == REPEATS):
            raise ParameterError(f"there must be repeats with {REPEATS} and with nothing else")
        if self.repeats not in (None, 4 * len(self.candidates)):
            raise ParameterError("repeats must be 4 for each candidate")
        if self.flipped and self.how != SPLIT:
            raise ParameterError(f"flipped is for {SPLIT} alone")
        _ = self.folds, self.steps

    @property
    def folds(self) -> tuple[int, ...]:
        """The rows of each fold, the one that scores last; they add up to n."""
        return folds_of(self.how, self.rows, len(self.candidates))

    @property
    def released_rows(self) -> int:
        """The rows of the fit that is released."""
        return self.rows if self.how == SPLIT else self.folds[0]

    @property
    def steps(self) -> Steps:
        """What each step may cost, from what all of them may."""
        return steps_of(self.how, self.budget, self.share)

    @property
    def cost(self) -> Budget:
        """What the steps cost together: at most ``budget``, and less only by rounding."""
        fit, choice, rule = self.steps
        once = largest(fit, choice)
        if self.how == SPLIT:
            return total(once, rule)
        return best_run(once) if self.how == REPEATS else once

    @property
    def claim(self) -> str:
        """The privacy claim in plain words."""
        return SPLIT_CLAIM if self.flipped else CLAIMS[self.how]


def largest(first: Budget, second: Budget) -> Budget:
    """Return what two steps on disjoint folds of rows cost together: the larger ε, the larger δ."""
    return Budget(max(first.epsilon, second.epsilon), max(first.delta, second.delta))


def folds_of(how: str, rows: int, count: int) -> tuple[int, ...]:
    """Return the rows of each fold: one for each candidate, all equal, and one that scores.

    What a division leaves over goes to the fold that scores. Refused only for n, which is public.
    """
    least = 2 if how == REPEATS else count + 1
    if not least <= rows <= LARGEST_N:
        raise ParameterError(
            f"tuning by {how} with {count} candidates needs at least {least} rows, not {rows}"
        )
    if how == REPEATS:
        return training_folds(rows)
    each = rows // (count + 1)
    return (each,) * count + (rows - count * each,)


def steps_of(how: str, budget: Budget, share: Decimal | None) -> Steps:
    """Return what each step may cost; the proofs of ``split`` and ``repeats`` are about ε alone."""
    if budget.delta and how in (SPLIT, REPEATS):
        raise ParameterError(f"tuning by {how} needs delta = 0; {PARTS} can have one")
    if how == SPLIT:
        part, rest = parted(budget, SHARE if share is None else share, "tuning")
        return Steps(part, part, rest)
    if how == REPEATS:
        one = one_run(budget)
        return Steps(one, one, one)
    return Steps(budget, Budget(budget.epsilon), budget)


def refuse_shared_weights(origin: str) -> None:
    """Raise if one person may move the weights of rows in other folds."""
    if not origin_class(origin).own_record:
        raise ParameterError(
            f"private tuning needs weights that each follow from their own row; with origin "
            f"{origin} one person moves the weights of rows in every fold. Declare "
            'propensity = { model = "private" }'
        )


def checked_share(share: object) -> Decimal:
    """Return a share strictly between 0 and 1, in its shortest form."""
    number = written_decimal("share", share)
    if not (number.is_finite() and 0 < number < 1):
        raise ParameterError("share must be above 0 and below 1, such as 0.3")
    return shortest("share", number)


def checked_candidates(candidates: object) -> tuple[float, ...]:
    """Return values of γ, 2 to 50, each above the one before."""
    if not isinstance(candidates, tuple) or not 2 <= len(candidates) <= MOST_CANDIDATES:
        raise ParameterError(f"there must be 2 to {MOST_CANDIDATES} candidates for gamma")
    values = tuple(positive("gamma", value) for value in candidates)
    if any(second <= first for first, second in pairwise(values)):
        raise ParameterError("candidates for gamma must be ascending, each of them once")
    return values


class StepRecord(Record):
    """What one step may cost, as exact text."""

    epsilon: Name
    delta: Name


class TuningRecord(Record):
    """How γ was found: ``epsilon`` and ``delta`` are those of tuning and rule together."""

    how: Name
    candidates: Annotated[list[Finite], Field(max_length=MOST_CANDIDATES)]
    rows: Count
    slots: Annotated[list[Count], Field(max_length=MOST_CANDIDATES + 1)]
    epsilon: Name
    delta: Name
    fit: StepRecord
    choice: StepRecord
    share: Name | None
    repeats: Count | None
    claim: Text
    proof: Name

    def tuning(self) -> Tuning:
        """Return the tuning of these facts; who chose in a split follows from the claim alone."""
        return Tuning(
            how=self.how,
            candidates=tuple(self.candidates),
            rows=self.rows,
            budget=Budget.of(self.epsilon, self.delta),
            share=None if self.share is None else checked_share(self.share),
            repeats=self.repeats,
            flipped=self.how == SPLIT and self.claim == SPLIT_CLAIM,
        )


def plain_tuning(tuning: Tuning) -> dict[str, Any]:
    """Return plain data for a file."""
    return {
        "how": tuning.how,
        "candidates": list(tuning.candidates),
        "rows": tuning.rows,
        "slots": list(tuning.folds),
        **tuning.budget.plain(),
        "fit": tuning.steps.fit.plain(),
        "choice": tuning.steps.choice.plain(),
        "share": None if tuning.share is None else str(tuning.share),
        "repeats": tuning.repeats,
        "claim": tuning.claim,
        "proof": "docs/proofs/private-tuning.md",
    }
