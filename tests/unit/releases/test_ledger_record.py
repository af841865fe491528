from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

from dpwerm.errors import ParameterError
from dpwerm.faults import faults_of
from dpwerm.features.encoding import Encoding
from dpwerm.privacy.budget import Budget
from dpwerm.privacy.randomness import Receipt
from dpwerm.releases.certificate import (
    Certificate,
    LedgerKey,
    Specification,
    certify,
    ledger_key,
    receipt_in,
)
from dpwerm.releases.release import Release
from dpwerm.releases.rule_file import verify_release

RECEIPT = Receipt("postgresql", "0f" * 16, 3, "sha256:" + "ab" * 32)
ENCODING = Encoding.of_numbers(["a"], [(0.0, 1.0)])


class Holder(BaseModel):
    ledger: LedgerKey


def certificate(*, secure: bool = True, epsilon: str = "1") -> Certificate:
    spec = Specification(Budget.of(epsilon), 10.0, 3.0)
    return certify(spec, ENCODING, 10, secure=secure, library="x", receipt=RECEIPT)[0]


@pytest.mark.parametrize("receipt", [None, RECEIPT])
def test_what_is_written_is_read_back(receipt: Receipt | None) -> None:
    holder = Holder(ledger=ledger_key(receipt))
    again = Holder.model_validate_json(holder.model_dump_json())
    assert again == holder
    assert receipt_in(again.ledger) == receipt


def test_it_says_which_entry_and_not_where() -> None:
    plain = Holder(ledger=ledger_key(RECEIPT)).model_dump()["ledger"]
    assert set(plain) == {"kind", "ledger", "entry", "hash"}
    assert ledger_key(None) == "none"


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("sqlite:///ledger.db", "must be 'none'"),
        (None, "must be 'none'"),
        ({}, "is missing"),
        ({"kind": "mysql"}, "must be 'sqlite' or 'postgresql'"),
        ({"ledger": "0F" * 16}, "pattern"),
        ({"ledger": "0f" * 16 + "\n"}, "pattern"),
        ({"entry": 0}, "greater than or equal to 1"),
        ({"entry": "3"}, "valid integer"),
        ({"hash": "ab" * 32}, "pattern"),
        ({"url": "sqlite:///ledger.db"}, "is not a known key"),
    ],
)
def test_anything_else_is_refused(value: Any, words: str) -> None:
    if isinstance(value, dict) and value:
        value = vars(RECEIPT) | value
    with pytest.raises(ValidationError) as caught:
        Holder.model_validate({"ledger": value})
    assert words in "\n".join(map(str, faults_of(caught.value)))


def test_a_certificate_carries_it_and_verify_passes_it_through() -> None:
    made = certificate()
    assert made.receipt == RECEIPT
    findings = verify_release(Release(ENCODING, (1, 2), made))
    assert all(finding.holds for finding in findings)
    assert "certificate.ledger.entry" in {finding.what for finding in findings}


@pytest.mark.parametrize("other", [{"secure": False}, {"epsilon": "inf"}])
def test_what_makes_no_claim_is_in_no_ledger(other: dict[str, Any]) -> None:
    with pytest.raises(ParameterError, match="in no ledger"):
        certificate(**other)


def test_a_seeded_release_that_names_a_charge_is_rejected() -> None:
    forged = certificate().model_copy(update={"randomness": "seeded"})
    (*_, last) = verify_release(Release(ENCODING, (1, 2), forged))
    assert not last.holds
    assert "in no ledger" in str(last.derived)
