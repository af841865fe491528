"""The words at the top of an exported rule: what it is, whether it is private, what cells mean."""

from collections.abc import Sequence

from dpwerm.rules.rule import Rule
from dpwerm.rules.rule_file import content_of, notice
from dpwerm.text import one_line
from dpwerm.version import __version__

_CELLS = (
    "A number that is missing or not finite becomes its default; others are kept within bounds.",
    "A missing category becomes its default level.",
    'A text that is no level becomes the level "*", or the first level if there is none.',
)


def digest(rule: Rule) -> str:
    """Return the digest of the rule's file, by which the file is recognised."""
    return str(content_of(rule)["digest"])


def heading(rule: Rule, unused: Sequence[str] = ()) -> list[str]:
    """Return the lines of the heading; each is one line whatever names a file holds.

    unused: columns that the export leaves out.
    """
    first, second = rule.arms
    lines = [
        rule.title,
        notice(rule),
        f"Rule file {digest(rule)}.",
        f"Learned with {rule.release.certificate.library}, written by dpwerm {__version__}.",
        f"Score above 0: {second}. Below 0: {first}. Exactly 0: {rule.default}.",
        *_CELLS,
    ]
    if unused:
        lines.append(f"Not read, because they change nothing: {', '.join(unused)}.")
    return [one_line(line) for line in lines]
