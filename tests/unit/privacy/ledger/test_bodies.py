"""Entries say what was decided and on which day, and nothing that depends on the table."""

import re
from datetime import UTC, datetime

from tests.unit.privacy.ledger.books import DIGEST, KEY, opening

from dpwerm.privacy.budget import Budget
from dpwerm.privacy.ledger import account as bodies
from dpwerm.privacy.ledger.account import Account, today
from dpwerm.privacy.ledger.entry import Total


def test_a_day_is_all_that_is_told_of_the_time() -> None:
    before = datetime.now(UTC).date().isoformat()
    assert before <= today() <= datetime.now(UTC).date().isoformat()
    account = Account("trial", "replace_one", Total.of(1))
    dated = [
        opening(Total.of(1)),
        bodies.new_total(account, "why"),
        bodies.charged("trial", "north", Budget.of(1), "rule", KEY),
    ]
    for body in dated:
        assert re.fullmatch(r"\d{4}-\d{2}-\d{2}", str(body["date"]))


def test_a_release_has_no_day() -> None:
    """It is attached after the fit, and how long a fit takes depends on the table."""
    body = bodies.released("trial", 3, DIGEST)
    assert set(body) == {"kind", "study", "charge", "digest"}
