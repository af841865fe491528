"""``dpwerm ledger``: look into the account of a study, check it, and record a new total."""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dpwerm.cli.console import (
    NOT_VERIFIED,
    Force,
    LedgerUrl,
    ReleaseFile,
    StudyFile,
    agree,
    complain,
    document_path,
    free_path,
    ledger_of,
    refuse_ending,
    say,
    stop,
    store_at,
    url_of,
)
from dpwerm.errors import LedgerError, LedgerTamperedError, ParameterError, RuleFileError
from dpwerm.study.study import Study

if TYPE_CHECKING:
    from dpwerm.privacy.ledger.entry import Entry

app = typer.Typer(
    help="What a study has spent, on what, and what is left.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
)
_HEAD = re.compile(r"([1-9][0-9]{0,11}):(sha256:[0-9a-f]{64})")


@app.command()
def show(
    study: StudyFile,
    ledger: LedgerUrl = None,
    out: Annotated[
        Path | None,
        typer.Option(help="Also write it: a page (.html), text (.txt) or data (.json)."),
    ] = None,
    force: Force = False,
) -> None:
    """Show every charge, what was left before and after it, and what is left now."""
    # SQLAlchemy takes a moment to load; other commands do without it.
    from dpwerm.documents import ledger as words
    from dpwerm.documents.document import Block, Paragraph
    from dpwerm.documents.render import as_text, write
    from dpwerm.privacy.ledger.account import Account, differs

    path = document_path(out, force=force, inputs=(study,))
    declared = Study.load(study)
    book = ledger_of(declared, ledger)
    chain = book.store.verified()
    expected = book.declared
    account = Account.of(chain, declared.id) or expected
    own = [entry for entry in chain if entry.body.get("study") == declared.id]
    more: list[Block] = []
    if differs(expected, account):
        changed = f"The study file now declares {expected.total}: releases are refused until"
        more.append(Paragraph(f"{changed} `dpwerm ledger total {study}` has recorded it."))
    if chain:
        more += words.head_words(chain[-1].number, chain[-1].hash)
    document = words.account_document(account, own, book.shown, more)
    say(as_text(document).rstrip())
    if path is not None:
        write(document, path)
        say(f"\nWrote {path}.")


@app.command()
def verify(
    source: Annotated[
        Path | None, typer.Argument(help="The study file, or a ledger exported as JSON.")
    ] = None,
    ledger: LedgerUrl = None,
    head: Annotated[
        str | None,
        typer.Option(help="The head as you wrote it down after an earlier charge: NUMBER:HASH."),
    ] = None,
) -> None:
    """Check that no entry was edited, dropped or moved. Ends with 4 if one was."""
    from dpwerm.privacy.ledger.account import Account

    written = None if head is None else _HEAD.fullmatch(head.strip())
    if head is not None and written is None:
        raise ParameterError("--head is NUMBER:HASH, such as 12:sha256: and 64 hexadecimal digits")
    name, entries, faults = _found(source, ledger)
    for study in dict.fromkeys(str(one.body["study"]) for one in entries if "study" in one.body):
        try:
            Account.of(entries, study)
        except LedgerTamperedError as error:
            faults.append(str(error))
    if written is not None:
        faults += _head_faults(entries, int(written[1]), written[2])
    for fault in faults:
        complain(f"  WRONG  {fault}")
    if faults:
        counted = f"{len(faults)} fault{'s' if len(faults) > 1 else ''}"
        stop(f"{name}: REJECTED, {counted}.", NOT_VERIFIED)
    if not entries:
        say(f"{name}: there is no ledger yet. The first release begins one.")
        return
    say(f"{name}: {len(entries)} entries, none edited, dropped or moved.")
    say(f"Head: {entries[-1].number}:{entries[-1].hash}")
    if written is None:
        say("Whoever can write the ledger can write a whole new chain, or put an old copy back. A")
        say("head that was written down elsewhere shows it: --head NUMBER:HASH. Every rule file")
        say("holds such a pair, too: dpwerm verify FILE --study STUDY.")
    else:
        say(f"It still holds entry {written[1]} as it was written down.")


