"""docs/comparison.md: its numbers are those of the data files, every package has its section."""

import csv
import re
from pathlib import Path

import pytest
from benchmarks import accuracy, peers
from benchmarks.peers import LEARNERS, PLAN, RESULTS, read, row
from benchmarks.peers_page import (
    COLUMNS,
    DPPACK,
    OURS,
    SHOWN,
    accuracy_table,
    dppack_table,
)
from benchmarks.utility import cells as utility

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "comparison.md").read_text(encoding="utf-8")
DATE = "16 November 2026"
PACKAGES = (
    "The paper",
    "DPpack",
    "OpenDP",
    "diffprivlib",
    "DynTxRegime",
    "DTRlearn2",
    "EconML",
    "CausalML",
)
ASKED = (
    "private training of weighted ERM",
    "private treatment rules",
    "exact sampling",
    "certificate, verification",
    "ledger",
    "audit",
    "observational data",
    "multi-stage regimes",
    "more than two arms",
    "continuous treatments",
    "non-linear rules",
    "effect estimates",
    "language",
    "licence",
)


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def section(name: str) -> str:
    found = re.search(rf"^## {name}\n(.*?)(?=^## |\Z)", PAGE, re.DOTALL | re.MULTILINE)
    assert found is not None, name
    return found[1]


def between(name: str) -> str:
    found = re.search(rf"<!-- {name}: begin -->\n(.*?)\n<!-- {name}: end -->", PAGE, re.DOTALL)
    assert found is not None
    return found[1]


@pytest.mark.parametrize("name", PACKAGES)
def test_a_package_has_a_dated_section_that_answers_every_question(name: str) -> None:
    text = " ".join(section(name).split())
    assert f"**Looked at** on {DATE}" in text
    for part in ("**For:**", "**Has, we have not:**", "**We have, it has not:**", "**Choose it**"):
        assert part in text, part
    assert re.search(r"\b[Rr]un\b|[Rr]ead|made again", text)


def test_the_page_is_dated() -> None:
    assert DATE in PAGE.split("## ")[0]


def test_the_two_halves_of_the_table_of_capabilities_are_complete() -> None:
    halves = re.findall(r"(?:^\|.*\n)+", section("At a glance"), re.MULTILINE)
    first, second = ([_cells(line) for line in half.splitlines()] for half in halves)
    names = [*first[0][1:], *second[0][2:]]
    assert names == ["dpwerm", *(name.replace("The p", "the p") for name in PACKAGES)]
    rows = {line[0]: line[1] for line in first}
    assert all(rows.get(line[0], line[1]) == line[1] for line in second)
    for line in first + second:
        assert len(line) == len(first[0])
        assert all(line[1:])
    for asked in ASKED:
        assert any(line[0].startswith(asked) for line in first + second), asked


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("|").split("|")]


def test_the_notes_of_the_table_are_those_it_uses() -> None:
    marks = "ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏ"
    text = section("At a glance")
    table = "".join(line for line in text.splitlines() if line.startswith("|"))
    for mark in marks:
        assert mark in table
        assert f"- {mark} " in text


def test_the_tables_are_those_of_the_data_files() -> None:
    assert between("accuracy") == accuracy_table()
    assert between("dppack") == dppack_table()


def test_words_on_the_table_quote_its_cells() -> None:
    words = section("What was measured").split("<!-- accuracy: end -->")[1]
    quoted = set(re.findall(r"\d+\.\d", words))
    assert len(quoted) >= 7
    assert quoted <= set(re.findall(r"\d+\.\d", between("accuracy")))


def test_the_verdicts_on_the_table_hold() -> None:
    cells = {
        line.split("|")[1].strip(): [float(cell) for cell in line.split("|")[2:-1]]
        for line in between("accuracy").splitlines()[2:-2]
    }
    bare, private = cells["dpwerm, no privacy"], cells["dpwerm, ε = 1"]
    linear = cells["CausalML, T-learner, linear"]
    assert all(99.2 <= cell <= 99.6 for cell in linear[:3])
    assert all(cell > 98.9 for cell in cells["EconML, LinearDML"][:3])
    trees = {
        "EconML, DRPolicyTree",
        "EconML, DRPolicyForest",
        "EconML, CausalForestDML",
        "CausalML, PolicyLearner",
        "CausalML, T-learner, XGBoost",
    }
    for name in trees:
        assert all(78.5 <= cell <= 95.2 for cell in cells[name][:3])
        assert all(own > theirs for own, theirs in zip(private[:3], cells[name][:3], strict=True))
        assert cells[name][3] > bare[3]


def test_a_cell_of_each_file_stands_in_the_tables() -> None:
    ours = next(
        one
        for one in rows(OURS)
        if (one["scenario"], one["n"], one["epsilon"], one["method"])
        == ("paper", "1000", "1", "auto")
    )
    line = next(line for line in between("accuracy").splitlines() if "dpwerm, ε = 1" in line)
    assert f"| {float(ours['accuracy']):.1f} |" in line


def test_numbers_of_dppack_have_an_origin_and_a_date() -> None:
    measured = rows(DPPACK)
    assert all(one["origin"] and one["date"] and one["software"] == "DPpack" for one in measured)
    assert {one["version"] for one in measured} == {"0.2.2"}
    (effective,) = [one for one in measured if one["quantity"].startswith("effective ε")]
    assert f"about {effective['value']} where 1 was claimed" in " ".join(PAGE.split())


def test_every_learner_was_measured_as_planned() -> None:
    results = [read(one) for one in rows(RESULTS)]
    found = {
        (one.cell.package, one.cell.learner, one.cell.scenario, one.cell.n, one.cell.repeats)
        for one in results
    }
    assert found == {(*learner, *plan) for learner in LEARNERS for plan in PLAN}
    assert [row(one) for one in results] == [
        {**one, "n": int(one["n"]), "repeats": int(one["repeats"])} for one in rows(RESULTS)
    ]
    for name, package in (("EconML", "econml"), ("CausalML", "causalml")):
        (version,) = {one.cell.version for one in results if one.cell.package == package}
        assert f"version {version} " in section(name)


def test_repeats_are_those_the_page_tells() -> None:
    assert [(scenario, n) for scenario, n, _ in PLAN] == list(COLUMNS)
    assert [repeats for *_, repeats in PLAN] == [50, 50, 50, 25]
    assert "50 trials in each column but the last, which has 25" in " ".join(PAGE.split())
    for method, epsilon, _ in SHOWN:
        for scenario, n in COLUMNS:
            wanted = (method, epsilon, scenario, str(n))
            (repeats,) = [
                one["repeats"]
                for one in rows(OURS)
                if (one["method"], one["epsilon"], one["scenario"], one["n"]) == wanted
            ]
            where = f"from {repeats} trials" if scenario == "paper" else f"{repeats} in the last"
            assert where in between("accuracy")


def test_peers_meet_the_trials_of_the_utility_benchmark() -> None:
    for name in ("trial_rng", "PEOPLE", "with_halves"):
        assert getattr(peers, name) is getattr(accuracy, name)
    for name in ("trial_rng", "Judge", "Result"):
        assert getattr(utility, name) is getattr(accuracy, name)


def test_no_address_of_a_package_registry_is_given() -> None:
    for address in re.findall(r"https?://[^)\s]+", PAGE):
        assert not re.search(r"pypi|cran|conda|rdrr|rdocumentation", address, re.IGNORECASE), (
            address
        )
