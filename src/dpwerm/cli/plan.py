"""``dpwerm plan``: what to expect, before any data is touched and at no cost in privacy."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dpwerm.cli.console import Delta, bar, picture_path, say
from dpwerm.errors import ParameterError
from dpwerm.privacy.budget import Budget
from dpwerm.study.study import Study
from dpwerm.text import stacked

if TYPE_CHECKING:
    from dpwerm.plan.desk import Desk

EPSILONS = ("0.1", "0.2", "0.5", "1", "2", "5", "inf")
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
    quick: Annotated[
        bool, typer.Option("--quick", help="Fewer simulated trials, and three sizes in a figure.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace an existing figure.")] = False,
) -> None:
    """Say what to expect of a rule before any data is touched."""
    # Fitting and drawing libraries take a second to load; other commands do without them.
    from dpwerm.documents import plan as words
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
        if aim is not None:
            parts = list(_target(desk, aim, people, asked))
        else:
            parts = list(_expectation(desk, people or 1, asked))
        if path is not None and people is not None:
            steps.stage("drawing")
            title = declared.name or declared.id
            words.save_plan(desk.curves(EPSILONS, people), people, title, path)
    blocks = [words.opening(declared, people), *parts]
    say(stacked(blocks))
    if path is not None:
        say(f"\nWrote {path}.")


def _target(desk: "Desk", target: float, n: int | None, epsilon: str | None) -> Iterator[list[str]]:
    """Yield the answer to a target."""
    from dpwerm.documents import plan as words

    if n is not None:
        found = desk.smallest_epsilon(target, n)
        yield words.answer_words(found, f"with {words.counted(n)}", "epsilon")
        yield words.odds([found.place], desk.study.relation) if found.reached else []
        yield words.over_total(desk.study, [found.place])
    elif epsilon is not None:
        fixed = words.WITHOUT if epsilon == "inf" else f"at epsilon = {epsilon}"
        answer = desk.smallest_n(target, epsilon)
        yield words.answer_words(answer, fixed, "number of people")
        yield words.odds([epsilon], desk.study.relation)
        yield words.over_total(desk.study, [epsilon])


def _expectation(desk: "Desk", n: int, epsilon: str | None) -> Iterator[list[str]]:
    """Yield what to expect, and what would be used."""
    from dpwerm.documents import plan as words

    study = desk.study
    wanted = EPSILONS if epsilon is None else tuple(dict.fromkeys((epsilon, "inf")))
    found, refused = desk.over(wanted, n)
    yield words.expectation(found, n)
    yield refused
    yield words.share_taken(next(iter(found.values()))[0])
    yield words.over_total(study, wanted)
    if epsilon is not None:
        settled, _ = found[epsilon]
        yield words.settings(settled, n)
        yield words.clips(desk.clips(epsilon, n), settled.clip)
    yield words.odds(wanted, study.relation)
