import pytest

from dpwerm.errors import ParameterError
from dpwerm.privacy.randomness import Receipt

ID, HASH = "0f" * 16, "sha256:" + "ab" * 32


def test_says_where_the_charge_is_without_saying_where_the_ledger_is() -> None:
    assert str(Receipt("sqlite", ID, 3, HASH)) == "entry 3 of ledger 0f0f0f0f (sqlite)"


@pytest.mark.parametrize(
    ("kind", "ledger", "entry", "digest"),
    [
        ("mysql", ID, 1, HASH),
        ("sqlite", "somewhere", 1, HASH),
        ("sqlite", ID, 0, HASH),
        ("sqlite", ID, 1, "sha256:short"),
    ],
)
def test_refuses_what_no_ledger_gives(kind: str, ledger: str, entry: int, digest: str) -> None:
    with pytest.raises(ParameterError, match="receipt"):
        Receipt(kind, ledger, entry, digest)
