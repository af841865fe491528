"""Table I of the paper: rules for two trials by ε, published and reproduced.

CYP-GUIDES is the user's own copy of the published file. SJCRH is not public: in its place stands a
SIMULATED trial (``sjcrh``).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from pathlib import Path

from reproduction.artefact import Artefact, Bench, Made, Sheet, Verdict
from reproduction.trials.claims import cyp_guides_claims, sjcrh_claims
from reproduction.trials.figure import Column, table_figure
from reproduction.trials.gain import gain_sheet
from reproduction.trials.method import METHODS
from reproduction.trials.published import published_flat, published_rows
from reproduction.trials.runs import by_epsilon, compared, flat_runs
from reproduction.trials.sheet import flat
from reproduction.trials.sjcrh import GAMMA as SJCRH_GAMMA
from reproduction.trials.source import CYP_GUIDES_GAMMA, Source, source_of
from reproduction.trials.spread import AskSpread, spread_words, spreads
from reproduction.trials.stand_ins import (
    CANDIDATES,
    QUICK_CANDIDATES,
    QUICK_OURS,
    QUICK_REPEATS,
    QUICK_RUNS,
    REPEATS,
    RUNS,
    SEED,
    stand_ins,
)
from reproduction.trials.table import (
    EPSILONS,
    Ask,
    Measured,
    answer,
    measure,
    one_by_one,
    rows_of,
    together,
)
from reproduction.trials.trial import PAGE, OpenTrial

CODED = ("sex", "race", "diagnosis")


def coded(trial: OpenTrial, turned: tuple[str, ...]) -> OpenTrial:
    """Return the trial with the two levels of some features in the other order."""
    features = {
        name: feature.model_copy(update={"levels": feature.levels[::-1]})
        if name in turned and feature.kind == "category"
        else feature
        for name, feature in trial.study.features.items()
    }
    study = trial.study.model_copy(update={"features": features})
    return replace(trial, study=study)


def codings_words(trial: OpenTrial) -> str:
    """Return between which allocations the rule without privacy lies, over all codings."""
    turns = [
        tuple(name for name, turn in zip(CODED, choice, strict=True) if turn)
        for choice in product((False, True), repeat=len(CODED))
    ]
    parts = []
    for method, words in (("one-propensity", "one propensity"), ("by-arm", "propensity by arm")):
        found = [
            measure(coded(trial, turned), METHODS[method], (), CYP_GUIDES_GAMMA, 1, 0)[0]
            for turned in turns
        ]
        few, many = (pick(found, key=lambda row: row.second) for pick in (min, max))
        parts.append(f"{few.second}:{few.first} to {many.second}:{many.first} with {words}")
    return (
        f"Without privacy, over the {len(turns)} orders of the levels of {', '.join(CODED[:-1])} "
        f"and {CODED[-1]}: {' and '.join(parts)}."
    )


SKIPPED = (
    "CYP-GUIDES is skipped: it needs a copy of the data, which is not part of this package. Give "
    "its path with --cyp-guides; docs/reproduction/trials.md says where it is published."
)
QUICK = (
    f"{QUICK_REPEATS} repeats instead of {REPEATS}, {QUICK_RUNS} runs instead of {RUNS}, "
    f"{QUICK_CANDIDATES} simulated candidates instead of {CANDIDATES:,}. Automatic γ are "
    f"there for ε = {', '.join(QUICK_OURS)} and ∞ alone. Gains have one cut instead of ten and "
    "lack automatic γ."
)
CHUNK = 10
NO_REASON = "For the private rows of CYP-GUIDES no explanation was found."
RESEMBLE = (
    "SJCRH is SIMULATED here, its data are not public. The published marginals are kept, and of "
    "many simulated trials those in which the paper's rule without privacy treats 197 ± 25 people "
    "with melatonin at a value of 2.101 ± 0.1. So the row without privacy agrees by choice, and an "
    "agreement of the others means that such a trial can give the published numbers, no more. What "
    "differs may lie in what was invented; but the published SD hardly falls with ε, as that over "
    "noise alone must."
)


@dataclass
class Part:
    """What one trial adds to the artefact."""

    column: Column
    sheets: list[Sheet]
    rows: list[dict[str, object]]
    verdicts: list[Verdict]
    notes: list[str] = field(default_factory=list)


def make(bench: Bench) -> Made:
    """Return Table I for the stand-in of SJCRH, and for CYP-GUIDES if its file is given."""
    # First what can be wrong: the user's file.
    real = [] if bench.cyp_guides is None else [cyp_guides_part(bench, bench.cyp_guides)]
    parts = [sjcrh_part(bench), *real]
    return Made(
        rows=[row for part in parts for row in part.rows],
        sheets=[sheet for part in parts for sheet in part.sheets],
        pictures={"values": table_figure([part.column for part in parts])},
        verdicts=[verdict for part in parts for verdict in part.verdicts],
        notes=[note for part in parts for note in part.notes],
        left_out=QUICK if bench.quick else "",
        skipped="" if bench.cyp_guides else SKIPPED,
    )


def sjcrh_part(bench: Bench) -> Part:
    """Return the stand-in: one simulated trial in detail, and what all of them give."""
    stand = stand_ins(bench)
    source = Source("sjcrh", seed=stand.seeds[stand.chosen])
    repeats = stand.paper[0][0].repeats
    ask = AskSpread(source, "paper", SJCRH_GAMMA, repeats, SEED)
    (tried,) = bench.run(spreads, [ask], "sjcrh-tried")
    one = {"paper": stand.paper[stand.chosen], "ours": stand.ours[stand.chosen]}
    runs, ours = by_epsilon(stand.paper), by_epsilon(stand.ours)
    published = published_rows("sjcrh")
    name = "sjcrh-simulated"
    column = Column("SJCRH, simulated stand-in", "shifted Z-score", one, "sjcrh")
    verdicts = compared("SJCRH (simulated)", published, runs) + sjcrh_claims(runs)
    rows = published_flat("sjcrh") + _flat(name, one, f"{SJCRH_GAMMA:g}")
    if len(stand.seeds) > 1:
        rows += flat_runs(f"{name}-all", "paper", runs, f"{SJCRH_GAMMA:g}")
        rows += flat_runs(f"{name}-all", "ours", ours, "automatic")
    words = spread_words("sjcrh", "In it", tried)
    return Part(column, [], rows, verdicts, [RESEMBLE, f"{stand.about}. {words}"])


def cyp_guides_part(bench: Bench, path: Path) -> Part:
    """Return CYP-GUIDES: the paper's method in two ways, ours, and what else was tried."""
    source = source_of("cyp_guides", path)
    trial = source.load()
    repeats = QUICK_REPEATS if bench.quick else REPEATS
    runs, one = cyp_guides_rows(bench, source, repeats)
    ends, published = by_epsilon(runs), published_rows("cyp_guides")
    ask = AskSpread(source, "one-propensity", CYP_GUIDES_GAMMA, repeats, SEED)
    (tried,) = bench.run(spreads, [ask], "cyp-guides-tried")
    scales = {"one-propensity": CYP_GUIDES_GAMMA, "by-arm": CYP_GUIDES_GAMMA}
    if not bench.quick:
        scales["ours"] = 1.0
    sheets = [
        gain_sheet(bench, "cyp-guides-gain", "CYP-GUIDES", source, scales, SEED),
    ]
    verdicts = compared("CYP-GUIDES", published, ends) + cyp_guides_claims(ends)
    column = Column("CYP-GUIDES", "log(24·365) − log(hours)", one, "cyp_guides")
    rows = published_flat("cyp_guides") + _flat("cyp-guides", one, f"{CYP_GUIDES_GAMMA:g}")
    rows += flat_runs("cyp-guides-all", "paper", ends, f"{CYP_GUIDES_GAMMA:g}")
    words = spread_words("cyp_guides", "CYP-GUIDES", tried)
    notes = [f"{words} {NO_REASON}", f"CYP-GUIDES. {codings_words(trial)}"]
    return Part(column, sheets, rows, verdicts, notes)


