"""What the promise of a rule means, in one sentence."""

from dpwerm.privacy.budget import AnyBudget, Budget, total
from dpwerm.privacy.odds import LARGEST_TOLD, factor_words
from dpwerm.report.material import Material
from dpwerm.report.meaning import meaning
from dpwerm.report.sections.naming import joined
from dpwerm.rules.rule import Rule
from dpwerm.rules.rule_file import notice


def promise(rule: Rule) -> str:
    """Return by how much one person can matter for what was published, all of it included."""
    budget = rule.budget
    if not rule.private:
        return notice(rule)
    if not isinstance(budget, Budget):
        return joined(meaning(rule.release.certificate, budget))
    unit = "Replacing one person's row"
    if rule.release.certificate.n is None:
        unit = "Adding or removing one person's row"
    words = f"{unit} changes the probability of any rule by at most {factor_words(budget.epsilon)}"
    if budget.delta > 0:
        words += f", and beyond that by {budget.delta:f}"
    return f"{words} ({budget})."


def together(material: Material) -> AnyBudget | None:
    """Return what rule and value cost if they are about the same people; None if it has no sum."""
    rule, value = material.rule, material.value
    if value is None or not (rule.private and value.private):
        return None
    if not isinstance(rule.budget, Budget):
        return None
    return total(rule.budget, value.budget)


def can_be_told(rule: Rule) -> bool:
    """Whether the promise is one factor that protects somebody, with nothing beside it."""
    budget = rule.budget
    return (
        rule.private
        and isinstance(budget, Budget)
        and budget.delta == 0
        and budget.epsilon <= LARGEST_TOLD
    )
