"""``dpwerm check``: everything that is wrong with a study file and a table, at once."""

from pathlib import Path
from typing import Annotated

import typer

from dpwerm.cli.console import say, stages
from dpwerm.study.check import check as check_table
from dpwerm.study.declaration import Study


def check(
    study: Annotated[Path, typer.Argument(help="The study file.")],
    table: Annotated[Path | None, typer.Argument(help="The trial's table.")] = None,
) -> None:
    """Report every fault of a study file and of a table. For the curator: it quotes rows."""
    declared = Study.load(study)
    say(f"{study}: no fault in the study file.")
    if table is None:
        return
    with stages() as on_stage:
        on_stage("reading")
        findings = check_table(declared, table)
    if not findings:
        say(f"{table}: every value is as declared.")
        return
    say("SENSITIVE: the lines below quote the table. Keep them with the data.")
    for finding in findings:
        say(str(finding))
    say(f"{table}: {len(findings)} kinds of findings. A fit handles each as said above.")
