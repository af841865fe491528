r"""A signature that is made once, from a hash function alone: Winternitz's, as in RFC 8554.

The key is drawn before a fit begins and its public half stands in the charge. When the fit is done,
the key signs the digest of the release and is forgotten. So a reader can tell which release a
charge paid for although the ledger says nothing after the charge:

.. math:: s_c \to H(s_c) \to \dots \to H^{15}(s_c), \qquad
          \text{public} = \text{SHA-256}(H^{15}(s_1), \dots, H^{15}(s_{67}))

A signature shows of each of the 67 chains the place that a hexadecimal digit of the digest names;
the last three digits are a sum that falls when any other rises. Another digest needs a place before
one that was shown, that is, an input of SHA-256 for a given output.
"""

import base64
import binascii
import hashlib
import re

from dpwerm.errors import ParameterError
from dpwerm.privacy.randomness import OperatingSystemBits

DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
_SIZE = 32  # bytes of one hash
_LAST = 15  # the last place in a chain
_CHAINS = 64 + 3
SIGNATURE_LENGTH = 4 * -(-_CHAINS * _SIZE // 3)
"""Characters of a signature, which is base64."""


class OneTimeKey:
    """A secret key for one digest; a second one is refused."""

    def __init__(self) -> None:
        self._seed = OperatingSystemBits().bits(8 * _SIZE).to_bytes(_SIZE, "big")
        self._signed: str | None = None
        self.public = _public(self._shown([_LAST] * _CHAINS))

    def sign(self, digest: str) -> str:
        """Return the signature of a digest; of the same one again, the same."""
        if self._signed not in (None, digest):
            raise ParameterError("a one-time key signs one release")
        self._signed = digest
        return base64.b64encode(b"".join(self._shown(_places(digest)))).decode("ascii")

    def _shown(self, places: list[int]) -> list[bytes]:
        """Return what stands at a place of each chain."""
        starts = (_hash(self._seed + bytes([chain])) for chain in range(_CHAINS))
        shown = enumerate(zip(places, starts, strict=True))
        return [_walked(chain, 0, place, start) for chain, (place, start) in shown]


def signer_of(digest: object, signature: object) -> str | None:
    """Return the public key that a digest was signed with; None for what is no signature."""
    if not (isinstance(digest, str) and isinstance(signature, str) and DIGEST.fullmatch(digest)):
        return None
    try:
        joined = base64.b64decode(signature, validate=True)
    except (binascii.Error, ValueError):
        return None
    # The last digit of the text has two bits to spare: one signature has one text.
    if len(joined) != _CHAINS * _SIZE or base64.b64encode(joined).decode("ascii") != signature:
        return None
    parts = (joined[at : at + _SIZE] for at in range(0, len(joined), _SIZE))
    shown = enumerate(zip(_places(digest), parts, strict=True))
    return _public([_walked(chain, place, _LAST, one) for chain, (place, one) in shown])


def _places(digest: str) -> list[int]:
    """Return the place in each chain that a digest shows, the sum that guards them last."""
    places = [int(one, 16) for one in digest.removeprefix("sha256:")]
    return places + [int(one, 16) for one in f"{sum(_LAST - place for place in places):03x}"]


def _walked(chain: int, start: int, stop: int, value: bytes) -> bytes:
    for place in range(start, stop):
        value = _hash(bytes([chain, place]) + value)
    return value


def _public(ends: list[bytes]) -> str:
    return "sha256:" + _hash(b"".join(ends)).hex()


def _hash(value: bytes) -> bytes:
    return hashlib.sha256(b"dpwerm one-time key" + value).digest()
