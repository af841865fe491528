"""``dpwerm verify``: re-derive the privacy claim of a rule file or a value file."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from dpwerm.cli.console import NOT_VERIFIED, complain, say
from dpwerm.cli.paying import LedgerUrl, entries_in, store_at, store_of
from dpwerm.cli.released import CHARGE, charge_findings, released_in
from dpwerm.errors import RuleFileError
from dpwerm.releases.files import VALUE_FORMAT, read_json
from dpwerm.releases.rule_file import verify_rule
from dpwerm.releases.verify import Finding
from dpwerm.study.study import Study
from dpwerm.text import one_line

SHOWN = (
    "digest",
    "weight bound V/pi_min",
    "weight origin",
    "certificate.radius",
    "certificate.perturbation.kappa",
    "certificate.perturbation.epsilon_inside",
    "certificate.perturbation.epsilon_outside",
    "certificate.perturbation.jacobian",
    "certificate.perturbation.rate",
    "certificate.perturbation.sigma",
    "certificate.sensitivity.minimiser",
    "certificate.sensitivity.tolerance",
    "certificate.sensitivity.total",
    "certificate.noise.scale",
    "certificate.noise.grid_exponent",
    "certificate.epsilon",
    "certificate.delta",
    "certificate.rho",
    "certificate.mu",
    "certificate.gaussian.rho",
    "certificate.gaussian.mu",
    "certificate.private",
    "propensity.certificate.private",
    "propensity.certificate.mechanism",
    "propensity.certificate.epsilon",
    "propensity.certificate.noise.scale",
    "propensity model, share of the budget",
    "tuning.how",
    "tuning.claim",
    "tuning.rows",
    "tuning.fit.epsilon",
    "tuning.choice.epsilon",
    "tuning.epsilon",
    "tuning, rows of the released fit",
    "tuning, budget of the released fit",
    "tuning, cost of all steps",
    "certificate.pi_min",
    "certificate.sensitivity",
    "certificate.noise_scale",
    "certificate.grid_exponent",
)
GIVEN = (
    "certificate.epsilon",
    "certificate.delta",
    "certificate.rho",
    "certificate.mu",
    "propensity.certificate.mechanism",
    "propensity.certificate.epsilon",
    "tuning.how",
    "tuning.rows",
    "tuning.epsilon",
)
"""Of those, what follows from nothing else in the file, so that nothing can show it to be right."""


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
        findings = _findings(file)
        asked = (study is not None or ledger is not None) and all(one.holds for one in findings)
        findings += _charge_findings(file, study, ledger) if asked else []
    except RuleFileError as error:
        complain(str(error))
        raise typer.Exit(NOT_VERIFIED) from None
    wrong = [finding for finding in findings if not finding.holds]
    for finding in findings:
        shown = finding.what in SHOWN or finding.what.startswith(CHARGE)
        if shown and finding.holds and finding.derived is not None:
            mark = "given" if finding.what in GIVEN else "ok"
            say(f"  {mark:<5}  {finding.what} = {_words(finding.derived)}")
    for finding in wrong:
        recorded, derived = _words(finding.recorded), _words(finding.derived)
        complain(one_line(f"  WRONG  {finding.what}: recorded {recorded}, derived {derived}"))
    if wrong:
        complain(f"{file}: REJECTED, {len(wrong)} of {len(findings)} checks failed.")
        raise typer.Exit(NOT_VERIFIED)
    private = next(f.recorded for f in findings if f.what == "certificate.private")
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


def _words(value: object) -> str:
    """Return a value for reading; of a budget, each part by its name."""
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {value[name]}" for name in sorted(value, reverse=True))
    return str(value)


def _charge_findings(file: Path, study: Path | None, option: str | None) -> list[Finding]:
    """Return the checks of a sound file against the ledger; what is not private is in none."""
    found = released_in(file)
    if not found.private:
        return []
    declared = None if study is None else Study.load(study)
    store = store_at(str(option)) if declared is None else store_of(declared, option)
    return charge_findings(found, declared, entries_in(store))


def _findings(file: Path) -> list[Finding]:
    """Return every check of a file, by what it says that it is."""
    if read_json(file).get("format") != VALUE_FORMAT:
        return verify_rule(file)
    # SciPy takes a second to load; a rule file does without.
    from dpwerm.releases.value.file import verify_value

    return verify_value(file)
