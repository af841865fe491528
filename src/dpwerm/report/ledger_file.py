"""A ledger as a file: the whole chain as JSON, to be checked anywhere; charges as CSV."""

import csv
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from dpwerm.errors import DpwermError, Fault, RuleFileError
from dpwerm.privacy.ledger.account import Account
from dpwerm.privacy.ledger.entry import Entry, seal
from dpwerm.rules.json_in import read_json

FORMAT, VERSION = "dpwerm-ledger", 1
COLUMNS = ("entry", "date", "what", "slot", "epsilon", "delta", "rho", "mu", "library", "release")
_KEYS = {"number", "previous", "body", "hash"}


def ledger_content(entries: Sequence[Entry]) -> dict[str, Any]:
    """Return the plain content of an export: every entry with the hash of the one before."""
    plain = [
        {"number": one.number, "previous": one.previous, "body": dict(one.body), "hash": one.hash}
        for one in entries
    ]
    return {"format": FORMAT, "version": VERSION, "entries": plain}


def read_ledger(path: Path) -> tuple[Entry, ...]:
    """Return the entries of an export as they read; whether they fit is for the chain to say."""
    content = read_json(path)
    found = content.get("entries")
    if (content.get("format"), content.get("version")) != (FORMAT, VERSION) or not isinstance(
        found, list
    ):
        fault = Fault("format, version", "not an exported ledger", f"need {FORMAT} {VERSION}")
        raise RuleFileError(path.name, [fault])
    entries, faults = [], []
    for position, one in enumerate(found, start=1):
        entry = _entry(one)
        if entry is None:
            faults.append(Fault(f"entries, number {position} in the file", "cannot be read"))
        else:
            entries.append(entry)
    if faults:
        raise RuleFileError(path.name, faults)
    return tuple(entries)


def charges_csv(account: Account) -> str:
    """Return a study's charges as CSV; empty where a charge has nothing in a column."""
    stream = io.StringIO()
    table = csv.DictWriter(stream, COLUMNS, restval="", lineterminator="\n")
    table.writeheader()
    for charge in account.charges:
        row = {"entry": charge.number, "slot": charge.slot or "", "release": charge.digest or ""}
        row |= {"date": charge.date, "what": charge.what, "library": charge.library}
        table.writerow(row | charge.cost.plain())
    return stream.getvalue()


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
