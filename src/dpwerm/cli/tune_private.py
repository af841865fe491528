"""The private ways of ``dpwerm tune``: a rule with γ tuned on the study's own table."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from dpwerm.cli.console import say, stages
from dpwerm.cli.paying import Paid, ask, told
from dpwerm.privacy.budget import Budget
from dpwerm.study.declaration import Study

if TYPE_CHECKING:
    from dpwerm.rules.rule import Rule


def release_tuned(
    study: Study,
    table: Path | None,
    budget: Budget,
    path: Path,
    asked: dict[str, Any],
    *,
    yes: bool,
) -> "Rule":
    """Tune privately and release the rule, asking once before a row is read."""
    from dpwerm.report.summary import summary
    from dpwerm.rules.rule_file import write_rule
    from dpwerm.tune.private import check_tuned, fit_tuned

    check_tuned(study, epsilon=budget.epsilon, **asked)
    ledger: Paid = asked["ledger"]
    question = f"Tune and release a rule from study {study.id} at {budget} in all?"
    ask(question, ledger, budget, yes=yes)
    with told(ledger), stages() as on_stage:
        rule = fit_tuned(study, table, epsilon=budget.epsilon, on_stage=on_stage, **asked)
    text = summary(rule)
    write_rule(rule, path)
    say(text)
    say(f"Wrote {path}. Anybody can check its numbers with: dpwerm verify {path}")
    return rule


def draw_private(
    study: Study, rule: "Rule", path: Path, mechanism: str | None, workers: int | None
) -> None:
    """Draw what simulated trials say of the candidates, and which of them was released.

    Scores on the table are secret, so the curve is of random trials inside the public bounds.
    """
    from dpwerm.simulate.engine.bar import bar
    from dpwerm.tune.algorithm2 import tune_gamma
    from dpwerm.tune.figure import save_tuned
    from dpwerm.tune.repeats import MOST_PEOPLE
    from dpwerm.tune.source import FromProxies

    tuning = rule.tuning
    if tuning is None:
        return
    with bar("drawing") as on_done:
        found = tune_gamma(
            study,
            FromProxies(study, truth=True),
            [tuning.steps.fit],
            n=min(tuning.slots[0], MOST_PEOPLE),
            gammas=tuning.candidates,
            mechanism=mechanism,
            workers=workers,
            on_done=on_done,
        )
    chosen = rule.release.certificate.gamma
    curves = [tuned for tuned, _ in found]
    save_tuned(curves, study.name or study.id, path, chosen, private=rule.private)
    say(
        f"Wrote {path}: the chosen gamma on a curve of simulated trials. The scores on your table "
        "stay secret."
    )
