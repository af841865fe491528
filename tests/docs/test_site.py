"""The pages build without a warning, links lead somewhere, and nothing is loaded from afar."""

import doctest
import re
import tomllib
from html import unescape
from pathlib import Path

import pytest
from playwright.sync_api import Browser
from tests.bad_input.expectations import CASES
from tests.browser import PHONE, WIDE, visit
from tests.docs.formulas import typeset
from tests.docs.site import ROOT, Site, build

import dpwerm

SOURCES = sorted(
    str(file.relative_to(ROOT).with_suffix(".html"))
    for file in [*ROOT.glob("*.md"), ROOT / "benchmarks/README.md", *ROOT.glob("docs/**/*.md")]
)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    folder = tmp_path_factory.mktemp("site")
    done = build(folder)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == ""
    return Site((folder / "html").resolve())


def test_every_link_leads_to_a_file_and_every_anchor_is_there(site: Site) -> None:
    assert len(site.files) >= len(SOURCES)
    assert list(site.broken()) == []


def test_a_link_that_leads_nowhere_is_found(tmp_path: Path) -> None:
    other = '<h2 id="there">x</h2><a href="a.html">x</a><img src="b.png">'
    (tmp_path / "a.html").write_text('<a href="b.html#here">x</a><a href="b.html#there">x</a>')
    (tmp_path / "b.html").write_text(other)
    found = list(Site(tmp_path.resolve()).broken())
    assert found == ["a.html: b.html#here has no such anchor", "b.html: b.png"]


def test_every_page_can_be_reached_from_the_first(site: Site) -> None:
    reached = site.reached("index.html")
    assert set(SOURCES) <= reached


def test_no_page_loads_anything_from_another_place(site: Site) -> None:
    for file in site.files:
        for address in site.page(file).loads:
            inside = site.target(file, address) is not None or address.startswith("data:")
            assert inside, f"{file.name}: {address}"
    for sheet in site.folder.rglob("*.css"):
        for address in re.findall(r"url\(([^)]*)\)", sheet.read_text(encoding="utf-8")):
            assert not re.match(r"['\"]?(https?:)?//", address), f"{sheet.name}: {address}"


def test_every_formula_of_a_proof_page_is_set_by_the_browser(site: Site) -> None:
    for source in (ROOT / "docs" / "proofs").glob("*.md"):
        page = (site.folder / "docs/proofs" / f"{source.stem}.html").read_text(encoding="utf-8")
        article = page[page.index("<article") : page.index("</article>")]
        formulas = typeset(source.read_text(encoding="utf-8"))
        assert article.count("</math>") == len(formulas), source.name
        words = re.sub(r"<math.*?</math>|<code.*?</code>|<[^>]*>", "", article, flags=re.DOTALL)
        assert "$" not in words, source.name
        assert "\\" not in words, source.name
        # An index stands beside an accent, not below it; a bar has no spaces of an operator.
        assert not re.search(r"<munderover>\s*<mi>[^<]*</mi>\s*<mi>[^<]*</mi>", article)
        assert not re.search(r"<mo>[|‖]</mo>", article), source.name


@pytest.mark.parametrize("width", [WIDE, PHONE])
@pytest.mark.parametrize(
    "name",
    [
        "docs/index",
        "docs/ledger",
        "docs/api/PrivateTreatmentRule",
        "docs/audit-pipeline",
        "docs/proofs/ledger",
        "README",
    ],
)
def test_a_page_fits_its_window(site: Site, browser: Browser, name: str, width: int) -> None:
    with visit(browser, site.folder / f"{name}.html", width) as seen:
        assert seen.beyond() == []
        assert seen.left == []
        assert seen.complaints == []


def test_the_first_page_leads_on(site: Site, browser: Browser) -> None:
    with visit(browser, site.folder / "index.html") as seen:
        seen.page.wait_for_url("**/docs/index.html")
        assert seen.page.get_by_role("heading", level=1).inner_text().startswith("dpwerm")


def test_the_search_finds_a_page(site: Site, browser: Browser) -> None:
    with visit(browser, site.folder / "docs/index.html") as seen:
        seen.page.get_by_role("textbox").first.fill("saturation")
        seen.page.keyboard.press("Enter")
        seen.page.locator("#search-results li a").first.wait_for()
        assert seen.left == []


@pytest.mark.parametrize("name", [name for name in dpwerm.__all__ if name != "__version__"])
def test_every_public_name_has_its_page(site: Site, name: str) -> None:
    page = site.page(site.folder / "docs" / "api" / f"{name}.html")
    assert f"dpwerm.{name}" in page.ids
    text = (site.folder / "docs" / "api" / f"{name}.html").read_text(encoding="utf-8")
    assert "Parameters" in text or "Attributes" in text
    assert "Examples" in text
    public = getattr(dpwerm, name)
    methods = [
        m for m, v in vars(public).items() if callable(v) and not m.startswith(("_", "set_"))
    ]
    for method in methods if isinstance(public, type) else []:
        assert f"dpwerm.{name}.{method}" in page.ids, method


def test_the_page_of_bad_input_holds_every_case_that_is_tried(site: Site) -> None:
    shown = (site.folder / "docs/bad-input.html").read_text(encoding="utf-8")
    words = " ".join(unescape(re.sub(r"<[^>]*>", "", shown)).split())
    sections = tomllib.loads(CASES.read_text(encoding="utf-8"))
    for section in sections.values():
        for condition, said in section["cases"].items():
            cells = [said] * len(section["columns"]) if isinstance(said, str) else said
            line = " ".join([condition, *cells]).replace("`", "")
            assert " ".join(line.split()) in words, condition


def test_options_and_primes_stay_as_they_are_typed(site: Site) -> None:
    assert "Give --n," in (site.folder / "docs/bad-input.html").read_text(encoding="utf-8")
    assert "’" not in (site.folder / "docs/conventions.html").read_text(encoding="utf-8")


def test_every_package_is_among_the_rooms(site: Site) -> None:
    ids = site.page(site.folder / "docs/api/rooms.html").ids
    for file in (ROOT / "src").rglob("__init__.py"):
        package = ".".join(file.parent.relative_to(ROOT / "src").parts)
        assert f"module-{package}" in ids, package


def test_every_figure_function_is_in_the_reference(site: Site) -> None:
    ids = site.page(site.folder / "docs/api/functions.html").ids
    shown = 0
    for file in (ROOT / "src/dpwerm/documents").glob("*.py"):
        module = ".".join(file.relative_to(ROOT / "src").with_suffix("").parts)
        for name in re.findall(r"^def ((?:draw|save)_\w+)", file.read_text("utf-8"), re.MULTILINE):
            assert f"{module}.{name}" in ids
            shown += 1
    assert shown >= 12


def test_examples_of_the_reference_run() -> None:
    tried = 0
    for page in ROOT.glob("docs/api/*.md"):
        for code in re.findall(r"```pycon\n(.*?)```", page.read_text("utf-8"), re.DOTALL):
            example = doctest.DocTestParser().get_doctest(code, {}, page.stem, str(page), None)
            result = doctest.DocTestRunner().run(example)
            assert result.failed == 0
            tried += result.attempted
    assert tried > 0
