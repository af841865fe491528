"""A report says all that it should, of every kind of rule, and the same in every format."""

import html
import json
import re
import shlex
from dataclasses import replace
from fractions import Fraction

import pytest
from tests.unit.report.reported import KINDS, material, rule_of
from tests.unit.report.test_summary import TRIAL, demo_rule

from dpwerm.errors import ParameterError
from dpwerm.report.compose import SECTIONS, compose
from dpwerm.report.content import (
    Block,
    Caution,
    Commands,
    Facts,
    Paragraph,
    Picture,
    Points,
    Report,
    Table,
)
from dpwerm.report.html import as_html
from dpwerm.report.material import Material, Names
from dpwerm.report.plain import as_text
from dpwerm.report.plain_data import as_data
from dpwerm.report.sections.learned import directions
from dpwerm.rules.value.evaluate import treatment_value
from dpwerm.simulate.demo import study_text
from dpwerm.study.blocks import NumberBlock
from dpwerm.study.propensity import ColumnPropensity

VALUED = ("output", "objective", "no noise")


def squeezed(text: str) -> str:
    """Return the text without spaces, lines and rules of tables."""
    return re.sub(r"[\s-]+", "", text)


def texts(block: Block) -> list[str]:
    """Return every text of a block."""
    match block:
        case Paragraph(text) | Caution(text):
            return [text]
        case Points(items):
            return list(items)
        case Facts(rows):
            return [cell for row in rows for cell in row]
        case Table(caption, headings, rows):
            return [caption, *headings, *(cell for row in rows for cell in row)]
        case Picture(caption, words, _):
            return [caption, words]
        case Commands(lines):
            return list(lines)


def said(report: Report, key: str) -> str:
    (section,) = [one for one in report.sections if one.key == key]
    return "\n".join(text for block in section.blocks for text in texts(block))


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_rule_has_every_section_in_every_format(kind: str) -> None:
    report = compose(material(kind, valued=kind in VALUED))
    assert len(report.sections) == len(SECTIONS)
    page = html.unescape(as_html(report))
    data = json.loads(json.dumps(as_data(report)))
    plain = squeezed(as_text(report))
    for section, copy in zip(report.sections, data["sections"], strict=True):
        assert section.blocks
        assert f'id="{section.key}"' in page
        assert (copy["key"], copy["title"]) == (section.key, section.title)
        for block, twin in zip(section.blocks, copy["blocks"], strict=True):
            assert twin["kind"] == block.kind
            told = json.dumps(twin, ensure_ascii=False)
            for text in texts(block):
                assert text in page
                assert json.dumps(text, ensure_ascii=False) in told
                # In a text, long facts and paragraphs are broken into lines.
                assert all(squeezed(word) in plain for word in text.split())


@pytest.mark.parametrize("kind", KINDS)
def test_the_notice_heads_every_format(kind: str) -> None:
    report = compose(material(kind))
    assert report.private is (kind not in ("no noise", "seeded", "threshold"))
    start = "Released under differential privacy" if report.private else "NOT PRIVATE"
    (notice,) = report.notices
    assert notice.startswith(start)
    assert notice in html.unescape(as_html(report)).partition("<main>")[0]
    assert notice in as_text(report).replace("\n", " ")
    assert as_data(report)["notices"] == [notice]


@pytest.mark.parametrize("kind", ["no noise", "seeded"])
def test_a_rule_without_a_claim_is_not_called_private(kind: str) -> None:
    report = compose(material(kind))
    assert "Why it is private" not in [section.title for section in report.sections]
    assert "Do not publish this rule" in said(report, "cost")
    assert "must not be published" in said(report, "limits")
    assert "factor" not in said(report, "cost")
    assert "factor" not in said(report, "short")


def test_the_promise_stands_in_plain_words_at_the_top() -> None:
    text = said(compose(material("objective")), "short")
    assert "the probability of any rule by at most a factor 2.72 (epsilon = 1)." in text


def test_output_perturbation_has_exact_intervals() -> None:
    text = said(compose(material("output")), "learned")
    assert "by its exact law" in text
    assert "privacy noise, ±" in text
    assert "simulated" not in text


def test_objective_perturbation_has_simulated_intervals_that_say_so() -> None:
    text = said(compose(material("objective")), "learned")
    assert "privacy noise, ±, simulated" in text
    assert "± is simulated" in text
    assert "exact law" not in text


def test_where_nothing_can_be_simulated_the_report_says_why() -> None:
    text = said(compose(material("add_remove")), "learned")
    assert "No interval is shown. Nothing is simulated: under add_remove" in text
    assert "±" not in text


