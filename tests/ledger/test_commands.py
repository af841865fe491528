"""A team's ledger on PostgreSQL, from the command line: no password in any text or file."""

import os
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest
from tests.bad_input.base import STUDY, sound_table
from tests.ledger.meddle import meddle
from tests.ledger.postgres import Server

from dpwerm.cli.main import main
from dpwerm.privacy.ledger.ledger import Ledger
from dpwerm.privacy.randomness import NO_LEDGER


@pytest.fixture
def study(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a study whose ledger is on the server, with the password in the environment."""
    url = server.new_schema()
    parts = urlsplit(url)
    address = f"postgresql://{parts.hostname}:{parts.port}{parts.path}?{parts.query}"
    path = tmp_path / "study.toml"
    path.write_text(
        STUDY.replace("epsilon = 2", f'epsilon = 2\nledger = "{address}"'), encoding="utf-8"
    )
    (tmp_path / "trial.csv").write_bytes(sound_table().to_bytes())
    monkeypatch.setenv("DPWERM_LEDGER", url)
    return path


def test_two_people_share_one_total(
    server: Server, study: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, seen = study.parent, ""

    def run(*arguments: object) -> tuple[int, str]:
        nonlocal seen
        code = main([str(one) for one in arguments])
        said = "".join(capsys.readouterr())
        seen += said
        return code, said

    table, rule = folder / "trial.csv", folder / "rule.json"
    for number, left in ((1, "1.5"), (2, "1")):
        out = ("--out", folder / f"rule-{number}.json", "--yes")
        code, said = run("fit", study, table, "--epsilon", "0.5", *out)
        assert code == 0
        assert f"0.5           {left}" in said
    assert run("fit", study, table, "--epsilon", "1.5", "--out", rule, "--yes")[0] == 3
    code, said = run("ledger", "show", study)
    assert code == 0
    assert "In postgresql 127.0.0.1/postgres" in said
    assert "epsilon 1.5 -> 1" in said
    assert run("ledger", "verify", study)[0] == 0
    assert run("verify", folder / "rule-1.json", "--study", study)[0] == 0
    assert run("ledger", "export", study, "--out", folder / "ledger.json")[0] == 0
    assert run("fit", study, table, "--epsilon", "1", "--out", rule, "--ledger", NO_LEDGER)[0] == 2
    written = b"".join(path.read_bytes() for path in folder.iterdir())
    for secret in (server.password, "keeper"):
        assert secret not in seen
        assert secret.encode() not in written
    assert not (folder / "ledger.db").exists()


def test_a_role_that_may_make_no_table_fits_once_the_study_is_open(
    server: Server, study: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With what `ledger open` says that people who fit must be granted, and nothing more."""
    url = os.environ["DPWERM_LEDGER"]
    parts, schema = urlsplit(url), url.rpartition("%3D")[2]
    role, password = f"fitter_{schema}", server.password
    server.sql(
        f"CREATE ROLE {role} LOGIN PASSWORD '{password}'",
        f"GRANT USAGE ON SCHEMA {schema} TO {role}",
    )
    place = f"{parts.hostname}:{parts.port}{parts.path}?{parts.query}"
    fitter = f"postgresql://{role}:{password}@{place}"
    rule, table = study.with_name("rule.json"), study.with_name("trial.csv")
    fit = ["fit", str(study), str(table), "--epsilon", "0.5", "--out", str(rule), "--yes"]

    monkeypatch.setenv("DPWERM_LEDGER", fitter)
    for early in (fit, ["ledger", "open", str(study)]):
        assert main(early) == 2
        assert "who may runs `dpwerm ledger open STUDY`" in capsys.readouterr().err

    monkeypatch.setenv("DPWERM_LEDGER", url)
    assert main(["ledger", "open", str(study), "--role", role]) == 0
    said = capsys.readouterr().out
    assert (
        "Opened study small-trial in postgresql 127.0.0.1/postgres: a total of epsilon = 2" in said
    )
    grants = [line.strip() for line in said.splitlines() if "GRANT " in line]
    assert len(grants) == 4
    server.sql(f"SET search_path TO {schema}", *grants)
    assert main(["ledger", "show", str(study)]) == 0
    assert "study opened" in capsys.readouterr().out

    monkeypatch.setenv("DPWERM_LEDGER", fitter)
    assert main(fit) == 0
    assert main(["verify", str(rule), "--study", str(study)]) == 0
    assert "The ledger holds the charge" in capsys.readouterr().out
    assert main(["ledger", "open", str(study)]) == 0
    assert "are up to date" in capsys.readouterr().out
    other = Ledger(fitter, study="another", epsilon=1)
    assert other.open()
    for forbidden in ("DELETE FROM dpwerm_entries", "DELETE FROM dpwerm_releases"):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            meddle(other.store.database, forbidden)


def test_a_role_must_be_a_name(study: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ledger", "open", str(study), "--role", "me; DROP TABLE x"]) == 2
    assert "--role is a name" in capsys.readouterr().err
