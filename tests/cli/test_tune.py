"""``dpwerm tune``: curves on people who are free to look at, rules from the study's own."""

import json
from pathlib import Path

import pytest
from tests.bad_input.base import NUMBER_CANARY, TEXT_CANARY, sound_table, with_canaries
from tests.cli.conftest import Trial
from tests.said import Run
from tests.unit.plan.studies import PRIVATE_MODEL

from dpwerm.releases.rule_file import read_rule

FAST = ("--epsilon", 1, "--repeats", 12, "--workers", 1)


@pytest.fixture
def tuned(run: Run, trial: Trial) -> Run:
    """Return a function that tunes the small trial, whose settings are fixed."""
    return lambda *options: run("tune", trial.study, *options)


@pytest.fixture
def pilot(trial: Trial) -> Path:
    """Return the table of other people."""
    path = trial.table.with_name("pilot.csv")
    path.write_bytes(sound_table().to_bytes())
    return path


def test_without_a_table_people_are_simulated(tuned: Run, trial: Trial) -> None:
    trial.table.unlink()
    result = tuned("--n", 60, *FAST)
    assert (result.code, result.err) == (0, "")
    for words in (
        "Tuning gamma for small-trial with 60 people",
        "random trials inside the study's bounds",
        "60 simulated people train and 500 others validate",
        "costs no privacy",
        "accuracy, %",
        "\n  50 ",
        "automatic",
        "Best: gamma = ",
        f"Next: dpwerm fit {trial.study} TABLE --epsilon 1",
    ):
        assert words in result.out.replace("\n", " ") or words in result.out


def test_the_same_command_prints_the_same(tuned: Run) -> None:
    first, again = (tuned("--n", 40, *FAST) for _ in range(2))
    assert first == again
    assert tuned("--n", 40, *FAST, "--seed", 3).out != first.out


def test_other_people_are_split_as_the_paper_says(tuned: Run, pilot: Path) -> None:
    result = tuned(pilot, "--how", "independent", "--n", 60, "--validate", 10, *FAST)
    assert result.code == 0
    text = result.out.replace("\n", " ")
    assert "10 of 24 people validate, and 60 are drawn with replacement from the other 14" in text
    assert "which is your word" in text
    assert " value" in text
    fewer = tuned(pilot, "--how", "independent", "--n", 8, "--validate", 10, *FAST)
    assert "8 of 24 people train and the other 16 validate" in fewer.out.replace("\n", " ")


def test_several_epsilons_in_one_go(tuned: Run, pilot: Path, tmp_path: Path) -> None:
    out, figure = tmp_path / "curve.json", tmp_path / "curve.svg"
    options = ("--how", "independent", "--n", 30, "--epsilon", "0.5,2", "--gammas", "20,200")
    more = ("--repeats", 8, "--workers", 1, "--metric", "loss", "--out", out, "--figure", figure)
    result = tuned(pilot, *options, *more)
    assert result.code == 0
    assert "At epsilon = 0.5" in result.out
    assert "At epsilon = 2" in result.out
    content = json.loads(out.read_text(encoding="utf-8"))
    assert (content["format"], content["private_cost"]) == ("dpwerm-tuned", "free")
    assert [one["epsilon"] for one in content["results"]] == ["0.5", "2"]
    assert content["results"][0]["gammas"] == [20, 200]
    assert content["results"][0]["metric"] == "loss"
    assert figure.read_text(encoding="utf-8").startswith("<?xml")
    again = tuned(pilot, *options, *more)
    assert again.code == 2
    assert "add --force" in again.err
    assert tuned(pilot, *options, *more, "--force").code == 0


