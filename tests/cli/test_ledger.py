"""``dpwerm ledger`` and the options of every command that releases: charged, shown, refused."""

import csv
import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
import typer
from tests.bad_input.base import NUMBER_CANARY, STUDY, TEXT_CANARY, sound_table, with_canaries
from tests.cli.conftest import Trial
from tests.said import Run

from dpwerm.errors import LedgerError
from dpwerm.privacy.ledger.entry import seal
from dpwerm.privacy.ledger.ledger import Ledger
from dpwerm.privacy.randomness import Receipt
from dpwerm.releases.files import digest_of
from dpwerm.study.study import Study

SECRET = "hunter2-zebra"  # noqa: S105 - a password that must never be seen
DIVIDED = STUDY.replace("epsilon = 2", 'epsilon = 2\npartitions = ["north", "south"]')


def account(trial: Trial) -> list[tuple[str, str | None, str]]:
    """Return what was charged, for whom, and at which cost."""
    found = Ledger.of_study(Study.load(trial.study)).account().charges
    return [(charge.what, charge.partition, str(charge.cost)) for charge in found]


def edit(trial: Trial, *statements: str) -> None:
    """Change the ledger behind its back, past the triggers that refuse it."""
    with closing(sqlite3.connect(trial.study.with_name("ledger.db"))) as file, file:
        for (name,) in list(file.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'")):
            file.execute(f"DROP TRIGGER {name}")
        for statement in statements:
            file.execute(statement)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Callable[[bool], list[str]]:
    """Return a function that puts somebody at the terminal, and the questions they are asked."""

    def sit(answer: bool) -> list[str]:
        questions: list[str] = []

        def confirm(question: str, *, err: bool) -> bool:
            assert err
            questions.append(question)
            return answer

        monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
        monkeypatch.setattr(typer, "confirm", confirm)
        return questions

    return sit


def test_fit_and_evaluate_are_added_up_in_exact_decimals(
    fit: Run, run: Run, trial: Trial, tmp_path: Path
) -> None:
    trial.study.write_text(STUDY.replace("epsilon = 2", "epsilon = 0.3"), encoding="utf-8")
    first = fit("--epsilon", "0.1")
    assert first.code == 0
    assert "To be charged to study small-trial in sqlite ledger.db, for everybody:" in first.out
    assert "epsilon  0.3    0      0.3   0.1           0.2" in first.out
    files = (trial.rule, trial.study, trial.table)
    value = tmp_path / "value.json"
    second = run("evaluate", *files, "--epsilon", "0.2", "--out", value, "--yes")
    assert (second.code, second.err) == (0, "")
    assert "epsilon  0.3    0.1    0.2   0.2           0" in second.out
    third = fit("--epsilon", "0.000001", "--force")
    assert third.code == 3
    assert "no epsilon is left" in third.err
    assert account(trial) == [
        ("rule", None, "epsilon = 0.1"),
        ("value", None, "epsilon = 0.2"),
    ]
    for file in (trial.rule, value):
        verified = run("verify", file, "--study", trial.study)
        assert (verified.code, verified.err) == (0, "")
        assert "ok     ledger, cost" in verified.out
        assert "The ledger holds the charge of this release" in verified.out


def test_a_tuned_rule_is_charged_once_for_everything(run: Run, trial: Trial) -> None:
    options = ("--how", "split", "--epsilon", 1, "--gammas", "50,500", "--out", trial.rule)
    result = run("tune", trial.study, trial.table, *options, "--yes")
    assert (result.code, result.err) == (0, "")
    assert "epsilon  2      0      2     1             1" in result.out
    assert account(trial) == [("tuned rule", None, "epsilon = 1")]
    assert run("verify", trial.rule, "--study", trial.study).code == 0
    free = run("tune", trial.study, "--n", 30, "--epsilon", 1, "--partition", "north")
    assert free.code == 2
    assert "--partition is for --how parts or split" in free.err


def test_the_cost_is_shown_where_the_question_is(
    run: Run, trial: Trial, asked: Callable[[bool], list[str]]
) -> None:
    questions = asked(False)
    result = run("fit", trial.study, trial.table, "--epsilon", "0.5", "--out", trial.rule)
    assert (result.code, result.out) == (2, "")
    assert questions == ["Release a rule from study small-trial at epsilon = 0.5?"]
    assert "epsilon  2      0      2     0.5           1.5" in result.err
    assert "Nothing was read and nothing was released." in result.err
    assert not trial.study.with_name("ledger.db").exists()


def test_too_much_is_refused_before_a_row_is_read_or_anybody_asked(
    run: Run, trial: Trial, asked: Callable[[bool], list[str]]
) -> None:
    questions = asked(True)
    trial.table.unlink()
    result = run("fit", trial.study, trial.table, "--epsilon", "2.5", "--out", trial.rule)
    assert result.code == 3
    assert "epsilon = 2 would fit" in result.err
    assert questions == []
    assert not trial.study.with_name("ledger.db").exists()


def test_no_ledger_must_be_said_and_is_said_everywhere(
    fit: Run, run: Run, trial: Trial, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = fit("--ledger", "none")
    assert result.code == 0
    assert "No ledger: this release will not be added up with others." in result.out
    assert "  ledger       none" in result.out
    assert not trial.study.with_name("ledger.db").exists()
    certificate = json.loads(trial.rule.read_text(encoding="utf-8"))["certificate"]
    assert certificate["ledger"] == "none"
    verified = run("verify", trial.rule, "--study", trial.study)
    assert verified.code == 4
    assert "ledger, charge: recorded none" in verified.err
    monkeypatch.setenv("DPWERM_LEDGER", "none")
    forgotten = fit("--force")
    assert forgotten.code == 2
    assert "say --ledger none on the command line" in forgotten.err


def test_without_a_budget_nothing_is_released_by_accident(fit: Run, trial: Trial) -> None:
    trial.study.write_text(STUDY.replace("[budget]\nepsilon = 2\n", ""), encoding="utf-8")
    result = fit()
    assert result.code == 2
    assert "there is no total to charge" in result.err
    assert not trial.rule.exists()
    assert fit("--ledger", "none").code == 0
    assert fit("--seed", "1", "--force").code == 0


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--seed", "1", "--ledger", "sqlite:///x.db"), "is never charged"),
        (("--epsilon", "inf", "--partition", "north"), "is never charged"),
        (("--ledger", "none", "--partition", "north"), "--ledger none has none"),
        (("--partition", "north"), "partition must be one of the study's partitions"),
        (("--ledger", "mysql://host/db"), "a ledger is"),
        (("--ledger", f"postgresql://me:{SECRET}@"), "a ledger is"),
        (("--ledger", "sqlite:///no-such-folder/x.db"), "folder"),
    ],
)
def test_what_makes_no_sense_ends_with_2(
    refused: Run, options: tuple[str, ...], words: str
) -> None:
    result = refused(2, *options)
    assert words in result.err
    assert SECRET not in result.out + result.err


