"""What the table says of plans is what happens, line by line, without a table."""

from pathlib import Path

import pytest
from tests.bad_input.expectations import Expected
from tests.bad_input.outcomes import WRONG_INPUT, Capture, Outcome, meet, run
from tests.bad_input.planning import Planned
from tests.bad_input.sections import lines
from tests.unit.plan.studies import OPEN, make_small

from dpwerm.plan import desk


@pytest.mark.parametrize(("one", "expected"), lines(0, "Planning"))
def test_plan(
    one: Planned,
    expected: Expected,
    tmp_path: Path,
    capsys: Capture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    make_small(tmp_path / "cache", monkeypatch)
    monkeypatch.setattr(desk, "QUICK_TRIALS", 8)
    folder = tmp_path / "plan"
    folder.mkdir()
    monkeypatch.chdir(folder)
    Path("study.toml").write_text(one.study(OPEN), encoding="utf-8")
    code, text = run(capsys, "plan", "study.toml", "--quick", *one.options)
    text = " ".join(text.split())
    assert code in (0, WRONG_INPUT)
    meet(expected, Outcome("error" if code else "says", text))
    assert [path.name for path in folder.iterdir()] == ["study.toml"]
    assert "Nothing was read but the study file." in text or code
