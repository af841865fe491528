"""Tables in columns and paragraphs of one width."""

from dpwerm.text import WIDTH, aligned, harmless, markdown, one_line, wrapped


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


def test_a_text_stays_in_its_line() -> None:
    assert one_line("a\nb\r\x1b\u2028\u202ec é 漢") == r"a\nb\r\x1b\u2028\u202ec é 漢"
    assert harmless("a\nb\x1b") == "a\nb\\x1b"
    assert aligned([("a\nb", "c"), ("longer", "d")]) == [r"  a\nb    c", "  longer  d"]
