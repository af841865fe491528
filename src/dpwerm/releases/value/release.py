"""A released value: noisy sums, the certificate that follows from public facts, and what they say.

Everything in it is public. Values, gains and intervals are computed from the sums and cost nothing.
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from dpwerm.arrays import FloatArray
from dpwerm.errors import ParameterError
from dpwerm.features.blocks import Frozen as Record
from dpwerm.mechanisms.laplace_sums import LaplaceSums
from dpwerm.privacy.budget import Budget
from dpwerm.privacy.randomness import Receipt
from dpwerm.privacy.relation import Relation
from dpwerm.releases.certificate import Count, Finite, LedgerKey, Name, ledger_key, receipt_in
from dpwerm.releases.value.interval import Target, gain_target, interval_of, value_target
from dpwerm.releases.value.layout import RULE, Layout, layout_for
from dpwerm.releases.value.outcome import OutcomeModel
from dpwerm.study.declaration import Declaration

DIGITS = 6
"""Values are given to so many digits of the benefit's range."""


class ValueCertificate(Record):
    """Everything the privacy claim of an evaluation rests on, besides the rule's own claim."""

    private: Annotated[bool, Field(strict=True)]
    mechanism: Name
    claim: Annotated[str, Field(max_length=1000, strict=True)]
    proof: Name
    epsilon: Name
    delta: Name
    relation: Relation
    n: Count | None
    benefit_range: tuple[Finite, Finite]
    pi_min: Finite
    weight_origin: Name
    estimate: Name
    sums: Count
    sensitivity: Count
    noise_scale: Finite
    grid_exponent: Annotated[int, Field(ge=-2000, le=2000, strict=True)]
    randomness: Literal["operating system", "seeded"]
    ledger: LedgerKey
    library: Name

    @property
    def receipt(self) -> Receipt | None:
        """The charge that paid for the noise, None if no ledger knows of it."""
        return receipt_in(self.ledger)


@dataclass(frozen=True)
class Estimate:
    """A value or a gain in units of the benefit, after its transform and direction.

    ``estimate`` is None where the noise leaves nothing to be said. ``privacy`` and ``sampling`` are
    half the widths of the intervals that allow for one error alone; [lower, upper] for both.
    """

    name: str
    over: str | None
    estimate: float | None
    lower: float
    upper: float
    privacy: float
    sampling: float


