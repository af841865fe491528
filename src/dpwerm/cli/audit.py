"""``dpwerm audit``: attack what is shipped, or a study's whole pipeline, and bound its ε."""

import json
from pathlib import Path
from typing import Annotated

import typer

from dpwerm.cli.console import NOT_VERIFIED, WORKERS_HELP, free_path, picture_path, say
from dpwerm.errors import ParameterError


def audit(
    names: Annotated[
        list[str] | None, typer.Argument(help="Mechanisms, such as gaussian; all if left out.")
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Fewer runs at fewer settings, in a minute or so.")
    ] = False,
    runs: Annotated[
        int | None, typer.Option(min=1000, help="Simulated releases of each on its worst pair.")
    ] = None,
    exact_runs: Annotated[
        int | None, typer.Option(min=0, help="Real releases of each that confirm the attack.")
    ] = None,
    confidence: Annotated[
        float | None,
        typer.Option(
            min=0.5,
            max=0.999999999,
            help="That a true claim is not called broken, for each claim; 0.999 if left out.",
        ),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of simulated runs; not of real ones.")] = 0,
    out: Annotated[
        Path | None,
        typer.Option(help="Write everything as data (.json), or what is shown (.html, .txt)."),
    ] = None,
    figure: Annotated[Path | None, typer.Option(help="Draw claims and bounds.")] = None,
    study: Annotated[
        Path | None, typer.Option(help="Audit the whole way from this study file to a rule file.")
    ] = None,
    epsilon: Annotated[
        str | None, typer.Option(help="With --study: the privacy loss of the rule, such as 1.")
    ] = None,
    workers: Annotated[int | None, typer.Option(min=1, help=WORKERS_HELP)] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace existing files.")] = False,
) -> None:
    """Attack our own releases. Shows what epsilon is at least, beside what is claimed."""
    sure = confidence or 0.999
    if study is not None:
        if names or out is not None or figure is not None:
            raise ParameterError("--study is audited alone, without names and other outputs")
        if runs is not None or exact_runs is not None:
            raise ParameterError("--study has runs of its own: --quick for fewer")
        _pipeline(study, epsilon, sure, seed, workers, quick=quick)
        return
    if epsilon is not None:
        raise ParameterError("--epsilon is for --study")
    # Solving and drawing libraries take a second to load; other commands do without them.
    from dpwerm.audit import suite
    from dpwerm.documents import audit as words
    from dpwerm.documents.render import as_text, write
    from dpwerm.simulate.engine.run import bar

    written = None if out is None else free_path(out, force=force)
    drawn = picture_path(figure, force=force)
    cells = suite.chosen(names or [], quick=quick)
    wanted, real = suite.RUNS, suite.EXACT_RUNS
    if quick:
        wanted, real = suite.QUICK_RUNS, suite.QUICK_EXACT_RUNS
    with bar("auditing") as on_done:
        audits = suite.audit_cells(
            cells,
            runs=runs or wanted,
            exact_runs=real if exact_runs is None else exact_runs,
            confidence=sure,
            seed=seed,
            workers=workers,
            on_done=on_done,
        )
    found = list(zip(cells, audits, strict=True))
    document = words.audit_document(found)
    say(as_text(document).rstrip())
    if written is not None and written.suffix.lower() in (".html", ".txt"):
        write(document, written)
        say(f"Wrote {written}.")
    elif written is not None:
        written.write_text(json.dumps(words.plain(found), indent=1) + "\n", encoding="utf-8")
        say(f"Wrote {written}.")
    if drawn is not None:
        words.save_audit(found, drawn)
        say(f"Wrote {drawn}.")
    if not words.passed(found):
        raise typer.Exit(NOT_VERIFIED)


def _pipeline(
    study: Path, epsilon: str | None, confidence: float, seed: int, workers: int | None, quick: bool
) -> None:
    """Audit the way from a study file to a rule file with simulated people and real noise."""
    from dpwerm.audit.pipeline import audit_study
    from dpwerm.documents.audit import pipeline_document
    from dpwerm.documents.render import as_text
    from dpwerm.privacy.budget import Budget
    from dpwerm.simulate.engine.run import bar

    if epsilon is None:
        raise ParameterError("--study needs --epsilon, the budget of the rule")
    with bar("auditing") as on_done:
        found = audit_study(
            study,
            budget=Budget.of(epsilon),
            # Eight coins of a single run prove nothing at this confidence, however they fall.
            one_runs=10 if quick else 50,
            practice=40 if quick else 200,
            runs=100 if quick else 1000,
            confidence=confidence,
            seed=seed,
            workers=workers,
            on_done=on_done,
        )
    say(as_text(pipeline_document(found)).rstrip())
    if not found.holds:
        raise typer.Exit(NOT_VERIFIED)
