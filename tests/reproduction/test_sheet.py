from reproduction.artefact import Sheet


def test_a_sheet_becomes_a_table_with_its_title_below() -> None:
    sheet = Sheet("one", "A title", ["a", "b"], [["1", "2"], ["3", "4"]])
    assert sheet.markdown() == "| a | b |\n| --- | --- |\n| 1 | 2 |\n| 3 | 4 |\n\nA title."
