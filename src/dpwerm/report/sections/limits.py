"""What the rule must not be used for."""

from dpwerm.report.content import Block, Caution, Points, Section
from dpwerm.report.material import Material
from dpwerm.report.sections.naming import quoted
from dpwerm.rules.rule import Rule

MODELLED = ("external", "released", "ridge")


def limits(material: Material) -> Section:
    """Return the section on misuse."""
    rule = material.rule
    blocks: list[Block] = []
    if not rule.private:
        blocks.append(
            Caution("NOT PRIVATE: it must not be published, or shown to others, if data is real.")
        )
    blocks.append(Points(tuple(_points(material))))
    return Section("limits", "What it must not be used for", tuple(blocks))


def _points(material: Material) -> list[str]:
    rule = material.rule
    first, second = map(quoted, rule.arms)
    points = [
        (
            "It does not decide for a person. It is one linear score of a few features; whoever "
            "treats a person knows more."
        ),
        (
            f"It compares {first} and {second} and no other treatment, for people like those of "
            "the study. Outside the declared ranges it has seen nobody."
        ),
        (
            "It is no test of a hypothesis. A coefficient has no p-value here; its interval is "
            "about privacy noise, and other people would have given another rule."
        ),
        (
            "It does not say that a feature causes a better outcome: features stand for others "
            "that go with them."
        ),
        (
            "It says nothing about whether a certain person took part, or what was written about "
            "them. Whoever reads that into it is guessing."
        ),
        (
            "It must not be made again until it looks better: every release costs, and the ledger "
            "counts them all."
        ),
    ]
    if material.value is None:
        points.append("It must not be called beneficial: nobody has released what it is worth.")
    else:
        points.append(
            "The value is fair only if it was measured on people whom the rule has not seen."
        )
    points += _modelled(rule)
    return points


def _modelled(rule: Rule) -> list[str]:
    if rule.declaration.treatment.origin not in MODELLED:
        return []
    return [
        (
            "Arms were not assigned by lot, so the rule is right only if the model of who "
            "received which arm is right and nothing that matters is missing from it. No interval "
            "here allows for that."
        )
    ]
