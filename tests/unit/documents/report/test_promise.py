"""The promise in one sentence, nothing left out."""

from tests.unit.documents.reported import material, said

from dpwerm.documents.report.compose import compose


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
