"""The files of an artefact: its numbers, its pictures, and a page with both beside the paper's.

A page says first whether the paper and the reproduction agree, then shows both.
"""

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path

from dpwerm.documents.drawing import save
from dpwerm.errors import ParameterError
from dpwerm.version import __version__
from reproduction.artefact import Artefact, Bench, Made, Verdict

HEADING = "# The paper, reproduced"
INDEX = "README.md"


def write_files(artefact: Artefact, made: Made, bench: Bench) -> list[Path]:
    """Write the CSV, the pictures and the page of an artefact; return their paths."""
    written = []
    if made.rows:
        written.append(bench.out / f"{artefact.name}.csv")
        written[-1].write_text(csv_text(made.rows), encoding="utf-8")
    for name, figure in made.pictures.items():
        written.append(bench.out / picture_name(artefact, name))
        save(figure, written[-1])
    written.append(bench.out / f"{artefact.name}.md")
    written[-1].write_text(page(artefact, made, bench), encoding="utf-8")
    return written


def csv_text(rows: Sequence[Mapping[str, object]]) -> str:
    """Return rows as CSV; a column that only some rows have is empty in the others."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    file = io.StringIO()
    writer = csv.DictWriter(file, fieldnames=names, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return file.getvalue()


def picture_name(artefact: Artefact, name: str) -> str:
    """Return the file name of a picture; an only one may have no name of its own."""
    return f"{artefact.name}-{name}.svg" if name else f"{artefact.name}.svg"


def page(artefact: Artefact, made: Made, bench: Bench) -> str:
    """Return the page of an artefact in Markdown."""
    parts = [f"# {artefact.title}", made_with(artefact.name, made, quick=bench.quick)]
    if made.skipped:
        parts.append(f"**Note.** {made.skipped}")
    if made.verdicts:
        parts += ["## Does it agree?", "\n".join(_line(verdict) for verdict in made.verdicts)]
    for name in made.pictures:
        title = f"{artefact.title}, {name}" if name else artefact.title
        parts.append(f"![{title}]({picture_name(artefact, name)})")
    for sheet in made.sheets:
        parts.append(sheet.markdown())
    if made.notes:
        parts += ["## How it was done", *made.notes]
    if made.rows:
        parts.append(f"Every number: [{artefact.name}.csv]({artefact.name}.csv).")
    return "\n\n".join(parts) + "\n"


def made_with(name: str, made: Made, *, quick: bool) -> str:
    """Return the sentence that says how a page came about, and what a quick one lacks."""
    command = f"python -m reproduction {name}{' --quick' if quick else ''}"
    text = f"Made by `{command}` with dpwerm {__version__}."
    if quick:
        text += f"\n\n**A quick version, not the whole.** {made.left_out}"
    return text


def _line(verdict: Verdict) -> str:
    word = "agrees" if verdict.agrees else "differs"
    return f"- **{word}**: {verdict.claim} {verdict.found}"


def write_index(artefacts: Sequence[tuple[Artefact, Made]], bench: Bench) -> Path:
    """Write the page that lists what was made, with all that differs from the paper."""
    path = bench.out / INDEX
    lines = ["| artefact | says the paper | agrees | differs |", "| --- | --- | --- | --- |"]
    differ = []
    for artefact, made in artefacts:
        agreeing = sum(verdict.agrees for verdict in made.verdicts)
        plural = "" if len(made.verdicts) == 1 else "s"
        count = f"{len(made.verdicts)} statement{plural}" if made.verdicts else "nothing"
        if made.skipped:
            count += ", a part is skipped" if made.verdicts else ", skipped"
        link = f"[{artefact.title}]({artefact.name}.md)"
        lines.append(f"| {link} | {count} | {agreeing} | {len(made.verdicts) - agreeing} |")
        differ += [
            f"- {link}: {verdict.claim} {verdict.found}"
            for verdict in made.verdicts
            if not verdict.agrees
        ]
    command = f"python -m reproduction all{' --quick' if bench.quick else ''}"
    about = (
        "Every table and figure, and beside each the same with this library's default method. "
        f"`{command}` makes all of it. The paper's method shifts benefits by the sample minimum, "
        "so what carries its name here is not private, whatever ε says."
    )
    parts = [HEADING, about, "\n".join(lines)]
    if bench.quick:
        parts.insert(2, "**Quick versions, not the whole.** Each page says what it leaves out.")
    if differ:
        parts += ["## What differs", "\n".join(differ)]
    path.write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    return path


def prepare(out: Path) -> None:
    """Make the folder, and refuse one whose index is somebody else's page."""
    index = out / INDEX
    if index.exists() and not index.read_text(encoding="utf-8").startswith(HEADING):
        raise ParameterError(f"{index} is not a page of the reproduction; choose another folder")
    out.mkdir(parents=True, exist_ok=True)
