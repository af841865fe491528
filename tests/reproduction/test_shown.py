"""Tables of pages beside the package."""

from reproduction.shown import markdown


def test_a_markdown_table_has_a_header() -> None:
    assert markdown([("a", "b"), ("1", "x|y")]) == "| a | b |\n| --- | --- |\n| 1 | x\\|y |"
