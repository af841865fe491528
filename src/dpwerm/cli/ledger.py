"""``dpwerm ledger``: open the account of a study, look into it, check it, record a new total."""

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
from dpwerm.errors import LedgerError, ParameterError, RuleFileError
from dpwerm.study.study import Study

if TYPE_CHECKING:
    from dpwerm.privacy.ledger.book import Book
    from dpwerm.privacy.ledger.entry import Entry

app = typer.Typer(
    help="What a study has spent, on what, and what is left.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
)
_ROLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,62}")
_HEAD = re.compile(r"([1-9][0-9]{0,11}):(sha256:[0-9a-f]{64})")


@app.command("open")
def open_account(
    study: StudyFile,
    ledger: LedgerUrl = None,
    role: Annotated[
        str, typer.Option(help="PostgreSQL: the role of people who fit, for the GRANTs below.")
    ] = "ROLE",
) -> None:
    """Make the tables and the study's account, before any release. Nothing is spent.

    Afterwards a role of PostgreSQL that may not make tables can charge and release. It needs USAGE
    on the schema and what the GRANTs say that are printed. Run it again after an upgrade of
    dpwerm: it brings the tables up to date.
    """
    from dpwerm.privacy.ledger.schema import GRANTS

    if not _ROLE.fullmatch(role):
        raise ParameterError("--role is a name of letters, digits and underscores")
    declared = Study.load(study)
    book = ledger_of(declared, ledger)
    new = book.open()
    how = "Opened study" if new else "The tables are up to date, and open is study"
    say(f"{how} {declared.id} in {book.shown}: a total of {book.declared.total}.")
    if book.kind == "postgresql":
        say("People who fit need this and nothing more, besides USAGE on the schema:")
        for grant in GRANTS:
            say(f"  GRANT {grant} TO {role};")


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
    from dpwerm.privacy.ledger.account import differs

    path = document_path(out, force=force, inputs=(study,))
    declared = Study.load(study)
    book = ledger_of(declared, ledger)
    kept = book.store.book()
    chain, expected = kept.entries, book.declared
    account = kept.account(declared.id) or expected
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
    """Check that no entry and no release was edited, dropped or moved. Ends with 4 if one was."""
    written = None if head is None else _HEAD.fullmatch(head.strip())
    if head is not None and written is None:
        raise ParameterError("--head is NUMBER:HASH, such as 12:sha256: and 64 hexadecimal digits")
    name, entries, faults = _found(source, ledger)
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
    """Write the whole chain and the study's releases as JSON, or the study's charges as CSV.

    A release can be checked against the JSON anywhere: dpwerm verify RULE --ledger FILE.
    """
    from dpwerm.documents.ledger import charges_csv, ledger_content
    from dpwerm.releases.files import write_json

    refuse_ending("an export", out, (".json", ".csv"))
    path = free_path(out, force=force, inputs=(study,))
    book = ledger_of(Study.load(study), ledger)
    kept = book.store.book()
    if out.suffix.lower() == ".json":
        write_json(ledger_content(kept, book.study_id), path)
        count = len(kept.entries)
        say(f"Wrote {path}: {count} entries. Check it with: dpwerm ledger verify {path}")
        return
    account = kept.account(book.study_id) or book.declared
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
    new = changed_total(book.account(), book.declared.total, book.declared.partitions)
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
        for finding in ledger_findings(found, book.store.book(), declared.id)
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
    from dpwerm.privacy.ledger.book import Book

    if source is not None and source.suffix.lower() == ".json":
        if option is not None:
            raise ParameterError("an exported ledger is checked alone: leave out --ledger")
        book, faults = exported(source)
        return str(source), book.entries, faults
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
    return store.database.shown, entries, faults + Book(entries).account_faults()


def exported(path: Path) -> "tuple[Book, list[str]]":
    """Return an exported ledger, and everything that does not verify."""
    from dpwerm.documents.ledger import read_ledger
    from dpwerm.privacy.ledger.book import Book

    if not path.is_file():
        raise ParameterError(f"{path} does not exist")
    try:
        book = read_ledger(path)
    except RuleFileError as error:
        return Book(), [str(error)]
    return book, book.faults() if book.entries else ["it holds no entry"]


def _head_faults(entries: "tuple[Entry, ...]", number: int, digest: str) -> list[str]:
    """Return what is wrong if the ledger does not hold an entry that was written down."""
    held = next((one.hash for one in entries if one.number == number), None)
    if held is None:
        last = f"entry {number} was written down and is not there, the last one is {len(entries)}"
        return [f"{last}: an old copy was put back, or entries were removed"]
    if held != digest:
        return [f"entry {number} is not the one that was written down: the chain was written anew"]
    return []
