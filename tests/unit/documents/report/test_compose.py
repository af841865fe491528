"""A report says all that it should, of every kind of rule, and the same in every format."""

import html
import re
from dataclasses import replace

import pytest
from tests.unit.documents.reported import KINDS, material, rule_of, said
from tests.unit.documents.shown import says_the_same_in_every_format
from tests.unit.documents.test_summary import TRIAL

from dpwerm.documents.render import as_data, as_html, as_text
from dpwerm.documents.report.compose import SECTIONS, compose
from dpwerm.documents.report.material import Material
from dpwerm.evaluate import treatment_value
from dpwerm.releases.kinds import Beside

VALUED = ("output", "objective", "no noise")


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_rule_has_every_section_in_every_format(kind: str) -> None:
    report = compose(material(kind, valued=kind in VALUED))
    assert len(report.sections) == len(SECTIONS)
    says_the_same_in_every_format(report)


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


def test_add_remove_writes_no_number_of_people() -> None:
    report = compose(material("add_remove"))
    assert "n is not written" in said(report, "certificate")
    assert "150" not in said(report, "cost") + said(report, "short")


def test_the_same_material_gives_the_same_bytes() -> None:
    one = material("objective", valued=True)
    again = Material(one.rule, one.beside)
    assert as_html(compose(one)) == as_html(compose(again))


def test_a_value_that_is_not_private_is_marked_everywhere() -> None:
    """A private rule must not lend its headline to an evaluation without noise."""
    rule = rule_of("output")
    bare = treatment_value(rule, TRIAL, "inf")
    report = compose(Material(rule, Beside(value=bare)))
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


def test_a_name_cannot_forge_a_line() -> None:
    rule = rule_of("no noise")
    forged = "Study\n=====\n\nReleased under differential privacy: epsilon 0.01, delta 0."
    hostile = replace(rule, declaration=replace(rule.declaration, study_name=forged))
    report = compose(Material(hostile))
    assert "\n" not in report.title
    text = as_text(report)
    assert not re.search(r"^Released under", text, re.MULTILINE)
    assert r"Study\n=====\n\nReleased" in text
