"""The key ``tuning`` of a rule file: the facts of a private tuning, and what follows from them.

Slots, the budget of each step, claim and proof are written for reading; they are derived again.
"""

from typing import Annotated, Any

from pydantic import Field

from dpwerm.learn.certificate import Count, Finite, Name
from dpwerm.privacy.budget import Budget
from dpwerm.rules.tuning import MOST_CANDIDATES, PROOF, SPLIT, Tuning, checked_share
from dpwerm.rules.tuning_retired import SPLIT_CLAIM
from dpwerm.study.blocks import Frozen as Record


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
    claim: Annotated[str, Field(max_length=1000, strict=True)]
    proof: Name

    def tuning(self) -> Tuning:
        """Return the tuning that the facts of this record describe.

        Who chose in a split follows from the claim alone; it costs the same either way.
        """
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
        "slots": list(tuning.slots),
        **tuning.budget.plain(),
        "fit": tuning.steps.fit.plain(),
        "choice": tuning.steps.choice.plain(),
        "share": None if tuning.share is None else str(tuning.share),
        "repeats": tuning.repeats,
        "claim": tuning.claim,
        "proof": PROOF,
    }
