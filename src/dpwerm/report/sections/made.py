"""Versions, digests, and how to make the report again."""

from dpwerm.report.content import Block, Commands, Facts, Paragraph, Section
from dpwerm.report.material import Material, Names
from dpwerm.version import __version__


def made(material: Material) -> Section:
    """Return the section for whoever wants to make it again."""
    rule, names = material.rule, material.names or Names()
    study = rule.declaration.study_id
    rows = [
        ("rule made by", rule.release.certificate.library),
        ("report made by", f"dpwerm {__version__}"),
        ("digest of the rule file", material.digest),
    ]
    if material.value is not None and material.value_digest is not None:
        rows += [
            ("value made by", material.value.library),
            ("digest of the value file", material.value_digest),
        ]
    if study:
        rows.insert(0, ("study", study))
    command = f"dpwerm report {names.rule}"
    if material.booked is not None:
        command += f" --study {names.study}"
    if material.value is not None:
        command += f" --value {names.value}"
    blocks: list[Block] = [
        Facts(tuple(rows)),
        Paragraph(
            "The same files give the same report, byte for byte. The rule itself cannot be made "
            "twice: its noise came from the operating system and was kept by nobody. A second fit "
            "gives another rule and is charged again."
        ),
        Commands((command,)),
        Paragraph(
            "Everything in this report comes from released files and the ledger. No row of a table "
            "was read to make it. Its pages named docs/... belong to the library's documentation."
        ),
    ]
    return Section("made", "Versions, and how to make it again", tuple(blocks))
