"""A ledger without a database, that writes down what happens and in which order."""

from typing import Any

import pytest

from dpwerm.errors import BudgetError
from dpwerm.privacy import randomness
from dpwerm.privacy.budget import AnyBudget
from dpwerm.privacy.ledger.account import Account
from dpwerm.privacy.ledger.entry import Total
from dpwerm.privacy.randomness import Receipt

LEDGER = "0f" * 16
LARGE = Total.of(1000, "0.1", 1000, 1000)


class Till:
    """What a fit asks of a ledger; events: "charge", "bits", "attach" and stages of the fit."""

    def __init__(
        self,
        study: str = "small",
        relation: str = "replace_one",
        *,
        total: Total = LARGE,
        refuses: str = "",
        breaks: Exception | None = None,
    ) -> None:
        self.declared = Account(study, relation, total)
        self.events: list[str] = []
        self.charges: list[tuple[AnyBudget, str]] = []
        self.digests: dict[int, str] = {}
        self.refuses, self.breaks = refuses, breaks

    def refuse_over(self, cost: AnyBudget) -> None:
        if self.refuses == "early":
            raise BudgetError("Refused by the budget")

    def charge(self, cost: AnyBudget, what: str) -> Receipt:
        if self.refuses:
            raise BudgetError("Refused by the budget")
        self.events.append("charge")
        self.charges.append((cost, what))
        return Receipt("sqlite", LEDGER, len(self.charges), "sha256:" + "ab" * 32)

    def attach(self, receipt: Receipt, digest: str) -> None:
        if self.breaks is not None:
            raise self.breaks
        self.events.append("attach")
        self.digests[receipt.entry] = digest

    def watch(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Write down every use of the operating system's bits too."""
        draw = randomness.OperatingSystemBits.bits

        def spy(source: Any, count: int) -> int:
            self.events.append("bits")
            return draw(source, count)

        monkeypatch.setattr(randomness.OperatingSystemBits, "bits", spy)
