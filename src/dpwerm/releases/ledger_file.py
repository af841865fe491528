"""A ledger as a file: the chain with a study's releases as JSON, its charges as CSV."""

import csv
import io
from pathlib import Path
from typing import Any

from dpwerm.errors import DpwermError, Fault, RuleFileError
from dpwerm.privacy.ledger.account import Account
from dpwerm.privacy.ledger.book import Book, Signed
from dpwerm.privacy.ledger.entry import Entry, seal
from dpwerm.releases.files import read_json

FORMAT, VERSION = "dpwerm-ledger", 1
COLUMNS = ("entry", "date", "what", "slot", "epsilon", "delta", "rho", "mu", "library", "release")
_KEYS = {"number", "previous", "body", "hash"}


def ledger_content(book: Book, study: str) -> dict[str, Any]:
    """Return the plain content of an export: the chain, and the releases of one study.

    Those of others are left out: whether one is there tells whether its fit has ended.
    """
    plain = [
        {"number": one.number, "previous": one.previous, "body": dict(one.body), "hash": one.hash}
        for one in book.entries
    ]
    own = {one.number for one in book.entries if one.body.get("study") == study}
    releases = [
        {"charge": charge, **book.releases[charge]._asdict()}
        for charge in sorted(own & book.releases.keys())
    ]
    content = {"format": FORMAT, "version": VERSION, "entries": plain}
    return content | ({"releases": releases} if releases else {})


def read_ledger(path: Path) -> Book:
    """Return an export as it reads; whether it verifies is for its chain and its keys to say."""
    content = read_json(path)
    found, beside = content.get("entries"), content.get("releases", [])
    if (content.get("format"), content.get("version")) != (FORMAT, VERSION) or not isinstance(
        found, list
    ):
        fault = Fault("format, version", "not an exported ledger", f"need {FORMAT} {VERSION}")
        raise RuleFileError(path.name, [fault])
    entries = list(map(_entry, found))
    signed = list(map(_signed, beside)) if isinstance(beside, list) else [None]
    faults = [
        Fault(f"{name}, number {position} in the file", "cannot be read")
        for name, read in (("entries", entries), ("releases", signed))
        for position, one in enumerate(read, start=1)
        if one is None
    ]
    releases = dict(one for one in signed if one is not None)
    if len(releases) < len(signed) and not faults:
        faults = [Fault("releases", "two are of one charge")]
    if faults:
        raise RuleFileError(path.name, faults)
    return Book(tuple(entry for entry in entries if entry is not None), releases)


def charges_csv(account: Account) -> str:
    """Return a study's charges as CSV; empty where a charge has nothing in a column."""
    stream = io.StringIO()
    table = csv.DictWriter(stream, COLUMNS, restval="", lineterminator="\n")
    table.writeheader()
    for charge in account.charges:
        row = {
            "entry": charge.number,
            "slot": charge.partition or "",
            "release": charge.digest or "",
        }
        row |= {"date": charge.date, "what": charge.what, "library": charge.library}
        table.writerow(row | charge.cost.plain())
    return stream.getvalue()


def _signed(one: object) -> tuple[int, Signed] | None:
    if not isinstance(one, dict) or set(one) != {"charge", *Signed._fields}:
        return None
    signed = Signed(one["digest"], one["signature"])
    readable = type(one["charge"]) is int and all(isinstance(part, str) for part in signed)
    return (one["charge"], signed) if readable else None


def _entry(one: object) -> Entry | None:
    if not isinstance(one, dict) or set(one) != _KEYS or not isinstance(one["body"], dict):
        return None
    number, previous, digest = one["number"], one["previous"], one["hash"]
    if type(number) is not int or not (isinstance(previous, str) and isinstance(digest, str)):
        return None
    try:
        plain = seal(number, previous, one["body"])
    except DpwermError:
        return None
    return Entry(number, previous, plain.body, digest)