def cyp_guides_rows(
    bench: Bench, source: Source, repeats: int
) -> tuple[list[list[Measured]], dict[str, list[Measured]]]:
    """Return every run of the paper's method with one propensity, and one run of each method."""
    count = QUICK_RUNS if bench.quick else RUNS
    seeds = range(SEED, SEED + count)
    chunks = [tuple(seeds[start : start + CHUNK]) for start in range(0, count, CHUNK)]
    ours = QUICK_OURS if bench.quick else EPSILONS
    automatic = one_by_one(Ask(source, "ours", ours, (1.0,), repeats, (SEED,)))
    tasks = [*automatic, Ask(source, "by-arm", EPSILONS, (CYP_GUIDES_GAMMA,), repeats, (SEED,))]
    tasks += [
        Ask(source, "one-propensity", EPSILONS, (CYP_GUIDES_GAMMA,), repeats, one) for one in chunks
    ]
    found = bench.run(answer, tasks, "cyp-guides")
    first = len(automatic)
    runs = [rows_of(run) for runs in found[first + 1 :] for run in runs]
    by_arm, merged = rows_of(found[first][0]), together(found[:first])
    return runs, {runs[0][0].method: runs[0], by_arm[0].method: by_arm, "ours": merged}


def _flat(
    trial: str, series: Mapping[str, Sequence[Measured]], gamma: str
) -> list[dict[str, object]]:
    """Return all rows for the CSV."""
    return [
        flat(trial, "ours", row, "automatic")
        if name == "ours"
        else flat(trial, "paper", row, gamma)
        for name, rows in series.items()
        for row in rows
    ]


ARTEFACT = Artefact("table1", "Table I: two real trials by ε", PAGE, make)
