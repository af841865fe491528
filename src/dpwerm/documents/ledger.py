"""The account of a study, and a ledger as a file: the chain as JSON, the charges as CSV."""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from dpwerm.documents.document import Block, Document, Facts, Paragraph, Section, Table
from dpwerm.errors import DpwermError, Fault, RuleFileError
from dpwerm.privacy.budget import AnyBudget
from dpwerm.privacy.ledger.account import Account
from dpwerm.privacy.ledger.entry import CURRENCIES, Amounts, Entry, Total, seal
from dpwerm.privacy.ledger.pld import GAUSSIAN_DELTA, composed
from dpwerm.releases.files import read_json
from dpwerm.text import digits

FORMAT, VERSION = "dpwerm-ledger", 1
COLUMNS = ("entry", "date", "what", "slot", "epsilon", "delta", "rho", "mu", "library", "release")
_KEYS = {"number", "previous", "body", "hash"}

EVERYBODY = "everybody"
NOTHING = "Nothing was charged yet. The first release opens the study with this total."
HEADINGS = ("entry", "date", "what", "for", "cost", "left before and after", "release")


def account_document(
    account: Account, entries: Sequence[Entry], where: str, more: Sequence[Block] = ()
) -> Document:
    """Return every entry of a study and its balance; ``more`` is said at the end."""
    blocks: list[Block] = [Paragraph(f"In {where}, under relation {account.relation}.")]
    if entries:
        blocks.append(Table("", HEADINGS, tuple(entry_rows(account, entries))))
    else:
        blocks.append(Paragraph(NOTHING))
    blocks += [*balance(account), *slots_left(account), *composed_words(account)]
    blocks += [
        Paragraph(f"Entry {one.number}, why the total changed: {one.reason}")
        for one in account.totals
    ]
    return Document(
        "account",
        f"Ledger of study {account.study}",
        (Section("account", "", (*blocks, *more)),),
        about="What a study has spent, on what, and what is left",
        made_from="the ledger alone",
    )


def entry_rows(account: Account, entries: Iterable[Entry]) -> list[tuple[str, ...]]:
    """Return a row for each entry but the releases, which stand beside their charges."""
    charges = {charge.number: charge for charge in account.charges}
    running = replace(account, charges=(), sums={})
    rows: list[tuple[str, ...]] = []
    for entry in entries:
        body: dict[str, Any] = dict(entry.body)
        head = (str(entry.number), str(body.get("date", "")))
        if body["kind"] in ("opened", "total"):
            total = Total.from_plain(body["total"])
            running = replace(running, total=total, slots=tuple(body["slots"]))
            what = "study opened" if body["kind"] == "opened" else "total changed"
            left = running.left()
            after = ", ".join(f"{name} {_shown(left, name)}" for name in total.used)
            words = ", ".join(f"{name} = {digits(getattr(total, name))}" for name in total.used)
            rows.append((*head, what, EVERYBODY, f"total {words}", after, ""))
        elif body["kind"] == "charged":
            charge = charges[entry.number]
            before = running.left(charge.slot)
            spent = running.sums.get(charge.slot, Amounts()) + charge.amounts
            running = replace(running, sums={**running.sums, charge.slot: spent})
            left = running.left(charge.slot)
            changed = ", ".join(
                f"{name} {_shown(before, name)} -> {_shown(left, name)}"
                for name in running.total.used
                if _shown(charge.amounts, name) != "0"
            )
            whom = charge.slot or EVERYBODY
            rows.append((*head, charge.what, whom, str(charge.cost), changed, charge.paid_for))
    return rows


def balance(account: Account) -> Iterator[Block]:
    """Yield total, spent and left in each currency that the total has, for the fullest slot."""
    headings = ("", "total", "spent", "left", "fullest slot")
    rows = [
        (name, *map(digits, amounts), _fullest(account, name))
        for name, *amounts in account.balance()
    ]
    width = len(headings) if account.slots else -1
    yield Table("", headings[:width], tuple(row[:width] for row in rows))
    if account.total.mu:
        yield Paragraph("mu adds up in squares.")


