"""What a rule file or a value file says of its charge, and what the ledger says of it."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from dpwerm.privacy.budget import AnyBudget
from dpwerm.privacy.randomness import Receipt
from dpwerm.releases.files import VALUE_FORMAT, read_json
from dpwerm.releases.findings import ledger_findings, what_of
from dpwerm.releases.rule import Rule
from dpwerm.releases.rule_file import content_of, read_rule
from dpwerm.releases.verify import Finding
from dpwerm.study.study import Study

if TYPE_CHECKING:
    from dpwerm.privacy.ledger.entry import Entry
    from dpwerm.releases.value.release import ValueRelease

CHARGE = "ledger, "
"""How the checks against a ledger begin."""


@dataclass(frozen=True)
class Released:
    """A release as its file describes it; only a file that verifies is read.

    what : "rule", "tuned rule" or "value", as a ledger calls it
    """

    what: str
    private: bool
    study: str
    digest: str
    budget: AnyBudget
    receipt: Receipt | None


def released_in(file: Path) -> Released:
    """Return the release in a file, by what the file says that it is."""
    if read_json(file).get("format") != VALUE_FORMAT:
        return rule_released(read_rule(file))
    # SciPy takes a second to load; a rule file does without.
    from dpwerm.releases.value.file import read_value

    return value_released(read_value(file))


def rule_released(rule: Rule) -> Released:
    """Return what a rule says of its charge."""
    digest, study = str(content_of(rule)["digest"]), rule.declaration.study_id
    return Released(what_of(rule), rule.private, study, digest, rule.budget, rule.receipt)


def value_released(value: "ValueRelease") -> Released:
    """Return what a value says of its charge."""
    from dpwerm.releases.value.file import value_content

    digest, study = str(value_content(value)["digest"]), value.declaration.study_id
    return Released("value", value.private, study, digest, value.budget, value.receipt)


def charge_findings(
    found: Released, study: Study | None, entries: "Iterable[Entry]"
) -> list[Finding]:
    """Return the checks of a release against the ledger; what is not private is in none."""
    if not found.private:
        return []
    findings = ledger_findings(
        found.digest,
        found.budget,
        found.receipt,
        entries,
        study=found.study if study is None else study.id,
        what=found.what,
    )
    if study is not None and found.study not in ("", study.id):
        findings.append(Finding(f"{CHARGE}study file", found.study, study.id))
    return findings
