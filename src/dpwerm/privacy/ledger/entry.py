"""One line of a ledger, and the chain that ties it to all lines before it.

    h_0 = "",    h_k = SHA-256(k, h_{k−1}, body_k)

Whoever edits, drops or moves an entry must change every hash after it, and the last one stands in
the head of the ledger and in the receipts that went out.
"""

import hashlib
import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NoReturn

from dpwerm.errors import ParameterError


def _refuse_float(_: str) -> NoReturn:
    raise ValueError


_EXACT = json.JSONDecoder(parse_float=_refuse_float, parse_constant=_refuse_float)
_CANONICAL = json.JSONEncoder(sort_keys=True, ensure_ascii=True, separators=(",", ":"))

WHAT = ["rule", "tuned rule", "value", "classifier"]
"""What a ledger can be charged for; a new kind of release adds its own name."""


@dataclass(frozen=True)
class Entry:
    """One entry of a ledger.

    Parameters
    ----------
    number : int ≥ 1
    previous : hash of the entry before, "" for the first
    body : what happened; text, whole numbers, lists, mappings and None only
    hash : "sha256:…" over the other three
    """

    number: int
    previous: str
    body: Mapping[str, object]
    hash: str

    @cached_property
    def content(self) -> str:
        """What is hashed and stored: canonical JSON of number, previous hash and body."""
        return _CANONICAL.encode(
            {"number": self.number, "previous": self.previous, "body": self.body}
        )

    @property
    def is_sealed(self) -> bool:
        """Whether the hash fits the rest."""
        return self.hash == _digest(self.content)


def seal(number: int, previous: str, body: Mapping[str, object]) -> Entry:
    """Return the entry with its hash; a body that is not plain is refused."""
    entry = Entry(number, previous, _plain_mapping(body), "")
    return Entry(entry.number, entry.previous, entry.body, _digest(entry.content))


def unsealed(number: object, content: object, digest: object) -> Entry | None:
    """Return a stored entry as it reads, None if it does not read as one.

    Whether the hash fits content and number is for :func:`chain_faults` to say.
    """
    if not (isinstance(number, int) and isinstance(content, str) and isinstance(digest, str)):
        return None
    try:
        fields = _EXACT.decode(content)
    except (ValueError, RecursionError):
        return None
    if not isinstance(fields, dict) or set(fields) != {"number", "previous", "body"}:
        return None
    own, previous, body = fields["number"], fields["previous"], fields["body"]
    if type(own) is not int or not (isinstance(previous, str) and isinstance(body, dict)):
        return None
    entry = Entry(number, previous, body, digest)
    if own == number:
        vars(entry)["content"] = content  # it is hashed as it stands, so one entry has one text
    return entry


START = Entry(0, "", {}, "")
"""What stands before the first entry."""


def chain_faults(
    entries: Iterable[Entry], unreadable: Collection[int] = (), after: Entry = START
) -> list[str]:
    """Say which entries were edited, dropped or moved, in words and by number.

    Entries whose numbers are ``unreadable`` are there, but not among ``entries``. ``after`` is the
    last of those before them, which were checked already.
    """
    entries = list(entries)
    faults = [
        f"entry {entry.number} was edited or moved: its hash does not fit"
        for entry in entries
        if not entry.is_sealed
    ]
    for before, entry in pairwise([after, *entries]):
        if entry.number == before.number:
            faults.append(f"entry {entry.number} occurs twice")
        elif entry.number < before.number:
            faults.append(f"entry {entry.number} stands after entry {before.number}")
        elif entry.number > before.number + 1:
            if any(k not in unreadable for k in range(before.number + 1, entry.number)):
                faults.append(_missing(before.number + 1, entry.number - 1))
        elif entry.previous != before.hash and before is START:
            faults.append("entry 1 names an entry before it: it was edited")
        elif entry.previous != before.hash:
            faults.append(
                f"entry {entry.number} does not follow from entry {before.number}: "
                "one of them was edited or replaced"
            )
    return faults


def _missing(first: int, last: int) -> str:
    return (
        f"entry {first} is missing" if first == last else f"entries {first} to {last} are missing"
    )


def _digest(content: str) -> str:
    return "sha256:" + hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()


def _plain_mapping(body: Mapping[str, object]) -> dict[str, object]:
    """Return a copy that is JSON without floats and truth values."""
    return {_text(key): _plain(value) for key, value in body.items()}


def _plain(value: object) -> object:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, Mapping):
        return _plain_mapping(value)
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    raise ParameterError(f"an entry cannot hold a {type(value).__name__}")


def _text(key: object) -> str:
    if isinstance(key, str):
        return key
    raise ParameterError(f"an entry cannot have a {type(key).__name__} as a key")
