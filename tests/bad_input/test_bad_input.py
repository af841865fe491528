"""What the table of cases says happens is what happens, line by line."""

import pickle
import struct
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from tests.bad_input import predicting, rule_files
from tests.bad_input.arrays import Estimator, Fit, classifier, rule
from tests.bad_input.base import NUMBER_CANARY, Cells, sound_table, with_canaries
from tests.bad_input.expectations import Expected
from tests.bad_input.fitting import Condition, Through
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
    write,
)
from tests.bad_input.sections import FITTING, SECTIONS, TABLE, lines

from dpwerm import PrivateTreatmentRule, Study
from dpwerm.arrays import FloatArray
from dpwerm.cli.main import main
from dpwerm.releases.rule_file import read_rule

# -- the table and the scenarios -------------------------------------------------------------


def test_every_line_has_a_scenario_and_every_scenario_a_line() -> None:
    assert {name: list(table) for name, table in TABLE.items()} == {
        name: list(conditions) for name, conditions in SECTIONS.items()
    }


@pytest.mark.parametrize("section", FITTING)
def test_a_cell_is_n_a_exactly_where_the_condition_cannot_be_met(section: str) -> None:
    for name, condition in FITTING[section].items():
        here = [condition.check is None, condition.fit is None, not condition.arrays]
        assert [cell.kind == "n/a" for cell in TABLE[section][name]] == here, name


def test_a_cell_is_n_a_exactly_where_a_new_table_cannot_be_so() -> None:
    for name, new in predicting.CONDITIONS.items():
        here = [new.recommend is None, new.study is None, new.arrays is None]
        assert [cell.kind == "n/a" for cell in TABLE["Predicting"][name]] == here, name


def test_what_is_sound_is_released(tmp_path: Path, capsys: Capture) -> None:
    study, path = write(tmp_path, Through(), sound_table())
    assert run(capsys, "check", study, path)[0] == 0
    arguments = ("--epsilon", 1, "--yes", "--out", tmp_path / "rule.json")
    assert run(capsys, "fit", study, path, *arguments)[0] == 0
    for fit in (classifier(), rule()):
        fit.run()


# -- fitting -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("condition", "expected"), lines(0, *FITTING))
def test_check(condition: Condition, expected: Expected, tmp_path: Path, capsys: Capture) -> None:
    assert condition.check is not None
    code, text = run(capsys, "check", *write(tmp_path, condition.check, sound_table()))
    if code == 0:
        fine = "every value is as declared" in text
        meet(expected, Outcome("fine" if fine else "says", text))
    else:
        assert code == WRONG_INPUT
        meet(expected, Outcome("error", text))


@pytest.mark.parametrize(("condition", "expected"), lines(1, *FITTING))
def test_fit_through_a_study(
    condition: Condition, expected: Expected, tmp_path: Path, capsys: Capture
) -> None:
    through = condition.fit
    assert through is not None
    study, path = write(tmp_path, through, with_canaries(sound_table()))
    before = set(tmp_path.iterdir())
    out = tmp_path / "rule.json"
    asked = {"--epsilon", "--rho", "--mu"} & set(through.options)
    epsilon = () if asked else ("--epsilon", "1")
    options = (*through.options, *epsilon, "--yes", "--out", out)
    code, text = run(capsys, "fit", study, path, *options)
    hide(text)
    if code == 0:
        meet(expected, Outcome("released", text))
        hide(out.read_text(encoding="utf-8"))
    else:
        assert code in (WRONG_INPUT, OVER_BUDGET)
        assert (code == OVER_BUDGET) == ("Refused by the budget" in text)
        meet(expected, Outcome("error", text))
        assert set(tmp_path.iterdir()) == before


def _without_noise(folder: Path, through: Through, table: Cells) -> FloatArray:
    study, path = write(folder, through, table)
    estimator = PrivateTreatmentRule.from_study(Study.load(study), "inf")
    return estimator.fit(path).release_.theta


@pytest.mark.parametrize(
    ("condition", "expected"),
    [line for line in lines(1, "Values", "Form of the table") if line.values[0].fit.same_as],
)
def test_the_public_rule_is_what_the_table_says(
    condition: Condition, expected: Expected, tmp_path: Path
) -> None:
    """The release is the same as that of a table in which the rule is written out by hand."""
    through = condition.fit
    assert through is not None
    assert through.same_as is not None
    by_hand = Through(through.same_study, through.same_as)
    found = _without_noise(tmp_path, through, sound_table())
    np.testing.assert_allclose(
        found, _without_noise(tmp_path, by_hand, sound_table()), rtol=0, atol=1e-5
    )


@pytest.mark.parametrize(("condition", "expected"), lines(2, *FITTING))
def test_fit_of_arrays(condition: Condition, expected: Expected) -> None:
    seen = set()
    for fit in condition.arrays:
        seen |= meet(expected, _outcome_of_arrays(Fit(clone(fit.estimator), fit.data)))
    assert seen == set(expected.parts)


def _outcome_of_arrays(fit: Fit) -> Outcome:
    text, printed = attempt(fit.run)
    hide(printed)
    hide(repr(fit.estimator) + str(vars(fit.estimator)))
    kept = pickle.dumps({**vars(fit.estimator), "ledger": None})  # a ledger cannot be pickled
    hide(kept.decode("latin-1"))
    assert not any(struct.pack(order, float(NUMBER_CANARY)) in kept for order in ("<d", ">d"))
    if not text:
        private = fit.estimator.release_.private
        return Outcome("released", "" if private else NOT_PRIVATE)
    assert "rule_" not in vars(fit.estimator)
    assert "release_" not in vars(fit.estimator)
    return Outcome("error", text)


