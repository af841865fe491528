"""Sections of pages: they say first whether the paper agrees, and what a quick one lacks."""

from pathlib import Path

import pytest
from matplotlib.figure import Figure

from dpwerm.errors import ParameterError
from reproduction.artefact import Artefact, Bench, Made, Page, Sheet, Verdict
from reproduction.page import csv_text, prepare, section, write_files, write_index


def picture() -> Figure:
    figure = Figure()
    figure.subplots().plot([1, 2, 3])
    return figure


def made(**changes: object) -> Made:
    fields: dict[str, object] = {
        "rows": [{"method": "paper", "accuracy": 64.7}, {"method": "ours", "value": 10.1}],
        "sheets": [Sheet("one", "A title", ["ε", "n"], [["1", "200"]])],
        "pictures": {"": picture(), "value": picture()},
        "verdicts": [
            Verdict("The mean is 64.7.", True, "It is 65.1."),
            Verdict("It is stable.", False, "It is not: 3 of 7 differ."),
        ],
        "notes": ["Done with care."],
        "left_out": "Ten repeats instead of 200.",
    }
    return Made(**fields | changes)  # type: ignore[arg-type]


PAGE = Page("tables", "All tables", ("Done on paper.",))
ARTEFACT = Artefact("table9", "Table IX", PAGE, lambda _: made())


def test_a_section_has_verdicts_pictures_tables_and_notes(tmp_path: Path) -> None:
    text = section(ARTEFACT, made(), Bench("table9", tmp_path))
    assert text.startswith("## Table IX\n\n`python -m reproduction table9`, dpwerm ")
    assert "- **agrees**: The mean is 64.7. It is 65.1." in text
    assert "- **differs**: It is stable. It is not: 3 of 7 differ." in text
    assert "![Table IX](table9.svg)" in text
    assert "![Table IX, value](table9-value.svg)" in text
    assert "| ε | n |\n| --- | --- |\n| 1 | 200 |\n\nA title." in text
    assert text.endswith("Done with care.")
    assert "; every number: [table9.csv](table9.csv)." in text
    assert "Ten repeats" not in text


def test_a_quick_section_says_what_it_leaves_out(tmp_path: Path) -> None:
    text = section(ARTEFACT, made(), Bench("table9", tmp_path, quick=True))
    assert "`python -m reproduction table9 --quick`" in text
    assert "**A quick version, not the whole.** Ten repeats instead of 200." in text


def test_what_is_skipped_is_said(tmp_path: Path) -> None:
    empty = made(rows=[], sheets=[], pictures={}, verdicts=[], notes=[], skipped="No data.")
    bench = Bench("table9", tmp_path)
    assert [path.name for path in write_files(ARTEFACT, empty, bench)] == ["tables.md"]
    assert "**Note.** No data." in (tmp_path / "tables.md").read_text(encoding="utf-8")


def test_files_are_written_and_the_same_picture_gives_the_same_file(tmp_path: Path) -> None:
    bench = Bench("table9", tmp_path)
    names = [path.name for path in write_files(ARTEFACT, made(), bench)]
    assert names == ["table9.csv", "table9.svg", "table9-value.svg", "tables.md"]
    first = (tmp_path / "table9.svg").read_bytes()
    write_files(ARTEFACT, made(), bench)
    assert (tmp_path / "table9.svg").read_bytes() == first
    assert b"<dc:date>" not in first


def test_rows_need_not_have_the_same_columns() -> None:
    text = csv_text([{"a": 1, "b": 2}, {"a": 3, "c": "x, y"}])
    assert text == 'a,b,c\n1,2,\n3,,"x, y"\n'


def test_sections_share_a_page_and_leave_its_own_words(tmp_path: Path) -> None:
    bench, path = Bench("table9", tmp_path), tmp_path / "tables.md"
    write_files(ARTEFACT, made(), bench)
    assert path.read_text("utf-8").startswith(
        "# All tables\n\n<!-- how: begin -->\nDone on paper.\n"
    )
    path.write_text(path.read_text("utf-8") + "\nA last word.\n", encoding="utf-8")
    other = Artefact("table8", "Table VIII", PAGE, lambda _: made())
    for artefact, note in ((other, "First."), (ARTEFACT, "Second."), (other, "Third.")):
        write_files(artefact, made(notes=[note]), bench)
    text = path.read_text("utf-8")
    places = [text.index(one) for one in ("Second.", "A last word.", "Third.")]
    assert places == sorted(places)
    assert text.count("## ") == 2
    assert not {"First.", "Done with care."} & set(text.splitlines())


def test_the_index_counts_what_differs(tmp_path: Path) -> None:
    path = write_index([(ARTEFACT, made())], Bench("table9", tmp_path, quick=True))
    text = path.read_text(encoding="utf-8")
    assert "| [Table IX](tables.md) | 2 statements | 1 | 1 |" in text
    assert "not the whole" in text
    prepare(tmp_path)


def test_somebody_elses_page_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("# My project\n", encoding="utf-8")
    with pytest.raises(ParameterError, match="choose another folder"):
        prepare(tmp_path)
    prepare(tmp_path / "new" / "folder")
    assert (tmp_path / "new" / "folder").is_dir()