@dataclass(frozen=True, repr=False)
class ValueRelease:
    """The release of one evaluation.

    Parameters
    ----------
    integers : one per sum, in units of the grid
    declaration : treatment and benefit as they were evaluated
    budget, relation, n, secure, library : the facts that the certificate follows from
    confidence : float in [0.5, 0.999], of every interval
    rule_digest, rule_private : which rule was evaluated, and whether it carries a privacy claim
    outcome_model : the public model behind a doubly robust value
    receipt : of the charge that paid for the noise; only what makes a claim is charged
    """

    integers: tuple[int, ...]
    declaration: Declaration
    budget: Budget
    relation: Relation
    n: int | None
    secure: bool
    library: str
    confidence: float
    rule_digest: str
    rule_private: bool
    outcome_model: OutcomeModel | None = None
    receipt: Receipt | None = None

    def __post_init__(self) -> None:
        if self.receipt is not None and not self.private:
            raise ParameterError("what carries no privacy claim is in no ledger")

    def __repr__(self) -> str:
        one = self.value
        shown = "not known" if one.estimate is None else f"{one.estimate:.4g}"
        return f"<value of a rule: {shown}, {one.lower:.4g} to {one.upper:.4g}. {self.notice}>"

    @property
    def private(self) -> bool:
        """Whether the evaluation carries a privacy claim.

        A rule without one may follow from everybody's row, and so would its value.
        """
        return self.secure and self.budget.is_private and self.rule_private

    @cached_property
    def layout(self) -> Layout:
        """What the sums mean."""
        return layout_for(self.declaration, robust=self.outcome_model is not None)

    @property
    def noise(self) -> LaplaceSums:
        """The noise in the sums."""
        return LaplaceSums(self.layout.count, self.relation, self.budget)

    @property
    def certificate(self) -> ValueCertificate:
        """The certificate that follows from the facts."""
        noise = self.noise
        return ValueCertificate(
            private=self.private,
            mechanism=noise.name,
            claim=noise.statement if self.private else "no privacy claim",
            proof=noise.proof,
            **self.budget.plain(),
            relation=self.relation,
            n=self.n if self.relation.publishes_n else None,
            benefit_range=self.declaration.benefit.range,
            pi_min=self.declaration.treatment.pi_min,
            weight_origin=self.declaration.treatment.origin,
            estimate=self.layout.kind,
            sums=noise.count,
            sensitivity=noise.sensitivity,
            noise_scale=noise.scale,
            grid_exponent=noise.exponent,
            randomness="operating system" if self.secure else "seeded",
            ledger=ledger_key(self.receipt),
            library=self.library,
        )

    @property
    def notice(self) -> str:
        """The sentence that heads the evaluation wherever it is shown."""
        if self.private:
            promise = f"epsilon {self.budget.epsilon}, delta 0, relation {self.relation}"
            return f"Released under differential privacy: {promise}."
        if not self.budget.is_private:
            return "NOT PRIVATE: evaluated without noise. Do not publish if the data is sensitive."
        if not self.secure:
            return "NOT PRIVATE: the noise came from a seed. For simulation only."
        return "NOT PRIVATE: the rule itself is not private, and its value follows from it."

    @property
    def sums(self) -> FloatArray:
        """The noisy sums, shape (C, K), in units of whole rows."""
        grid = 2.0**self.noise.exponent
        shape = (len(self.layout.cells), len(self.layout.shares))
        return np.array([float(k) * grid for k in self.integers]).reshape(shape)

    @cached_property
    def values(self) -> tuple[Estimate, ...]:
        """The value of the rule and of each arm for everybody."""
        lower, _ = self.declaration.benefit.range
        targets = [value_target(self.layout, one, self.sums) for one in self.layout.policies]
        return tuple(self._estimate(target, None, lower) for target in targets)

    @cached_property
    def gains(self) -> tuple[Estimate, ...]:
        """What the rule gains over each arm for everybody."""
        rule, *others = self.layout.policies
        return tuple(
            self._estimate(gain_target(self.layout, rule, one, self.sums), one.name, 0.0)
            for one in others
        )

    @property
    def value(self) -> Estimate:
        """The value of the rule."""
        return next(one for one in self.values if one.name == RULE)

    def _estimate(self, target: Target, over: str | None, zero: float) -> Estimate:
        """Return a target in units of the benefit, where ``zero`` is its 0."""
        lower, upper = self.declaration.benefit.range
        size = upper - lower
        both = self._ends(target)
        privacy, sampling = self._ends(target, sampling=False), self._ends(target, privacy=False)

        def own(share: float) -> float:
            return _rounded(zero + size * share, size)

        told = bool(target.known) and both != (target.lower, target.upper)
        return Estimate(
            target.name,
            over,
            own(float(target.estimate)) if told else None,
            own(both[0]),
            own(both[1]),
            _rounded(size * (privacy[1] - privacy[0]) / 2, size),
            _rounded(size * (sampling[1] - sampling[0]) / 2, size),
        )

    def _ends(
        self, target: Target, *, privacy: bool = True, sampling: bool = True
    ) -> tuple[float, float]:
        found = interval_of(
            self.layout,
            target,
            self.sums,
            float(self.noise.exact_scale),
            self.confidence,
            privacy=privacy,
            sampling=sampling,
        )
        return float(found.lower), float(found.upper)


def _rounded(value: float, size: float) -> float:
    """Return a number to ``DIGITS`` digits of a range, never −0."""
    return round(value, DIGITS - math.floor(math.log10(size))) + 0.0
