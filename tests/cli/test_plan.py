"""``dpwerm plan``: answers from a study file alone, and says clearly what it cannot answer."""

import json
from pathlib import Path

import pytest
from tests.bad_input.base import STUDY
from tests.cli.conftest import Trial
from tests.said import Run
from tests.unit.plan.studies import OPEN, PRIVATE_MODEL, make_small

from dpwerm.plan import desk
from dpwerm.simulate.scenarios import get_scenario
from dpwerm.study.study import Study

EXAMPLE = Path(__file__).parents[2] / "docs" / "examples" / "paper.toml"


@pytest.fixture
def planned(run: Run, trial: Trial, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Return a function that plans the small trial, with little effort and no table."""
    make_small(tmp_path / "cache", monkeypatch)
    monkeypatch.setattr(desk, "TRIALS", 8)
    monkeypatch.setattr(desk, "QUICK_TRIALS", 8)
    trial.table.unlink()
    trial.study.write_text(OPEN, encoding="utf-8")
    return lambda *options: run("plan", trial.study, *options)


def test_it_says_what_to_expect_by_epsilon(planned: Run) -> None:
    result = planned("--n", 50)
    assert (result.code, result.err) == (0, "")
    for words in (
        "Plan for small-trial with 50 people",
        "Nothing was read but the study file.",
        "\n  0.1 ",
        "\n  5 ",
        "\n  no privacy ",
        "\n  one arm for all ",
        "Above the study's total of 2, which fit refuses: 5.",
        "a factor 2.72; 50:50 becomes at most 73.2:26.8",
    ):
        assert words in result.out
    for words in ("What a fit", "The paper's bounds"):
        assert words not in result.out


WEIGHTED = STUDY.replace("gamma = 50", 'estimator = "outcome-weighted"')


def test_it_says_what_a_fit_would_use(planned: Run, trial: Trial) -> None:
    trial.study.write_text(WEIGHTED, encoding="utf-8")
    result = planned("--n", 50, "--epsilon", "0.50")
    assert result.code == 0
    for words in (
        "What a fit at epsilon = 0.5 with 50 people would use:",
        "  mechanism ",
        "  gamma ",
        "in the units of gain",
        "  row norm ",
        "The effect of the clip V",
        " used\n",
        "a factor 1.65",
    ):
        assert words in result.out


@pytest.mark.parametrize("name", ["contrast", "arm-wise"])
def test_a_regression_is_planned_in_its_own_words(planned: Run, trial: Trial, name: str) -> None:
    trial.study.write_text(WEIGHTED.replace("outcome-weighted", name), encoding="utf-8")
    result = planned("--n", 50, "--epsilon", 1)
    assert result.code == 0
    text = " ".join(result.out.split())
    assert f"estimator {name} regression; rests on " in text
    assert "units of gain, " in text
    for words in ("clip", "V =", "V/pi_min"):
        assert words not in text
    assert "Gain: of what the better arm for each gains over the better single arm" in text


def test_without_privacy_nothing_is_promised(planned: Run) -> None:
    result = planned("--n", 50, "--epsilon", "inf")
    assert result.code == 0
    assert "no privacy" in result.out
    assert "odds" not in result.out


def test_a_target_is_answered_with_the_smallest_epsilon(planned: Run) -> None:
    result = planned("--n", 50, "--target", 0.6)
    assert result.code == 0
    assert "The smallest epsilon for 60 % of people with their better arm with 50 people" in (
        result.out.replace("\n", " ")
    )


def test_a_target_is_answered_with_the_smallest_n(planned: Run) -> None:
    result = planned("--epsilon", 2, "--target", 0.6)
    assert result.code == 0
    assert "The smallest number of people for 60 %" in result.out.replace("\n", " ")
    assert "Plan for small-trial\n" in result.out


def test_a_rule_worth_having_is_searched_for_by_gain_and_harm(planned: Run) -> None:
    result = planned("--epsilon", 2, "--worth", "--sd", 4, "--effect-sd", 6)
    assert result.code == 0
    text = " ".join(result.out.split())
    assert "a rule worth having (gain at least 20 %, harm at most 10 %) at epsilon = 2" in text
    told = text[text.index("at epsilon = 2") :]
    assert told.index("gain ") < told.index("harm ") < told.index("right arm ")


def test_what_is_expected_may_be_declared_or_given(planned: Run, trial: Trial) -> None:
    assert "What it depends on, at epsilon = 1 with 50 people:" in planned("--n", 50).out
    given = planned("--n", 50, "--epsilon", 2, "--sd", 4, "--effect-sd", 1)
    bounds = "bounds = [-10, 10]"
    keys = f"{bounds}\nexpected_sd = 4\nexpected_effect_sd = 1"
    trial.study.write_text(OPEN.replace(bounds, keys), encoding="utf-8")
    declared = planned("--n", 50, "--epsilon", 2)
    assert given.code == declared.code == 0
    assert given.out == declared.out
    assert "What it depends on" not in given.out
    assert "within an arm the benefit has an sd of 4 units" in " ".join(given.out.split())


@pytest.mark.parametrize("options", [("--n", 20), ("--epsilon", "0.1")])
def test_a_target_that_nothing_reaches_is_an_answer(
    planned: Run, options: tuple[object, ...]
) -> None:
    result = planned(*options, "--target", 0.9999)
    assert result.code == 0
    text = result.out.replace("\n", " ")
    assert "reaches 99.99 % of people" in text
    assert ("even without privacy" if "--n" in options else "even with 1,000,000 people") in text


def test_the_number_of_people_may_be_declared(planned: Run, trial: Trial) -> None:
    declared = OPEN.replace('id = "small-trial"', 'id = "small-trial"\nplanned_n = 40')
    trial.study.write_text(declared, encoding="utf-8")
    assert "with 40 people" in planned("--epsilon", 1).out
    assert "with 30 people" in planned("--epsilon", 1, "--n", 30).out


def test_add_remove_needs_no_more_than_n(planned: Run, trial: Trial) -> None:
    text = OPEN.replace('relation = "replace_one"', 'relation = "add_remove"')
    trial.study.write_text(text, encoding="utf-8")
    result = planned("--n", 50, "--epsilon", 1)
    assert result.code == 0
    assert "being in the data" in result.out


def test_a_private_propensity_model_is_paid_first(planned: Run, trial: Trial) -> None:
    trial.study.write_text(PRIVATE_MODEL, encoding="utf-8")
    result = planned("--n", 50, "--epsilon", 1)
    assert result.code == 0
    text = result.out.replace("\n", " ")
    assert "The private propensity model takes epsilon = 0.25 and leaves epsilon = 0.75" in text
    assert "What a fit at epsilon = 1 with 50 people would use for the rule's part, epsilon" in text


def test_a_figure_is_drawn(planned: Run, tmp_path: Path) -> None:
    path = tmp_path / "plan.png"
    result = planned("--n", 50, "--quick", "--figure", path)
    assert result.code == 0
    assert f"Wrote {path}." in result.out
    assert path.read_bytes().startswith(b"\x89PNG")
    again = planned("--n", 50, "--quick", "--figure", path)
    assert again.code == 2
    assert "add --force" in again.err


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ((), "how many people are planned? Give --n"),
        (("--n", 0), "n must be between 1 and"),
        (("--n", -4), "n must be between 1 and"),
        (("--n", 10**13), "n must be between 1 and"),
        (("--n", "many"), "--n"),
        (("--n", 50, "--epsilon", 0), "epsilon must be between"),
        (("--n", 50, "--epsilon", -1), "epsilon must be between"),
        (("--n", 50, "--epsilon", "nan"), "epsilon"),
        (("--n", 50, "--epsilon", "much"), "epsilon"),
        (("--n", 50, "--delta", 2), "delta must be 0"),
        (("--n", 50, "--target", 0.5), "target must be above 0.5"),
        (("--n", 50, "--target", 1), "target must be above 0.5"),
        (("--n", 50, "--target", 90), "target must be above 0.5"),
        (("--n", 50, "--target", "nan"), "target must be finite"),
        (("--target", 0.9), "give --n, to find the smallest epsilon, or --epsilon"),
        (("--n", 50, "--epsilon", 1, "--target", 0.9), "give --n or --epsilon, not both"),
        (("--n", 50, "--target", 0.9, "--figure", "x.png"), "--target answers alone"),
        (("--n", 50, "--figure", "plan.xyz"), "must end in .png, .pdf or .svg"),
        (("--n", 50, "--figure", "no-such-folder/plan.png"), "does not exist"),
    ],
)
def test_what_makes_no_sense_ends_with_2(
    planned: Run, options: tuple[object, ...], words: str
) -> None:
    result = planned(*options)
    assert result.code == 2
    assert words in result.err
    assert result.out == ""


def test_a_wrong_study_file_ends_with_2(planned: Run, run: Run, trial: Trial) -> None:
    trial.study.write_text(OPEN.replace("bounds = [-10, 10]", "bounds = [10, -10]"))
    result = planned("--n", 50)
    assert result.code == 2
    assert "benefit.bounds" in result.err
    assert run("plan", trial.study.with_name("none.toml"), "--n", 50).code == 2


def test_what_the_study_sets_may_leave_no_release(planned: Run, trial: Trial) -> None:
    fixed = OPEN + 'gamma = 30\nmechanism = "objective-block"\n'
    trial.study.write_text(fixed, encoding="utf-8")
    some = planned("--n", 50)
    assert some.code == 0
    assert "No release at epsilon = 0.1: " in some.out
    none = planned("--n", 50, "--epsilon", "0.1")
    assert none.code == 2
    assert "gamma" in none.err


def test_the_example_is_the_papers_problem() -> None:
    declared, own = Study.load(EXAMPLE), get_scenario("paper").study()
    assert declared.encoding() == own.encoding()
    assert declared.treatment == own.treatment
    assert declared.benefit == own.benefit


def test_it_is_written_in_the_format_of_the_ending(
    planned: Run, trial: Trial, tmp_path: Path
) -> None:
    trial.study.write_text(WEIGHTED, encoding="utf-8")
    page, data = tmp_path / "plan.html", tmp_path / "plan.json"
    picture = ("--figure", tmp_path / "plan.svg")
    result = planned("--n", 50, "--epsilon", "1", "--quick", "--out", page, *picture)
    assert (result.code, result.err) == (0, "")
    assert f"Wrote {page}." in result.out
    shown = page.read_text(encoding="utf-8")
    assert "<h1>Plan for small-trial with 50 people</h1>" in shown
    assert "from the study file alone" in shown
    assert shown.count("data:image/svg+xml") == 1
    assert planned("--n", 50, "--epsilon", "1", "--quick", "--out", data).code == 0
    found = json.loads(data.read_text(encoding="utf-8"))
    assert (found["format"], found["private"]) == ("dpwerm-plan", None)
    kinds = [block["kind"] for block in found["sections"][0]["blocks"]]
    assert kinds.count("table") == 3
    captions = [block.get("caption", "") for block in found["sections"][0]["blocks"]]
    assert any(caption.startswith("What it depends on") for caption in captions)
    refused = planned("--n", 50, "--out", tmp_path / "plan.pdf")
    assert "must end in .html, .txt or .json" in refused.err
