"""How often a rule is called noise, where it is and where not: ``python -m benchmarks.verdict``.

Trials of n people are released at ε = 1 with everything automatic: as they were drawn, with their
outcomes dealt anew among all people, and with their arms dealt anew, which leaves what features do
in both arms alike. Of the last two everything is noise. Writes results/verdict.csv and the table of
docs/report-intervals.md; some seconds for each rule with private ranges, whose bar is its own.

The aims: of shuffled outcomes at least 95 of 100 rules are called noise or one arm for everybody,
and of the paper's problem at most 5 of 100.
"""

import argparse
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
from rich.progress import track

from benchmarks.accuracy import trial_rng
from benchmarks.page import DATA, write_table
from dpwerm import PrivateTreatmentRule
from dpwerm.documents.null_trials import Bar, bar_of
from dpwerm.documents.verdict import Outcome, verdict_of
from dpwerm.releases.release import Rule
from dpwerm.simulate.scenarios import get_scenario
from dpwerm.simulate.scenarios.scenario import ARM, BENEFIT
from reproduction.shown import markdown

RESULTS, SHOWN = Path(__file__).parent / "results" / "verdict.csv", DATA / "verdict.csv"
N, EPSILON, REPEATS, SEED = 1000, "1", 100, 71026
SCENARIOS = ("paper", "mood", "response", "relief", "stay")
"""The paper's problem, and sloppily declared trials of four kinds of outcome; the last has 2:1."""

SHUFFLED = "outcomes shuffled"
DEALT = {"as drawn": None, SHUFFLED: BENEFIT, "arms shuffled": ARM}
"""Which column is dealt anew among all people."""

HEAD = ("scenario", "trial", "estimator", *Outcome)


def released(name: str, column: str | None, repeats: int) -> Iterator[Rule]:
    """Yield rules of trials of their own, noise from seeds."""
    scenario = get_scenario(name)
    for repeat in range(repeats):
        table = scenario.draw(N, trial_rng(name, N, repeat))
        if column is not None:
            cells = table[column].to_numpy(zero_copy_only=False)
            dealt = np.random.default_rng((SEED, repeat)).permutation(cells)
            table = table.set_column(table.column_names.index(column), column, pa.array(dealt))
        rule = PrivateTreatmentRule.from_study(scenario.study(), EPSILON, random_state=repeat)
        yield rule.fit(table).rule_


def made(rule: Rule) -> tuple[str, ...]:
    """Return all that a bar rests on: rules that were made alike share it."""
    release, declaration = rule.release, rule.declaration
    certificate = release.certificate.model_dump_json()
    return certificate, repr(release.encoding), repr(declaration.benefit), str(release.threshold)


def counted(name: str, repeats: int) -> Iterator[tuple[str, ...]]:
    """Yield a row for each way to deal: how many rules got which verdict."""
    bars: dict[tuple[str, ...], Bar | None] = {}
    for said, column in DEALT.items():
        found: Counter[Outcome] = Counter()
        designs: Counter[str] = Counter()
        for rule in released(name, column, repeats):
            facts = made(rule)
            if facts not in bars and rule.single_arm is None:
                bars[facts] = bar_of(rule)
            found[verdict_of(rule, bars.get(facts)).outcome] += 1
            designs[rule.release.certificate.design.name] += 1
        yield name, said, ", ".join(designs), *(str(found[one]) for one in Outcome)


def shown(rows: Iterable[Sequence[str]]) -> list[tuple[str, ...]]:
    """Return the rows as the page shows them, the head first."""
    return [
        HEAD[:-1],
        *((f"`{name}`", said, f"`{by}`", *rest[:-1]) for name, said, by, *rest in rows),
    ]


def main() -> None:
    """Measure, print and write; what is not told is called noise, or gives everybody one arm."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=REPEATS)
    parser.add_argument("--scenarios", default=",".join(SCENARIOS))
    asked = parser.parse_args()
    rows: list[tuple[str, ...]] = []
    for name in track(asked.scenarios.split(","), description="scenarios"):
        rows += counted(name, asked.repeats)
    print(markdown([HEAD, *rows]))
    for name, said, _, told, *_ in rows:
        if said == SHUFFLED or name == "paper":
            print(f"{name}, {said}: {asked.repeats - int(told)} of {asked.repeats} not told")
    if (asked.repeats, asked.scenarios) == (REPEATS, ",".join(SCENARIOS)):
        write_table(RESULTS, [HEAD, *rows])
        write_table(SHOWN, shown(rows))


if __name__ == "__main__":
    main()