def test_a_seed_never_touches_a_ledger(
    fit: Run, trial: Trial, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DPWERM_LEDGER", f"postgresql://me:{SECRET}@localhost:1/none")
    for options in (("--seed", "1"), ("--epsilon", "inf")):
        result = fit(*options, "--force")
        assert result.code == 0
        assert "charged to" not in result.out
    assert not trial.study.with_name("ledger.db").exists()


def test_a_password_never_shows(
    fit: Run, run: Run, trial: Trial, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DPWERM_LEDGER", f"postgresql://me:{SECRET}@127.0.0.1:1/team")
    for result in (
        fit(),
        run("ledger", "show", trial.study),
        run("ledger", "verify", trial.study),
        run("ledger", "verify"),
        run("ledger", "export", trial.study, "--out", trial.rule.with_name("out.json")),
        run("ledger", "total", trial.study, "--reason", "why", "--yes"),
    ):
        assert result.code == 2
        assert "postgresql 127.0.0.1/team" in result.err
        for words in (SECRET, "me:", "me@"):
            assert words not in result.out + result.err
    assert not trial.rule.exists()


def test_a_password_on_the_command_line_is_refused(fit: Run, run: Run, trial: Trial) -> None:
    option = ("--ledger", f"postgresql://me:{SECRET}@127.0.0.1:1/team")
    for result in (fit(*option), run("ledger", "show", trial.study, *option)):
        assert result.code == 2
        assert "put it into DPWERM_LEDGER, PGPASSWORD or ~/.pgpass" in result.err
        assert SECRET not in result.out + result.err
    assert not trial.rule.exists()


def test_another_ledger_than_the_study_declares_is_refused(fit: Run, trial: Trial) -> None:
    named = STUDY.replace("epsilon = 2", 'epsilon = 2\nledger = "sqlite:///mine.db"')
    trial.study.write_text(named, encoding="utf-8")
    result = fit("--ledger", "sqlite:///other.db")
    assert result.code == 2
    assert "is not the ledger that the study declares" in result.err
    assert fit("--ledger", "sqlite:///mine.db").code == 0
    assert trial.study.with_name("mine.db").exists()


def test_partitions_do_not_add_up(fit: Run, run: Run, trial: Trial) -> None:
    trial.study.write_text(DIVIDED, encoding="utf-8")
    assert fit("--partition", "north", "--epsilon", "1.5").code == 0
    earlier = ("--slot", "south")  # the name that earlier versions had
    assert fit(*earlier, "--epsilon", "1.5", "--force").code == 0
    both = fit("--epsilon", "1", "--force")
    assert both.code == 3
    assert "beside the fullest partition: epsilon = 0.5 would fit" in both.err
    assert fit("--epsilon", "0.5", "--force").code == 0
    shown = run("ledger", "show", trial.study)
    assert shown.code == 0
    for words in (
        "left for partition  epsilon",
        "north               0",
        "epsilon  2      2      0",
    ):
        assert words in shown.out
    assert [partition for _, partition, _ in account(trial)] == ["north", "south", None]


def test_show_before_and_after(fit: Run, run: Run, trial: Trial) -> None:
    before = run("ledger", "show", trial.study)
    assert (before.code, before.err) == (0, "")
    assert "Nothing was charged yet" in before.out
    assert not trial.study.with_name("ledger.db").exists()
    assert fit("--epsilon", "0.5").code == 0
    after = run("ledger", "show", trial.study)
    digest = json.loads(trial.rule.read_text(encoding="utf-8"))["digest"]
    assert "epsilon 2 -> 1.5" in after.out
    assert digest[:19] in after.out
    assert fit("--epsilon", "0.5", "--force").code == 0
    again = run("ledger", "show", trial.study).out
    assert "if their budgets had been fixed in advance" in again.replace("\n", " ")
    assert "Head: 3:sha256:" in after.out
    trial.study.write_text(STUDY.replace("epsilon = 2", "epsilon = 3"), encoding="utf-8")
    assert "The study file now declares epsilon = 3" in run("ledger", "show", trial.study).out


def test_the_record_holds_nothing_of_the_table_the_machine_or_the_hour(
    fit: Run, run: Run, trial: Trial
) -> None:
    trial.table.write_bytes(with_canaries(sound_table()).to_bytes())
    assert fit().code == 0
    out = trial.rule.with_name("ledger.json")
    assert run("ledger", "export", trial.study, "--out", out).code == 0
    entries = json.loads(out.read_text(encoding="utf-8"))["entries"]
    stored = (
        out.read_text(encoding="utf-8").encode() + trial.study.with_name("ledger.db").read_bytes()
    )
    for words in (NUMBER_CANARY, TEXT_CANARY, str(trial.study.parent), "trial.csv", "n_rows"):
        assert words.encode() not in stored
    keys = {key for entry in entries for key in entry["body"]}
    assert keys == {
        *("kind", "ledger", "format", "study", "relation", "total", "slots", "date"),
        *("slot", "cost", "what", "library", "key"),
    }
    days = [entry["body"]["date"] for entry in entries if "date" in entry["body"]]
    assert all(len(day) == len("2026-11-16") for day in days)


@pytest.fixture
def spent(fit: Run, trial: Trial) -> Trial:
    """Return a trial with two charges in its ledger."""
    for epsilon in ("0.5", "0.25"):
        assert fit("--epsilon", epsilon, "--force").code == 0
    return trial


EDITS = {
    "edited": (
        """UPDATE dpwerm_entries SET content = replace(content, '"0.5"', '"0.1"')
        WHERE number = 3""",
        "entry 3 was edited",
    ),
    "dropped": ("DELETE FROM dpwerm_entries WHERE number = 3", "entry 3 is missing"),
    "last dropped": ("DELETE FROM dpwerm_entries WHERE number = 4", "entries after 3 are missing"),
    "reordered": (
        "UPDATE dpwerm_entries SET number = 100 - number WHERE number IN (2, 3)",
        "entr",
    ),
}


@pytest.mark.parametrize("name", EDITS)
def test_verify_finds_every_meddling(fit: Run, run: Run, spent: Trial, name: str) -> None:
    sound = run("ledger", "verify", spent.study)
    assert (sound.code, sound.err) == (0, "")
    assert "4 entries, none edited, dropped or moved." in sound.out
    statement, words = EDITS[name]
    edit(spent, statement)
    found = run("ledger", "verify", spent.study)
    assert (found.code, found.out) == (4, "")
    assert words in found.err
    assert "REJECTED" in found.err
    before = spent.rule.read_bytes()
    for refused in (
        fit("--force"),
        run("ledger", "show", spent.study),
        run("ledger", "export", spent.study, "--out", spent.rule.with_name("out.csv")),
        run("verify", spent.rule, "--study", spent.study),
    ):
        assert refused.code == 4
        assert "does not verify" in refused.err
    assert spent.rule.read_bytes() == before


def test_an_old_copy_is_found_by_a_head_that_was_written_down(
    fit: Run, run: Run, spent: Trial
) -> None:
    ledger = spent.study.with_name("ledger.db")
    old = ledger.read_bytes()
    assert fit("--epsilon", "1", "--force").code == 0
    said = run("ledger", "verify", spent.study).out
    head = next(line for line in said.splitlines() if line.startswith("Head: "))[6:]
    assert run("ledger", "verify", spent.study, "--head", head).code == 0
    ledger.write_bytes(old)
    assert run("ledger", "verify", spent.study).code == 0
    found = run("ledger", "verify", spent.study, "--head", head)
    assert found.code == 4
    assert "an old copy was put back" in found.err
    other = run("ledger", "verify", spent.study, "--head", f"3:sha256:{'0' * 64}")
    assert other.code == 4
    assert "entry 3 is not the one that was written down" in other.err
    assert run("verify", spent.rule, "--study", spent.study).code == 4
    assert run("ledger", "verify", spent.study, "--head", "3").code == 2


def test_a_whole_new_chain_is_found_by_a_rule_file(fit: Run, run: Run, spent: Trial) -> None:
    rule = spent.rule.read_bytes()
    spent.study.with_name("ledger.db").unlink()
    assert fit("--epsilon", "0.25", "--force").code == 0
    assert run("ledger", "verify", spent.study).code == 0
    spent.rule.write_bytes(rule)
    assert run("verify", spent.rule).code == 0
    found = run("verify", spent.rule, "--study", spent.study)
    assert found.code == 4
    assert "ledger, id" in found.err


def test_a_ledger_can_be_checked_by_its_address_alone(run: Run, spent: Trial) -> None:
    url = f"sqlite:///{spent.study.with_name('ledger.db')}"
    assert "4 entries" in run("ledger", "verify", "--ledger", url).out
    assert run("verify", spent.rule, "--ledger", url).code == 0
    nothing = run("ledger", "verify")
    assert nothing.code == 2
    assert "give a study file" in nothing.err


def test_export_as_json_is_checked_anywhere(run: Run, spent: Trial, tmp_path: Path) -> None:
    out = tmp_path / "anywhere" / "ledger.json"
    out.parent.mkdir()
    assert run("ledger", "export", spent.study, "--out", out).code == 0
    good = run("ledger", "verify", out)
    assert good.code == 0
    assert "4 entries" in good.out
    text = out.read_text(encoding="utf-8")
    out.write_text(text.replace('"0.5"', '"0.1"'), encoding="utf-8")
    assert run("ledger", "verify", out).code == 4
    out.write_text("{}", encoding="utf-8")
    assert run("ledger", "verify", out).code == 4
    assert run("ledger", "verify", out, "--ledger", "sqlite:////x.db").code == 2
    assert run("ledger", "export", spent.study, "--out", out).code == 2
    assert run("ledger", "export", spent.study, "--out", out, "--force").code == 0
    assert run("ledger", "export", spent.study, "--out", out.with_suffix(".txt")).code == 2


def test_files_are_checked_against_an_export_without_any_database(
    fit: Run, run: Run, trial: Trial, tmp_path: Path
) -> None:
    assert fit("--epsilon", "0.5").code == 0
    value, export, early = (tmp_path / name for name in ("v.json", "chain.json", "early.json"))
    assert run("ledger", "export", trial.study, "--out", early).code == 0
    files = (trial.rule, trial.study, trial.table)
    assert run("evaluate", *files, "--epsilon", "0.2", "--out", value, "--yes").code == 0
    assert run("ledger", "export", trial.study, "--out", export).code == 0
    trial.study.with_name("ledger.db").unlink()
    for file in (trial.rule, value):
        for more in ((), ("--study", trial.study)):
            sound = run("verify", file, "--ledger", export, *more)
            assert (sound.code, sound.err) == (0, "")
            assert "ok     ledger, digest of the release = sha256:" in sound.out
            assert "The ledger holds the charge of this release" in sound.out
            assert f"  dpwerm ledger verify {export} --head NUMBER:HASH" in sound.out
    assert not trial.study.with_name("ledger.db").exists()
    assert "hash of the charge" in run("verify", value, "--ledger", early).err

    text = export.read_text(encoding="utf-8")
    own = json.loads(trial.rule.read_text(encoding="utf-8"))["digest"]
    other = json.loads(value.read_text(encoding="utf-8"))["digest"]
    forgeries = {
        "entry 3 was edited": text.replace('"0.5"', '"0.1"'),
        "the release of entry 3 was edited": text.replace(own, other),
        "the release of entry 4 was edited or put there": json.dumps(
            {**json.loads(text), "entries": json.loads(text)["entries"][:3]}
        ),
        "not an exported ledger": "{}",
    }
    for told, forged in forgeries.items():
        assert forged != text
        export.write_text(forged, encoding="utf-8")
        found = run("verify", trial.rule, "--ledger", export)
        assert (found.code, found.out) == (4, "")
        assert told in found.err
        assert "REJECTED" in found.err
    missing = run("verify", trial.rule, "--ledger", tmp_path / "nowhere.json")
    assert (missing.code, "does not exist" in missing.err) == (2, True)


def test_a_file_without_its_charge_is_rejected_by_an_export(
    fit: Run, run: Run, trial: Trial, tmp_path: Path
) -> None:
    assert fit("--epsilon", "0.5").code == 0
    export = tmp_path / "chain.json"
    content = json.loads(trial.rule.read_text(encoding="utf-8"))
    content["study"]["name"] = "Another"
    content["digest"] = digest_of(content)
    trial.rule.write_text(json.dumps(content), encoding="utf-8")
    assert run("ledger", "export", trial.study, "--out", export).code == 0
    found = run("verify", trial.rule, "--ledger", export)
    assert found.code == 4
    assert "WRONG  ledger, digest of the release" in found.err
    trial.study.with_name("ledger.db").unlink()
    assert fit("--epsilon", "0.25", "--force").code == 0
    found = run("verify", trial.rule, "--ledger", export)
    assert found.code == 4
    assert "WRONG  ledger, id" in found.err


def test_a_password_on_the_command_line_is_refused_by_verify_too(
    fit: Run, run: Run, trial: Trial
) -> None:
    assert fit("--epsilon", "0.5").code == 0
    found = run("verify", trial.rule, "--ledger", "postgresql://me:hidden@127.0.0.1:1/trials")
    assert found.code == 2
    assert "a password on the command line" in found.err
    assert "hidden" not in found.err


def test_export_as_csv_has_the_charges(run: Run, spent: Trial, tmp_path: Path) -> None:
    out = tmp_path / "charges.csv"
    said = run("ledger", "export", spent.study, "--out", out)
    assert (said.code, said.out) == (0, f"Wrote {out}: 2 charges.\n")
    with out.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert [row["epsilon"] for row in rows] == ["0.5", "0.25"]
    assert all(row["release"].startswith("sha256:") for row in rows)


def test_a_changed_total_holds_once_it_is_recorded(
    fit: Run, run: Run, spent: Trial, asked: Callable[[bool], list[str]]
) -> None:
    spent.study.write_text(STUDY.replace("epsilon = 2", "epsilon = 3"), encoding="utf-8")
    refused = fit("--epsilon", "2", "--force")
    assert refused.code == 3
    assert "dpwerm ledger total" in refused.err
    arguments = ("ledger", "total", spent.study, "--reason", "the board agreed")
    waiting = run(*arguments)
    assert waiting.code == 2
    assert "epsilon  2         3    0.75" in waiting.err
    questions = asked(False)
    said_no = run(*arguments)
    assert said_no.code == 2
    assert "Nothing was recorded." in said_no.err
    assert questions == ["Record this as the total of study small-trial in sqlite ledger.db?"]
    done = run(*arguments, "--yes")
    assert (done.code, done.err) == (0, "")
    assert "Recorded the total of study small-trial: epsilon = 3." in done.out
    assert fit("--epsilon", "2", "--force").code == 0
    shown = run("ledger", "show", spent.study).out
    assert "why the total changed: the board agreed" in shown
    spent.study.write_text(STUDY, encoding="utf-8")
    below = run("ledger", "total", spent.study, "--reason", "less", "--yes")
    assert below.code == 3
    assert "is spent already" in below.err


def test_a_release_whose_attachment_failed_is_attached_later(
    fit: Run, run: Run, trial: Trial, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(self: Ledger, receipt: Receipt, digest: str) -> None:
        raise LedgerError("the ledger sqlite ledger.db: it cannot be opened")

    with monkeypatch.context() as patch:
        patch.setattr(Ledger, "attach", gone)
        result = fit()
    assert result.code == 0
    assert "dpwerm ledger attach" in result.err
    assert "Warning" not in result.err
    assert trial.rule.exists()
    unknown = run("verify", trial.rule, "--study", trial.study)
    assert unknown.code == 4
    assert "dpwerm ledger attach records it" in unknown.err
    for _ in range(2):
        attached = run("ledger", "attach", trial.study, trial.rule)
        assert (attached.code, attached.err) == (0, "")
    assert run("verify", trial.rule, "--study", trial.study).code == 0
    assert fit("--ledger", "none", "--out", trial.rule, "--force").code == 0
    nothing = run("ledger", "attach", trial.study, trial.rule)
    assert nothing.code == 2
    assert "names no charge" in nothing.err


def test_a_rule_of_another_ledger_cannot_be_attached(fit: Run, run: Run, trial: Trial) -> None:
    assert fit().code == 0
    trial.study.with_name("ledger.db").unlink()
    other = run("ledger", "attach", trial.study, trial.rule)
    assert other.code == 2
    assert "is no charge of study small-trial here" in other.err


@pytest.mark.parametrize("command", ["show", "verify", "export", "total", "attach"])
def test_every_command_explains_itself(run: Run, command: str) -> None:
    result = run("ledger", command, "--help")
    assert result.code == 0
    assert "PGPASSWORD" in result.out


@pytest.mark.parametrize("begun", [False, True])
def test_a_release_is_never_written_over_the_ledger(
    fit: Run, run: Run, trial: Trial, begun: bool
) -> None:
    ledger = trial.study.with_name("ledger.db")
    before = b""
    if begun:
        assert fit("--epsilon", "0.5").code == 0
        before = ledger.read_bytes()
    options = ("--epsilon", "0.5", "--out", ledger, "--yes", "--force")
    for command in (("fit",), ("tune", "--how", "parts")):
        result = run(*command, trial.study, trial.table, *options)
        assert (result.code, "ledger" in result.err) == (2, True)
    assert ledger.exists() == begun
    assert not begun or ledger.read_bytes() == before


def test_nothing_is_charged_for_a_file_that_cannot_be_written(run: Run, trial: Trial) -> None:
    """A name may be short enough for a file and too long for the one that becomes it."""
    path = trial.rule.with_name("n" * 250)
    result = run("fit", trial.study, trial.table, "--epsilon", "1", "--out", path, "--yes")
    assert (result.code, "cannot be written" in result.err) == (2, True)
    assert sorted(trial.study.parent.iterdir()) == [trial.study, trial.table]


def test_a_rule_is_compared_with_the_study_that_is_given(fit: Run, run: Run, trial: Trial) -> None:
    assert fit().code == 0
    other = trial.study.with_name("other.toml")
    other.write_text(STUDY.replace('"small-trial"', '"other-trial"'), encoding="utf-8")
    result = run("verify", trial.rule, "--study", other)
    assert result.code == 4
    assert "WRONG  ledger, study: recorded other-trial, derived small-trial" in result.err
    assert "WRONG  ledger, study file: recorded small-trial, derived other-trial" in result.err


def test_only_what_was_paid_for_is_attached(
    fit: Run, run: Run, trial: Trial, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lost(*_: object) -> None:
        raise LedgerError("gone")

    with monkeypatch.context() as patch:
        patch.setattr(Ledger, "attach", lost)
        assert fit("--epsilon", "0.5").code == 0
    honest = trial.rule.read_text(encoding="utf-8")
    receipt = Receipt(**json.loads(honest)["certificate"]["ledger"])
    with monkeypatch.context() as patch:
        patch.setattr(Ledger, "charge", lambda *_: receipt)
        patch.setattr(Ledger, "attach", lambda *_: None)
        assert fit("--epsilon", "1.5", "--force").code == 0
    result = run("ledger", "attach", trial.study, trial.rule)
    assert (result.code, "is not what entry 3" in result.err) == (2, True)
    assert "by its cost" in result.err
    trial.rule.write_text(honest, encoding="utf-8")
    assert run("ledger", "attach", trial.study, trial.rule).code == 0


def test_an_export_that_is_not_there_empty_or_begins_elsewhere(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "ledger.json"
    assert run("ledger", "verify", path).code == 2
    content = {"format": "dpwerm-ledger", "version": 1, "entries": []}
    path.write_text(json.dumps(content), encoding="utf-8")
    empty = run("ledger", "verify", path)
    assert (empty.code, "it holds no entry" in empty.err) == (4, True)
    first = seal(1, "", {"kind": "opened"})
    entry = {"number": 1, "previous": "", "body": first.body, "hash": first.hash}
    path.write_text(json.dumps(content | {"entries": [entry]}), encoding="utf-8")
    begun = run("ledger", "verify", path)
    assert (begun.code, "entry 1 does not start a ledger" in begun.err) == (4, True)
