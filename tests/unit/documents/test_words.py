import json
from dataclasses import replace

from tests.unit.documents.shown import says_the_same_in_every_format

from dpwerm.audit.attack import Audited
from dpwerm.audit.suite import Cell, mechanism_target
from dpwerm.documents.audit import HEADINGS, Found, audit_document, passed, plain, rows_of
from dpwerm.documents.document import Table
from dpwerm.documents.render import as_text, lines_of
from dpwerm.privacy.budget import Budget

FOUND = Audited("gaussian", Budget.of(2), 3, 1.5, 1.0, 400_000, 9000, "a pair", "score", 0.999)


def cell(name: str, setting: str, *, asked: bool = True) -> Cell:
    return Cell(name, setting, lambda: mechanism_target("gaussian", 1, "1", "0.01"), asked=asked)


def text_of(found: Found) -> str:
    document = audit_document(found)
    says_the_same_in_every_format(document)
    return " ".join(as_text(document).split())


def test_a_table_has_a_row_for_each_audit() -> None:
    (row,) = rows_of([(cell("gaussian", "p = 3"), FOUND)])
    assert len(HEADINGS) == len(row)
    assert row == ("gaussian", "p = 3", "2", "1.50", "1.00", "1.33", "holds")
    bare = replace(FOUND, lower=0.0, exact_lower=None)
    assert rows_of([(cell("gaussian", "p = 3"), bare)])[0][3:] == ("0.00", "", "none", "holds")


def test_the_end_says_what_the_bounds_rest_on_and_how_many_hold() -> None:
    weak = replace(FOUND, lower=0.1, exact_lower=None, exact_runs=0)
    found = [(cell("a", "x"), FOUND), (cell("b", "y"), weak), (cell("c", "z", asked=False), weak)]
    text = text_of(found)
    assert "400,000 simulated releases of each" in text
    assert "confidence 0.999." in text
    assert "At least, real: by the same attack on 9,000 real releases of 1 of them." in text
    assert "3 of 3 claims hold. Within a factor of 2: 1 of 2." in text
    assert "BROKEN" not in text
    assert passed(found)


def test_a_broken_claim_is_named() -> None:
    broken = replace(FOUND, lower=2.5)
    found = [(cell("a", "x"), broken)]
    assert "0 of 1 claims hold." in text_of(found)
    assert "BROKEN: a, x." in text_of(found)
    assert not passed(found)


def test_a_very_high_confidence_is_said_by_what_is_missing() -> None:
    sure = replace(FOUND, confidence=1 - 1e-6, exact_lower=None)
    assert "confidence 1 - 1e-06." in text_of([(cell("a", "x"), sure)])


def test_plain_data_can_be_written() -> None:
    (entry,) = json.loads(json.dumps(plain([(cell("gaussian", "p = 3"), FOUND)])))
    assert entry["claim"] == {"epsilon": "2", "delta": "0"}
    assert (entry["lower"], entry["exact_lower"], entry["verdict"]) == (1.5, 1.0, "holds")
    assert (entry["runs"], entry["exact_runs"], entry["pair"]) == (400_000, 9000, "a pair")


def test_what_is_at_least_so_is_rounded_down() -> None:
    near = replace(FOUND, lower=1.9999, exact_lower=0.0099)
    (row,) = rows_of([(cell("a", "x"), near)])
    assert row[3:5] == ("1.99", "0.00")


def test_a_long_cell_of_a_table_goes_on_below() -> None:
    long = ", ".join(["level"] * 40)
    lines = lines_of(Table("", ("what", "declared", "source"), (("a", long, "form"),)))
    assert max(map(len, lines)) <= 92
    assert " ".join(lines).count("level") == 40
