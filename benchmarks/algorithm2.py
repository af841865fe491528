"""What tuning γ by Algorithm 2 is worth: ``python -m benchmarks.algorithm2``.

The paper's method as the supplement tunes it (D₀ of 1,000 people, m = 500, r = 1,000), beside the
published γ and automatic hyperparameters; and our method with γ tuned on a pilot of 1,000 people
beside the automatic γ. Prints the former and writes the rest of docs/tuning.md; five minutes.
"""

import io
import math
from collections.abc import Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.page import fill
from dpwerm.arrays import FloatArray
from dpwerm.cli.main import main as dpwerm
from dpwerm.plan.expected import settle
from dpwerm.privacy.budget import Budget
from dpwerm.simulate.engine.released import second_arm
from dpwerm.simulate.engine.run import bar
from dpwerm.simulate.scenarios import get_scenario
from dpwerm.simulate.synthetic import generator
from dpwerm.study.treatment import Declaration
from dpwerm.tune.algorithm2 import all_scores, parts, tune_gamma
from dpwerm.tune.people import FromTable, Repeats
from dpwerm.tune.tuned import means_of, place_of_best
from reproduction.paper_batch import paper_theta
from reproduction.paper_method import paper_benefit_bound
from reproduction.published import published_cells
from reproduction.shown import markdown
from reproduction.synthetic.simulated import (
    Simulated,
    accuracy,
    our_rules,
    paper_encoding_of,
    paper_rules,
)

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "tuning.md"
FIGURE = ROOT / "docs" / "images" / "tuning.svg"
STUDY, PILOT = "docs/examples/paper.toml", "docs/examples/pilot.csv"
INDEPENDENT = (STUDY, PILOT, "--how", "independent", "--n", "300", "--epsilon", "1")
SIMULATED = (STUDY, "--n", "300", "--epsilon", "1", "--mechanism", "spherical-laplace")
N, EPSILONS = 1000, ("0.1", "0.5", "1", "2", "5")
GAMMAS = (1.0, *(float(one) for one in range(21, 602, 20)))
"""The candidates of the supplement."""

PILOTS, VALIDATE, REPEATS = 5, 500, 1000
TRIALS, PEOPLE, AT_ONCE = 400, 5_000, 50
SCENARIOS = ("paper", "main-effect", "categories", "ten-features", "heavy-tails", "arms-9-1")
SEED = 12026


@dataclass(frozen=True)
class PaperMethod:
    """The paper's method with each ε and γ; its rules are not private."""

    scenario: str
    cells: tuple[tuple[str, float], ...]

    @property
    def declaration(self) -> Declaration:
        """The scenario's."""
        return get_scenario(self.scenario).study().declaration()

    def second(self, repeats: Repeats, key: Sequence[int]) -> NDArray[np.bool_]:
        """Return whom the rules give the second arm, (K, B, 1, T)."""
        study = get_scenario(self.scenario).study()
        encoding = paper_encoding_of(get_scenario(self.scenario))
        bound = paper_benefit_bound(study.benefit.bounds)
        trial, rows = repeats.trial, repeats.splits.training
        X, likely = trial.encode(encoding), np.asarray(trial.given_propensity)
        received = np.where(trial.arm > 0, likely, 1.0 - likely)
        theta = paper_theta(
            X[rows],
            trial.arm[rows],
            trial.outcome[rows],
            received[rows],
            self.cells,
            generator(*key),
            encoding=encoding,
            benefit_bound=bound,
            smallest_propensity=study.treatment.pi_min,
        )
        return second_arm(theta, encoding, X[repeats.splits.validation])


def pilot_of(name: str, size: int, place: int) -> FromTable:
    """Return an independent data set of a scenario, with the better arm of each person."""
    scenario = get_scenario(name)
    table = scenario.draw(size, generator(SEED, 1, place))
    read = FromTable.read(scenario.study(), table)
    return FromTable(read.study, read.table, scenario.contrast(table))


def papers_gammas(place: int) -> dict[str, float]:
    """Return the γ that Algorithm 2 finds for the paper's method at each ε, from one pilot."""
    cells = tuple((epsilon, gamma) for epsilon in EPSILONS for gamma in GAMMAS)
    tasks = parts(
        PaperMethod("paper", cells),
        pilot_of("paper", 1000, place),
        "accuracy",
        n=N,
        m=VALIDATE,
        repeats=REPEATS,
        seed=place,
    )
    with bar(f"the paper's method, pilot {place + 1} of {PILOTS}") as on_done:
        scores = all_scores(tasks, on_done=on_done)
    found = {}
    for place_of_epsilon, epsilon in enumerate(EPSILONS):
        start = place_of_epsilon * len(GAMMAS)
        means, _ = means_of(scores[start : start + len(GAMMAS)])
        found[epsilon] = GAMMAS[place_of_best(means)]
    return found


