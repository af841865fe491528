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
WORTH_HELP = (
    "As --target, for a rule worth having: it gains at least a fifth of what can be gained over "
    "one arm for everybody, and is worse than that arm in one release of ten at most."
)
SD_HELP = (
    "Standard deviation of the benefit within an arm, after transform, as the protocol expects "
    "it; expected_sd of the study file if left out."
)
EFFECT_HELP = (
    "How much what one arm gains over the other varies between people, as a standard deviation; "
    "expected_effect_sd of the study file if left out, 0 for not at all."
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
    sd: Annotated[float | None, typer.Option(help=SD_HELP)] = None,
    effect_sd: Annotated[float | None, typer.Option(help=EFFECT_HELP)] = None,
    target: Annotated[float | None, typer.Option(help=TARGET_HELP)] = None,
    worth: Annotated[bool, typer.Option("--worth", help=WORTH_HELP)] = False,
    delta: Delta = "0",
    figure: Annotated[
        Path | None, typer.Option(help="Draw gain and accuracy against epsilon for n/4 to 4n.")
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
    from dpwerm.documents.plan_figure import save_plan, with_picture
    from dpwerm.documents.render import as_text, write
    from dpwerm.plan.assumed import expecting
    from dpwerm.plan.desk import Desk
    from dpwerm.plan.expected import people_of
    from dpwerm.plan.smallest import Aim, target_of

    declared = expecting(Study.load(study), sd, effect_sd)
    asked = None if epsilon is None else str(Budget.of(epsilon, delta).epsilon).lower()
    asked = "inf" if asked == "infinity" else asked
    if worth and target is not None:
        raise ParameterError("give --worth or --target, not both")
    aim = (
        Aim(None if target is None else target_of(target)) if worth or target is not None else None
    )
    flag = "--worth" if worth else "--target"
    if aim is not None and n is not None and asked is not None:
        raise ParameterError(f"with {flag} give --n or --epsilon, not both: one is to be found")
    if aim is not None and figure is not None:
        raise ParameterError(f"{flag} answers alone, without --figure")
    if aim is not None and asked is None and n is None and declared.about.planned_n is None:
        raise ParameterError(
            f"with {flag} give --n, to find the smallest epsilon, or --epsilon, to find the "
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
            save_plan(curves, people, title, path)
            document = with_picture(document, curves, people)
    say(as_text(document).rstrip())
    if written is not None:
        write(document, written)
    for made in filter(None, (path, written)):
        say(f"\nWrote {made}.")
