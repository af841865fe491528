"""``dpwerm demo``: a simulated trial end to end."""

from pathlib import Path
from typing import Annotated

import numpy as np
import pyarrow.csv
import typer

from dpwerm.cli.console import say, stages, stop
from dpwerm.cli.delivery import delivering, warn
from dpwerm.simulate.demo import best_arm, demo_trial, study_text
from dpwerm.study.study import Study

LEDGER = "ledger.db"


def demo(
    out: Annotated[Path, typer.Option(help="Folder for the files.")] = Path("dpwerm-demo"),
    force: Annotated[bool, typer.Option("--force", help="Replace files in the folder.")] = False,
    sloppy: Annotated[
        bool, typer.Option("--sloppy", help="Bounds far too wide, as people declare them.")
    ] = False,
) -> None:
    """Simulate a trial and learn a rule from it, end to end."""
    # Drawing and fitting libraries take a second to load; other commands do without them.
    from dpwerm.cli.files import write_report
    from dpwerm.documents.figures import save_figure
    from dpwerm.documents.summary import summary
    from dpwerm.estimators.treatment_rule import PrivateTreatmentRule

    if out.exists() and not force:
        stop(f"{out} exists. Choose another --out, or add --force.")
    out.mkdir(parents=True, exist_ok=True)
    _begin_anew(out)
    with delivering(out / "rule.json", force=True) as delivery, stages() as on_stage:
        on_stage("simulating a trial")
        trial = demo_trial(sloppy=sloppy)
        pyarrow.csv.write_csv(trial, out / "trial.csv")
        # People whom the rule has not seen, for dpwerm evaluate.
        pyarrow.csv.write_csv(demo_trial(seed=2, sloppy=sloppy), out / "others.csv")
        (out / "study.toml").write_text(study_text(sloppy=sloppy), encoding="utf-8")
        study = Study.load(out / "study.toml")
        estimator = PrivateTreatmentRule.from_study(study, "1")
        estimator.fit(out / "trial.csv", on_stage=on_stage, keep=delivery.keep)
        delivery.check()
        rule = estimator.rule_
        text = summary(rule)
        (out / "summary.txt").write_text(text, encoding="utf-8")
        on_stage("drawing")
        save_figure(rule, out / "rule.svg")
        write_report(out / "report.html", out / "rule.json", out / "study.toml", None, None)
        fresh = demo_trial(people=5_000, seed=1, sloppy=sloppy)
        right = float(np.mean(rule.arms_for(rule.score_table(fresh)) == best_arm(fresh)))
    warn(delivery.caught)
    say(text)
    say("The trial is simulated, so the truth is known: the rule recommends the better arm for")
    say(f"{right:.1%} of 5,000 new simulated people (no real data could be shown like this).")
    say()
    rule_file, value, declared = out / "rule.json", out / "value.json", out / "study.toml"
    say(f"In {out}: report.html, to be opened in a browser, and rule.json, summary.txt, rule.svg,")
    say(f"study.toml, trial.csv, others.csv, {LEDGER}. Now try:")
    say(f"  dpwerm verify {rule_file} --study {declared}")
    say(f"  dpwerm recommend {rule_file} {out / 'others.csv'} --out {out / 'new.csv'}")
    bought = f"--epsilon 0.5 --out {value} --yes"
    say(f"  dpwerm evaluate {rule_file} {declared} {out / 'others.csv'} {bought}")
    page = f"--out {out / 'report.html'} --force"
    say(f"  dpwerm report {rule_file} --study {declared} --value {value} {page}")
    say(f"  dpwerm ledger show {declared}")
    say(f"  dpwerm plan {declared} --n 500")


def _begin_anew(out: Path) -> None:
    """Remove the ledger of an earlier demo: its trial is simulated. Any other one is left alone."""
    from dpwerm.privacy.ledger.account import studies_in
    from dpwerm.privacy.ledger.store import Store, database_of

    path = out / LEDGER
    if not path.exists():
        return
    entries = Store(database_of(f"sqlite:///{LEDGER}", out)).read()
    simulated = {Study.parse(study_text(sloppy=sloppy)).id for sloppy in (False, True)}
    if set(studies_in(entries)) - simulated:
        stop(f"{path} is the ledger of a real study. Choose another --out.")
    path.unlink()
