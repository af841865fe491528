"""``dpwerm check`` reports everything at once, and only to the curator."""

from tests.bad_input.base import (
    ADD_REMOVE,
    PERSON_COLUMN,
    PROPENSITY_COLUMN,
    STUDY,
    TEXT_CANARY,
    sound_table,
)
from tests.cli.conftest import Trial
from tests.said import Run


def test_a_sound_study_and_table(run: Run, trial: Trial) -> None:
    result = run("check", trial.study, trial.table)
    assert result.code == 0
    assert result.err == ""
    said = result.out.splitlines()
    assert said[0] == f"{trial.study}: no fault in the study file."
    assert said[1].startswith("SENSITIVE")
    assert said[2].startswith(f"{trial.table}: 24 of 24 rows are usable")
    assert said[3:] == [f"{trial.table}: every value is as declared."]


def test_it_says_that_it_costs_no_privacy_and_is_not_for_publication(
    run: Run, trial: Trial
) -> None:
    said = run("check", trial.study, trial.table).out
    assert "They cost no privacy while only the curator sees them" in said
    assert "publish none of them" in said


def test_usable_rows_are_counted(run: Run, trial: Trial) -> None:
    spoilt = sound_table().set("arm", "none", [1, 2]).set("gain", "", [2, 3])
    trial.table.write_bytes(spoilt.to_bytes())
    result = run("check", trial.study, trial.table)
    assert result.code == 0
    assert f"{trial.table}: 21 of 24 rows are usable" in result.out
    assert "the others teach nothing, see below" in result.out


def test_no_usable_row_ends_with_2(run: Run, trial: Trial) -> None:
    trial.table.write_bytes(sound_table().set("arm", "none").to_bytes())
    result = run("check", trial.study, trial.table)
    assert result.code == 2
    assert "0 of 24 rows are usable" in result.out
    assert "no usable row. A fit would charge the budget all the same" in result.err
    trial.study.write_text(ADD_REMOVE(STUDY), encoding="utf-8")
    trial.table.write_bytes(sound_table().take([]).to_bytes())
    result = run("check", trial.study, trial.table)
    assert result.code == 2
    assert "0 of 0 rows are usable" in result.out
    assert "no usable row" in result.err


def test_settings_that_no_fit_uses_are_told(run: Run, trial: Trial) -> None:
    clip = STUDY.replace("bounds = [-10, 10]", "bounds = [-10, 10]\nclip = 5")
    regression = clip.replace("gamma = 50", 'gamma = 50\nestimator = "contrast"')
    logistic = STUDY.replace("gamma = 50", 'gamma = 50\nloss = "logistic"\nh = 0.5')
    for text, words in (
        (clip, ""),
        (regression, "benefit.clip is not used: estimator contrast"),
        (logistic, "method.h is not used: the loss logistic has no h"),
    ):
        trial.study.write_text(text, encoding="utf-8")
        result = run("check", trial.study)
        assert result.code == 0
        assert words in result.out
        assert ("is not used" in result.out) == bool(words)


def test_a_study_alone(run: Run, trial: Trial) -> None:
    result = run("check", trial.study)
    assert (result.code, result.out) == (0, f"{trial.study}: no fault in the study file.\n")


def test_all_faults_of_a_study_file_at_once(run: Run, trial: Trial) -> None:
    text = STUDY.replace("[18, 80]", "[80, 18]").replace("gamma = 50", "gama = 50")
    trial.study.write_text(text, encoding="utf-8")
    result = run("check", trial.study)
    assert result.code == 2
    assert "2 faults" in result.err
    assert "features.age.bounds" in result.err
    assert 'method.gama: is not a known key; did you mean "gamma"?' in result.err


def test_findings_come_with_row_and_line_after_a_warning(run: Run, trial: Trial) -> None:
    spoilt = sound_table().set("age", TEXT_CANARY, [3]).set("arm", "none", [4])
    trial.table.write_bytes(spoilt.to_bytes())
    result = run("check", trial.study, trial.table)
    assert result.code == 0
    assert result.err == ""
    said = result.out.splitlines()
    assert said[1].startswith("SENSITIVE")
    assert f"'{TEXT_CANARY}' (row 4, line 5)" in result.out
    assert "'none' (row 5, line 6)" in result.out
    assert said[-1].endswith("2 kinds of findings. A fit is silent about them and goes on.")