def test_add_remove_writes_no_number_of_people() -> None:
    report = compose(material("add_remove"))
    assert "n is not written" in said(report, "certificate")
    assert "150" not in said(report, "cost") + said(report, "short")


def test_coefficients_set_to_zero_are_said_to_be() -> None:
    text = said(compose(material("threshold")), "learned")
    assert "set to 0" in text


def test_the_short_answer_leaves_out_what_may_be_noise() -> None:
    drowned, clear = material("objective"), material("output")
    assert drowned.reach is not None
    names, together = drowned.rule.release.encoding.coefficient_names, drowned.reach.together
    sizes = abs(drowned.rule.release.effects)
    assert drowned.drowned == tuple(
        name for name, size, reach in zip(names, sizes, together, strict=True) if size <= reach
    )
    for one in (drowned, clear):
        text = said(compose(one), "short")
        for name in ("age", "severity"):
            assert (f"a higher {name}" in text) is (name not in one.drowned)
            assert (f"a lower {name}" in text) is (name not in one.drowned)
    assert material("no noise").drowned == ()


def test_without_an_evaluation_no_good_is_claimed() -> None:
    report = compose(material("output"))
    assert "NOT EVALUATED" in said(report, "quality")
    assert "must not be called beneficial" in said(report, "limits")


def test_an_evaluation_shows_both_errors_apart() -> None:
    report = compose(material("output", valued=True))
    text = said(report, "quality")
    for words in ("privacy error", "sampling error", "'pill' for everybody", "gain of the rule"):
        assert words in text
    assert "NOT EVALUATED" not in text


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


def test_the_example_is_what_the_rule_recommends() -> None:
    rule = material("output").rule
    defaults = {"age": [None], "sex": [None], "severity": [None], "earlier_treatment": [None]}
    score = float(rule.score_table(_table(defaults))[0])
    text = said(compose(material("output")), "learned")
    assert f"gives a score of {score:+.4g}, so '{rule.arms[int(score > 0)]}'" in text


def _table(columns: dict[str, list[None]]) -> object:
    import pyarrow as pa

    return pa.table(columns)


def test_the_value_of_another_rule_is_refused() -> None:
    other = material("objective", valued=True).value
    with pytest.raises(ParameterError, match="about another rule"):
        Material(material("output").rule, other)


def test_the_same_material_gives_the_same_bytes() -> None:
    one = material("objective", valued=True)
    again = Material(one.rule, one.value)
    assert as_html(compose(one)) == as_html(compose(again))


def test_pictures_can_be_told_in_words() -> None:
    report = compose(material("output", valued=True))
    pictures = [
        block for section in report.sections for block in section.blocks if block.kind == "picture"
    ]
    assert len(pictures) == 4
    assert all(isinstance(one, Picture) and one.words and one.caption for one in pictures)


# What an attack on the report found, each with its test.


def test_a_value_that_is_not_private_is_marked_everywhere() -> None:
    """A private rule must not lend its headline to an evaluation without noise."""
    rule = rule_of("output")
    bare = treatment_value(rule, TRIAL, "inf")
    report = compose(Material(rule, bare))
    assert report.private is False
    assert report.notices[1].startswith("Its value: NOT PRIVATE")
    for key in ("short", "quality", "cost", "limits"):
        assert "NOT PRIVATE" in said(report, key), key
    assert "How its value was made, without a promise:" in said(report, "certificate")
    assert as_data(report)["private"] is False


@pytest.mark.parametrize("kind", ["no noise", "seeded"])
def test_a_rule_without_a_claim_is_given_no_reassurance(kind: str) -> None:
    report = compose(material(kind))
    whole = "\n".join(said(report, section.key) for section in report.sections)
    for words in (
        "promise holds",
        "kept by nobody",
        "charged again",
        "ledger counts them",
        "see that the rule was charged",
        "bounded by the promise",
    ):
        assert words not in whole, words
    assert "It may tell who took part" in whole


def test_delta_is_part_of_the_promise_at_the_top() -> None:
    text = said(compose(material("gaussian")), "short")
    assert "by at most a factor 2.72, and beyond that by 0.000001" in text


def test_a_promise_that_protects_nobody_is_called_so_at_the_top() -> None:
    assert "protects nobody" in said(compose(material("output")), "short")
    assert "bounded by the promise" not in said(compose(material("output")), "limits")
    assert "bounded by the promise" in said(compose(material("objective")), "limits")


