"""``dpwerm tune``: γ by Algorithm 2 on people who are free to look at, or privately on the study's.

On independent or simulated people a curve is shown and nothing is released. The private ways read
the study's own table and release a rule, as ``fit`` does.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dpwerm.cli.console import (
    WORKERS_HELP,
    Delta,
    Force,
    StudyFile,
    free_path,
    picture_path,
    say,
    stages,
)
from dpwerm.cli.delivery import delivering
from dpwerm.cli.release import LedgerOrNone, Partition, Yes, ask, payer, spare
from dpwerm.data.table import endings
from dpwerm.errors import ParameterError
from dpwerm.parameters import one_of, positive
from dpwerm.privacy.budget import Budget
from dpwerm.releases.tuning import SPLIT, refuse_retired
from dpwerm.releases.tuning import WAYS as PRIVATE_WAYS
from dpwerm.study.propensity import PrivatePropensity
from dpwerm.study.study import Study
from dpwerm.tune.tuned import INDEPENDENT, OPEN_WAYS, PORTION, SIMULATED

if TYPE_CHECKING:
    from dpwerm.releases.release import Rule
    from dpwerm.tune.people import Source

BELONGS = {
    "n": OPEN_WAYS,
    "validate": OPEN_WAYS,
    "metric": OPEN_WAYS,
    "repeats": OPEN_WAYS,
    "scenario": (SIMULATED,),
    "portion": (PORTION,),
    "not_private": (PORTION,),
    "share": (SPLIT,),
    "ledger": PRIVATE_WAYS,
    "partition": PRIVATE_WAYS,
    "yes": PRIVATE_WAYS,
}
"""The ways that each option is for; with another one it would be ignored, so it is refused."""

HOW_HELP = (
    "simulated (no table), independent (TABLE: other people), portion (TABLE: the study's own "
    "people, NOT PRIVATE), or privately on TABLE: parts, split. Without a table: "
    "simulated (docs/tuning.md)."
)


def tune(
    context: typer.Context,
    study: StudyFile,
    table: Annotated[Path | None, typer.Argument(help=f"A {endings()} file; see --how.")] = None,
    how: Annotated[str | None, typer.Option(help=HOW_HELP)] = None,
    epsilon: Annotated[
        str | None,
        typer.Option(
            help="Privacy loss of the fit, such as 0.5; several, such as 0.5,1,5, if not privately."
        ),
    ] = None,
    delta: Delta = "0",
    n: Annotated[
        int | None,
        typer.Option("--n", help="How many people the fit will have; planned_n if left out."),
    ] = None,
    gammas: Annotated[
        str | None,
        typer.Option(
            help="Candidates, such as 10,30,90; if left out, some around the automatic one."
        ),
    ] = None,
    mechanism: Annotated[
        str | None, typer.Option(help="Which noise, instead of the study's or the chosen one.")
    ] = None,
    metric: Annotated[
        str | None,
        typer.Option(help="value, accuracy or loss; accuracy if left out, value on a table."),
    ] = None,
    repeats: Annotated[
        int | None, typer.Option(help="How often people are divided anew; 200 if left out.")
    ] = None,
    validate: Annotated[
        int | None,
        typer.Option(help="How many people judge each rule; 0.2 of a table, or 500 simulated."),
    ] = None,
    scenario: Annotated[
        str | None, typer.Option(help="Simulate this trial of docs/scenarios.md.")
    ] = None,
    portion: Annotated[
        float | None, typer.Option(help="Which part of the table is tuned on; 0.2 if left out.")
    ] = None,
    not_private: Annotated[
        bool, typer.Option("--not-private", help="Write what a portion gives, though not private.")
    ] = False,
    share: Annotated[
        str | None, typer.Option(help="With split: the part of epsilon for gamma; 0.3 if left out.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Where to write scores (JSON), or the rule (rule.json).")
    ] = None,
    figure: Annotated[Path | None, typer.Option(help="Draw scores against gamma.")] = None,
    seed: Annotated[
        int | None, typer.Option(help="Public seed; a private way's rule is then not private.")
    ] = None,
    workers: Annotated[int | None, typer.Option(help=WORKERS_HELP)] = None,
    ledger: LedgerOrNone = None,
    partition: Partition = None,
    yes: Yes = False,
    force: Force = False,
) -> None:
    """Find gamma, the strength of regularisation.

    Without cost on simulated or other people, or privately on the study's own.
    """
    way = _way(how, table)
    for name, ways in BELONGS.items():
        given = context.params[name]
        if given is not None and given is not False and way not in ways:
            option = name.replace("_", "-")
            raise ParameterError(f"--{option} is for --how {' or '.join(ways)}, not {way}")
    if workers is not None and way in PRIVATE_WAYS and figure is None:
        raise ParameterError(f"--workers with --how {way} is for --figure alone")
    if epsilon is None:
        raise ParameterError("give --epsilon, the privacy loss of the fit")
    declared = Study.load(study)
    candidates = None if gammas is None else _numbers(_listed(gammas))
    inputs = (study,) if table is None else (study, table)
    asked: dict[str, Any] = {"gammas": candidates, "mechanism": mechanism}
    if way in PRIVATE_WAYS:
        path = free_path(out or Path("rule.json"), force=force, inputs=inputs)
        budget = Budget.of(epsilon, delta)
        paid = payer(declared, ledger, partition, private=budget.is_private and seed is None)
        asked |= {"how": way, "delta": delta, "random_state": seed, "ledger": paid}
        asked |= {} if share is None else {"share": share}
        picture = picture_path(figure, force=force, inputs=(*inputs, path))
        spare(paid, path, picture)
        if picture is not None and isinstance(declared.treatment.propensity, PrivatePropensity):
            raise ParameterError(
                "--figure simulates trials with known propensities, and this study has a private "
                "model: leave out --figure"
            )
        rule = _release(declared, table, budget, path, asked, yes=yes, force=force)
        if picture is not None:
            _draw(declared, rule, picture, mechanism, workers)
        return
    if way == PORTION and (out or figure) and not not_private:
        raise ParameterError(
            "what is found on the study's own people is not private, so it is written nowhere; "
            "--not-private writes it all the same, for the curator only"
        )
    target = None if out is None else free_path(out, force=force, inputs=inputs)
    picture = picture_path(figure, force=force, inputs=inputs)
    budgets = [Budget.of(one, delta) for one in _listed(epsilon)]
    asked |= {"m": validate, "metric": metric, "workers": workers}
    asked |= {} if repeats is None else {"repeats": repeats}
    asked |= {} if seed is None else {"seed": seed}
    source, people = _people(declared, table, way, n, scenario, portion, metric, seed)
    _show(declared, source, budgets, way, study, target, picture, asked | {"n": people})


def _way(how: str | None, table: Path | None) -> str:
    """Return how to tune; without a table everything is simulated."""
    if how is None and table is not None:
        raise ParameterError(
            "whose table is it? --how independent: other people than the study's; --how portion, "
            "parts or split: the study's own"
        )
    refuse_retired("--how", how)
    way = one_of("--how", how or SIMULATED, (*OPEN_WAYS, *PRIVATE_WAYS))
    if (table is None) != (way == SIMULATED):
        needs = "reads no table" if way == SIMULATED else "needs a TABLE"
        raise ParameterError(f"--how {way} {needs}")
    return way


def _release(
    study: Study,
    table: Path | None,
    budget: Budget,
    path: Path,
    asked: dict[str, Any],
    *,
    yes: bool,
    force: bool,
) -> "Rule":
    """Tune privately and release the rule, asking once before a row is read."""
    from dpwerm.documents.summary import summary
    from dpwerm.tune.private import check_tuned, fit_tuned

    check_tuned(study, epsilon=budget.epsilon, **asked)
    question = f"Tune and release a rule from study {study.id} at {budget} in all?"
    ask(question, asked["ledger"], budget, yes=yes)
    with delivering(path, force=force) as delivery, stages() as on_stage:
        paid: dict[str, Any] = {"on_stage": on_stage, "keep": delivery.keep, **asked}
        rule = fit_tuned(study, table, epsilon=budget.epsilon, **paid)
    delivery.tell(lambda: summary(rule))
    return rule


def _draw(
    study: Study, rule: "Rule", path: Path, mechanism: str | None, workers: int | None
) -> None:
    """Draw what synthetic trials say of the candidates, and which of them was released.

    Scores on the table are secret, so the curve is of random trials inside the public bounds.
    """
    from dpwerm.documents.tuning import save_tuned
    from dpwerm.simulate.engine.run import bar
    from dpwerm.tune.algorithm2 import MOST_PEOPLE, tune_gamma
    from dpwerm.tune.people import FromSynthetic

    tuning = rule.tuning
    if tuning is None:
        return
    with bar("drawing") as on_done:
        found = tune_gamma(
            study,
            FromSynthetic(study),
            [tuning.steps.fit],
            n=min(tuning.folds[0], MOST_PEOPLE),
            gammas=tuning.candidates,
            mechanism=mechanism,
            workers=workers,
            on_done=on_done,
        )
    chosen, curves = rule.release.certificate.gamma, [tuned for tuned, _ in found]
    save_tuned(curves, study.name or study.id, path, chosen, private=rule.private)
    say(
        f"Wrote {path}: the chosen gamma on a curve of synthetic trials. The scores on your table "
        "stay secret."
    )


def _people(
    study: Study,
    table: Path | None,
    way: str,
    n: int | None,
    scenario: str | None,
    portion: float | None,
    metric: str | None,
    seed: int | None,
) -> tuple["Source", int]:
    """Return the people, and how many the fit will have."""
    # Fitting libraries take a second to load; other commands do without them.
    from dpwerm.plan.expected import people_of
    from dpwerm.tune.algorithm2 import SEED, a_portion
    from dpwerm.tune.people import FromScenario, FromSynthetic, FromTable

    if scenario is not None:
        return FromScenario(study, scenario), people_of(study, n)
    if way == SIMULATED:
        judged = metric in (None, "accuracy")
        return FromSynthetic(study, knows_better=judged), people_of(study, n)
    if way == INDEPENDENT:
        wanted = people_of(study, n)
        return FromTable.read(study, table), wanted
    whole = FromTable.read(study, table)
    part = a_portion(whole, 0.2 if portion is None else portion, SEED if seed is None else seed)
    return part, whole.size if n is None else people_of(study, n)


def _show(
    study: Study,
    source: "Source",
    budgets: list[Budget],
    way: str,
    file: Path,
    out: Path | None,
    figure: Path | None,
    asked: dict[str, Any],
) -> None:
    """Tune by Algorithm 2 and print, write and draw what was found."""
    from dpwerm.documents import tuning as words
    from dpwerm.documents.render import as_text, write
    from dpwerm.releases.files import write_json
    from dpwerm.simulate.engine.run import bar
    from dpwerm.tune.algorithm2 import tune_gamma
    from dpwerm.tune.tuned import file_content

    with bar("tuning") as on_done:
        found = tune_gamma(study, source, budgets, on_done=on_done, **asked)
    results = [tuned for tuned, _ in found]
    document = words.tuning_document(study, found, way, str(file), asked["mechanism"])
    say(as_text(document).rstrip())
    if out is not None and out.suffix.lower() in (".html", ".txt"):
        write(document, out)
    elif out is not None:
        write_json(file_content(study.id, results, words.COSTS[way]), out)
    if figure is not None:
        words.save_tuned(results, study.name or study.id, figure)
    for made in filter(None, (out, figure)):
        say(f"Wrote {made}.")


def _listed(text: str) -> list[str]:
    """Return the parts of a list with commas, each once."""
    return list(dict.fromkeys(part.strip() for part in text.split(",")))


def _numbers(texts: list[str]) -> list[float]:
    """Return positive numbers that a person wrote."""
    try:
        numbers = list(map(float, texts))
    except ValueError:
        raise ParameterError("--gammas must be numbers, such as 10,30,90") from None
    return [positive("--gammas", number) for number in numbers]
