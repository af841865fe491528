"""``dpwerm report``: what was learned, what it costs and why it is private, for an ethics board."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dpwerm.cli.console import NOT_VERIFIED, Force, complain, free_path, say, stages
from dpwerm.cli.paying import LedgerUrl, complain_of, entries_in, store_of
from dpwerm.errors import ParameterError
from dpwerm.releases.files import read_json, write_json, write_text
from dpwerm.releases.kinds import (
    RULE,
    VALUE,
    Beside,
    Checked,
    Released,
    get_kind,
    kind_in,
    ledger_findings,
)
from dpwerm.study.study import Study

if TYPE_CHECKING:
    from dpwerm.documents.content import Report

ENDINGS = (".html", ".txt", ".json")


def report(
    rule: Annotated[Path, typer.Argument(help="A rule file.")],
    study: Annotated[
        Path | None,
        typer.Option(help="Study file: its ledger says what is spent and what is left."),
    ] = None,
    value: Annotated[
        Path | None, typer.Option(help="Value file of this rule, written by dpwerm evaluate.")
    ] = None,
    out: Annotated[
        Path, typer.Option(help="Where to write it: a page (.html), text (.txt) or data (.json).")
    ] = Path("report.html"),
    ledger: LedgerUrl = None,
    force: Force = False,
) -> None:
    """Write a report on a rule for an ethics board. It reads released files alone."""
    if ledger is not None and study is None:
        raise ParameterError("--ledger needs --study, which names the study in the ledger")
    if out.suffix.lower() not in ENDINGS:
        *some, last = ENDINGS
        raise ParameterError(f"the name of a report must end in {', '.join(some)} or {last}")
    given = tuple(one for one in (rule, study, value) if one is not None)
    path = free_path(out, force=force, inputs=given)
    with stages() as on_stage:
        on_stage("simulating how far noise reaches, and drawing")
        made, private = write_report(path, rule, study, value, ledger)
    for notice in made.notices:
        say(notice)
    say(f"Wrote {path}. It comes from released files alone; no row was read.")
    if path.suffix.lower() == ".html":
        say("Open it in any browser, or print it: it needs no network.")
    for line in _missing(study, value, private=private):
        say(line)


def write_report(
    path: Path, rule: Path, study: Path | None, value: Path | None, ledger: str | None
) -> "tuple[Report, bool]":
    """Write the report of the files as the ending of the path says.

    Only files that verify are reported; a study brings its ledger, which must hold their charges.
    Returns the report, and whether the release that it is on is private.
    """
    content = read_json(rule)
    kind = kind_in(content)
    main = (kind if kind.report else get_kind(RULE)).check(content, rule.name)
    main.sound(rule.name)
    files: list[Checked[Any]] = [main]
    if value is not None:
        files.append(get_kind(VALUE).checked(value))
        files[-1].sound(value.name)
    told = [one.kind.released(one.release) for one in files]
    beside = Beside(
        rule.name,
        sum(len(one.findings) for one in files),
        None if study is None else study.name,
        None if value is None else value.name,
        None if value is None else files[-1].release,
    )
    if study is not None:
        beside = _booked(beside, study, ledger, main.kind.name, told)
    # Drawing takes a second to load; faults of the files are reported before.
    from dpwerm.documents.report.compose import report_on

    made: Report = (main.kind.report or report_on)(main.release, beside)
    _write(made, path)
    return made, told[0].private


def _booked(
    beside: Beside, study: Path, option: str | None, name: str, told: list[Released]
) -> Beside:
    """Return what is beside a release with its account, whose checks must hold for all releases."""
    declared = Study.load(study)
    if told[0].study not in ("", declared.id):
        raise ParameterError(
            f"the {name} comes from another study than this study file: give the {name}'s own"
        )
    charged = [one for one in told if one.receipt]
    if not charged:
        return beside
    # SQLAlchemy takes a moment to load; a report without a charge does without it.
    from dpwerm.privacy.ledger.account import Account

    store = store_of(declared, option)
    entries = entries_in(store)
    findings = [one for paid in charged for one in ledger_findings(paid, entries, declared.id)]
    wrong = [finding for finding in findings if not finding.holds]
    complain_of(wrong)
    account = Account.of(entries, declared.id)
    if wrong or account is None:
        complain("The ledger does not hold the charge of these files. No report was written.")
        raise typer.Exit(NOT_VERIFIED)
    checks = beside.checks + len(findings)
    if told[0].receipt is None:
        return replace(beside, checks=checks)
    return replace(beside, checks=checks, account=account, where=store.address.kind_shown)


def _write(made: "Report", path: Path) -> None:
    from dpwerm.documents.content import as_data, as_html, as_text

    ending = path.suffix.lower()
    if ending == ".json":
        write_json(as_data(made), path)
    else:
        write_text(as_html(made) if ending == ".html" else as_text(made), path)


def _missing(study: Path | None, value: Path | None, *, private: bool) -> list[str]:
    """Return what the report could also say, and how."""
    lines = []
    if study is None and private:
        lines.append("With --study STUDY it also says what is left of the study's total.")
    if value is None:
        lines.append("With --value VALUE it also says how good the rule is (dpwerm evaluate).")
    return lines
