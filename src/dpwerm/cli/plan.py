"""``dpwerm plan``: what to expect, before any data is touched and at no cost in privacy."""

from pathlib import Path
from typing import Annotated

import typer

from dpwerm.cli.console import Delta, bar, document_path, picture_path, say
from dpwerm.errors import ParameterError
from dpwerm.privacy.budget import Budget
from dpwerm.study.study import Study

TARGET_HELP = (
    "Wanted share of people with their better arm, above 0.5 and below 1, such as 0.9: with --n "
    "the smallest epsilon is found, with --epsilon the smallest n."
)


def plan(
    study: Annotated[Path, typer.Argument(help="The study file; no table is read.")],
    n: Annotated[
        int | None,
        typer.Option("--n", help="How many people; planned_n of the study file if left out."),
    ] = None,
    epsilon: Annotated[
        str | None, typer.Option(help="Show what a fit at this privacy loss would use.")
    ] = None,
    target: Annotated[float | None, typer.Option(help=TARGET_HELP)] = None,
    delta: Delta = "0",
    figure: Annotated[
        Path | None, typer.Option(help="Draw accuracy against epsilon for n/4, n/2, n, 2n and 4n.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="Also write the plan: a page (.html), text (.txt) or data (.json)."),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Fewer synthetic trials, and three sizes in a figure.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace existing files.")] = False,
) -> None:
    """Say what to expect of a rule before any data is touched."""
    # Fitting and drawing libraries take a second to load; other commands do without them.
    from dpwerm.documents import plan as words
    from dpwerm.documents.render import as_text, write
    from dpwerm.plan.desk import Desk
    from dpwerm.plan.expected import people_of, target_of

    declared = Study.load(study)
    asked = None if epsilon is None else str(Budget.of(epsilon, delta).epsilon).lower()
    asked = "inf" if asked == "infinity" else asked
    aim = None if target is None else target_of(target)
    if aim is not None and n is not None and asked is not None:
        raise ParameterError("with --target give --n or --epsilon, not both: one is to be found")
    if aim is not None and figure is not None:
        raise ParameterError("--target answers alone, without --figure")
    if aim is not None and asked is None and n is None and declared.about.planned_n is None:
        raise ParameterError(
            "with --target give --n, to find the smallest epsilon, or --epsilon, to find the "
            "smallest n"
        )
    people = None if aim is not None and asked is not None else people_of(declared, n)
    path = picture_path(figure, force=force, inputs=(study,))
    written = document_path(out, force=force, inputs=(study,))
    with bar() as steps:
        desk = Desk(
            declared,
            delta,
            quick=quick,
            on_stage=steps.stage,
            on_step=steps.done,
            on_more=steps.more,
            workers=None,
        )
        document = words.plan_document(desk, people, asked, aim)
        if path is not None and people is not None:
            steps.stage("drawing")
            title = declared.name or declared.id
            curves = desk.curves(words.EPSILONS, people)
            words.save_plan(curves, people, title, path)
            document = words.with_picture(document, curves, people)
    say(as_text(document).rstrip())
    if written is not None:
        write(document, written)
    for made in filter(None, (path, written)):
        say(f"\nWrote {made}.")
