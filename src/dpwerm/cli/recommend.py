"""``dpwerm recommend``: apply a released rule to new rows."""

from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from numpy.typing import NDArray

from dpwerm.cli.console import Force, free_path, say, stages
from dpwerm.data.table import Table, endings, read_table, write_with_columns, writer_of
from dpwerm.releases.rule_file import notice, read_rule
from dpwerm.study.check import check_features
from dpwerm.text import one_line


def recommend(
    rule: Annotated[Path, typer.Argument(help="A rule file.")],
    table: Annotated[Path, typer.Argument(help=f"A {endings()} file with the rule's columns.")],
    out: Annotated[Path, typer.Option(help="Where to write the table with two more columns.")],
    force: Force = False,
) -> None:
    """Add what a rule recommends to a table of new people."""
    loaded = read_rule(rule)
    path = free_path(out, force=force, inputs=(rule, table))
    writer_of(path)
    encoding = loaded.release.encoding

    def recommended(block: Table) -> list[NDArray[np.generic]]:
        scores = loaded.release.score(encoding.encode(block))
        return [loaded.arms_for(scores), scores]

    with stages() as on_stage:
        on_stage("reading")
        rows = read_table(table, encoding.columns, keep_all=True)
        on_stage("recommending")
        write_with_columns(rows, ("recommended_arm", "score"), recommended, path)
        findings = check_features(encoding, rows)
    say(notice(loaded))
    for finding in findings:
        say(f"  {one_line(finding.column)}: {finding.problem}; {finding.consequence}")
    say(f"Wrote {path}: {rows.n_rows} rows with recommended_arm and score.")
