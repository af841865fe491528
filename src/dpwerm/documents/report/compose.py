"""The certificate: the claim, its proof and every number, for whoever checks them."""

from collections.abc import Callable

from dpwerm.documents.content import Block, Commands, Facts, Paragraph, Report, Section, cleaned
from dpwerm.documents.report.cost import cost
from dpwerm.documents.report.learned import learned
from dpwerm.documents.report.limits import limits
from dpwerm.documents.report.material import Booked, Material, Names, joined
from dpwerm.documents.report.private import why_private
from dpwerm.documents.report.quality import quality
from dpwerm.documents.report.short import in_short
from dpwerm.documents.summary import certificate_rows, chosen_lines, tuning_lines
from dpwerm.documents.value import value_rows
from dpwerm.privacy.budget import Budget
from dpwerm.privacy.relation import Relation
from dpwerm.releases.kinds import Beside
from dpwerm.releases.rule import Rule
from dpwerm.version import __version__

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


# ------------------------------------------------------------------------------------------
# Versions, digests, and how to make the report again.


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


# ------------------------------------------------------------------------------------------
# The words of the report that its reader may meet for the first time.


RELATIONS = {
    Relation.REPLACE_ONE: (
        "The promise compares two tables that differ in one person's row. How many people took "
        "part is public."
    ),
    Relation.ADD_REMOVE: (
        "The promise compares two tables of which one has one more person. How many people took "
        "part is not published."
    ),
}


def words(material: Material) -> Section:
    """Return the section that explains words."""
    rule = material.rule
    relation = rule.release.certificate.relation
    rows = [
        ("arm", "One of the two treatments that were compared."),
        ("score", "The sum of what each feature adds; its sign says which arm is recommended."),
        *_promised(rule),
        (str(relation), RELATIONS[relation]),
        ("mechanism", "How noise is made and where it is put, with a proof of what it promises."),
        ("gamma", "How strongly coefficients are held near 0. A larger one needs less noise."),
        ("ledger", "The list of all releases of a study, their costs and what is left."),
        ("digest", "A number that changes if anything in a file is changed."),
    ]
    return Section("words", "Words", (Facts(tuple(rows)),))


def _promised(rule: Rule) -> list[tuple[str, str]]:
    budget = rule.budget
    tells = "How much a release may tell about one person. Smaller protects better."
    if not isinstance(budget, Budget):
        return [(budget.symbol, tells)]
    if budget.delta > 0:
        more = "By how much a probability may differ beyond what epsilon allows."
        return [("epsilon", tells), ("delta", more)]
    return [("epsilon", tells)]


# ------------------------------------------------------------------------------------------
# A report out of its material: one section after the other.


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


def report_on(rule: Rule, beside: Beside) -> Report:
    """Return the report on a rule, with what is known beside it."""
    booked = None if beside.account is None else Booked(beside.account, beside.where)
    names = Names(beside.file, beside.value_file or Names.value, beside.study_file or Names.study)
    return compose(Material(rule, beside.value, booked, beside.checks, names))


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