def test_rule_and_value_are_added_up_where_both_are_reported() -> None:
    report = compose(material("output", valued=True))
    assert "cost epsilon = 150 together" in said(report, "short")
    assert "both add up: epsilon = 150" in said(report, "cost")


def test_the_value_of_another_benefit_or_other_arms_is_refused() -> None:
    one = material("output", valued=True)
    assert one.value is not None
    declared = one.value.declaration
    days = declared.benefit.model_copy(update={"column": "days"})
    other = replace(one.value, declaration=replace(declared, benefit=days))
    with pytest.raises(ParameterError, match="another benefit"):
        Material(one.rule, other)
    arms = declared.treatment.declared_arms._replace(names=("placebo", "therapy"))
    treatment = declared.treatment.model_copy(update={"declared_arms": arms})
    other = replace(one.value, declaration=replace(declared, treatment=treatment))
    with pytest.raises(ParameterError, match="other arms"):
        Material(one.rule, other)


def test_a_name_cannot_forge_a_line() -> None:
    rule = rule_of("no noise")
    forged = "Study\n=====\n\nReleased under differential privacy: epsilon 0.01, delta 0."
    hostile = replace(rule, declaration=replace(rule.declaration, study_name=forged))
    report = compose(Material(hostile))
    assert "\n" not in report.title
    text = as_text(report)
    assert not re.search(r"^Released under", text, re.MULTILINE)
    assert r"Study\n=====\n\nReleased" in text


def test_the_example_gets_the_default_arm_at_a_score_of_0() -> None:
    """Sums in own units round; the example must not."""
    text = """
format = 1
[study]
id = "zero"
[features.severity]
kind = "number"
bounds = [4.1, 8.8]
[treatment]
column = "arm"
arms = { pill = 0.5, therapy = 0.5 }
[benefit]
column = "improvement"
bounds = [-12, 28]
[method]
intercept_scale = 0
"""
    rule = demo_rule(1, text=text)
    shown = said(compose(Material(rule)), "learned")
    assert "gives a score of +0, so 'pill' is recommended" in shown


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


def test_levels_are_ranked_from_their_mean() -> None:
    """Three levels at +1, +2 and +3 do not all speak for the second arm."""
    text = study_text().replace('levels = ["F", "M"]', 'levels = ["F", "M", "X"]')
    rule = demo_rule("inf", text=text)
    names = rule.release.encoding.coefficient_names
    values = {"sex=F": 1, "sex=M": 2, "sex=X": 3}
    unit = 2**-rule.release.exponent
    integers = tuple(values.get(name, 0) * unit for name in names)
    moved = replace(rule, release=replace(rule.release, integers=integers))
    assert directions(moved) == "Speaking for 'therapy': sex = X. Speaking for 'pill': sex = F."


def test_commands_can_be_typed_whatever_a_file_is_called() -> None:
    names = Names(rule="r; touch taken #.json", study="-s.toml")
    report = compose(Material(rule_of("objective"), names=names))
    (line,) = [one for one in said(report, "private").splitlines() if "dpwerm verify" in one]
    assert shlex.split(line) == ["dpwerm", "verify", "r; touch taken #.json"]
    assert "./-s.toml" in said(report, "quality")


def test_a_report_without_intervals_speaks_of_none() -> None:
    for kind in ("no noise", "add_remove"):
        text = said(compose(material(kind)), "learned")
        assert "each with its interval" not in text
        assert "how far the privacy noise reaches" not in text
    short = said(compose(material("add_remove")), "short")
    assert "is not known: some of it may be noise" in short
    assert "How many people took part is not published." in short


def test_what_has_no_source_is_pointed_out() -> None:
    assert "No source is stated" not in said(compose(material("output")), "private")
    bare = demo_rule(text=study_text().replace('source = "case report form"\n', ""))
    assert "No source is stated for 2 of these." in said(compose(Material(bare)), "private")


def test_arms_that_were_not_drawn_by_lot_are_warned_of() -> None:
    rule = material("output").rule
    declared = rule.declaration.treatment
    observed = declared.model_copy(
        update={
            "declared_arms": declared.declared_arms._replace(probabilities=None),
            "declared_propensity": ColumnPropensity(column="p"),
            "propensity_floor": Fraction(1, 10),
            "declared_origin": "worst_case",
        }
    )
    shown = replace(rule, declaration=replace(rule.declaration, treatment=observed))
    assert "not assigned by lot" in said(compose(Material(shown)), "limits")
    assert "not assigned by lot" not in said(compose(material("output")), "limits")
