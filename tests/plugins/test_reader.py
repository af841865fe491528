"""A file format in a module of its own, with one registration, walks through every command."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.bad_input.base import STUDY, Cells, sound_table
from tests.plugins import json_lines

from dpwerm.cli.main import main
from dpwerm.data.table import READERS, Reader, Source, endings, read_table, register_reader
from dpwerm.errors import ParameterError, TableError


@pytest.fixture
def registered() -> Iterator[None]:
    json_lines.register()
    yield
    del READERS[json_lines.READER.name]


def write(path: Path, cells: Cells) -> Path:
    rows = [dict(zip(cells.header, row, strict=True)) for row in cells.rows]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.mark.usefixtures("registered")
def test_the_format_walks_from_init_to_evaluate(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    study, plain = tmp_path / "study.toml", tmp_path / "trial.csv"
    study.write_text(STUDY, encoding="utf-8")
    plain.write_bytes(sound_table().to_bytes())
    table = write(tmp_path / "trial.jsonl", sound_table())
    rule, out, value = tmp_path / "rule.json", tmp_path / "out.jsonl", tmp_path / "value.json"

    def said(*arguments: object) -> str:
        code = main([str(argument) for argument in arguments])
        printed = capsys.readouterr()
        assert code == 0, printed.err
        return printed.out.replace("trial.jsonl", "trial.csv")

    assert "only its header" not in said("init", table, "--out", tmp_path / "new.toml")
    assert said("check", study, table) == said("check", study, plain)
    said("fit", study, table, "--epsilon", 1, "--yes", "--out", rule)
    said("verify", rule)
    said("recommend", rule, table, "--out", out)
    said("recommend", rule, plain, "--out", tmp_path / "out.csv")
    said("evaluate", rule, study, table, "--epsilon", 1, "--yes", "--out", value)
    lines = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
    names = [*sound_table().header, "recommended_arm", "score"]
    assert [list(line) for line in lines] == [names] * len(sound_table().rows)
    other = read_table(tmp_path / "out.csv", names[-2:])
    codes, arms = other.factorised("recommended_arm")
    assert [line["score"] for line in lines] == other.numbers("score").tolist()
    assert [line["recommended_arm"] for line in lines] == [arms[code] for code in codes]


@pytest.mark.usefixtures("registered")
def test_findings_name_its_lines(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    study = tmp_path / "study.toml"
    study.write_text(STUDY, encoding="utf-8")
    cells = sound_table()
    rows = [list(row) for row in cells.rows]
    rows[3] = ["?"] * len(rows[3])
    wrong = Cells(cells.header, tuple(tuple(row) for row in rows))
    main(["check", str(study), str(write(tmp_path / "trial.jsonl", wrong))])
    assert "'?' (row 4, line 4)" in capsys.readouterr().out


@pytest.mark.usefixtures("registered")
def test_errors_list_it(tmp_path: Path) -> None:
    assert endings() == ".csv, .tsv, .parquet or .jsonl"
    with pytest.raises(TableError, match=r"must end in \.csv, \.tsv, \.parquet or \.jsonl"):
        read_table(tmp_path / "trial.xlsx", ["a"])
    with pytest.raises(ParameterError, match="reader json lines is already registered"):
        json_lines.register()
    with pytest.raises(ParameterError, match=r"reader of \.jsonl is already registered"):
        register_reader(Reader("another", json_lines.open_file, (".jsonl",)))


def test_help_lists_it() -> None:
    program = (
        "from tests.plugins import json_lines; json_lines.register()\n"
        "from dpwerm.cli.main import main; main(['{}', '--help'])"
    )
    for command in ("check", "recommend"):
        run = [sys.executable, "-c", program.format(command)]
        help_text = subprocess.run(run, capture_output=True, text=True, check=True).stdout
        assert ".csv, .tsv, .parquet or .jsonl" in " ".join(help_text.split())


def test_a_format_that_is_only_read_is_not_offered_for_writing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    only_read = Reader("only read", json_lines.open_file, (".jsonl",))
    monkeypatch.setitem(READERS, only_read.name, only_read)
    assert endings().endswith(".jsonl")
    assert endings(written=True) == ".csv, .tsv or .parquet"
    assert read_table(write(tmp_path / "t.jsonl", sound_table()), []).n_rows == 24


def test_the_newest_reader_has_an_object(monkeypatch: pytest.MonkeyPatch) -> None:
    def open_it(_source: object, label: str) -> Source:
        return Source(label, ("mine",), lambda _: [])

    mine = Reader("mine", open_it, takes=lambda source: isinstance(source, dict))
    monkeypatch.setitem(READERS, mine.name, mine)
    with pytest.raises(TableError, match="is not a column"):
        read_table({"a": [1]}, ["a"])
