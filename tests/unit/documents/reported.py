"""Rules and values of the demo trial to make reports from."""

import functools

from tests.unit.documents.test_summary import TEXT, TRIAL
from tests.unit.documents.test_summary import demo_rule as demo_rule

from dpwerm.documents.document import (
    Block,
    Caution,
    Commands,
    Document,
    Facts,
    Paragraph,
    Picture,
    Points,
    Table,
)
from dpwerm.documents.report.material import Material
from dpwerm.evaluate import treatment_value
from dpwerm.releases.kinds import Beside
from dpwerm.releases.release import Rule
from dpwerm.releases.rule_file import content_of
from dpwerm.releases.value.release import ValueRelease


@functools.cache
def rule_of(kind: str) -> Rule:
    """Return a rule of a kind, fitted once for all tests."""
    makers = {
        "output": lambda: demo_rule(50, mechanism="spherical-laplace"),
        "objective": lambda: demo_rule(1, mechanism="objective-block"),
        "gaussian": lambda: demo_rule(1, mechanism="gaussian", delta="1e-6"),
        "no noise": lambda: demo_rule("inf"),
        "seeded": lambda: demo_rule(1, random_state=1),
        "threshold": lambda: demo_rule(100, threshold=0.9, random_state=1),
        "add_remove": lambda: demo_rule(
            mechanism="objective-block", text=TEXT.replace('"replace_one"', '"add_remove"')
        ),
    }
    return makers[kind]()


KINDS = ("output", "objective", "gaussian", "no noise", "seeded", "threshold", "add_remove")


@functools.cache
def value_of(kind: str) -> ValueRelease:
    """Return the released value of a rule on its own trial."""
    return treatment_value(rule_of(kind), TRIAL, 100, ledger="none")


@functools.cache
def material(kind: str, *, valued: bool = False) -> Material:
    """Return what a report of that kind is made from."""
    return Material(rule_of(kind), Beside(value=value_of(kind) if valued else None))


def digest_of(kind: str) -> str:
    """Return the digest of the rule file."""
    return str(content_of(rule_of(kind))["digest"])


def texts(block: Block) -> list[str]:
    """Return every text of a block."""
    match block:
        case Paragraph(text) | Caution(text):
            return [text]
        case Points(items):
            return list(items)
        case Facts(rows, caption):
            return [caption, *(cell for row in rows for cell in row)]
        case Table(caption, headings, rows):
            return [caption, *headings, *(cell for row in rows for cell in row)]
        case Picture(caption, words, _):
            return [caption, words]
        case Commands(lines):
            return list(lines)


def said(report: Document, key: str) -> str:
    (section,) = [one for one in report.sections if one.key == key]
    return "\n".join(text for block in section.blocks for text in texts(block))
