"""Every bound with its source and all its digits."""

from dataclasses import replace

from tests.unit.documents.reported import demo_rule, material, said

from dpwerm.documents.report.compose import compose
from dpwerm.documents.report.material import Material
from dpwerm.features.blocks import CategoryBlock, Level, NumberBlock
from dpwerm.simulate.demo import study_text


def test_every_declared_bound_stands_with_its_source() -> None:
    text = said(compose(material("output")), "private")
    for words in (
        "18 to 80",
        "protocol: adults up to 80",
        "0 to 28",
        "case report form",
        "-12 to 28",
    ):
        assert words in text


def test_declared_numbers_are_given_with_all_their_digits() -> None:
    rule = material("output").rule
    days = [
        block.model_copy(update={"lower": 20240101.0, "upper": 20241231.0, "default": 20240611.0})
        if isinstance(block, NumberBlock)
        else block
        for block in rule.release.encoding.blocks
    ]
    encoding = rule.release.encoding.changed(blocks=tuple(days))
    shown = replace(rule, release=replace(rule.release, encoding=encoding))
    report = compose(Material(shown))
    assert "20240101 to 20241231, if missing 20240611" in said(report, "private")


def test_a_level_with_a_comma_is_told_from_two_levels() -> None:
    rule = material("output").rule
    named = [
        block.model_copy(
            update={"levels": (block.levels[0], Level(name="yes, once", cells=("2",)))}
        )
        if isinstance(block, CategoryBlock)
        else block
        for block in rule.release.encoding.blocks
    ]
    encoding = rule.release.encoding.changed(blocks=tuple(named))
    shown = replace(rule, release=replace(rule.release, encoding=encoding))
    assert "'yes, once' (cells 2)" in said(compose(Material(shown)), "private")


def test_what_has_no_source_is_pointed_out() -> None:
    assert "No source is stated" not in said(compose(material("output")), "private")
    bare = demo_rule(text=study_text().replace('source = "case report form"\n', ""))
    assert "No source is stated for 2 of these." in said(compose(Material(bare)), "private")