def slots_left(account: Account) -> Iterator[Block]:
    """Yield what is left for each slot; nothing for a study without slots."""
    if not account.slots:
        return
    names = account.total.used
    rows = [(one, *(_shown(account.left(one), name) for name in names)) for one in account.slots]
    yield Table("", ("left for slot", *names), tuple(rows))
    yield Paragraph(
        "Nobody is in two slots, so slots do not add up. A charge for everybody must fit beside "
        "the fullest slot in each currency."
    )


def changed_total(account: Account, total: Total, slots: Sequence[str]) -> Iterator[Block]:
    """Yield the recorded total beside a new one."""
    spent = account.spent()
    rows = []
    for name in CURRENCIES:
        old, new = getattr(account.total, name), getattr(total, name)
        if old or new:
            rows.append((name, digits(old), digits(new), _shown(spent, name, up=True)))
    yield Table("", ("", "recorded", "new", "spent"), tuple(rows))
    if tuple(slots) != account.slots:
        before, after = (", ".join(names) or "none" for names in (account.slots, slots))
        yield Facts((("slots", f"{before}; new: {after}"),))


def composed_words(account: Account) -> Iterator[Block]:
    """Yield the tighter total of several releases, for reading, or how to have it shown."""
    if len(account.charges) < 2:
        return
    found = composed(account)
    if found is not None and found.delta == 0:
        found = composed(account, delta=float(GAUSSIAN_DELTA))
    if found is None:
        yield Paragraph(
            "A tighter total of the whole history is shown if dpwerm is installed with its extra "
            "accounting"
        )
        return
    whose = "" if found.slot is None else f" for slot {found.slot}"
    yield Paragraph(
        f"Composed numerically, all releases{whose} are within epsilon = {found.epsilon:.6g} at "
        f"delta = {found.delta:.6g}, if their budgets had been fixed in advance. This is for "
        "reading; a release is admitted by the sums above, which hold however budgets are chosen."
    )


def head_words(number: int, digest: str) -> Iterator[Block]:
    """Yield the head of the ledger, to be written down, and why."""
    yield Paragraph(f"Head: {number}:{digest}")
    yield Paragraph(
        "Write the head down elsewhere: ledger verify --head finds an old copy that was put back, "
        "or a chain that somebody wrote anew."
    )


def preview(account: Account, cost: AnyBudget, slot: str | None, where: str) -> Table:
    """Return what a release would cost and leave, in each currency that the total has."""
    amounts, left = account.total.amounts(cost), account.left(slot)
    columns = {
        "total": account.total.limits.decimals(up=False),
        "spent": account.spent(slot).decimals(up=True),
        "left": left.decimals(up=False),
        "this release": amounts.decimals(up=True),
        "left after it": (left - amounts).decimals(up=False),
    }
    rows = tuple(
        (name, *(digits(values[name]) for values in columns.values()))
        for name in account.total.used
    )
    whom = "for everybody" if slot is None else f"for slot {slot}"
    if slot is None and account.slots:
        whom += ", counted beside the fullest slot"
    caption = f"To be charged to study {account.study} in {where}, {whom}:"
    return Table(caption, ("", *columns), rows)


def _fullest(account: Account, name: str) -> str:
    """Return the slot that has spent most of a currency, nothing if none has spent any."""
    place = CURRENCIES.index(name)
    spent = {slot: account.sums.get(slot, Amounts()).parts[place] for slot in account.slots}
    return max((one for one in spent if spent[one]), key=lambda one: spent[one], default="")


def _shown(amounts: Amounts, name: str, *, up: bool = False) -> str:
    return digits(amounts.decimals(up=up)[name])


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
    entries = list(map(_entry, found))
    faults = [
        Fault(f"entries, number {position} in the file", "cannot be read")
        for position, entry in enumerate(entries, start=1)
        if entry is None
    ]
    if faults:
        raise RuleFileError(path.name, faults)
    return tuple(entry for entry in entries if entry is not None)


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
