"""Versions, digests, and how to make the report again."""

from dpwerm.report.content import Block, Commands, Facts, Paragraph, Section
from dpwerm.report.material import Material
from dpwerm.rules.rule import Rule
from dpwerm.version import __version__


def made(material: Material) -> Section:
    """Return the section for whoever wants to make it again."""
    rule = material.rule
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
    command = "dpwerm report {rule}"
    if material.booked is not None:
        command += " --study {study}"
    if material.value is not None:
        command += " --value {value}"
    blocks: list[Block] = [
        Facts(tuple(rows)),
        Paragraph(f"The same files give the same report, byte for byte. {_again(rule)}"),
        Commands((material.names.typed(command),)),
        Paragraph(
            "Everything in this report comes from released files and the ledger. No row of a table "
            "was read to make it. Its pages named docs/... belong to the library's documentation."
        ),
    ]
    return Section("made", "Versions, and how to make it again", tuple(blocks))


def _again(rule: Rule) -> str:
    """Return whether the rule itself can be made a second time."""
    if not rule.private:
        return "The rule itself comes out again from the same table and settings."
    words = (
        "The rule itself cannot be made twice: its noise came from the operating system and was "
        "kept by nobody. A second fit gives another rule"
    )
    return f"{words} and is charged again." if rule.receipt is not None else f"{words}."
