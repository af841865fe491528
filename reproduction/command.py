"""The commands: the tables and figures of the paper, and its bounds for a study."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Annotated

import typer

from dpwerm.cli.console import WORKERS_HELP, say
from dpwerm.cli.console import bar as steps_bar
from dpwerm.cli.main import main as dpwerm
from dpwerm.errors import ParameterError
from dpwerm.simulate.engine.run import bar
from dpwerm.study.study import Study
from reproduction.artefact import Artefact, Bench
from reproduction.bounds.words import study_blocks
from reproduction.gamma import flat as gamma_flat
from reproduction.gamma import panels
from reproduction.gamma import published as gamma_published
from reproduction.page import prepare, write_files, write_index
from reproduction.synthetic import figure1, robustness, table2
from reproduction.trials import actg175, figure2, table1

ALL, BOUNDS = "all", "bounds"
PROGRAM = "python -m reproduction"
OUT = Path("build/reproduction")
_ALL: tuple[Artefact, ...] = (
    figure1.ARTEFACT,
    table1.ARTEFACT,
    figure2.ARTEFACT,
    panels.FIGURE3,
    panels.FIGURE4,
    table2.ARTEFACT,
    *panels.SUPPLEMENT,
    gamma_published.ARTEFACT,
    gamma_flat.ARTEFACT,
    robustness.ARTEFACT,
    actg175.ARTEFACT,
)

ARTEFACTS = MappingProxyType({artefact.name: artefact for artefact in _ALL})


def pages(
    names: Annotated[
        list[str] | None, typer.Argument(help="Which, such as table2; all for everything.")
    ] = None,
    out: Annotated[
        Path, typer.Option(file_okay=False, help="The folder for pages, pictures and numbers.")
    ] = OUT,
    quick: Annotated[
        bool, typer.Option("--quick", help="A small version in seconds that says what it lacks.")
    ] = False,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Forget what an earlier run in the folder has found.")
    ] = False,
    workers: Annotated[int | None, typer.Option(min=1, help=WORKERS_HELP)] = None,
    cyp_guides: Annotated[
        Path | None,
        typer.Option(exists=True, dir_okay=False, help="Your copy of the CYP-GUIDES data."),
    ] = None,
) -> None:
    """Reproduce the paper's tables and figures. Beside the published numbers and our method."""
    if not names:
        width = max(map(len, ARTEFACTS))
        say("\n".join(f"{name:{width}}  {one.title}" for name, one in ARTEFACTS.items()))
        say(f"{ALL:{width}}  everything, with an index")
        say(f"{BOUNDS:{width}}  a calculator: the paper's bounds for a study file")
        return
    unknown = [name for name in names if name != ALL and name not in ARTEFACTS]
    if unknown:
        known = ", ".join([*ARTEFACTS, ALL])
        raise ParameterError(f"there is no {unknown[0]} to reproduce; there are: {known}")
    wanted = list(ARTEFACTS) if ALL in names else list(dict.fromkeys(names))
    prepare(out)
    whole = Bench(ALL, out, quick, fresh, workers, cyp_guides)
    made = []
    try:
        for name in wanted:
            artefact = ARTEFACTS[name]
            with bar(artefact.title) as on_done:
                bench = replace(whole, name=name, on_done=on_done)
                found = artefact.make(bench)
            write_files(artefact, found, bench)
            made.append((artefact, found))
            agreeing = sum(verdict.agrees for verdict in found.verdicts)
            count = f"{agreeing} of {len(found.verdicts)} statements agree"
            say(f"{artefact.title}: {count if found.verdicts else found.skipped or 'made'}")
            if found.verdicts and found.skipped:
                say(f"  {found.skipped}")
            for verdict in found.verdicts:
                if not verdict.agrees:
                    say(f"  {verdict}")
            if quick and found.left_out:
                say(f"  Quick: {found.left_out}")
    except KeyboardInterrupt:
        say("Stopped. Nothing is lost: the same command goes on from here.")
        raise typer.Exit(130) from None
    if ALL in names:
        write_index(made, whole)
    say(f"Wrote {out}.")


def bounds(
    study: Annotated[Path, typer.Argument(help="The study file; no table is read.")],
    n: Annotated[
        int | None,
        typer.Option("--n", help="How many people; planned_n of the study file if left out."),
    ] = None,
    epsilon: Annotated[str, typer.Option(help="The privacy loss of the release.")] = "1",
    smallest_eigenvalue: Annotated[
        float | None,
        typer.Option(help="Of E[x x'], above 0: also show the paper's H for it (docs/bounds.md)."),
    ] = None,
) -> None:
    """Compute the paper's bounds for a study. Each term beside what simulation shows."""
    with steps_bar() as steps:
        blocks = study_blocks(Study.load(study), n, epsilon, smallest_eigenvalue, steps.stage)
    say("\n\n".join("\n".join(block) for block in blocks))


def main(arguments: Sequence[str]) -> int:
    """Run the pages, or the calculator if the first argument is its name; return the exit code."""
    calculator = list(arguments[:1]) == [BOUNDS]
    command = typer.Typer(
        add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None
    )
    command.command()(bounds if calculator else pages)
    name = f"{PROGRAM} {BOUNDS}" if calculator else PROGRAM
    return dpwerm(arguments[1:] if calculator else arguments, command, name)
