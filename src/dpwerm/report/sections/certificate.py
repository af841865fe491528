"""The certificate: the claim, its proof and every number, for whoever checks them."""

from dpwerm.report.content import Block, Facts, Paragraph, Section
from dpwerm.report.material import Material
from dpwerm.report.sections.naming import joined
from dpwerm.report.settings_words import chosen_lines, tuning_lines
from dpwerm.report.summary import certificate_rows
from dpwerm.report.value_words import value_rows

RESTS, MADE = "What the promise of {} rests on:", "How {} was made, without a promise:"


def certificate(material: Material) -> Section:
    """Return the section for a privacy engineer."""
    rule, value = material.rule, material.value
    record = rule.release.certificate
    blocks: list[Block] = [
        Paragraph(f"The claim: {record.claim} The proof: {record.proof}."),
        Paragraph((RESTS if rule.private else MADE).format("the rule")),
        Facts(tuple(certificate_rows(rule).items())),
        *(Paragraph(joined(lines)) for lines in (tuning_lines(rule), chosen_lines(rule)) if lines),
    ]
    if not rule.private:
        blocks = blocks[1:]
    if value is not None:
        blocks += [
            Paragraph((RESTS if value.private else MADE).format("its value")),
            Facts(tuple(value_rows(value).items())),
        ]
    return Section("certificate", "The certificate, for whoever checks it", tuple(blocks))