# -- predicting ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def trial(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return write(tmp_path_factory.mktemp("trial"), Through(), sound_table())


@pytest.fixture(scope="module")
def rule_file(trial: tuple[Path, Path]) -> Path:
    study, path = trial
    out = path.with_name("rule.json")
    assert main(["fit", str(study), str(path), "--epsilon", "1", "--yes", "--out", str(out)]) == 0
    return out


@pytest.mark.parametrize(("new", "expected"), lines(0, "Predicting"))
def test_recommend(
    new: predicting.NewTable,
    expected: Expected,
    rule_file: Path,
    tmp_path: Path,
    capsys: Capture,
) -> None:
    assert new.recommend is not None
    table, out = tmp_path / "new.csv", tmp_path / "out.csv"
    table.write_bytes(new.recommend(sound_table()).to_bytes())
    code, text = run(capsys, "recommend", rule_file, table, "--out", out)
    hide(text)
    assert code in (0, WRONG_INPUT)
    meet(expected, Outcome("error" if code else "answers", text))
    assert out.exists() == (code == 0)
    if code == 0 and new.same_as:
        table.write_bytes(new.same_as(sound_table()).to_bytes())
        assert run(capsys, "recommend", rule_file, table, "--out", tmp_path / "same.csv")[0] == 0
        added = ["recommended_arm", "score"]
        same = pd.read_csv(tmp_path / "same.csv")[added]
        pd.testing.assert_frame_equal(pd.read_csv(out)[added], same)


@pytest.mark.parametrize(("new", "expected"), lines(1, "Predicting"))
def test_predict_through_a_study(
    new: predicting.NewTable, expected: Expected, trial: tuple[Path, Path], tmp_path: Path
) -> None:
    assert new.study is not None
    estimator = PrivateTreatmentRule.from_study(Study.load(trial[0]), 1, ledger="none").fit(
        trial[1]
    )
    table = tmp_path / "new.csv"
    table.write_bytes(new.study(sound_table()).to_bytes())
    text, printed = attempt(lambda: estimator.predict(table))
    hide(printed)
    meet(expected, Outcome("error" if text else "answers", text))
    if not text and new.same_as:
        scores = estimator.decision_function(table)
        table.write_bytes(new.same_as(sound_table()).to_bytes())
        np.testing.assert_array_equal(scores, estimator.decision_function(table))


@pytest.mark.parametrize("fit", [classifier, rule])
@pytest.mark.parametrize(("new", "expected"), lines(2, "Predicting"))
def test_predict_of_arrays(
    fit: Callable[..., Fit], new: predicting.NewTable, expected: Expected
) -> None:
    assert new.arrays is not None
    table = new.arrays(predicting.sound_frame())
    known = predicting.sound_frame()
    # An array has no names, so the rule must have been fitted without names too.
    fitted = fit(X=known if isinstance(table, pd.DataFrame) else known.to_numpy())
    fitted.run()
    text, printed = attempt(lambda: fitted.estimator.predict(table))
    hide(printed)
    meet(expected, Outcome("error" if text else "answers", text))


@pytest.mark.parametrize("fit", [classifier(), rule()])
def test_nothing_is_predicted_before_a_fit(fit: Fit) -> None:
    estimator: Estimator = clone(fit.estimator)
    text, _ = attempt(lambda: estimator.predict([[0.0, 0.0]]))
    assert "is not fitted yet" in text


# -- rule files ----------------------------------------------------------------------------------


@pytest.fixture
def spoilt_rule(rule_file: Path, tmp_path: Path) -> Callable[[rule_files.Edit], Path]:
    def write_spoilt(edit: rule_files.Edit) -> Path:
        path = tmp_path / "rule.json"
        path.write_bytes(as_bytes(edit(rule_file.read_text(encoding="utf-8"))))
        return path

    return write_spoilt


@pytest.mark.parametrize(("edit", "expected"), lines(0, "Rule file"))
def test_verify(
    edit: rule_files.Edit,
    expected: Expected,
    spoilt_rule: Callable[[rule_files.Edit], Path],
    capsys: Capture,
) -> None:
    code, text = run(capsys, "verify", spoilt_rule(edit))
    assert code == NOT_VERIFIED
    meet(expected, Outcome("error", text))


@pytest.mark.parametrize(("edit", "expected"), lines(1, "Rule file"))
def test_recommend_by_a_spoilt_rule(
    edit: rule_files.Edit,
    expected: Expected,
    spoilt_rule: Callable[[rule_files.Edit], Path],
    trial: tuple[Path, Path],
    tmp_path: Path,
    capsys: Capture,
) -> None:
    out = tmp_path / "out.csv"
    code, text = run(capsys, "recommend", spoilt_rule(edit), trial[1], "--out", out)
    assert code == WRONG_INPUT
    assert not out.exists()
    meet(expected, Outcome("error", text))


@pytest.mark.parametrize(("edit", "expected"), lines(2, "Rule file"))
def test_read_rule(
    edit: rule_files.Edit, expected: Expected, spoilt_rule: Callable[[rule_files.Edit], Path]
) -> None:
    text, printed = attempt(lambda: read_rule(spoilt_rule(edit)))
    assert "RuleFileError" in printed
    meet(expected, Outcome("error", text))
