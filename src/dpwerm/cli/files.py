"""``dpwerm report``, ``export`` and ``verify``: what released files say, without any row."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dpwerm.cli.console import (
    DOCUMENTS,
    NOT_VERIFIED,
    URL_HELP,
    Force,
    LedgerUrl,
    ReleaseFile,
    RuleFile,
    complain,
    complain_of,
    free_path,
    ledger_of,
    refuse_ending,
    say,
    shown,
    stages,
    stop,
    store_at,
    url_of,
)
from dpwerm.errors import ParameterError, RuleFileError
from dpwerm.releases.files import read_json
from dpwerm.releases.kinds import (
    CHARGE,
    RULE,
    VALUE,
    Beside,
    Checked,
    Finding,
    Released,
    check_file,
    get_kind,
    kind_in,
    ledger_findings,
)
from dpwerm.study.study import Study

if TYPE_CHECKING:
    from dpwerm.documents.document import Document


def report(
    rule: RuleFile,
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
    refuse_ending("a report", out, DOCUMENTS)
    given = tuple(one for one in (rule, study, value) if one is not None)
    path = free_path(out, force=force, inputs=given)
    with stages() as on_stage:
        on_stage("simulating half-widths of the noise, and drawing")
        made, private = write_report(path, rule, study, value, ledger)
    for notice in made.notices:
        say(notice)
    say(f"Wrote {path}. It comes from released files alone; no row was read.")
    if path.suffix.lower() == ".html":
        say("Open it in any browser, or print it: it needs no network.")
    if study is None and private:
        say("With --study STUDY it also says what is left of the study's total.")
    if value is None:
        say("With --value VALUE it also says how good the rule is (dpwerm evaluate).")


def write_report(
    path: Path, rule: Path, study: Path | None, value: Path | None, ledger: str | None
) -> "tuple[Document, bool]":
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
    beside = Beside(rule.name, sum(len(one.findings) for one in files))
    if value is not None:
        beside = replace(beside, value_file=value.name, value=files[-1].release)
    if study is not None:
        beside = replace(beside, study_file=study.name)
        beside = _booked(beside, study, ledger, main.kind.name, told)
    # Drawing takes a second to load; faults of the files are reported before.
    from dpwerm.documents.render import write
    from dpwerm.documents.report.compose import report_on

    made: Document = (main.kind.report or report_on)(main.release, beside)
    write(made, path)
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
    store = ledger_of(declared, option).store
    book = store.book()
    findings = [one for paid in charged for one in ledger_findings(paid, book, declared.id)]
    wrong = [finding for finding in findings if not finding.holds]
    complain_of(wrong)
    account = book.account(declared.id)
    if wrong or account is None:
        stop(
            "The ledger does not hold the charge of these files. No report was written.",
            NOT_VERIFIED,
        )
    checks = beside.checks + len(findings)
    if told[0].receipt is None:
        return replace(beside, checks=checks)
    return replace(beside, checks=checks, account=account, where=store.database.kind_shown)


def export(
    rule: RuleFile,
    out: Annotated[Path, typer.Option(help="Where to write it: a .py, .R, .sql or .onnx file.")],
    force: Force = False,
) -> None:
    """Write a rule as Python, SQL, R or ONNX. It then runs without this program."""
    # Languages take a moment to load; the other commands of this module do without them.
    from dpwerm.releases.export import export_to, write_export
    from dpwerm.releases.rule_file import notice, read_rule

    loaded = read_rule(rule)
    language = export_to(out)
    path = free_path(out, force=force, inputs=(rule,))
    write_export(loaded, path)
    say(notice(loaded))
    say(f"Wrote {path}. Use: {language.use}")


def verify(
    file: ReleaseFile,
    study: Annotated[
        Path | None, typer.Option(help="Study file: compare with the study's ledger, too.")
    ] = None,
    ledger: Annotated[
        str | None,
        typer.Option(
            help="Compare with this ledger, too: a .json file that dpwerm ledger export wrote, "
            f"without any database; or {URL_HELP}"
        ),
    ] = None,
) -> None:
    """Check the numbers of a rule or value file. Ends with 4 if one does not hold.

    Against each other, and with --study or --ledger against what was charged.
    """
    try:
        found = check_file(file)
        charged = found.kind.released(found.release)
        asked = (study is not None or ledger is not None) and not found.wrong
        findings = list(found.findings)
        findings += _charge_findings(charged, study, ledger) if asked else []
    except RuleFileError as error:
        stop(str(error), NOT_VERIFIED)
    wrong = [finding for finding in findings if not finding.holds]
    for finding in findings:
        listed = finding.what in found.kind.shown or finding.what.startswith(CHARGE)
        if listed and finding.holds and finding.derived is not None:
            mark = "given" if finding.what in found.kind.given else "ok"
            say(f"  {mark:<5}  {finding.what} = {shown(finding.derived)}")
    complain_of(wrong)
    if wrong:
        stop(f"{file}: REJECTED, {len(wrong)} of {len(findings)} checks failed.", NOT_VERIFIED)
    private = charged.private
    say(f"{file}: {len(findings)} checks hold.{'' if private else ' It is NOT PRIVATE.'}")
    if asked and private:
        say("The ledger holds the charge of this release, its cost and its digest.")
        if _is_export(ledger):
            say("Whoever wrote the export could have written a chain of their own. A head that was")
            say("written down elsewhere shows it:")
            say(f"  dpwerm ledger verify {ledger} --head NUMBER:HASH")
        return
    say(
        "This shows that the numbers belong together: what is ok follows from what is given. That "
        "the release happened as recorded cannot be seen from a file."
    )
    if private:
        say("With --study STUDY, or --ledger EXPORT.json, it is compared with the ledger.")


def _is_export(option: str | None) -> bool:
    """Whether --ledger names a file that ``dpwerm ledger export`` wrote."""
    return option is not None and option.lower().endswith(".json")


def _charge_findings(found: Released, study: Path | None, option: str | None) -> list[Finding]:
    """Return the checks of a sound file against the ledger; what is not private is in none."""
    if not found.private:
        return []
    named = "" if study is None else Study.load(study).id
    if option is not None and _is_export(option):
        from dpwerm.cli.ledger import exported

        book, faults = exported(Path(option))
        for fault in faults:
            complain(f"  WRONG  {fault}")
        if faults:
            stop(f"{option}: REJECTED, it is no whole ledger.", NOT_VERIFIED)
        return ledger_findings(found, book, named)
    if study is None:
        return ledger_findings(found, store_at(str(url_of(option))).book())
    return ledger_findings(found, ledger_of(Study.load(study), option).store.book(), named)
