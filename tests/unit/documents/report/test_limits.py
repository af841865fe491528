"""Misuse is warned of where it threatens."""

from dataclasses import replace
from fractions import Fraction

from tests.unit.documents.reported import material, said

from dpwerm.documents.report.compose import compose
from dpwerm.documents.report.material import Material
from dpwerm.study.propensity import ColumnPropensity


def test_arms_that_were_not_drawn_by_lot_are_warned_of() -> None:
    rule = material("output").rule
    declared = rule.declaration.treatment
    observed = declared.model_copy(
        update={
            "declared_arms": declared.declared_arms._replace(probabilities=None),
            "propensity": ColumnPropensity(column="p"),
            "propensity_floor": Fraction(1, 10),
            "declared_origin": "worst_case",
        }
    )
    shown = replace(rule, declaration=replace(rule.declaration, treatment=observed))
    assert "not assigned by lot" in said(compose(Material(shown)), "limits")
    assert "not assigned by lot" not in said(compose(material("output")), "limits")
