import math

import pytest

from dpwerm.errors import BudgetError, ParameterError
from dpwerm.privacy.budget import AnyBudget, Budget
from dpwerm.privacy.randomness import Charged, Receipt, privacy_filter_for

RECEIPT = Receipt("sqlite", "0f" * 16, 3, "sha256:" + "ab" * 32)


class Till:
    def __init__(self, limit: float = math.inf) -> None:
        self.limit = limit
        self.charges: list[tuple[AnyBudget, str]] = []
        self.attached: list[tuple[Receipt, str]] = []

    def charge(self, cost: AnyBudget, what: str) -> Receipt:
        if isinstance(cost, Budget) and float(cost.epsilon) > self.limit:
            raise BudgetError("too much")
        self.charges.append((cost, what))
        return RECEIPT

    def attach(self, receipt: Receipt, digest: str) -> None:
        self.attached.append((receipt, digest))


def test_bits_come_after_the_charge_and_carry_its_receipt() -> None:
    till = Till()
    privacy_filter = privacy_filter_for(till, Budget.of(1), None, "rule")
    assert till.charges == []
    bits = privacy_filter.authorise(Budget.of("0.5"))
    assert till.charges == [(Budget.of("0.5"), "rule")]
    assert bits.secure
    assert bits.receipt == RECEIPT
    assert bits.substream().receipt == RECEIPT
    privacy_filter.attach(bits.receipt, "sha256:x")
    assert till.attached == [(RECEIPT, "sha256:x")]


def test_no_bits_if_the_charge_is_refused() -> None:
    with pytest.raises(BudgetError):
        Charged(Till(limit=1), "rule").authorise(Budget.of(2))


@pytest.mark.parametrize(("epsilon", "seed"), [(1, 7), (math.inf, None), (math.inf, 7)])
def test_a_seed_or_no_privacy_never_touches_a_ledger(epsilon: float, seed: int | None) -> None:
    till = Till()
    budget = Budget.of(epsilon)
    bits = privacy_filter_for(till, budget, seed, "rule").authorise(budget)
    assert till.charges == []
    assert bits.receipt is None


def test_without_a_ledger_only_if_the_caller_says_so() -> None:
    bits = privacy_filter_for("none", Budget.of(1), None, "rule").authorise(Budget.of(1))
    assert bits.secure
    assert bits.receipt is None
    with pytest.raises(ParameterError, match='ledger="none"'):
        privacy_filter_for(None, Budget.of(1), None, "rule")
    with pytest.raises(ParameterError, match="the word"):
        privacy_filter_for("sqlite:///x", Budget.of(1), None, "rule")


def test_what_was_not_to_be_charged_makes_no_private_release() -> None:
    """Parameters that change during a fit must not lead past the ledger."""
    free = privacy_filter_for(None, Budget.of(math.inf), None, "rule")
    with pytest.raises(ParameterError, match="no ledger was charged"):
        free.authorise(Budget.of(1))
    assert not privacy_filter_for(None, Budget.of(1), 7, "rule").authorise(Budget.of(1)).secure