def fresh(name: str, part: int) -> tuple[Simulated, Simulated]:
    """Return new trials of n people, and people to judge their rules."""
    rng = generator(SEED, 2, part)
    scenario = get_scenario(name)
    return (Simulated.draw(scenario, AT_ONCE, N, rng), Simulated.draw(scenario, 1, PEOPLE, rng))


def judged(people: Simulated, trials: Simulated) -> Simulated:
    """Return the same people as judges of every trial."""
    return people.of(np.repeat(people.rows, len(trials.rows), axis=0))


def shown(scores: FloatArray) -> str:
    """Return a mean in % with half its 95 % interval."""
    half = 1.96 * float(scores.std(ddof=1)) / math.sqrt(scores.size)
    return f"{scores.mean():.1f} ± {half:.1f}"


def papers_table() -> str:
    """Return accuracy at n = 1,000: the published γ, those of Algorithm 2, and automatic."""
    published = {cell.epsilon: cell for cell in published_cells() if cell.n == N}
    tuned = [papers_gammas(place) for place in range(PILOTS)]
    rows = [
        (
            "ε",
            "published γ",
            "printed, %",
            "run again, %",
            f"γ of Algorithm 2 on {PILOTS} pilots",
            "accuracy with them, %",
            "automatic, %",
        )
    ]
    for epsilon in EPSILONS:
        cell = published[epsilon]
        chosen = [one[epsilon] for one in tuned]
        cells = [(epsilon, cell.gamma), *((epsilon, gamma) for gamma in chosen)]
        theirs, ours = [], []
        for part in range(TRIALS // AT_ONCE):
            trials, people = fresh("paper", part)
            judges, rng = judged(people, trials), generator(SEED, 3, part)
            found = accuracy(paper_rules(trials, cells, rng).second(judges), judges)[..., 0]
            theirs.append(np.stack([found[0], found[1:].mean(axis=0)]))
            ours.append(accuracy(our_rules(trials, epsilon, rng).second(judges), judges).ravel())
        both = np.concatenate(theirs, axis=1)
        listed = ", ".join(f"{gamma:g}" for gamma in sorted(chosen))
        rows.append(
            (
                epsilon,
                f"{cell.gamma:g}",
                f"{cell.accuracy[0]:.1f}",
                shown(both[0]),
                listed,
                shown(both[1]),
                shown(np.concatenate(ours)),
            )
        )
    return markdown(rows)


def gain_table(epsilon: str = "1") -> str:
    """Return our accuracy with the automatic γ and with those tuned on pilots by their value."""
    tuned_ones = f"tuned γ, {PILOTS} pilots"
    rows = [("scenario", "automatic γ", tuned_ones, "automatic, %", "tuned, %", "difference")]
    for name in SCENARIOS:
        study = get_scenario(name).study()
        usual = settle(study, Budget.of(epsilon), N).spec.gamma
        found = []
        for place in range(PILOTS):
            source = pilot_of(name, 1000, place)
            with bar(f"{name}, pilot {place + 1} of {PILOTS}") as on_done:
                ((tuned, _),) = tune_gamma(
                    study,
                    source,
                    [Budget.of(epsilon)],
                    n=N,
                    metric="value",
                    workers=None,
                    on_done=on_done,
                )
            found.append(tuned.best)
        both = []
        for part in range(TRIALS // AT_ONCE):
            trials, people = fresh(name, part)
            judges, rng = judged(people, trials), generator(SEED, 4, part)
            rules = our_rules(
                trials, epsilon, rng, factors=[one / usual for one in (usual, *found)]
            )
            scores = accuracy(rules.second(judges), judges)[..., 0]
            both.append(np.stack([scores[0], scores[1:].mean(axis=0)]))
        first, second = np.concatenate(both, axis=1)
        figures = (shown(first), shown(second), shown(second - first))
        listed = ", ".join(f"{gamma:g}" for gamma in sorted(found))
        rows.append((f"`{name}`", f"{usual:g}", listed, *figures))
    return markdown(rows)


def example(*given: str) -> str:
    """Return a command and what it prints."""
    options = ("tune", *given, "--repeats", "100")
    caught = io.StringIO()
    with redirect_stdout(caught):
        code = dpwerm(options)
    if code:
        raise SystemExit(code)
    return f"```console\n$ dpwerm {' '.join(options)}\n\n{caught.getvalue().rstrip()}\n```"


def main() -> None:
    """Write the page's example, figure and tables; run from the root of the repository."""
    fill(PAGE, "independent", example(*INDEPENDENT))
    example(*SIMULATED, "--figure", str(FIGURE.relative_to(ROOT)), "--force")
    fill(PAGE, "gain", gain_table())
    print(papers_table())


if __name__ == "__main__":
    main()
