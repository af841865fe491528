"""``dpwerm export``: write a released rule as Python, SQL or ONNX."""

from pathlib import Path
from typing import Annotated

import typer

from dpwerm.cli.console import Force, free_path, say
from dpwerm.releases.export import export_to, write_export
from dpwerm.releases.rule_file import notice, read_rule


def export(
    rule: Annotated[Path, typer.Argument(help="A rule file.")],
    out: Annotated[Path, typer.Option(help="Where to write it: a .py, .sql or .onnx file.")],
    force: Force = False,
) -> None:
    """Write a rule as Python, SQL or ONNX. It then runs without this program."""
    loaded = read_rule(rule)
    language = export_to(out)
    path = free_path(out, force=force, inputs=(rule,))
    write_export(loaded, path)
    say(notice(loaded))
    say(f"Wrote {path}. Use: {language.use}")