def test_a_portion_of_the_study_is_shown_to_the_curator_alone(
    tuned: Run, trial: Trial, tmp_path: Path
) -> None:
    options = (trial.table, "--how", "portion", "--portion", 0.5, *FAST)
    result = tuned(*options)
    assert result.code == 0
    text = result.out.replace("\n", " ")
    assert "SENSITIVE, for the curator only" in text
    assert "NOT PRIVATE" in text
    assert "with 24 people" in text
    assert "of 12 people" in text
    assert "Next: dpwerm fit" not in text
    for option in ("--out", "--figure"):
        path = tmp_path / "found.svg"
        refused = tuned(*options, option, path)
        assert (refused.code, refused.out) == (2, "")
        assert "written nowhere" in refused.err
        assert not path.exists()
    out, figure = tmp_path / "found.json", tmp_path / "found.svg"
    written = tuned(*options, "--out", out, "--figure", figure, "--not-private")
    assert written.code == 0
    assert json.loads(out.read_text(encoding="utf-8"))["private_cost"] == "NOT PRIVATE"
    assert "NOT PRIVATE" in figure.read_text(encoding="utf-8")


def test_no_value_of_a_table_is_printed(tuned: Run, trial: Trial) -> None:
    trial.table.write_bytes(with_canaries(sound_table()).to_bytes())
    for how in (("portion",), ("independent", "--n", 30)):
        result = tuned(trial.table, *FAST, "--how", *how)
        assert result.code == 0
        for canary in (NUMBER_CANARY, TEXT_CANARY):
            assert canary not in result.out + result.err


@pytest.mark.parametrize("how", ["parts", "split"])
def test_private_ways_release_a_rule(tuned: Run, trial: Trial, run: Run, how: str) -> None:
    options = (trial.table, "--how", how, "--epsilon", 1, "--gammas", "50,500")
    result = tuned(*options, "--out", trial.rule, "--yes")
    assert (result.code, result.err) == (0, "")
    assert f"Wrote {trial.rule}" in result.out
    rule = read_rule(trial.rule)
    assert rule.private
    assert rule.tuning is not None
    assert rule.tuning.how == how
    assert str(rule.budget) == "epsilon = 1"
    assert run("verify", trial.rule).code == 0


def test_a_release_is_asked_for_once(tuned: Run, trial: Trial) -> None:
    options = (trial.table, "--how", "split", "--epsilon", 1, "--out", trial.rule)
    result = tuned(*options)
    assert result.code == 2
    assert "Add --yes" in result.err
    assert not trial.rule.exists()
    seeded = tuned(*options, "--yes", "--seed", 4, "--share", 0.5)
    assert seeded.code == 0
    assert not read_rule(trial.rule).private


def test_a_private_way_beyond_the_total_is_refused(tuned: Run, trial: Trial) -> None:
    result = tuned(trial.table, "--how", "parts", "--epsilon", 3, "--out", trial.rule, "--yes")
    assert result.code == 3
    assert "is more than is left of epsilon = 2: epsilon = 2 would fit" in result.err
    assert not trial.rule.exists()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--n", 40), "give --epsilon"),
        ((*FAST,), "how many people are planned? Give --n"),
        (("TABLE", *FAST), "whose table is it?"),
        (("TABLE", "--how", "simulated", "--n", 9, *FAST), "reads no table"),
        (("--how", "independent", "--n", 9, *FAST), "needs a TABLE"),
        (("--how", "magic", *FAST), "--how must be one of"),
        (("--n", 40, *FAST, "--metric", "gain"), "metric must be one of"),
        (("TABLE", "--how", "independent", "--n", 9, *FAST, "--metric", "accuracy"), "is known"),
        (("--n", 40, *FAST, "--gammas", "ten,20"), "--gammas must be numbers"),
        (("--n", 40, *FAST, "--gammas", "10"), "gammas must be 2 to 50 numbers"),
        (("--n", 40, *FAST, "--gammas", "10,-1"), "--gammas must be between"),
        (("--n", 40, *FAST, "--scenario", "paper"), "has arms"),
        (("--n", 40, *FAST, "--scenario", "none"), "scenario must be one of"),
        (("--n", 40, *FAST, "--portion", 0.2), "--portion is for --how portion, not simulated"),
        (("--n", 40, *FAST, "--yes"), "--yes is for --how parts or split, not"),
        (("TABLE", "--how", "parts", *FAST), "--repeats is for --how independent or simulated"),
        (("TABLE", "--how", "portion", "--portion", 1, *FAST), "the portion must lie between"),
        (("TABLE", "--how", "parts", "--epsilon", "1,2", "--yes"), "epsilon"),
        (("TABLE", "--how", "flip", *FAST), "--how flip is no longer offered: parts does"),
        (("TABLE", "--how", "repeats", *FAST), "--how repeats is no longer offered: split"),
        (("--n", 40, *FAST, "--figure", "curve.xyz"), "must end in .png, .pdf or .svg"),
        (("--n", 40, *FAST, "--out", "no-such-folder/x.json"), "does not exist"),
        (("--n", 40, *FAST, "--validate", 501), "at most 500"),
        (("--n", 40, *FAST, "--validate", 0), "at least one person"),
        (("--n", 40, "--epsilon", 0), "epsilon must be between"),
        (("--n", 40, "--epsilon", 1, "--workers", 0), "workers must be at least 1"),
        (("--n", 40, "--epsilon", 1, "--repeats", 1), "repeats must be between 2"),
        (("--n", 10**7, "--epsilon", 1), "n must be between 1 and 1,000,000"),
    ],
)
def test_what_makes_no_sense_ends_with_2(
    tuned: Run, trial: Trial, options: tuple[object, ...], words: str
) -> None:
    given = [trial.table if one == "TABLE" else one for one in options]
    result = tuned(*given)
    assert result.code == 2
    assert words in result.err
    assert result.out == ""


