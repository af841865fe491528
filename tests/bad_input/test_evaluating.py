"""What the table says of evaluations and of value files is what happens, line by line."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from tests.bad_input import evaluating
from tests.bad_input.base import STUDY, Cells, sound_table, with_canaries
from tests.bad_input.evaluating import Evaluated, Evaluation
from tests.bad_input.expectations import Expected
from tests.bad_input.fitting import as_it_is
from tests.bad_input.outcomes import (
    NOT_PRIVATE,
    NOT_VERIFIED,
    OVER_BUDGET,
    WRONG_INPUT,
    Capture,
    Outcome,
    as_bytes,
    attempt,
    hide,
    meet,
    run,
)
from tests.bad_input.rule_files import Edit
from tests.bad_input.sections import TABLE, lines

from dpwerm import PrivateTreatmentRule, Study
from dpwerm.evaluate import treatment_value
from dpwerm.releases.release import Rule
from dpwerm.releases.rule_file import read_rule, write_rule
from dpwerm.releases.value.release import ValueRelease, read_value, verify_value, write_value
from dpwerm.study.values import parse_toml

Learn = Callable[[Evaluated], Rule]


@pytest.fixture(scope="module")
def learn() -> Learn:
    """Return a function that learns the rule of an evaluation, from a sound table and once."""
    known: dict[tuple[str, bool], Rule] = {}

    def rule_of(one: Evaluated) -> Rule:
        key = text, _ = one.learned(STUDY), one.seeded
        if key not in known:
            seed = 1 if one.seeded else None
            estimator = PrivateTreatmentRule.from_study(
                Study.parse(text), 1, random_state=seed, ledger="none"
            )
            known[key] = estimator.fit(_frame(sound_table())).rule_
        return known[key]

    return rule_of


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _frame(table: Cells) -> pa.Table:
    columns = [pa.array(column) for column in zip(*table.rows, strict=True)]
    return pa.table(columns, names=list(table.header))


def _write(one: Evaluated, rule: Rule, table: Cells) -> None:
    """Write all files of one evaluation into the working folder."""
    Path("study.toml").write_text(one.study(one.learned(STUDY)), encoding="utf-8")
    Path("trial.csv").write_bytes(as_bytes(one.table(table)))
    write_rule(rule, Path("rule.json"))
    text = Path("rule.json").read_text(encoding="utf-8")
    Path("rule.json").write_bytes(as_bytes(one.rule(text)))
    if one.model is not None:
        Path("model.toml").write_bytes(as_bytes(one.model))


def _call(one: Evaluated, rule: Rule, *, study: bool, **changes: Any) -> ValueRelease:
    """Evaluate as a Python user does, from the files in the working folder."""
    given: dict[str, Any] = {"rule": rule, "table": one.asked, "epsilon": 1, "ledger": "none"}
    if study:
        given["study"] = Study.load("study.toml")
    if one.model is not None:
        given["outcome_model"] = parse_toml(as_bytes(one.model).decode(), "model")
    return treatment_value(**{**given, **one.arguments, **changes})


def test_a_cell_is_n_a_exactly_where_an_evaluation_cannot_be_so() -> None:
    for name, line in evaluating.CONDITIONS.items():
        here = [line.command is None, line.studied is None, line.alone is None]
        assert [cell.kind == "n/a" for cell in TABLE["Evaluating"][name]] == here, name


@pytest.mark.parametrize(("line", "expected"), lines(0, "Evaluating"))
def test_evaluate(
    line: Evaluation, expected: Expected, learn: Learn, folder: Path, capsys: Capture
) -> None:
    one = line.command
    assert one is not None
    _write(one, learn(one), with_canaries(sound_table()))
    before = set(folder.iterdir())
    epsilon = () if "--epsilon" in one.options else ("--epsilon", "1")
    model = () if one.model is None else ("--outcome-model", "model.toml")
    options = (*epsilon, *model, *one.options, "--yes", "--out", "value.json")
    code, text = run(capsys, "evaluate", "rule.json", "study.toml", one.asked, *options)
    hide(text)
    if code == 0:
        meet(expected, Outcome("released", text))
        written = Path("value.json").read_text(encoding="utf-8")
        hide(written)
        assert json.loads(written)["certificate"]["private"] == (NOT_PRIVATE not in text)
    else:
        assert code in (WRONG_INPUT, OVER_BUDGET)
        assert (code == OVER_BUDGET) == ("Refused by the budget" in text)
        meet(expected, Outcome("error", text))
        assert set(folder.iterdir()) == before


@pytest.mark.parametrize(("line", "expected"), lines(1, "Evaluating"))
def test_treatment_value_with_a_study(
    line: Evaluation, expected: Expected, learn: Learn, folder: Path
) -> None:
    assert line.studied is not None
    _meet_in_python(line.studied, expected, learn(line.studied), study=True)


@pytest.mark.parametrize(("line", "expected"), lines(2, "Evaluating"))
def test_treatment_value_without_a_study(
    line: Evaluation, expected: Expected, learn: Learn, folder: Path
) -> None:
    assert line.alone is not None
    _meet_in_python(line.alone, expected, learn(line.alone), study=False)


def _meet_in_python(one: Evaluated, expected: Expected, rule: Rule, *, study: bool) -> None:
    found: list[ValueRelease] = []
    _write(one, rule, with_canaries(sound_table()))
    text, printed = attempt(lambda: found.append(_call(one, rule, study=study)))
    hide(printed)
    if text:
        assert "dpwerm.errors." in printed
        meet(expected, Outcome("error", text))
        return
    (value,) = found
    hide(repr(value))
    meet(expected, Outcome("released", value.notice))
    assert value.values[0].lower <= value.values[0].upper
    if one.same_as is not None:
        _write(one, rule, sound_table())
        sums = _call(one, rule, study=study, epsilon="inf").sums
        _write(Evaluated(one.learned, one.study, one.same_as), rule, sound_table())
        same = _call(one, rule, study=study, epsilon="inf").sums
        np.testing.assert_allclose(sums, same, rtol=0, atol=1e-9)


def test_where_nothing_can_be_told_the_interval_is_the_whole_range(
    learn: Learn, folder: Path
) -> None:
    one = evaluating.CONDITIONS["all benefits missing"].studied
    assert one is not None
    _write(one, learn(one), sound_table())
    value = _call(one, learn(one), study=True, epsilon="inf")
    assert [(each.estimate, each.lower, each.upper) for each in value.values] == [
        (None, -10.0, 10.0)
    ] * 3


# -- value files ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def sound_value(learn: Learn, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the text of a value file that holds, with little noise so that edits show."""
    path = tmp_path_factory.mktemp("value") / "value.json"
    write_value(
        treatment_value(learn(Evaluated()), _frame(sound_table()), 1000, ledger="none"), path
    )
    assert all(finding.holds for finding in verify_value(path))
    return path.read_text(encoding="utf-8")


