"""A released treatment rule: recommend the second arm where f(x) > 0, the first where f(x) < 0.

f(x) = 0 gives the default arm. Everything in a rule is public.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpwerm.arrays import FloatArray
from dpwerm.data.table import read_table
from dpwerm.privacy.budget import AnyBudget, total
from dpwerm.privacy.randomness import Receipt
from dpwerm.releases.release import Release
from dpwerm.releases.tuning import Tuning
from dpwerm.study.declaration import Declaration


@dataclass(frozen=True)
class Rule:
    """A release, and the declared arms between which it decides.

    Parameters
    ----------
    release : Release
    declaration : treatment and benefit as they were declared, and whose study it is
    propensity : Release of the private propensity model behind the weights, if there is one
    tuning : how γ was tuned privately on the same rows, if it was
    """

    release: Release
    declaration: Declaration
    propensity: Release | None = None
    tuning: Tuning | None = None

    @property
    def own_budget(self) -> AnyBudget:
        """What the rule cost with the tuning of its γ, without its propensity model."""
        return self.release.certificate.budget if self.tuning is None else self.tuning.budget

    @property
    def budget(self) -> AnyBudget:
        """What the rule cost in all, its propensity model and the tuning of its γ included."""
        own = self.own_budget
        return own if self.propensity is None else total(self.propensity.certificate.budget, own)

    @property
    def receipt(self) -> Receipt | None:
        """The charge that paid for all of it, None if no ledger knows of the rule."""
        return self.release.certificate.receipt

    @property
    def private(self) -> bool:
        """Whether the rule, and all that it rests on, carries a privacy claim."""
        return self.release.private and (self.propensity is None or self.propensity.private)

    @property
    def arms(self) -> tuple[str, str]:
        """The arms, the one for negative scores first."""
        return self.declaration.treatment.arms

    @property
    def default(self) -> str:
        """The arm where the score is 0."""
        return self.declaration.treatment.default

    @property
    def title(self) -> str:
        """The study's name, or its id, or a plain word."""
        return self.declaration.study_name or self.declaration.study_id or "a treatment rule"

    def arms_for(self, scores: FloatArray) -> NDArray[np.object_]:
        """Return the recommended arm for each score."""
        first, second = self.arms
        choice = np.full(len(scores), self.default, dtype=object)
        choice[scores > 0] = second
        choice[scores < 0] = first
        return choice

    def score_table(self, source: Any) -> FloatArray:
        """Return f(x) for each row of a table whose columns are matched by name."""
        encoding = self.release.encoding
        return self.release.score(encoding.encode(read_table(source, encoding.columns)))
