"""Tables in columns and paragraphs of one width."""

from dpwerm.text import WIDTH, aligned, markdown, wrapped


def test_columns_stand_under_each_other() -> None:
    assert aligned([("a", "long text", "x"), ("bbb", "y", "")]) == [
        "  a    long text  x",
        "  bbb  y",
    ]


def test_a_markdown_table_has_a_header() -> None:
    assert markdown([("a", "b"), ("1", "x|y")]) == "| a | b |\n| --- | --- |\n| 1 | x\\|y |"


def test_lines_are_not_too_wide() -> None:
    lines = wrapped("word " * 100)
    assert max(map(len, lines)) <= WIDTH
    assert " ".join(lines).split() == ["word"] * 100
