"""Nothing good is claimed without an evaluation."""

from tests.unit.documents.reported import material, said

from dpwerm.documents.report.compose import compose


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