def test_a_mechanism_refuses_a_gamma_and_says_which_would_do(tuned: Run) -> None:
    result = tuned("--n", 40, *FAST, "--gammas", "0.1,500", "--mechanism", "objective-block")
    assert result.code == 2
    assert "gammas: 0.1 cannot be tried" in result.err
    assert "gamma" in result.err.split("tried")[1]


def test_a_model_of_the_propensity_is_refused(tuned: Run, trial: Trial) -> None:
    trial.study.write_text(PRIVATE_MODEL, encoding="utf-8")
    result = tuned("--n", 40, *FAST)
    assert result.code == 2
    assert "needs known propensities" in result.err


def test_the_study_and_the_table_are_never_overwritten(tuned: Run, pilot: Path) -> None:
    result = tuned(pilot, "--how", "independent", "--n", 9, *FAST, "--out", pilot, "--force")
    assert result.code == 2
    assert "is an input" in result.err


def test_a_private_way_is_drawn_on_a_simulated_curve(
    tuned: Run, trial: Trial, tmp_path: Path
) -> None:
    figure = tmp_path / "curve.svg"
    options = (trial.table, "--how", "parts", "--epsilon", 2, "--gammas", "50,500", "--yes")
    result = tuned(*options, "--out", trial.rule, "--figure", figure, "--workers", 1)
    assert result.code == 0
    assert "a curve of synthetic trials. The scores on your table stay secret" in result.out
    assert figure.read_text(encoding="utf-8").startswith("<?xml")
    alone = tuned(*options, "--out", tmp_path / "other.json", "--workers", 1)
    assert alone.code == 2
    assert "--workers with --how parts is for --figure alone" in alone.err


def test_a_private_propensity_model_has_no_figure_and_costs_nothing_to_find_out(
    tuned: Run, trial: Trial, tmp_path: Path
) -> None:
    trial.study.write_text(PRIVATE_MODEL, encoding="utf-8")
    options = ("--how", "parts", "--epsilon", 2, "--gammas", "50,500", "--yes")
    result = tuned(trial.table, *options, "--out", trial.rule, "--figure", tmp_path / "curve.svg")
    assert result.code == 2
    assert "this study has a private model" in result.err
    assert not trial.rule.exists()


def test_what_is_shown_can_be_written_as_a_page(tuned: Run, tmp_path: Path) -> None:
    page = tmp_path / "tuned.html"
    result = tuned("--n", 40, *FAST, "--out", page)
    assert result.code == 0
    shown = page.read_text(encoding="utf-8")
    assert "<h1>Tuning gamma for small-trial with 40 people</h1>" in shown
    assert "Best: gamma = " in shown
