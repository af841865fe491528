"""``dpwerm init``: a study file to fill in, from the header of a table alone."""

from pathlib import Path
from typing import Annotated

import typer

from dpwerm.cli.console import Force, free_path, say
from dpwerm.data.table import endings
from dpwerm.study.scaffold import scaffold


def init(
    table: Annotated[Path, typer.Argument(help=f"A {endings()} file; only its header is read.")],
    out: Annotated[Path, typer.Option(help="Where to write the study file.")] = Path("study.toml"),
    force: Force = False,
) -> None:
    """Write a study file to fill in. Reads the header of the table and no value."""
    path = free_path(out, force=force, inputs=(table,))
    path.write_text(scaffold(table), encoding="utf-8")
    say(
        f'Wrote {path}. Replace every "<fill in>" from the protocol, never from the data, then run:'
    )
    say(f"  dpwerm check {path} {table}")