def test_what_a_fit_would_refuse_ends_with_2(run: Run, trial: Trial) -> None:
    trial.study.write_text(PERSON_COLUMN(STUDY), encoding="utf-8")
    trial.table.write_bytes(sound_table().set("person", "7", [1, 2]).to_bytes())
    result = run("check", trial.study, trial.table)
    assert result.code == 2
    assert "1 kind of finding. A fit would be refused, see above." in result.err


def test_a_mechanism_that_the_budget_cannot_pay(run: Run, trial: Trial) -> None:
    gaussian = STUDY.replace("gamma = 50", 'gamma = 50\nmechanism = "gaussian"')
    trial.study.write_text(gaussian, encoding="utf-8")
    assert run("check", trial.study).code == 2
    with_delta = gaussian.replace("epsilon = 2", "epsilon = 2\ndelta = 1e-6")
    trial.study.write_text(with_delta, encoding="utf-8")
    assert run("check", trial.study).code == 0
    without_budget = gaussian.replace("[budget]\nepsilon = 2\n", "")
    trial.study.write_text(without_budget, encoding="utf-8")
    result = run("check", trial.study)
    assert result.code == 0
    assert "there is no [budget]; a private release will need one, or --ledger none" in result.out
    for total in ("rho = 0.1", "mu = 0.1", "epsilon = 2\nrho = 0.1"):
        with_purse = gaussian.replace("epsilon = 2", total)
        trial.study.write_text(with_purse, encoding="utf-8")
        assert run("check", trial.study).code == 0
    trial.study.write_text(STUDY.replace("epsilon = 2", "rho = 0.1"), encoding="utf-8")
    assert run("check", trial.study).code == 0
    laplace = STUDY.replace("epsilon = 2", "rho = 0.1") + 'mechanism = "product-laplace"\n'
    trial.study.write_text(laplace, encoding="utf-8")
    assert run("check", trial.study).code == 2


def test_gamma_may_be_left_out(run: Run, trial: Trial) -> None:
    for method in ("", "[method]\n", '[method]\ngamma = "auto"\nintercept_scale = "auto"\n'):
        trial.study.write_text(STUDY.replace("[method]\ngamma = 50\n", method), encoding="utf-8")
        result = run("check", trial.study)
        assert (result.code, result.out) == (0, f"{trial.study}: no fault in the study file.\n")


def test_under_add_remove_settings_need_a_planned_number_of_people(run: Run, trial: Trial) -> None:
    text = ADD_REMOVE(STUDY)
    without = text.replace("gamma = 50", 'mechanism = "objective-block"')
    for method in (without, without.replace("[method]", '[method]\ngamma = "auto"')):
        trial.study.write_text(method, encoding="utf-8")
        result = run("check", trial.study)
        assert result.code == 0
        assert "neither planned_n nor gamma is set; under add_remove fit will need" in result.out
    planned = without.replace('id = "small-trial"', 'id = "small-trial"\nplanned_n = 20')
    for good in (text, planned):
        trial.study.write_text(good, encoding="utf-8")
        result = run("check", trial.study)
        assert (result.code, result.out) == (0, f"{trial.study}: no fault in the study file.\n")


def test_a_column_by_design_is_asked_about(run: Run, trial: Trial) -> None:
    recorded = PROPENSITY_COLUMN(STUDY)
    for text, asked in [(recorded, False), (recorded.replace('"external"', '"design"'), True)]:
        trial.study.write_text(text, encoding="utf-8")
        words = " ".join(run("check", trial.study).out.split())
        assert ("fixed before the first person. If it depends on earlier people" in words) is asked


def test_what_no_gamma_can_mend_is_a_fault(run: Run, trial: Trial) -> None:
    worst = PROPENSITY_COLUMN(STUDY).replace("external", "worst_case").replace("gamma = 50\n", "")
    for text, words in (
        (STUDY.replace("gamma = 50", 'mechanism = "objective-gaussian"'), "needs delta"),
        (f'{worst}mechanism = "objective-block"\n', "worst_case use spherical-laplace"),
        (STUDY.replace("gamma = 50", "gamma = 0.1\nmechanism = 'objective-l2'"), "gamma of at"),
    ):
        trial.study.write_text(text, encoding="utf-8")
        result = run("check", trial.study)
        assert (result.code, result.out) == (2, "")
        assert words in result.err
