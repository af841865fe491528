"""The runner of pages accepts what happens as printed, and notices everything else."""

import os
import sys
from pathlib import Path

import pytest
from tests.docs.masks import masked
from tests.docs.pages import matches, promised, run_command, run_page
from tests.said import Said

PAGE = """\
# A page

<!-- file: notes/words.txt -->

```text
one
two
three
```

```console
$ cat notes/words.txt
one
two
three
$ echo first \\
    second
first second
$ true
```

<!-- change: notes/words.txt -->

```diff
 one
-two
+zwei
```

```console
$ sort notes/words.txt | head -n 2
one
...
$ cat notes/words.txt
...
zwei
...
```

```python
count = 1 + 1
print(count)  # 2
print(f"{count} of ledger 0123abcd")  # 2 of ledger ffffffff
```

```python
for word in ("a", "b"):
    print(word, count)
    # a 2
    # b 2
print(0.5 * count)  # such as 0.93
```

<!-- exits: 2 -->

```console
$ dpwerm check nothing.toml
study file nothing.toml: 1 fault
  file: does not exist; give the path of a TOML file
```

```sh
exit 1
```
"""


def run(text: str, folder: Path) -> int:
    """Run a page of this text in a new folder."""
    page, place = folder / "page.md", folder / "place"
    page.write_text(text, encoding="utf-8")
    place.mkdir()
    return run_page(page, place)


def test_a_sound_page_runs(tmp_path: Path) -> None:
    assert run(PAGE, tmp_path) == 8
    assert (tmp_path / "place" / "notes" / "words.txt").read_text("utf-8") == "one\nzwei\nthree\n"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("first second\n$", "first other\n$"),
        ("one\ntwo\nthree\n$", "one\nthree\n$"),
        ("one\ntwo\nthree\n$", "one\ntwo\nthree\nfour\n$"),
        ("$ true\n", "$ true\nsomething\n"),
        ("$ true\n", "$ false\n"),
        ("$ true\n", "$ no-such-command-anywhere 2>&1\n...\n"),
        ("$ true\n", "$ dpwerm verify nothing.json\n...\n"),
        ("<!-- exits: 2 -->\n", ""),
        ("<!-- exits: 2 -->", "<!-- exits: 3 -->"),
        ("does not exist", "is not there"),
        ("...\nzwei\n...", "...\ntwo\n..."),
        ("...\nzwei\n...", "zwei\n..."),
        ("...\nzwei\n...", "...\nzwei"),
        ("-two\n", "-five\n"),
        ("print(count)  # 2", "print(count)  # 3"),
        ("print(count)  # 2", "print(count)"),
        ("2 of ledger ffffffff", "3 of ledger ffffffff"),
        ("    # b 2\n", ""),
        ("# such as 0.93", "# such as 0.93 kg"),
        ("```console\n$ cat", "```console\ncat"),
        ("<!-- file: notes/words.txt -->", "<!-- file: notes/words.txt -->\n\nText."),
    ],
)
def test_a_changed_page_fails(old: str, new: str, tmp_path: Path) -> None:
    assert PAGE.count(old) >= 1
    with pytest.raises(AssertionError):
        run(PAGE.replace(old, new, 1), tmp_path)


def test_a_page_is_written_anew_where_its_words_no_longer_fit(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    old = PAGE.replace("first second\n$", "first seconds\nthird\n$")
    old = old.replace("does not exist; give", "is not there; give")
    page.write_text(old.replace("...\nzwei\n...", "...\nzwo\n..."), encoding="utf-8")
    for write in (True, False):
        place = tmp_path / str(write)
        place.mkdir()
        assert run_page(page, place, write=write) == 8
    assert page.read_text(encoding="utf-8") == PAGE


@pytest.mark.parametrize("text", ["# Words\n", "```sh\nmake\n```\n", "```toml\na = 1\n```\n"])
def test_a_page_without_a_command_fails(text: str, tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="shows no command"):
        run(text, tmp_path)


def test_a_command_says_the_same_here_and_in_a_shell(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    here = run_command("dpwerm init --help")
    assert here.code == 0
    assert "Usage" in here.out
    shell = run_command("dpwerm init --help | cat")
    assert here == shell
    first = "".join(shell.out.splitlines(keepends=True)[:3])
    assert run_command("dpwerm init --help | head -n 3") == Said(0, first, "")


def test_the_last_lines_of_what_a_command_says(tmp_path: Path) -> None:
    command = f"dpwerm init {tmp_path / 'nothing.csv'}"
    plain = run_command(command)
    assert (plain.code, plain.out) == (2, "")
    last = plain.err.splitlines(keepends=True)[-1]
    assert run_command(f"{command} 2>&1 | tail -n 1") == Said(0, last, "")
    assert run_command(f"{command} | tail -n 1") == Said(0, "", plain.err)


def test_numbers_ids_and_days_may_differ_and_words_may_not() -> None:
    one = "entry 3 of 2026-11-16: sha256:0123456789ab… at 0.5 of ledger 0123abcd (sqlite)\n"
    other = "entry 4  of 2027-01-02: sha256:ba9876543210… at 12 of ledger dcba3210 (sqlite)\n"
    assert masked(one) == masked(other)
    assert masked(one) != masked(other.replace("entry", "line"))
    assert masked("2,71,M,pill,-0.5\n") == masked("3,12,M,therapy,1e-3\n")


@pytest.mark.parametrize(
    ("wanted", "right"),
    [
        ("a b c", True),
        ("a b", False),
        ("...", True),
        ("a ...", True),
        ("... c", True),
        ("a ... c", True),
        ("... b ...", True),
        ("a ... b ... c", True),
        ("a b ... b c", False),
        ("... c ... b", False),
        ("... d ...", False),
        ("b ...", False),
        ("... b", False),
        ("a b c ...", True),
    ],
)
def test_three_dots_stand_for_any_lines(wanted: str, right: bool) -> None:
    assert matches(["a", "b", "c"], wanted.split()) is right


def test_prints_are_found_over_several_lines() -> None:
    assert promised("print(\n    1,\n)  # 1\nx = 2\n# no promise\n") == ["1"]
