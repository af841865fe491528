"""``dpwerm report``: what was learned, what it costs and why it is private, for an ethics board."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dpwerm.cli.console import NOT_VERIFIED, Force, complain, free_path, say, stages
from dpwerm.cli.paying import LedgerUrl, entries_in, store_of
from dpwerm.cli.released import Released, charge_findings, rule_released, value_released
from dpwerm.errors import ParameterError
from dpwerm.releases.files import write_json, write_text
from dpwerm.releases.rule import Rule
from dpwerm.releases.rule_file import read_rule, verify_rule
from dpwerm.study.study import Study
from dpwerm.text import one_line

if TYPE_CHECKING:
    from dpwerm.documents.content import Report
    from dpwerm.documents.report.material import Booked, Material

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
        material = write_report(path, rule, study, value, ledger)
    for notice in material.notices:
        say(notice)
    say(f"Wrote {path}. It comes from released files alone; no row was read.")
    if path.suffix.lower() == ".html":
        say("Open it in any browser, or print it: it needs no network.")
    for line in _missing(study, value, private=material.rule.private):
        say(line)


def write_report(
    path: Path, rule: Path, study: Path | None, value: Path | None, ledger: str | None
) -> "Material":
    """Write the report of the files as the ending of the path says; return what it is made from.

    Only files that verify are reported; a study brings its ledger, which must hold their charges.
    """
    # Drawing libraries take a second to load; other commands do without them.
    from dpwerm.documents.report.compose import compose
    from dpwerm.documents.report.material import Material, Names
    from dpwerm.releases.value.file import read_value, verify_value

    loaded = read_rule(rule)
    checks = len(verify_rule(rule))
    found = None if value is None else read_value(value)
    checks += 0 if value is None else len(verify_value(value))
    booked = None
    if study is not None:
        told = [rule_released(loaded)] + ([] if found is None else [value_released(found)])
        account, charged = _booked(study, ledger, loaded, [one for one in told if one.receipt])
        checks += charged
        booked = account if loaded.receipt is not None else None
    names = Names(rule.name, value.name if value else Names.value, _study_name(study))
    material = Material(loaded, found, booked, checks, names)
    _write(compose(material), path)
    return material


def _booked(
    study: Path, option: str | None, rule: Rule, charged: list[Released]
) -> "tuple[Booked | None, int]":
    """Return the study's account and how many checks of what was charged against it hold."""
    from dpwerm.documents.report.material import Booked
    from dpwerm.privacy.ledger.account import Account

    declared = Study.load(study)
    if rule.declaration.study_id not in ("", declared.id):
        raise ParameterError(
            "the rule comes from another study than this study file: give the rule's own"
        )
    if not charged:
        return None, 0
    store = store_of(declared, option)
    entries = entries_in(store)
    findings = [finding for one in charged for finding in charge_findings(one, declared, entries)]
    wrong = [finding for finding in findings if not finding.holds]
    for finding in wrong:
        told = f"{finding.what}: recorded {finding.recorded}, derived {finding.derived}"
        complain(one_line(f"  WRONG  {told}"))
    account = Account.of(entries, declared.id)
    if wrong or account is None:
        complain("The ledger does not hold the charge of these files. No report was written.")
        raise typer.Exit(NOT_VERIFIED)
    return Booked(account, store.address.kind_shown), len(findings)


def _study_name(study: Path | None) -> str:
    from dpwerm.documents.report.material import Names

    return Names.study if study is None else study.name


def _write(made: "Report", path: Path) -> None:
    from dpwerm.documents.render import as_data, as_html, as_text

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
