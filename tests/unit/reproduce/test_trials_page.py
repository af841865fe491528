from pathlib import Path

import pytest
from rich.console import Console

from dpwerm.errors import ParameterError
from dpwerm.reproduce.trials_page import Sheet, show, write

SHEET = Sheet("one", "A title", ["a", "b"], [["1", "2"], ["3", "4"]])
PAGE = "before\n<!-- one: begin -->\nold\n<!-- one: end -->\nafter\n"


def test_a_page_is_filled_between_its_marks_and_nowhere_else(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(PAGE, encoding="utf-8")
    for _ in range(2):
        write([SHEET], page)
        assert page.read_text("utf-8") == (
            "before\n<!-- one: begin -->\n"
            "| a | b |\n| --- | --- |\n| 1 | 2 |\n| 3 | 4 |\n\nA title.\n"
            "<!-- one: end -->\nafter\n"
        )


def test_a_page_without_marks_stays_as_it_is(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("nothing", encoding="utf-8")
    with pytest.raises(ParameterError, match="no place for the table one"):
        write([SHEET], page)
    assert page.read_text("utf-8") == "nothing"
    write([SHEET], None)


def test_a_sheet_is_printed_whole(capsys: pytest.CaptureFixture[str]) -> None:
    show([SHEET], Console(width=80))
    printed = capsys.readouterr().out
    assert all(text in printed for text in ("A title", "1", "4"))
