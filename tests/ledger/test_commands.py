"""A team's ledger on PostgreSQL, from the command line: no password in any text or file."""

from pathlib import Path
from urllib.parse import urlsplit

import pytest
from tests.bad_input.base import STUDY, sound_table
from tests.ledger.postgres import Server

from dpwerm.cli.main import main
from dpwerm.privacy.budget import Budget
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


def test_a_role_that_can_only_add_is_enough(server: Server) -> None:
    """What docs/ledger.md says that people who fit must be granted."""
    url = server.new_schema()
    Ledger(url, study="sleep", epsilon=1).charge(Budget.of("0.5"), "rule")
    parts, schema = urlsplit(url), url.rpartition("%3D")[2]
    role, password = f"fitter_{schema}", server.password
    server.sql(
        f"CREATE ROLE {role} LOGIN PASSWORD '{password}'",
        f"GRANT USAGE ON SCHEMA {schema} TO {role}",
        f"GRANT SELECT ON {schema}.dpwerm_schema TO {role}",
        f"GRANT SELECT, INSERT ON {schema}.dpwerm_entries TO {role}",
        f"GRANT SELECT, UPDATE ON {schema}.dpwerm_head TO {role}",
    )
    place = f"{parts.hostname}:{parts.port}{parts.path}?{parts.query}"
    fitter = Ledger(f"postgresql://{role}:{password}@{place}", study="sleep", epsilon=1)
    fitter.charge(Budget.of("0.5"), "rule")
    assert fitter.account().left().epsilon == 0
