"""Tables of real trials, for the terminal and for a page of the documentation."""

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from dpwerm.errors import DpwermError, ParameterError
from dpwerm.reproduce.trials import RealTrial

REPEATS = 200
SEED = 20264


@dataclass(frozen=True)
class Sheet:
    """A table of texts; its name is that of the marks between which a page holds it."""

    name: str
    title: str
    header: list[str]
    rows: list[list[str]]

    def markdown(self) -> str:
        """Return the table in Markdown, its title below it."""
        lines = [self.header, ["---"] * len(self.header), *self.rows]
        table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
        return f"{table}\n\n{self.title}."


def show(sheets: Sequence[Sheet], console: Console) -> None:
    """Print the tables."""
    for sheet in sheets:
        table = Table(*sheet.header, title=sheet.title)
        for row in sheet.rows:
            table.add_row(*row)
        console.print(table)


def write(sheets: Sequence[Sheet], page: Path | None) -> None:
    """Put each table between its marks of a page; no page, nothing to do."""
    if page is None:
        return
    text = page.read_text(encoding="utf-8")
    for sheet in sheets:
        start, end = f"<!-- {sheet.name}: begin -->", f"<!-- {sheet.name}: end -->"
        head, found, rest = text.partition(start)
        _, closed, tail = rest.partition(end)
        if not (found and closed):
            raise ParameterError(f"{page.name} has no place for the table {sheet.name}")
        text = f"{head}{start}\n{sheet.markdown()}\n{end}{tail}"
    page.write_text(text, encoding="utf-8")


def options(parser: argparse.ArgumentParser) -> argparse.ArgumentParser:
    """Return the parser with the options that the trials' commands share."""
    parser.add_argument("--repeats", type=int, default=REPEATS)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--write-docs", type=Path, metavar="PAGE", help="also fill this page")
    return parser


def run(
    load: Callable[[], RealTrial],
    sheets: Callable[[RealTrial, int, int, Console], list[Sheet]],
    asked: argparse.Namespace,
) -> int:
    """Print the tables of a trial and fill a page if asked; 2 if the data is not there."""
    console = Console()
    try:
        trial = load()
    except DpwermError as error:
        console.print(str(error), markup=False)
        return 2
    made = sheets(trial, asked.repeats, asked.seed, console)
    show(made, console)
    write(made, asked.write_docs)
    return 0
