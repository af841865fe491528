"""A document says the same as a page, as text and as data."""

import html
import json
import re

from tests.unit.documents.reported import texts

from dpwerm.documents.document import Document
from dpwerm.documents.render import as_data, as_html, as_text


def says_the_same_in_every_format(document: Document) -> None:
    """Fail unless every text of every block is in all three formats."""
    page = html.unescape(as_html(document))
    data = json.loads(json.dumps(as_data(document)))
    plain = _squeezed(as_text(document))
    assert data["format"] == f"dpwerm-{document.kind}"
    assert f"<h1>{document.title}</h1>" in page
    for section, copy in zip(document.sections, data["sections"], strict=True):
        assert section.blocks
        assert f'id="{section.key}"' in page
        assert (copy["key"], copy["title"]) == (section.key, section.title)
        for block, twin in zip(section.blocks, copy["blocks"], strict=True):
            assert twin["kind"] == block.kind
            told = json.dumps(twin, ensure_ascii=False)
            for text in texts(block):
                assert text in page
                assert json.dumps(text, ensure_ascii=False) in told
                # In a text, long facts and paragraphs are broken into lines.
                assert all(_squeezed(word) in plain for word in text.split())


def _squeezed(text: str) -> str:
    """Return the text without spaces, lines and hyphens."""
    return re.sub(r"[\s-]+", "", text)
