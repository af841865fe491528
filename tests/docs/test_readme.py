"""The README's commands run as printed, and print what it shows but for the numbers."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from dpwerm.problem.losses import registry

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("benchmarks/*.md")])


def masked(text: str) -> list[str]:
    """Return the lines with numbers, digests and the spaces around them made equal.

    The two lines that call a rule noise are left out: they depend on the noise. So is what tells
    the automatic settings: another processor may break a near tie differently.
    """
    noise = r"^(NO COEFFICIENT STANDS OUT|A larger gamma, more).*\n"
    text = re.sub(noise, "", text, flags=re.MULTILINE)
    text = re.sub(r"^  (clip|intercept|saturation|threshold) .*\n", "", text, flags=re.MULTILINE)
    text = re.sub(r"^(Coefficients in encoded units) .*", r"\1", text, flags=re.MULTILINE)
    text = re.sub(r"^Settings: (.+\n)+", "SETTINGS\n", text, flags=re.MULTILINE)
    text = re.sub(r"sha256:[0-9a-f]{12,64}", "DIGEST", text)
    text = re.sub(r"\bledger [0-9a-f]{8} ", "ledger ID ", text)
    # Which arm a simulated person gets depends on the noise.
    text = re.sub(r",(pill|therapy),(-?[\d.e-]+)$", ",ARM,N", text, flags=re.MULTILINE)
    text = re.sub(r"[+-]?\d[\d.,]*(e[+-]?\d+)?", "N", text)
    return [re.sub(r"\s+", " ", line).strip() for line in text.splitlines()]


def steps() -> list[tuple[str, str]]:
    """Return each command with the output printed below it."""
    found: list[tuple[str, str]] = []
    for block in re.findall(r"```console\n(.*?)```", README, flags=re.DOTALL):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            found.append((command, output))
    return found


def test_the_tour_runs_as_printed(tmp_path: Path) -> None:
    folder = str(Path(sys.executable).parent)
    environment = os.environ | {"PATH": folder + os.pathsep + os.environ["PATH"], "COLUMNS": "100"}
    tour = steps()
    assert len(tour) >= 6
    for command, output in tour:
        done = subprocess.run(  # noqa: S602 - the README has pipes
            command,
            shell=True,
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, command
        assert masked(done.stdout) == masked(output), command


@pytest.mark.parametrize(
    "name",
    [
        "README.md",
        "docs/automatic.md",
        "docs/own-loss.md",
        "docs/observational.md",
        "docs/engine.md",
        "docs/tuning.md",
    ],
)
def test_the_python_example_runs(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(registry, "LOSSES", dict(registry.LOSSES))
    page = (ROOT / name).read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", page, flags=re.DOTALL)
    exec(compile(code, name, "exec"), {"__name__": "example"})  # noqa: S102 - the page's own code
    shown = capsys.readouterr().out.splitlines()
    promised = re.findall(r"print\(.*\)  # (.*)", code)
    assert shown == promised


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8")):
        if "://" not in target:
            assert (page.parent / target).exists(), target


def test_every_file_and_test_a_proof_page_names_exists() -> None:
    for page in ROOT.glob("docs/**/*.md"):
        for name in re.findall(r"`((?:tests|docs|benchmarks)/[\w./-]+)`", page.read_text("utf-8")):
            assert (ROOT / name).exists(), f"{page.name}: {name}"
