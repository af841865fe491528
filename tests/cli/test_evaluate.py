"""``dpwerm evaluate`` releases a value, says what it means, and refuses in clear words."""

import json
from pathlib import Path

import pytest
from tests.bad_input.base import NUMBER_CANARY, STUDY, TEXT_CANARY, sound_table, with_canaries
from tests.cli.conftest import Trial
from tests.said import Run

from dpwerm.releases.value.release import read_value


@pytest.fixture
def fitted(fit: Run, trial: Trial) -> Trial:
    assert fit().code == 0
    return trial


def test_it_writes_a_value_and_says_what_it_means(run: Run, fitted: Trial, tmp_path: Path) -> None:
    out = tmp_path / "value.json"
    options = ("--epsilon", "0.5", "--out", out, "--yes")
    result = run("evaluate", fitted.rule, fitted.study, fitted.table, *options)
    assert (result.code, result.err) == (0, "")
    for words in (
        "Released under differential privacy: epsilon 0.5, delta 0, relation replace_one.",
        "the rule ",
        "'pill' for everybody",
        "gain of the rule over 'therapy' for everybody",
        "on top of the rule's epsilon = 1",
        "Only other people give a fair value.",
        "replace_one, n = 24",
        f"Wrote {out}.",
    ):
        assert words in result.out
    value = read_value(out)
    assert value.private
    assert value.n == 24
    assert json.loads(out.read_text(encoding="utf-8"))["format"] == "dpwerm-value"


@pytest.mark.parametrize(
    ("option", "words"),
    [(("--epsilon", "inf"), "evaluated without noise"), (("--seed", "1"), "came from a seed")],
)
def test_without_noise_or_with_a_seed_it_says_not_private(
    run: Run, fitted: Trial, tmp_path: Path, option: tuple[str, str], words: str
) -> None:
    given = option if option[0] == "--epsilon" else (*option, "--epsilon", "1")
    out = tmp_path / "value.json"
    result = run("evaluate", fitted.rule, fitted.study, fitted.table, "--out", out, "--yes", *given)
    assert result.code == 0
    assert "NOT PRIVATE" in result.out
    assert words in result.out
    assert not read_value(out).private


def test_more_than_the_fit_has_left_is_refused_by_the_budget(run: Run, fitted: Trial) -> None:
    options = ("--epsilon", "1.5", "--yes")
    result = run("evaluate", fitted.rule, fitted.study, fitted.table, *options)
    assert result.code == 3
    assert "is more than is left of epsilon = 2: epsilon = 1 would fit" in result.err


def test_other_arms_other_columns_and_odd_options_are_refused(
    run: Run, fitted: Trial, tmp_path: Path
) -> None:
    other, few = tmp_path / "other.toml", tmp_path / "few.csv"
    other.write_text(STUDY.replace("pill = 0.5", "surgery = 0.5"), encoding="utf-8")
    few.write_bytes(sound_table().pick([0, 2, 3, 4]).to_bytes())
    common = ("--epsilon", "1", "--out", tmp_path / "value.json", "--yes")
    for arguments, words in (
        ((fitted.rule, other, fitted.table, *common), "the rule decides between 'pill'"),
        ((fitted.rule, fitted.study, few, *common), "age: is not a column of the table"),
        ((fitted.rule, fitted.study, fitted.table, *common, "--confidence", "1"), "0.999"),
        ((fitted.study, fitted.study, fitted.table, *common), "study.toml"),
        ((fitted.rule, fitted.study, fitted.table, "--epsilon", "1"), "Add --yes"),
    ):
        result = run("evaluate", *arguments)
        assert result.code == 2
        assert words in result.err
    assert not (tmp_path / "value.json").exists()


def test_it_does_not_write_over_its_inputs_or_over_a_file(
    run: Run, fitted: Trial, tmp_path: Path
) -> None:
    taken = tmp_path / "value.json"
    taken.write_text("mine", encoding="utf-8")
    files = (fitted.rule, fitted.study, fitted.table)
    for out, words in ((taken, "--force"), (fitted.rule, "is an input")):
        result = run("evaluate", *files, "--epsilon", "1", "--yes", "--out", out)
        assert result.code == 2
        assert words in result.err
    assert run("evaluate", *files, "--epsilon", "1", "--yes", "--out", taken, "--force").code == 0
    assert read_value(taken).n == 24


def test_no_value_of_the_table_is_printed_or_written(
    run: Run, fitted: Trial, tmp_path: Path
) -> None:
    table, out = tmp_path / "strange.csv", tmp_path / "value.json"
    table.write_bytes(with_canaries(sound_table()).to_bytes())
    options = ("--epsilon", "1", "--yes", "--out", out)
    result = run("evaluate", fitted.rule, fitted.study, table, *options)
    assert result.code == 0
    for text in (result.out, result.err, out.read_text(encoding="utf-8")):
        assert NUMBER_CANARY not in text
        assert TEXT_CANARY not in text


MODEL = """\
[arms.pill]
intercept = 1
[arms.pill.coefficients]
age = 0.02
"sex=M" = 0.5
[arms.therapy]
intercept = 0
[arms.therapy.coefficients]
age = 0.1
"sex=M" = 0
"""


def test_a_doubly_robust_value_from_a_public_model(run: Run, fitted: Trial, tmp_path: Path) -> None:
    model, out = tmp_path / "model.toml", tmp_path / "value.json"
    model.write_text(MODEL, encoding="utf-8")
    files = (fitted.rule, fitted.study, fitted.table)
    options = ("--epsilon", "1", "--yes", "--out", out, "--outcome-model", model)
    result = run("evaluate", *files, *options)
    assert result.code == 0
    assert "doubly robust, from 18 sums" in result.out
    assert read_value(out).outcome_model is not None
    model.write_text(MODEL.replace("arms.therapy", "arms.surgery"), encoding="utf-8")
    result = run("evaluate", *files, *options, "--force")
    assert result.code == 2
    assert "one model for each of the arms pill and therapy" in result.err
    model.write_text("arms = 3", encoding="utf-8")
    result = run("evaluate", *files, *options, "--force")
    assert result.code == 2
    assert "outcome model model.toml" in result.err
