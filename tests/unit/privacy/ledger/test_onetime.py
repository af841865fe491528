"""A one-time signature: made by its key, of one digest, and by nobody else."""

import base64
import hashlib

import pytest

from dpwerm.errors import ParameterError
from dpwerm.privacy.ledger.book import Signed, release_faults
from dpwerm.privacy.ledger.entry import seal
from dpwerm.privacy.ledger.onetime import SIGNATURE_LENGTH, OneTimeKey, signer_of
from dpwerm.privacy.randomness import OperatingSystemBits

DIGEST = "sha256:" + hashlib.sha256(b"a release").hexdigest()


def test_a_signature_leads_to_its_key_alone() -> None:
    key, other = OneTimeKey(), OneTimeKey()
    signature = key.sign(DIGEST)
    assert len(signature) == SIGNATURE_LENGTH
    assert signer_of(DIGEST, signature) == key.public != other.public
    assert signer_of(DIGEST, other.sign(DIGEST)) == other.public
    assert key.sign(DIGEST) == signature
    with pytest.raises(ParameterError, match="signs one release"):
        key.sign("sha256:" + "0" * 64)


def test_no_digit_of_the_digest_can_be_another() -> None:
    key = OneTimeKey()
    signature = key.sign(DIGEST)
    for place in range(len("sha256:"), len(DIGEST)):
        other = "0" if DIGEST[place] != "0" else "1"
        forged = DIGEST[:place] + other + DIGEST[place + 1 :]
        assert signer_of(forged, signature) != key.public


def test_going_on_in_a_chain_forges_nothing() -> None:
    """Who raises a digit can show its new place; the sum falls, and asks for one further back."""
    key = OneTimeKey()
    low = "sha256:" + "0" + DIGEST[len("sha256:") + 1 :]
    parts = base64.b64decode(key.sign(low))
    step = hashlib.sha256(b"dpwerm one-time key" + bytes([0, 0]) + parts[:32]).digest()
    raised = base64.b64encode(step + parts[32:]).decode()
    assert signer_of(low.replace(":0", ":1", 1), raised) != key.public


@pytest.mark.parametrize(
    ("digest", "spoil"),
    [
        (DIGEST, lambda text: text[:-4]),
        (DIGEST, lambda text: text + "AAAA"),
        (DIGEST, lambda text: "é" + text[1:]),
        (DIGEST, lambda text: "-" * len(text)),
        # The last digit has two bits that no byte takes: the same bytes in another text.
        (DIGEST, lambda text: text[:-2] + chr(ord(text[-2]) + 1) + "="),
        (DIGEST, lambda _: None),
        ("md5:1", lambda text: text),
        (None, lambda text: text),
    ],
)
def test_what_is_no_signature_has_no_signer(digest: object, spoil: object) -> None:
    assert callable(spoil)
    assert signer_of(digest, spoil(OneTimeKey().sign(DIGEST))) is None


def test_a_key_follows_from_256_bits_of_the_operating_system(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = []

    def bits(_: OperatingSystemBits, count: int) -> int:
        asked.append(count)
        return 7

    monkeypatch.setattr(OperatingSystemBits, "bits", bits)
    assert OneTimeKey().public == OneTimeKey().public
    assert asked == [256, 256]


@pytest.mark.parametrize("key", [None, "", 7])
def test_a_charge_whose_key_is_none_has_no_release(key: object) -> None:
    charge = seal(1, "", {"kind": "charged", "key": key})
    assert len(release_faults([charge], {1: Signed(DIGEST, "no signature")})) == 1
