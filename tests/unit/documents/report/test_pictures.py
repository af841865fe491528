"""Every picture can be told in words."""

from tests.unit.documents.reported import material

from dpwerm.documents.document import Picture
from dpwerm.documents.report.compose import compose


def test_pictures_can_be_told_in_words() -> None:
    report = compose(material("output", valued=True))
    pictures = [
        block for section in report.sections for block in section.blocks if block.kind == "picture"
    ]
    assert len(pictures) == 4
    assert all(isinstance(one, Picture) and one.words and one.caption for one in pictures)
