"""A report says all that it should, of every kind of rule, and the same in every format."""

import html
import json
import re

import pytest
from tests.unit.report.reported import KINDS, material

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
from dpwerm.report.material import Material
from dpwerm.report.plain import as_text
from dpwerm.report.plain_data import as_data

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
    assert report.notice.startswith(start)
    assert report.notice in html.unescape(as_html(report)).partition("<main>")[0]
    assert report.notice in as_text(report).replace("\n", " ")
    assert as_data(report)["notice"] == report.notice


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
    assert "by at most a factor 2.72 (epsilon = 1)." in text


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
    assert "n is not written" in said(report, "private")
    assert "150" not in said(report, "cost") + said(report, "short")


def test_coefficients_set_to_zero_are_said_to_be() -> None:
    text = said(compose(material("threshold")), "learned")
    assert "set to 0" in text


def test_the_short_answer_leaves_out_what_may_be_noise() -> None:
    drowned, clear = material("objective"), material("output")
    assert drowned.half is not None
    names = drowned.rule.release.encoding.coefficient_names
    sizes = abs(drowned.rule.release.effects)
    assert drowned.drowned == tuple(
        name for name, size, reach in zip(names, sizes, drowned.half, strict=True) if size <= reach
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
    for words in ("18 to 80", "protocol: adults up to 80", "0 to 28", "not stated", "-12 to 28"):
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
