"""A ledger as it reads, from a database or from an export: its chain, and what charges paid for.

    charge, with the key of one fit  →  chain              before the fit, in order
    digest of the release, signed    →  beside the chain   after the fit, in no order

The chain alone is ordered, and nothing is added to it when a fit ends: else its order among the
charges of others would tell how long the fit took. Proof: docs/proofs/ledger.md.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

from dpwerm.errors import LedgerTamperedError
from dpwerm.privacy.ledger.account import Account
from dpwerm.privacy.ledger.entry import Entry, chain_faults
from dpwerm.privacy.ledger.onetime import signer_of

FORMAT = 1
"""The form of the entries' bodies, written into the first entry."""

_IDENTITY = re.compile("[0-9a-f]{32}")


class Signed(NamedTuple):
    """The digest of a release, signed with the key that its charge names."""

    digest: str
    signature: str


@dataclass(frozen=True)
class Book:
    """Entries in order, and by the number of its charge each release that is known."""

    entries: tuple[Entry, ...] = ()
    releases: Mapping[int, Signed] = field(default_factory=dict)

    @cached_property
    def digests(self) -> dict[int, str]:
        """The digest of the release that a charge paid for, by the number of the charge."""
        signed = {charge: one.digest for charge, one in self.releases.items()}
        return _attached(self.entries) | signed

    @cached_property
    def by_hand(self) -> frozenset[int]:
        """The charges whose release an entry names although a fit could have signed it.

        Whoever can write the ledger can write such an entry.
        """
        return frozenset(_attached(self.entries).keys() & keys_of(self.entries).keys())

    def account(self, study: str) -> Account | None:
        """Return the account of a study, None if no entry opened it."""
        account = Account.of(self.entries, study)
        if account is None:
            return None
        charges = tuple(
            replace(one, digest=self.digests.get(one.number), by_hand=one.number in self.by_hand)
            for one in account.charges
        )
        return replace(account, charges=charges)

    def faults(self) -> list[str]:
        """Say everything that does not verify, of chain, releases and accounts."""
        found = chain_faults(self.entries) + start_faults(self.entries)
        return found or release_faults(self.entries, self.releases) + self.account_faults()

    def account_faults(self) -> list[str]:
        """Say which entries no charge could have written, study by study."""
        faults = []
        for study in dict.fromkeys(
            one.body["study"] for one in self.entries if "study" in one.body
        ):
            try:
                Account.of(self.entries, str(study))
            except LedgerTamperedError as error:
                faults.append(str(error))
        return faults


def start_faults(entries: Sequence[Entry]) -> list[str]:
    """Say so if the first entry does not give its ledger a name."""
    if not entries:
        return []
    body = entries[0].body
    named = _IDENTITY.fullmatch(str(body.get("ledger")))
    if named and body.get("kind") == "started" and body.get("format") == FORMAT:
        return []
    return ["entry 1 does not start a ledger"]


def keys_of(entries: Sequence[Entry]) -> dict[int, object]:
    """Return the key that each charge names, by number; charges of old versions name none."""
    charges = [one for one in entries if one.body.get("kind") == "charged"]
    return {one.number: one.body["key"] for one in charges if "key" in one.body}


def release_faults(entries: Sequence[Entry], releases: Mapping[int, Signed]) -> list[str]:
    """Say which releases are not those that a charge of a whole chain paid for."""
    keys, attached = keys_of(entries), _attached(entries)
    faults = []
    for charge, (digest, signature) in releases.items():
        signer = signer_of(digest, signature)
        if signer is None or signer != keys.get(charge):
            faults.append(
                f"the release of entry {charge} was edited or put there: the fit that was charged "
                "did not sign it"
            )
        elif charge in attached:
            faults.append(f"entry {charge} has two releases")
    return faults


def _attached(entries: Sequence[Entry]) -> dict[int, str]:
    """Return the digests that entries of their own name, from old versions or by hand."""
    bodies = [entry.body for entry in entries if entry.body.get("kind") == "released"]
    return {one["charge"]: str(one["digest"]) for one in bodies if isinstance(one["charge"], int)}
