"""A report out of its material: one section after the other."""

from collections.abc import Callable

from dpwerm.report.content import Report, Section, cleaned
from dpwerm.report.material import Material
from dpwerm.report.sections.certificate import certificate
from dpwerm.report.sections.cost import cost
from dpwerm.report.sections.learned import learned
from dpwerm.report.sections.limits import limits
from dpwerm.report.sections.made import made
from dpwerm.report.sections.private import why_private
from dpwerm.report.sections.quality import quality
from dpwerm.report.sections.short import in_short
from dpwerm.report.sections.words import words
from dpwerm.version import __version__

SECTIONS: tuple[Callable[[Material], Section], ...] = (
    in_short,
    learned,
    quality,
    cost,
    why_private,
    limits,
    words,
    certificate,
    made,
)


def compose(material: Material) -> Report:
    """Return the report on a rule."""
    report = Report(
        title=material.rule.title,
        notices=material.notices,
        private=material.private,
        sections=tuple(section(material) for section in SECTIONS),
        library=f"dpwerm {__version__}",
    )
    return cleaned(report)
