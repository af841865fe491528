"""``dpwerm recommend``: apply a released rule to new rows."""

from pathlib import Path
from typing import Annotated

import typer

from dpwerm.cli.console import Force, free_path, say, stages
from dpwerm.data.table import read_table
from dpwerm.data.writers import refuse_ending, write_with_columns
from dpwerm.releases.rule_file import notice, read_rule
from dpwerm.study.check import check_features
from dpwerm.text import one_line


def recommend(
    rule: Annotated[Path, typer.Argument(help="A rule file.")],
    table: Annotated[
        Path, typer.Argument(help="A .csv, .tsv or .parquet file with the rule's columns.")
    ],
    out: Annotated[Path, typer.Option(help="Where to write the table with two more columns.")],
    force: Force = False,
) -> None:
    """Add what a rule recommends to a table of new people."""
    loaded = read_rule(rule)
    path = free_path(out, force=force, inputs=(rule, table))
    refuse_ending(path)
    with stages() as on_stage:
        on_stage("reading")
        rows = read_table(table, loaded.release.encoding.columns, keep_all=True)
        on_stage("recommending")
        scores = loaded.release.score(loaded.release.encoding.encode(rows))
        on_stage("writing")
        added = {"recommended_arm": loaded.arms_for(scores), "score": scores}
        write_with_columns(rows, added, path)
    say(notice(loaded))
    for finding in check_features(loaded.release.encoding, rows):
        say(f"  {one_line(finding.column)}: {finding.problem}; {finding.consequence}")
    say(f"Wrote {path}: {len(scores)} rows with recommended_arm and score.")
