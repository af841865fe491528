"""The table of faults, as measured and as the page shows it."""

from pathlib import Path

import pytest
from benchmarks import audit_faults

from dpwerm.audit.faults import CATALOGUE
from dpwerm.audit.faults.measured import measure, spent_by, table

PAGE = Path(__file__).parents[4] / "docs" / "audit-faults.md"
FEW = ("loose-weights", "gamma-from-n")


def test_a_measurement_has_the_fault_and_its_twin() -> None:
    told: list[tuple[int, int]] = []
    loose, other = measure(FEW, runs=20_000, on_done=lambda *how_much: told.append(how_much))
    assert loose.caught
    assert other.caught
    assert loose.spent == pytest.approx(3.0, abs=1e-4)
    assert other.spent is None
    assert told == [(0, 2), (1, 2), (2, 2)]
    lines = table([loose, other]).splitlines()
    assert len(lines) == 4
    assert "| 1 | 3.00 |" in lines[2]


def test_only_noise_with_a_formula_says_what_is_spent() -> None:
    known = {name for name in CATALOGUE if spent_by(CATALOGUE[name].broken()) is not None}
    assert {"benefit-shift", "ignored-gamma"} <= known
    assert not known & {"plain-doubles", "small-noise-gaussian", "small-noise-objective-l2"}


def test_the_page_has_every_fault_caught_and_every_twin_passing() -> None:
    text = PAGE.read_text(encoding="utf-8")
    block = text.split("<!-- faults: begin -->\n")[1].split("<!-- faults: end -->")[0]
    rows = [line.strip("| ").split(" | ") for line in block.splitlines()[2:]]
    assert [row[0].strip("`") for row in rows] == list(CATALOGUE)
    for row in rows:
        fault = CATALOGUE[row[0].strip("`")]
        assert row[1].replace("\\|", "|") == fault.wrong
        claimed = float(row[-4].split(",")[0])
        assert claimed < float(row[-2])
        assert float(row[-1]) <= claimed


def test_the_command_writes_between_the_marks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    few = measure(FEW, runs=20_000)
    monkeypatch.setattr(audit_faults, "measure", lambda on_done: few)
    monkeypatch.setattr(audit_faults, "RUNS", 20_000)
    monkeypatch.setattr(audit_faults, "REAL", 50)
    page = tmp_path / "page.md"
    marks = [f"<!-- {name}: {end} -->" for name in ("faults", "real") for end in ("begin", "end")]
    page.write_text("before\n" + "\n".join(marks) + "\nafter\n", encoding="utf-8")
    monkeypatch.setattr(audit_faults, "PAGE", page)
    assert audit_faults.main() == 0
    assert audit_faults.main() == 0
    text = page.read_text(encoding="utf-8")
    assert text.startswith("before\n")
    assert text.endswith("after\n")
    assert text.count("loose-weights") == 1
    assert "In 50 real releases" in text
