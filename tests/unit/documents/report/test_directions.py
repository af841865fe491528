"""What speaks for which arm, and in which order, in the rule as it was released."""

from dataclasses import replace

from tests.unit.documents.reported import demo_rule

from dpwerm.documents.report.learned import directions
from dpwerm.simulate.demo import study_text


def test_levels_are_told_by_the_pair_that_is_furthest_apart() -> None:
    """Three levels at +1, +2 and +3 do not all speak for the second arm."""
    text = study_text().replace('levels = ["F", "M"]', 'levels = ["F", "M", "X"]')
    rule = demo_rule("inf", text=text)
    names = rule.release.encoding.coefficient_names
    values = {"sex=F": 1, "sex=M": 2, "sex=X": 3}
    unit = 2**-rule.release.exponent
    integers = tuple(values.get(name, 0) * unit for name in names)
    moved = replace(rule, release=replace(rule.release, integers=integers))
    assert directions(moved) == (
        "Speaking for 'therapy': sex 'X' more than 'F'. Speaking for 'pill': sex 'F' more than 'X'."
    )


def test_in_the_papers_encoding_a_number_pulls_half_as_far() -> None:
    text = study_text().replace('levels = ["F", "M"]', 'levels = ["F", "M", "X"]')
    for kind, first in (("centred", "a higher age"), ("paper", "sex 'X' more than 'F'")):
        rule = demo_rule("inf", text=f'{text}\n[method]\nencoding = "{kind}"\n')
        values = {"age": 1.0, "sex=F": -0.6, "sex=X": 0.6}
        unit = 2**-rule.release.exponent
        names = rule.release.encoding.coefficient_names
        integers = tuple(round(values.get(name, 0) * unit) for name in names)
        moved = replace(rule, release=replace(rule.release, integers=integers))
        assert directions(moved).startswith(f"Speaking for 'therapy': {first} and ")
