"""The files of an artefact: its numbers, its pictures, and its section of a page.

A section says first whether the paper and the reproduction agree, then shows both. It stands
between two marks, so that a page may have words of its own around it.
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
    """Write the CSV, the pictures and the section of an artefact; return their paths."""
    written = []
    if made.rows:
        written.append(bench.out / f"{artefact.name}.csv")
        written[-1].write_text(csv_text(made.rows), encoding="utf-8")
    for name, figure in made.pictures.items():
        written.append(bench.out / picture_name(artefact, name))
        save(figure, written[-1])
    written.append(bench.out / f"{artefact.page.name}.md")
    content = written[-1].read_text(encoding="utf-8") if written[-1].exists() else ""
    content = content or f"# {artefact.page.title}\n"
    if artefact.page.how:
        content = filled(content, "how", "\n\n".join(artefact.page.how))
    content = filled(content, artefact.name, section(artefact, made, bench))
    written[-1].write_text(content, encoding="utf-8")
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


def filled(content: str, name: str, text: str) -> str:
    """Return a page with a text between two marks; they are added at its end if need be."""
    start, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    if start not in content:
        content = f"{content.rstrip()}\n\n{start}\n{end}\n"
    head, rest = content.split(start)
    return f"{head}{start}\n{text}\n{end}{rest.split(end)[1]}"


def section(artefact: Artefact, made: Made, bench: Bench) -> str:
    """Return the section of an artefact in Markdown."""
    parts = [f"## {artefact.title}", made_with(artefact.name, made, quick=bench.quick)]
    if made.skipped:
        parts.append(f"**Note.** {made.skipped}")
    if made.verdicts:
        parts.append("\n".join(_line(verdict) for verdict in made.verdicts))
    for name in made.pictures:
        title = artefact.title.split(":")[0]
        shown = f"{title}, {name}" if name else title
        parts.append(f"![{shown}]({picture_name(artefact, name)})")
    parts += [sheet.markdown() for sheet in made.sheets]
    return "\n\n".join([*parts, *made.notes])


def made_with(name: str, made: Made, *, quick: bool) -> str:
    """Return how a section came about, where its numbers are, and what a quick one lacks."""
    command = f"python -m reproduction {name}{' --quick' if quick else ''}"
    text = f"`{command}`, dpwerm {__version__}"
    text += f"; every number: [{name}.csv]({name}.csv)." if made.rows else "."
    if quick:
        text += f"\n\n**A quick version, not the whole.** {made.left_out}"
    return text


def _line(verdict: Verdict) -> str:
    word = "agrees" if verdict.agrees else "differs"
    return f"- **{word}**: {verdict.claim} {verdict.found}"


def write_index(artefacts: Sequence[tuple[Artefact, Made]], bench: Bench) -> Path:
    """Write the page that lists what was made, and how much of it agrees."""
    path = bench.out / INDEX
    lines = ["| artefact | says the paper | agrees | differs |", "| --- | --- | --- | --- |"]
    for artefact, made in artefacts:
        agreeing = sum(verdict.agrees for verdict in made.verdicts)
        plural = "" if len(made.verdicts) == 1 else "s"
        count = f"{len(made.verdicts)} statement{plural}" if made.verdicts else "nothing"
        if made.skipped:
            count += ", a part is skipped" if made.verdicts else ", skipped"
        link = f"[{artefact.title}]({artefact.page.name}.md)"
        lines.append(f"| {link} | {count} | {agreeing} | {len(made.verdicts) - agreeing} |")
    command = f"python -m reproduction all{' --quick' if bench.quick else ''}"
    about = (
        "Every table and figure, and beside each the same with this library's default method. "
        f"`{command}` makes all of it. The paper's method shifts benefits by the sample minimum, "
        "so what carries its name here is not private, whatever ε says. Each section lists what "
        "agrees and what differs; the table counts it."
    )
    parts = [HEADING, about, "\n".join(lines)]
    if bench.quick:
        parts.insert(2, "**Quick versions, not the whole.** Each section says what it leaves out.")
    path.write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    return path


def prepare(out: Path) -> None:
    """Make the folder, and refuse one whose index is somebody else's page."""
    index = out / INDEX
    if index.exists() and not index.read_text(encoding="utf-8").startswith(HEADING):
        raise ParameterError(f"{index} is not a page of the reproduction; choose another folder")
    out.mkdir(parents=True, exist_ok=True)
