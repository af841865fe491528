"""``dpwerm verify``: re-derive the privacy claim of a released file, whatever its kind."""

from pathlib import Path
from typing import Annotated

import typer

from dpwerm.cli.console import NOT_VERIFIED, complain, say
from dpwerm.cli.paying import LedgerUrl, complain_of, entries_in, shown, store_at, store_of
from dpwerm.errors import RuleFileError
from dpwerm.releases.kinds import CHARGE, Finding, Released, check_file, ledger_findings
from dpwerm.study.study import Study


def verify(
    file: Annotated[
        Path, typer.Argument(exists=True, dir_okay=False, help="A rule file or a value file.")
    ],
    study: Annotated[
        Path | None, typer.Option(help="Study file: compare with the study's ledger, too.")
    ] = None,
    ledger: LedgerUrl = None,
) -> None:
    """Check the numbers of a rule or value file.

    Against each other, and with --study or --ledger against what was charged.
    """
    try:
        found = check_file(file)
        charged = found.kind.released(found.release)
        asked = (study is not None or ledger is not None) and not found.wrong
        findings = list(found.findings)
        findings += _charge_findings(charged, study, ledger) if asked else []
    except RuleFileError as error:
        complain(str(error))
        raise typer.Exit(NOT_VERIFIED) from None
    wrong = [finding for finding in findings if not finding.holds]
    for finding in findings:
        listed = finding.what in found.kind.shown or finding.what.startswith(CHARGE)
        if listed and finding.holds and finding.derived is not None:
            mark = "given" if finding.what in found.kind.given else "ok"
            say(f"  {mark:<5}  {finding.what} = {shown(finding.derived)}")
    complain_of(wrong)
    if wrong:
        complain(f"{file}: REJECTED, {len(wrong)} of {len(findings)} checks failed.")
        raise typer.Exit(NOT_VERIFIED)
    private = charged.private
    say(f"{file}: {len(findings)} checks hold.{'' if private else ' It is NOT PRIVATE.'}")
    if asked and private:
        say("The ledger holds the charge of this release, its cost and its digest.")
        return
    say(
        "This shows that the numbers belong together: what is ok follows from what is given. That "
        "the release happened as recorded cannot be seen from a file."
    )
    if private:
        say("With --study STUDY it is compared with the ledger.")


def _charge_findings(found: Released, study: Path | None, option: str | None) -> list[Finding]:
    """Return the checks of a sound file against the ledger; what is not private is in none."""
    if not found.private:
        return []
    declared = None if study is None else Study.load(study)
    store = store_at(str(option)) if declared is None else store_of(declared, option)
    return ledger_findings(found, entries_in(store), "" if declared is None else declared.id)