@app.command()
def export(
    study: StudyFile,
    out: Annotated[
        Path, typer.Option(help="A .json file: the whole ledger. A .csv file: the charges.")
    ],
    ledger: LedgerUrl = None,
    force: Force = False,
) -> None:
    """Write the whole ledger as JSON, or the study's charges as CSV."""
    from dpwerm.documents.ledger import charges_csv, ledger_content
    from dpwerm.privacy.ledger.account import Account
    from dpwerm.releases.files import write_json

    refuse_ending("an export", out, (".json", ".csv"))
    path = free_path(out, force=force, inputs=(study,))
    book = ledger_of(Study.load(study), ledger)
    chain = book.store.verified()
    if out.suffix.lower() == ".json":
        write_json(ledger_content(chain), path)
        say(f"Wrote {path}: {len(chain)} entries. Check it with: dpwerm ledger verify {path}")
        return
    account = Account.of(chain, book.study_id) or book.declared
    path.write_text(charges_csv(account), encoding="utf-8")
    say(f"Wrote {path}: {len(account.charges)} charges.")


@app.command()
def total(
    study: StudyFile,
    reason: Annotated[
        str, typer.Option(help="Why, in one line, such as the vote of the ethics board.")
    ],
    ledger: LedgerUrl = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Record the study file's [budget] as the new total. What was charged stays charged."""
    from dpwerm.documents.ledger import changed_total
    from dpwerm.documents.render import blocks_as_text

    declared = Study.load(study)
    book = ledger_of(declared, ledger)
    new = changed_total(book.account(), book.declared.total, book.declared.slots)
    question = f"Record this as the total of study {declared.id} in {book.shown}?"
    agree(question, yes=yes, before=blocks_as_text(new), otherwise="Nothing was recorded.")
    book.change_total(reason)
    say(f"Recorded the total of study {declared.id}: {book.declared.total}.")


@app.command()
def attach(study: StudyFile, file: ReleaseFile, ledger: LedgerUrl = None) -> None:
    """Record which release a charge paid for, if a warning after the release asked for it."""
    from dpwerm.releases.kinds import CHARGE, PAID_FOR, check_file, ledger_findings

    declared = Study.load(study)
    checked = check_file(file)
    found = checked.kind.released(checked.sound(file.name))
    if found.receipt is None:
        raise ParameterError(f"{file.name} names no charge: there is nothing to attach it to")
    book = ledger_of(declared, ledger)
    wrong = [
        finding.what.removeprefix(CHARGE)
        for finding in ledger_findings(found, book.store.verified(), declared.id)
        if not finding.holds and finding.what in PAID_FOR
    ]
    if wrong:
        raise ParameterError(
            f"{file.name} is not what {found.receipt} paid for, by its {', '.join(wrong)}"
        )
    book.attach(found.receipt, found.digest)
    say(f"Attached {file} to {found.receipt}.")


def _found(source: Path | None, option: str | None) -> "tuple[str, tuple[Entry, ...], list[str]]":
    """Return the name of what is checked, its entries, and the faults of its chain."""
    from dpwerm.privacy.ledger.entry import chain_faults
    from dpwerm.privacy.ledger.store import start_faults

    if source is not None and source.suffix.lower() == ".json":
        from dpwerm.documents.ledger import read_ledger

        if option is not None:
            raise ParameterError("an exported ledger is checked alone: leave out --ledger")
        if not source.is_file():
            raise ParameterError(f"{source} does not exist")
        try:
            entries = read_ledger(source)
        except RuleFileError as error:
            return str(source), (), [str(error)]
        faults = chain_faults(entries) + start_faults(entries)
        return str(source), entries, faults if entries else ["it holds no entry"]
    url = None if source is not None else url_of(option)
    if source is not None:
        store = ledger_of(Study.load(source), option).store
    elif url is not None:
        store = store_at(url)
    else:
        raise ParameterError("give a study file, a ledger exported as JSON, or --ledger")
    faults = store.faults()
    try:
        entries = store.read()
    except LedgerError:
        entries = ()
    return store.database.shown, entries, faults


def _head_faults(entries: "tuple[Entry, ...]", number: int, digest: str) -> list[str]:
    """Return what is wrong if the ledger does not hold an entry that was written down."""
    held = next((one.hash for one in entries if one.number == number), None)
    if held is None:
        last = f"entry {number} was written down and is not there, the last one is {len(entries)}"
        return [f"{last}: an old copy was put back, or entries were removed"]
    if held != digest:
        return [f"entry {number} is not the one that was written down: the chain was written anew"]
    return []
