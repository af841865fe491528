"""Pages of artefacts: they say first whether the paper agrees, and what a quick one lacks."""

from pathlib import Path

import pytest
from matplotlib.figure import Figure

from dpwerm.errors import ParameterError
from reproduction.artefact import Artefact, Bench, Made, Sheet, Verdict
from reproduction.page import csv_text, page, prepare, write_files, write_index


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


ARTEFACT = Artefact("table9", "Table IX", lambda _: made())


def test_a_page_has_verdicts_pictures_tables_and_notes(tmp_path: Path) -> None:
    text = page(ARTEFACT, made(), Bench("table9", tmp_path))
    assert text.startswith("# Table IX\n\nMade by `python -m reproduction table9` with dpwerm ")
    assert "- **agrees**: The mean is 64.7. It is 65.1." in text
    assert "- **differs**: It is stable. It is not: 3 of 7 differ." in text
    assert "![Table IX](table9.svg)" in text
    assert "![Table IX, value](table9-value.svg)" in text
    assert "| ε | n |\n| --- | --- |\n| 1 | 200 |\n\nA title." in text
    assert "Done with care." in text
    assert "Ten repeats" not in text


def test_a_quick_page_says_what_it_leaves_out(tmp_path: Path) -> None:
    text = page(ARTEFACT, made(), Bench("table9", tmp_path, quick=True))
    assert "`python -m reproduction table9 --quick`" in text
    assert "**A quick version, not the whole.** Ten repeats instead of 200." in text


def test_what_is_skipped_is_said(tmp_path: Path) -> None:
    empty = made(rows=[], sheets=[], pictures={}, verdicts=[], notes=[], skipped="No data.")
    bench = Bench("table9", tmp_path)
    assert [path.name for path in write_files(ARTEFACT, empty, bench)] == ["table9.md"]
    assert "**Note.** No data." in (tmp_path / "table9.md").read_text(encoding="utf-8")


def test_files_are_written_and_the_same_picture_gives_the_same_file(tmp_path: Path) -> None:
    bench = Bench("table9", tmp_path)
    names = [path.name for path in write_files(ARTEFACT, made(), bench)]
    assert names == ["table9.csv", "table9.svg", "table9-value.svg", "table9.md"]
    first = (tmp_path / "table9.svg").read_bytes()
    write_files(ARTEFACT, made(), bench)
    assert (tmp_path / "table9.svg").read_bytes() == first
    assert b"<dc:date>" not in first


def test_rows_need_not_have_the_same_columns() -> None:
    text = csv_text([{"a": 1, "b": 2}, {"a": 3, "c": "x, y"}])
    assert text == 'a,b,c\n1,2,\n3,,"x, y"\n'


def test_the_index_lists_what_differs(tmp_path: Path) -> None:
    path = write_index([(ARTEFACT, made())], Bench("table9", tmp_path, quick=True))
    text = path.read_text(encoding="utf-8")
    assert "| [Table IX](table9.md) | 2 statements | 1 | 1 |" in text
    assert "- [Table IX](table9.md): It is stable. It is not: 3 of 7 differ." in text
    assert "not the whole" in text
    prepare(tmp_path)


def test_somebody_elses_page_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("# My project\n", encoding="utf-8")
    with pytest.raises(ParameterError, match="choose another folder"):
        prepare(tmp_path)
    prepare(tmp_path / "new" / "folder")
    assert (tmp_path / "new" / "folder").is_dir()
