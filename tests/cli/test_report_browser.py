"""The report in a real browser: wide, on a phone and on paper; whatever names a study file has."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser
from tests.browser import PHONE, WIDE, visit
from tests.cli.conftest import Trial
from tests.cli.test_names import toml
from tests.said import Run

HOSTILE = "</title><script>window.taken=1</script><img src=//evil.example/a onerror=window.taken=1>"
LONG = "Wirksamkeitsuntersuchungsdokumentation" * 2
NAME = LONG[:64]
SOURCE = LONG * 8
PAPER = 718
"""CSS pixels of A4 between the margins of 16 and 18 mm, rounded up; the narrower of both."""


@pytest.fixture
def page(run: Run, fit: Run, trial: Trial, tmp_path: Path) -> Path:
    """Return a report whose every name tries to break out of its place or to be too long."""
    from tests.bad_input.base import STUDY, sound_table

    text = STUDY.replace('id = "small-trial"', f'id = "small-trial"\nname = {toml(HOSTILE)}')
    text = text.replace(
        "[features.age]", f'[features."{NAME}"]\ncolumn = "age"\nsource = "{SOURCE}"'
    )
    text = text.replace("pill = 0.5", f"{toml(HOSTILE)} = 0.5")
    # A second number, so that the picture of recommendations is drawn too.
    number = "[features.person]\nkind = 'number'\nbounds = [0, 24]\n\n[treatment]"
    trial.study.write_text(text.replace("[treatment]", number), encoding="utf-8")
    cells = sound_table()
    rows = [i for i, row in enumerate(cells.rows) if row[3] == "pill"]
    trial.table.write_bytes(cells.set("arm", HOSTILE, rows).to_bytes())
    assert fit().code == 0
    value, out = tmp_path / "value.json", tmp_path / "report.html"
    given = ("evaluate", trial.rule, trial.study, trial.table, "--epsilon", "0.5")
    assert run(*given, "--out", value, "--yes").code == 0
    done = run("report", trial.rule, "--study", trial.study, "--value", value, "--out", out)
    assert done.code == 0
    return out


def test_it_holds_in_a_real_browser(page: Path, browser: Browser, tmp_path: Path) -> None:
    for width in (WIDE, PHONE, 320):
        with visit(browser, page, width) as seen:
            assert seen.left == []
            assert seen.complaints == []
            assert seen.beyond() == []
            assert seen.page.title().strip() == HOSTILE
            assert seen.page.locator("h1").inner_text() == HOSTILE
            assert seen.page.evaluate("window.taken") is None
            assert seen.page.locator("script, iframe, object, link").count() == 0
            images = seen.page.locator("img")
            assert images.count() == 4
            for index in range(4):
                # A broken picture has no width of its own.
                assert images.nth(index).evaluate("one => one.naturalWidth") > 100
                assert images.nth(index).get_attribute("alt")
            for link in seen.page.locator("nav a").all():
                assert seen.page.locator(str(link.get_attribute("href"))).count() == 1
    with visit(browser, page, PAPER) as seen:
        seen.page.emulate_media(media="print")
        assert seen.beyond() == []
        assert not seen.page.locator("nav").is_visible()
        paper = seen.page.pdf(path=tmp_path / "report.pdf", prefer_css_page_size=True)
        assert 3 <= len(re.findall(rb"/Type\s*/Page\b", paper)) <= 20


def test_what_a_screen_hides_a_reader_still_finds(page: Path, browser: Browser) -> None:
    """On a phone the headings of a table stand beside each cell."""
    with visit(browser, page, PHONE) as seen:
        label = seen.page.locator("#cost td").first
        before = label.evaluate("one => getComputedStyle(one, '::before').content")
        assert before == '"day"'


def test_the_checks_see_what_they_are_for(browser: Browser, tmp_path: Path) -> None:
    """A page that is too wide, asks for something and runs a script is caught."""
    bad = tmp_path / "bad.html"
    bad.write_text(
        "<p style='width:3000px'>x</p><img src='http://127.0.0.1:9/a.png'>"
        "<script>window.taken=1; throw Error('no')</script>",
        encoding="utf-8",
    )
    with visit(browser, bad) as seen:
        assert seen.beyond()
        assert seen.left
        assert seen.complaints
        assert seen.page.evaluate("window.taken") == 1
