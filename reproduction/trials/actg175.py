"""The measures of the paper's Table I on ACTG 175, which the paper does not have.

The benefit is the CD4 count at 20 ± 5 weeks, the arms are zidovudine alone and the combination with
didanosine. The data come with the package lifelines.
"""

import math

from dpwerm.errors import TableError
from reproduction.artefact import Artefact, Bench, Made
from reproduction.trials.figure import Column, table_figure
from reproduction.trials.gain import gain_sheet
from reproduction.trials.sheet import flat
from reproduction.trials.source import CYP_GUIDES_GAMMA, source_of
from reproduction.trials.stand_ins import QUICK_OURS, QUICK_REPEATS, REPEATS, SEED
from reproduction.trials.table import EPSILONS, Ask, answer, one_by_one, rows_of, together
from reproduction.trials.trial import PAGE, OpenTrial

LEFT_OUT = (
    f"{QUICK_REPEATS} repeats instead of {REPEATS}. Automatic hyperparameters are there for ε = "
    f"{', '.join(QUICK_OURS)} and ∞ alone. Gains have one cut instead of ten and lack the "
    "automatic ones."
)


def paper_gamma(trial: OpenTrial) -> float:
    """Return γ for the paper's method: as large beside W as the paper's for CYP-GUIDES.

    The paper has no ACTG 175. There W = 3·log(24·365) and γ = 75, so γ = 2.75·W.
    """
    share = CYP_GUIDES_GAMMA / (3.0 * math.log(24 * 365))
    return share * trial.benefit_bound / trial.study.treatment.pi_min


def make(bench: Bench) -> Made:
    """Return the tables; without the data nothing but the reason."""
    try:
        source = source_of("actg175")
        trial = source.load()
    except TableError as error:
        return Made(rows=[], sheets=[], pictures={}, verdicts=[], skipped=str(error))
    gamma = paper_gamma(trial)
    repeats = QUICK_REPEATS if bench.quick else REPEATS
    ours = QUICK_OURS if bench.quick else EPSILONS
    tasks = one_by_one(Ask(source, "ours", ours, (1.0,), repeats, (SEED,)))
    tasks += [Ask(source, "paper", EPSILONS, (gamma,), repeats, (SEED,))]
    *automatic, paper_runs = bench.run(answer, tasks, "table")
    paper, merged = rows_of(paper_runs[0]), together(automatic)
    scales = {"paper": gamma} if bench.quick else {"paper": gamma, "ours": 1.0}
    column = Column(
        "ACTG 175 (not in the paper)", "CD4 cells per mm³", {"paper": paper, "ours": merged}
    )
    return Made(
        rows=[flat("actg175", "paper", row, f"{gamma:.4g}") for row in paper]
        + [flat("actg175", "ours", row, "automatic") for row in merged],
        sheets=[
            gain_sheet(bench, "actg175-gain", "ACTG 175", source, scales, SEED),
        ],
        pictures={"values": table_figure([column])},
        verdicts=[],
        notes=[NOTE],
        left_out=LEFT_OUT if bench.quick else "",
    )


NOTE = (
    "The paper has no ACTG 175, so there is nothing to agree with. Its method gets the same γ "
    "beside W as for CYP-GUIDES, γ = 2.75·W, with an intercept."
)

ARTEFACT = Artefact("actg175", "ACTG 175 by the measures of Table I (not in the paper)", PAGE, make)