@pytest.fixture
def spoilt_value(sound_value: str, tmp_path: Path) -> Callable[[Edit], Path]:
    def write_spoilt(edit: Edit) -> Path:
        path = tmp_path / "value.json"
        path.write_bytes(as_bytes(edit(sound_value)))
        return path

    return write_spoilt


@pytest.mark.parametrize(("edit", "expected"), lines(0, "Value file"))
def test_verify(
    edit: Edit, expected: Expected, spoilt_value: Callable[[Edit], Path], capsys: Capture
) -> None:
    code, text = run(capsys, "verify", spoilt_value(edit))
    assert code == NOT_VERIFIED
    meet(expected, Outcome("error", text))


@pytest.mark.parametrize(("edit", "expected"), lines(1, "Value file"))
def test_read_value(edit: Edit, expected: Expected, spoilt_value: Callable[[Edit], Path]) -> None:
    text, printed = attempt(lambda: read_value(spoilt_value(edit)))
    assert "RuleFileError" in printed
    meet(expected, Outcome("error", text))


def test_a_rule_is_no_value_and_a_value_no_rule(
    learn: Learn, spoilt_value: Callable[[Edit], Path], tmp_path: Path
) -> None:
    value, rule = spoilt_value(as_it_is), tmp_path / "rule.json"
    write_rule(learn(Evaluated()), rule)
    text, _ = attempt(lambda: read_value(rule))
    assert "rule.json" in text
    assert "this is a rule file, where a value file is needed" in text
    text, _ = attempt(lambda: read_rule(value))
    assert "value.json" in text
    assert "this is a value file, where a rule file is needed" in text
