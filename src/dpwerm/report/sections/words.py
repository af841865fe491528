"""The words of the report that its reader may meet for the first time."""

from dpwerm.privacy.budget import Budget
from dpwerm.privacy.relation import Relation
from dpwerm.report.content import Facts, Section
from dpwerm.report.material import Material
from dpwerm.rules.rule import Rule

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
