"""The page asks for nothing, runs nothing, and takes no text for markup."""

import re
from collections import Counter
from dataclasses import fields
from html.parser import HTMLParser

import pytest
from tests.unit.documents.reported import material

from dpwerm.documents.document import (
    Caution,
    Commands,
    Document,
    Drawing,
    Facts,
    Paragraph,
    Picture,
    Points,
    Section,
    Table,
)
from dpwerm.documents.render import as_html, as_text
from dpwerm.documents.report.compose import compose

HOSTILE = (
    "<script>alert(1)</script>\"'><img src=//evil.example onerror=alert(2)>"
    "\u202e\x1b[2J &amp; {{ 7*7 }}"
)
SAFE = "&lt;script&gt;alert(1)&lt;/script&gt;"


class Tags(HTMLParser):
    """What a browser would take for markup."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: Counter[str] = Counter()
        self.attributes: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        self.attributes |= {name for name, _ in attrs}


def hostile_report() -> Document:
    blocks = (
        Paragraph(HOSTILE),
        Caution(HOSTILE),
        Points((HOSTILE,)),
        Facts(((HOSTILE, HOSTILE),), HOSTILE),
        Table(HOSTILE, (HOSTILE, HOSTILE), ((HOSTILE, HOSTILE),)),
        Picture(HOSTILE, HOSTILE, Drawing("<svg xmlns='http://www.w3.org/2000/svg'/>")),
        Commands((HOSTILE,)),
    )
    sections = (Section("learned", HOSTILE, blocks),)
    return Document(HOSTILE, HOSTILE, sections, (HOSTILE,), True, HOSTILE, HOSTILE, HOSTILE)


def test_all_text_is_escaped() -> None:
    page = as_html(hostile_report())
    assert SAFE in page
    found = Tags()
    found.feed(page)
    assert not found.tags.keys() & {"script", "iframe", "object", "link", "form", "svg", "base"}
    assert found.tags["img"] == 1
    assert not [name for name in found.attributes if name.startswith("on")]
    assert "49" not in page
    assert "&amp;amp;" in page


def test_characters_that_steer_a_screen_are_written_out() -> None:
    for text in (as_html(hostile_report()), as_text(hostile_report())):
        assert "\u202e" not in text
        assert "\x1b" not in text
        assert r"\u202e" in text


def test_the_page_allows_itself_nothing() -> None:
    page = as_html(compose(material("output", valued=True)))
    assert "default-src 'none'; img-src data:; style-src 'unsafe-inline'" in page
    assert not re.search(r"(src|href)=\"(?!data:image/svg|#)", page)
    assert "url(" not in page.partition("</style>")[0]
    assert "@import" not in page


@pytest.mark.parametrize("kind", [Paragraph, Caution, Points, Facts, Table, Picture, Commands])
def test_every_kind_of_block_is_shown(kind: type) -> None:
    (block,) = [one for one in hostile_report().sections[0].blocks if isinstance(one, kind)]
    assert fields(block)
    page = as_html(Document("report", "t", (Section("k", "s", (block,)),)))
    assert SAFE in page
