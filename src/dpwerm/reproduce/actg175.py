"""ACTG 175, two of its four arms, from the file that the package lifelines carries.

The benefit is the CD4 count at 20 ± 5 weeks: more cells are better. The package is only located,
never imported, so nothing but its file is needed.

Run ``python -m dpwerm.reproduce.actg175`` for the measures of the paper's Table I on this trial.
"""

import argparse
import math
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from rich.console import Console

from dpwerm.errors import Fault, TableError
from dpwerm.reproduce.cyp_guides import GAMMA as CYP_GUIDES_GAMMA
from dpwerm.reproduce.trials import RealTrial, TrialMethod, automatic, papers, study_file
from dpwerm.reproduce.trials_gain import gain_sheet
from dpwerm.reproduce.trials_page import Sheet, options, run
from dpwerm.reproduce.trials_table import trial_sheet

ARMS = ("zidovudine", "combination")
FILE = "lifelines/datasets/ACTG175.csv"


def packaged_file() -> Path:
    """Return the path of the data set inside the installed package lifelines."""
    remedy = "pip install 'dpwerm[trials]', or give the path of a copy"
    try:
        path = Path(str(distribution("lifelines").locate_file(FILE)))
    except PackageNotFoundError:
        fault = Fault("lifelines", "is not installed", remedy)
        raise TableError("ACTG 175", [fault]) from None
    if not path.is_file():
        raise TableError("ACTG 175", [Fault("lifelines", f"has no file {FILE}", remedy)])
    return path


def actg175(path: str | Path | None = None) -> RealTrial:
    """Return zidovudine alone against zidovudine and didanosine, from lifelines or a copy."""
    source = packaged_file() if path is None else Path(path)
    return RealTrial.read(study_file("actg175"), source, ARMS)


def paper_gamma(trial: RealTrial) -> float:
    """Return γ for the paper's method: as large beside W as the paper's for CYP-GUIDES.

    The paper has no ACTG 175. There W = 3·log(24·365) and γ = 75, so γ = 2.75·W.
    """
    share = CYP_GUIDES_GAMMA / (3.0 * math.log(24 * 365))
    return share * trial.benefit_bound / trial.study.treatment.pi_min


def methods(trial: RealTrial) -> list[TrialMethod]:
    """Return the methods that are compared."""
    gamma = paper_gamma(trial)
    return [papers("the paper's method", gamma=gamma, intercept=1, by_arm=True), automatic()]


def sheets(trial: RealTrial, repeats: int, seed: int, console: Console) -> list[Sheet]:
    """Return the tables of the page on trials."""
    compared = methods(trial)
    return [
        trial_sheet("actg175", "ACTG 175", trial, compared, repeats, seed, console),
        gain_sheet("actg175-gain", "ACTG 175", trial, compared, seed, console),
    ]


def main(arguments: list[str] | None = None) -> int:
    """Print the tables; the exit code is 2 if the data is not there."""
    parser = argparse.ArgumentParser(prog="python -m dpwerm.reproduce.actg175", description=__doc__)
    parser.add_argument("--data", type=Path, help="a copy of ACTG175.csv instead of lifelines'")
    found = options(parser).parse_args(arguments)
    return run(lambda: actg175(found.data), sheets, found)


if __name__ == "__main__":
    raise SystemExit(main())
