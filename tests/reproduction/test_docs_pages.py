"""The pages in docs/reproduction show what their files hold, and the index counts verdicts."""

import csv
import re

from tests.docs.pages import ROOT

from reproduction.command import ARTEFACTS

FOLDER = ROOT / "docs" / "reproduction"
PAGES = {path.name: path.read_text(encoding="utf-8") for path in FOLDER.glob("*.md")}


def section(name: str) -> str:
    """Return the section of an artefact on the page that has it."""
    page = PAGES[f"{ARTEFACTS[name].page.name}.md"]
    found = re.search(rf"<!-- {name}: begin -->\n(.*?)\n<!-- {name}: end -->", page, re.DOTALL)
    assert found is not None, name
    return found[1]


def rows(name: str) -> list[dict[str, str]]:
    with (FOLDER / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_every_artefact_has_its_section_and_its_numbers() -> None:
    for name, artefact in ARTEFACTS.items():
        text = section(name)
        assert text.startswith(f"## {artefact.title}\n")
        assert f"[{name}.csv]({name}.csv)" in text
        assert rows(name)


def test_how_a_page_was_done_is_what_the_code_says() -> None:
    for artefact in ARTEFACTS.values():
        assert "\n\n".join(artefact.page.how) in PAGES[f"{artefact.page.name}.md"]


def test_the_index_counts_the_verdicts_of_each_section() -> None:
    for name, artefact in ARTEFACTS.items():
        agree, differ = (section(name).count(f"- **{word}**:") for word in ("agrees", "differs"))
        (line,) = re.findall(
            rf"^\| \[{re.escape(artefact.title)}\].*$", PAGES["README.md"], re.MULTILINE
        )
        assert line.endswith(f"| {agree} | {differ} |")


def test_table_2_is_that_of_its_file() -> None:
    shown = [
        line.strip("| ").split(" | ") for line in section("table2").splitlines() if line[0:1] == "|"
    ]
    found = {(one["method"], one["epsilon"], one["n"]): one for one in rows("table2")}
    assert len(shown) == 2 + len(found) / 2
    for epsilon, n, gamma, *accuracies in shown[2:]:
        at = epsilon.replace("∞", "inf"), n
        paper, ours = found["paper", *at], found["ours", *at]
        assert float(gamma) == float(paper["gamma"])
        assert accuracies == [
            f"{float(paper['accuracy_published']):.2f}",
            f"{float(paper['accuracy']):.2f}",
            f"{float(paper['accuracy_z']):+.2f}",
            f"{float(ours['accuracy']):.2f}",
        ]
