"""What a rule file or a value file says of its charge."""

from dataclasses import dataclass
from pathlib import Path

from dpwerm.privacy.budget import AnyBudget
from dpwerm.privacy.receipt import Receipt
from dpwerm.rules.json_in import VALUE_FORMAT, read_json
from dpwerm.rules.ledger_findings import what_of
from dpwerm.rules.rule_file import content_of, read_rule


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
        rule = read_rule(file)
        receipt = rule.release.certificate.receipt
        digest = str(content_of(rule)["digest"])
        study = rule.declaration.study_id
        return Released(what_of(rule), rule.private, study, digest, rule.budget, receipt)
    # SciPy takes a second to load; a rule file does without.
    from dpwerm.rules.value.file import read_value, value_content

    value = read_value(file)
    digest = str(value_content(value)["digest"])
    study = value.declaration.study_id
    return Released("value", value.private, study, digest, value.budget, value.receipt)
