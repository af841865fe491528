"""``dpwerm reproduce``: the tables and figures of the paper, beside what is published."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from dpwerm.cli.console import say
from dpwerm.cli.options import WORKERS_HELP
from dpwerm.errors import ParameterError

ALL = "all"


def reproduce(
    names: Annotated[
        list[str] | None, typer.Argument(help="Which, such as table2; all for everything.")
    ] = None,
    out: Annotated[
        Path, typer.Option(file_okay=False, help="The folder for pages, pictures and numbers.")
    ] = Path("reproduction"),
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
    # Drawing and solving libraries take a second to load; other commands do without them.
    from dpwerm.reproduce.artefact import Bench
    from dpwerm.reproduce.artefacts import ARTEFACTS
    from dpwerm.reproduce.page import prepare, write_files, write_index
    from dpwerm.simulate.engine.bar import bar

    if not names:
        width = max(map(len, ARTEFACTS))
        say("\n".join(f"{name:{width}}  {one.title}" for name, one in ARTEFACTS.items()))
        say(f"{ALL:{width}}  everything, with an index")
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
