"""``dpwerm fit``: asks before it spends, refuses what is too much, and says what it promises."""

import json
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
import typer
from tests.bad_input.base import ADD_REMOVE, PERSON_COLUMN, STUDY, sound_table
from tests.cli.conftest import Trial
from tests.said import Run

from dpwerm.privacy.ledger import entry
from dpwerm.privacy.ledger.ledger import Ledger
from dpwerm.study.study import Study

NOT_PRIVATE = "NOT PRIVATE"
STAGES = ("reading", "encoding", "solving", "adding noise")


def content(trial: Trial) -> dict[str, Any]:
    read: dict[str, Any] = json.loads(trial.rule.read_text(encoding="utf-8"))
    return read


def test_it_writes_a_rule_and_says_what_it_promises(fit: Run, trial: Trial) -> None:
    result = fit("--epsilon", "0.5")
    assert (result.code, result.err) == (0, "")
    for line in (
        "Released under differential privacy: epsilon 0.5, delta 0, relation replace_one.",
        "Recommend 'therapy' where the score is above 0, 'pill' where it is below;",
        "by at most a factor 1.65.",
        "  mechanism    spherical-laplace (docs/proofs/spherical-laplace.md)",
        "  relation     replace_one, n = 24",
        "  randomness   operating system",
        f"Wrote {trial.rule}. Anybody can check its numbers with: dpwerm verify {trial.rule}",
    ):
        assert line in result.out
    assert content(trial)["certificate"]["epsilon"] == "0.5"
    assert sorted(path.name for path in trial.rule.parent.iterdir()) == [
        "ledger.db",
        "rule.json",
        "study.toml",
        "trial.csv",
    ]


def test_two_fits_differ_and_two_seeded_fits_do_not(fit: Run, trial: Trial) -> None:
    def integers(*options: object) -> list[int]:
        assert fit("--force", *options).code == 0
        found: list[int] = content(trial)["coefficients"]["integers"]
        return found

    assert integers() != integers()
    assert integers("--seed", 3) == integers("--seed", 3)


def test_without_a_terminal_it_needs_yes(run: Run, trial: Trial) -> None:
    result = run("fit", trial.study, trial.table, "--epsilon", "1", "--out", trial.rule)
    assert result.code == 2
    assert "Add --yes" in result.err
    assert not trial.rule.exists()


def test_a_refused_table_is_told_to_have_cost_nothing(fit: Run, trial: Trial) -> None:
    trial.study.write_text(PERSON_COLUMN(STUDY), encoding="utf-8")
    trial.table.write_bytes(sound_table().set("person", "1").to_bytes())
    result = fit()
    assert result.code == 2
    assert result.out.startswith("To be charged to study small-trial")
    assert result.err.endswith("\nNothing was charged and nothing was released.\n")
    assert not (trial.rule.parent / "ledger.db").exists()


