"""The account of a study: what it spent, on what, and what is left."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from dpwerm.documents.document import Block, Document, Facts, Paragraph, Section, Table
from dpwerm.privacy.budget import AnyBudget
from dpwerm.privacy.ledger.account import Account
from dpwerm.privacy.ledger.entry import CURRENCIES, Amounts, Entry, Total
from dpwerm.privacy.ledger.pld import GAUSSIAN_DELTA, composed
from dpwerm.text import at_most, digits

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
    blocks += [*balance(account), *partitions_left(account), *composed_words(account)]
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
            running = replace(running, total=total, partitions=tuple(body["slots"]))
            what = "study opened" if body["kind"] == "opened" else "total changed"
            left = running.left()
            after = ", ".join(f"{name} {_shown(left, name)}" for name in total.used)
            words = ", ".join(f"{name} = {digits(getattr(total, name))}" for name in total.used)
            rows.append((*head, what, EVERYBODY, f"total {words}", after, ""))
        elif body["kind"] == "charged":
            charge = charges[entry.number]
            before = running.left(charge.partition)
            spent = running.sums.get(charge.partition, Amounts()) + charge.amounts
            running = replace(running, sums={**running.sums, charge.partition: spent})
            left = running.left(charge.partition)
            changed = ", ".join(
                f"{name} {_shown(before, name)} -> {_shown(left, name)}"
                for name in running.total.used
                if _shown(charge.amounts, name) != "0"
            )
            whom = charge.partition or EVERYBODY
            rows.append((*head, charge.what, whom, str(charge.cost), changed, charge.paid_for))
    return rows


def balance(account: Account) -> Iterator[Block]:
    """Yield total, spent and left in each currency of the total, for the fullest partition."""
    headings = ("", "total", "spent", "left", "fullest partition")
    rows = [
        (name, *map(digits, amounts), _fullest(account, name))
        for name, *amounts in account.balance()
    ]
    width = len(headings) if account.partitions else -1
    yield Table("", headings[:width], tuple(row[:width] for row in rows))
    if account.total.mu:
        yield Paragraph("mu adds up in squares.")


def partitions_left(account: Account) -> Iterator[Block]:
    """Yield what is left for each partition; nothing for a study without partitions."""
    if not account.partitions:
        return
    names = account.total.used
    rows = [
        (one, *(_shown(account.left(one), name) for name in names)) for one in account.partitions
    ]
    yield Table("", ("left for partition", *names), tuple(rows))
    yield Paragraph(
        "Nobody is in two partitions, so partitions do not add up. A charge for everybody must fit "
        "beside the fullest partition in each currency."
    )


def changed_total(account: Account, total: Total, partitions: Sequence[str]) -> Iterator[Block]:
    """Yield the recorded total beside a new one."""
    spent = account.spent()
    rows = []
    for name in CURRENCIES:
        old, new = getattr(account.total, name), getattr(total, name)
        if old or new:
            rows.append((name, digits(old), digits(new), _shown(spent, name, up=True)))
    yield Table("", ("", "recorded", "new", "spent"), tuple(rows))
    if tuple(partitions) != account.partitions:
        before, after = (", ".join(names) or "none" for names in (account.partitions, partitions))
        yield Facts((("partitions", f"{before}; new: {after}"),))


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
    spent = account.spent().decimals(up=True)
    if not (spent["rho"] or spent["mu"]) and found.epsilon >= spent["epsilon"]:
        return
    whose = "" if found.partition is None else f" for partition {found.partition}"
    yield Paragraph(
        f"Composed numerically, all releases{whose} are within epsilon = "
        f"{at_most(found.epsilon, 6)} at delta = {found.delta:.6g}, if their budgets had been "
        "fixed in advance. This is for reading; a release is admitted by the sums above, which "
        "hold however budgets are chosen."
    )


def head_words(number: int, digest: str) -> Iterator[Block]:
    """Yield the head of the ledger, to be written down, and why."""
    yield Paragraph(f"Head: {number}:{digest}")
    yield Paragraph(
        "Write the head down elsewhere: ledger verify --head finds an old copy that was put back, "
        "or a chain that somebody wrote anew."
    )


def preview(account: Account, cost: AnyBudget, partition: str | None, where: str) -> Table:
    """Return what a release would cost and leave, in each currency that the total has."""
    amounts, left = account.total.amounts(cost), account.left(partition)
    columns = {
        "total": account.total.limits.decimals(up=False),
        "spent": account.spent(partition).decimals(up=True),
        "left": left.decimals(up=False),
        "this release": amounts.decimals(up=True),
        "left after it": (left - amounts).decimals(up=False),
    }
    rows = tuple(
        (name, *(digits(values[name]) for values in columns.values()))
        for name in account.total.used
    )
    whom = "for everybody" if partition is None else f"for partition {partition}"
    if partition is None and account.partitions:
        whom += ", counted beside the fullest partition"
    caption = f"To be charged to study {account.study} in {where}, {whom}:"
    return Table(caption, ("", *columns), rows)


def _fullest(account: Account, name: str) -> str:
    """Return the partition that has spent most of a currency, nothing if none has spent any."""
    place = CURRENCIES.index(name)
    spent = {
        partition: account.sums.get(partition, Amounts()).parts[place]
        for partition in account.partitions
    }
    return max((one for one in spent if spent[one]), key=lambda one: spent[one], default="")


def _shown(amounts: Amounts, name: str, *, up: bool = False) -> str:
    return digits(amounts.decimals(up=up)[name])