def test_what_fails_after_the_charge_is_told_to_be_charged(
    fit: Run, trial: Trial, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise ValueError

    monkeypatch.setattr("dpwerm.fit.Ready.of", fail)
    result = fit()
    assert result.code == 1
    assert "The ledger was charged before this, and that stays; nothing was released." in result.err
    assert len(Ledger.of_study(Study.load(trial.study)).account().charges) == 1
    assert "ledger" not in fit("--ledger", "none").err


@pytest.mark.parametrize("answer", [True, False])
def test_on_a_terminal_it_asks_once(
    run: Run, trial: Trial, monkeypatch: pytest.MonkeyPatch, answer: bool
) -> None:
    questions = []

    def confirm(question: str, *, err: bool) -> bool:
        assert err
        questions.append(question)
        return answer

    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr(typer, "confirm", confirm)
    result = run("fit", trial.study, trial.table, "--epsilon", "1", "--out", trial.rule)
    assert questions == ["Release a rule from study small-trial at epsilon = 1?"]
    assert result.code == (0 if answer else 2)
    assert trial.rule.exists() == answer
    if not answer:
        assert "Nothing was read and nothing was released." in result.err


def test_every_entry_of_the_ledger_is_checked_once(
    fit: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Preview, refusal, charge and digest share one walk along the chain."""
    assert fit("--epsilon", "0.1").code == 0
    hashed: list[int] = []
    digest = entry._digest

    def counted(content: str) -> str:
        hashed.append(json.loads(content)["number"])
        return digest(content)

    monkeypatch.setattr(entry, "_digest", counted)
    assert fit("--epsilon", "0.1", "--force").code == 0
    # The charge is the fourth: it is sealed, and checked when its digest is written beside it.
    assert Counter(hashed) == {1: 1, 2: 1, 3: 1, 4: 2}


def test_it_replaces_a_file_only_by_force(fit: Run, trial: Trial) -> None:
    trial.rule.write_text("mine", encoding="utf-8")
    result = fit()
    assert result.code == 2
    assert "add --force to replace it" in result.err
    assert trial.rule.read_text(encoding="utf-8") == "mine"
    assert fit("--force").code == 0
    assert content(trial)["format"] == "dpwerm-rule"


def test_a_failed_fit_leaves_an_older_rule_alone(fit: Run, trial: Trial) -> None:
    assert fit().code == 0
    before = trial.rule.read_bytes()
    trial.table.write_bytes(b"age,sex\n30,F\n")
    assert fit("--force").code == 2
    assert trial.rule.read_bytes() == before


def test_a_fit_that_is_interrupted_as_it_writes_is_printed(
    fit: Run, trial: Trial, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("pathlib.Path.hardlink_to", interrupted)
    before = set(trial.rule.parent.iterdir())
    result = fit()
    assert result.code not in (0, 2, 3, 4)
    assert "Traceback" not in result.out + result.err
    assert json.loads(result.out[result.out.index("{\n") :])["format"] == "dpwerm-rule"
    assert set(trial.rule.parent.iterdir()) == before | {trial.rule.with_name("ledger.db")}
    account = Ledger.of_study(Study.load(trial.study)).account()
    assert [str(charge.cost) for charge in account.charges] == ["epsilon = 1"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--epsilon", "2.0000001"), "is more than is left of epsilon = 2: epsilon = 2 would fit"),
        (("--mechanism", "gaussian", "--delta", "1e-9"), "delta = 0 is left"),
        (("--rho", "0.1"), "declare rho in [budget], such as rho = 0.1"),
        (("--mu", "0.1"), "declare mu (or rho) in [budget], such as mu = 0.1"),
    ],
)
def test_over_budget_ends_with_3(refused: Run, options: tuple[str, ...], words: str) -> None:
    assert words in refused(3, *options).err


WITH_RHO = STUDY.replace("epsilon = 2", "rho = 0.125")
"""A total that is a purse of ρ alone; it pays for μ up to 0.5."""


@pytest.mark.parametrize(
    ("option", "value", "said", "noise"),
    [
        ("--rho", "0.12", "rho 0.12 (zCDP)", "rho = 0.12 (zCDP), mu = 0.489898 (Gaussian DP)"),
        ("--mu", "0.40", "mu 0.4 (Gaussian DP)", "rho = 0.08 (zCDP), mu = 0.4 (Gaussian DP)"),
    ],
)
def test_a_promise_in_rho_or_mu(
    fit: Run, run: Run, trial: Trial, option: str, value: str, said: str, noise: str
) -> None:
    trial.study.write_text(WITH_RHO, encoding="utf-8")
    result = fit(option, value)
    assert (result.code, result.err) == (0, "")
    assert f"Released under differential privacy: {said}, relation replace_one." in result.out
    assert "gaussian (docs/proofs/gaussian.md)" in result.out
    assert noise in result.out
    assert "epsilon" not in result.out
    certificate = content(trial)["certificate"]
    symbol = option.removeprefix("--")
    assert certificate[symbol] == str(float(value))
    assert certificate["epsilon"] is None
    verified = run("verify", trial.rule)
    assert verified.code == 0
    assert f"given  certificate.{symbol} = {float(value)}" in verified.out
    assert "None" not in verified.out


def test_it_asks_about_rho(run: Run, trial: Trial, monkeypatch: pytest.MonkeyPatch) -> None:
    trial.study.write_text(WITH_RHO, encoding="utf-8")
    questions = []

    def confirm(question: str, *, err: bool) -> bool:
        questions.append((question, err))
        return False

    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr(typer, "confirm", confirm)
    assert run("fit", trial.study, trial.table, "--rho", "0.1", "--out", trial.rule).code == 2
    assert questions == [("Release a rule from study small-trial at rho = 0.1 (zCDP)?", True)]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--rho", "0.126"), "is more than is left of rho = 0.125: rho = 0.125 would fit"),
        (("--mu", "5"), "mu = 0.5 would fit"),
        (("--epsilon", "0.1"), "declare epsilon in [budget]"),
    ],
)
def test_rho_and_mu_are_held_to_their_purse(
    fit: Run, trial: Trial, options: tuple[str, ...], words: str
) -> None:
    trial.study.write_text(WITH_RHO, encoding="utf-8")
    result = fit(*options)
    assert result.code == 3
    assert words in result.err
    assert not trial.rule.exists()


def test_one_budget_must_be_given(run: Run, trial: Trial) -> None:
    arguments = ("fit", trial.study, trial.table, "--out", trial.rule, "--yes")
    for options, words in (
        ((), "give exactly one of epsilon, rho and mu"),
        (("--epsilon", "1", "--rho", "0.1"), "not epsilon and rho together"),
        (("--rho", "0.1", "--mu", "0.1"), "not rho and mu together"),
        (("--mu", "0.1", "--delta", "1e-6"), "delta must be 0 with mu"),
        (("--rho", "0.1", "--mechanism", "objective-block"), "use gaussian for rho = 0.1 (zCDP)"),
        (("--rho", "0"), "rho must be between"),
    ):
        result = run(*arguments, *options)
        assert result.code == 2
        assert words in result.err
    assert not trial.rule.exists()


def test_a_seeded_fit_spends_nothing(fit: Run) -> None:
    result = fit("--epsilon", "3", "--seed", "1")
    assert result.code == 0
    assert "NOT PRIVATE" in result.out


def test_the_whole_budget_may_be_spent(fit: Run) -> None:
    assert fit("--epsilon", "2.000").code == 0


def test_options_replace_the_method_of_the_study(fit: Run, trial: Trial) -> None:
    text = STUDY.replace("epsilon = 2", "epsilon = 2\ndelta = 1e-5")
    trial.study.write_text(text, encoding="utf-8")
    assert fit("--gamma", 70, "--mechanism", "gaussian", "--delta", "1e-6").code == 0
    certificate = content(trial)["certificate"]
    assert (certificate["gamma"], certificate["mechanism"]) == (70.0, "gaussian")
    assert certificate["delta"] == "0.000001"


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (("--epsilon", "inf"), "fitted without noise"),
        (("--epsilon", "1", "--seed", "5"), "the noise came from a seed"),
    ],
)
def test_not_private_is_said_everywhere(
    fit: Run, run: Run, trial: Trial, options: tuple[str, ...], reason: str
) -> None:
    said = fit(*options)
    assert f"{NOT_PRIVATE}: {reason}" in said.out
    assert "What epsilon" not in said.out
    read = content(trial)
    assert read["notice"].startswith(NOT_PRIVATE)
    assert read["certificate"]["private"] is False
    assert read["certificate"]["claim"] == "no privacy claim"
    verified = run("verify", trial.rule)
    assert verified.code == 0
    assert "It is NOT PRIVATE." in verified.out
    out = trial.rule.with_name("out.csv")
    assert NOT_PRIVATE in run("recommend", trial.rule, trial.table, "--out", out).out


def test_a_private_rule_is_nowhere_called_not_private(fit: Run, run: Run, trial: Trial) -> None:
    said = fit().out + run("verify", trial.rule).out + trial.rule.read_text(encoding="utf-8")
    assert NOT_PRIVATE not in said


def test_under_add_remove_n_is_nowhere(fit: Run, run: Run, trial: Trial) -> None:
    """All but the coefficients is the same for one row more, so nothing there depends on n."""
    trial.study.write_text(ADD_REMOVE(STUDY), encoding="utf-8")
    seen = []
    for rows in (24, 23):
        trial.table.write_bytes(sound_table().take(range(rows)).to_bytes())
        result = fit("--seed", 1, "--force")
        assert result.code == 0
        assert "add_remove, n is not written" in result.out
        read = content(trial)
        assert read["certificate"]["n"] is None
        coefficients = read.pop("coefficients")
        del read["digest"], coefficients["integers"], coefficients["own_units"]
        verified = run("verify", trial.rule)
        assert verified.code == 0
        promises = result.out.partition("How it was made")[2]
        assert promises
        rest = [line for line in verified.out.splitlines() if "digest" not in line]
        seen.append((read, coefficients, promises, rest))
    assert seen[0] == seen[1]


def test_progress_goes_to_standard_error_alone(fit: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    quiet = fit("--seed", 2)
    assert quiet.err == ""
    monkeypatch.setenv("FORCE_COLOR", "1")
    shown = fit("--seed", 2, "--force")
    assert shown.out == quiet.out
    assert any(stage in shown.err for stage in STAGES)
    assert not any(stage in shown.out for stage in ("encoding", "adding noise"))


def test_stages_never_depend_on_the_data(
    trial: Trial, fit: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[list[str]] = []

    class Recorder:
        def __enter__(self) -> Callable[[str], None]:
            told.append([])
            return told[-1].append

        def __exit__(self, *_: object) -> None: ...

    monkeypatch.setattr("dpwerm.cli.release.stages", Recorder)
    assert fit().code == 0
    trial.table.write_bytes(sound_table().set("arm", "").to_bytes())
    assert fit("--force").code == 0
    assert told == [list(STAGES)] * 2


@pytest.mark.parametrize("which", ["study", "table"])
def test_an_input_is_never_replaced(fit: Run, run: Run, trial: Trial, which: str) -> None:
    path = getattr(trial, which)
    before = path.read_bytes()
    result = run(
        "fit", trial.study, trial.table, "--epsilon", "1", "--yes", "--force", "--out", path
    )
    assert result.code == 2
    assert "is an input of this command" in result.err
    assert path.read_bytes() == before


def test_hyperparameters_are_chosen_by_the_number_of_rows_alone(
    fit: Run, run: Run, trial: Trial
) -> None:
    trial.study.write_text(STUDY.replace("[method]\ngamma = 50\n", ""), encoding="utf-8")
    seen = []
    for table in (sound_table(), sound_table().set("gain", "10").set("age", "18")):
        trial.table.write_bytes(table.to_bytes())
        result = fit("--seed", 1, "--force")
        assert result.code == 0
        assert "Hyperparameters: gamma, estimator, mechanism, " in result.out
        assert run("verify", trial.rule).code == 0
        read = content(trial)
        assert read["certificate"]["chosen"]["settings"][0] == "gamma"
        seen.append((read["certificate"], read["encoding"], read["benefit"]))
    assert seen[0] == seen[1]


def test_an_option_switches_the_simulation_off(fit: Run, trial: Trial) -> None:
    trial.study.write_text(STUDY.replace("gamma = 50", 'gamma = "auto"'), encoding="utf-8")
    result = fit("--gamma", 70)
    assert result.code == 0
    assert "Hyperparameters" not in result.out
    certificate = content(trial)["certificate"]
    assert (certificate["gamma"], certificate["chosen"]) == (70.0, None)
    assert certificate["mechanism"] == "spherical-laplace"


def test_under_add_remove_a_planned_number_of_people_is_needed(
    fit: Run, run: Run, trial: Trial
) -> None:
    text = ADD_REMOVE(STUDY).replace("[method]\ngamma = 50\n", "")
    trial.study.write_text(text, encoding="utf-8")
    refused = fit("--seed", 1)
    assert refused.code == 2
    assert "needs planned_n" in refused.err
    planned = text.replace('id = "small-trial"', 'id = "small-trial"\nplanned_n = 24')
    trial.study.write_text(planned, encoding="utf-8")
    seen = []
    for rows in (24, 23):
        trial.table.write_bytes(sound_table().take(range(rows)).to_bytes())
        assert fit("--seed", 1, "--force").code == 0
        assert run("verify", trial.rule).code == 0
        seen.append(content(trial)["certificate"])
    assert seen[0] == seen[1]
    assert seen[0]["n"] is None
