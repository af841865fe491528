"""ACTG 175, two of its four arms, from the file that the package lifelines carries.

The benefit is the CD4 count at 20 ± 5 weeks: more cells are better. The package is only located,
never imported, so nothing but its file is needed.
"""

from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from dpwerm.errors import Fault, TableError
from reproduction.trials.trial import OpenTrial, study_file

ARMS = ("zidovudine", "combination")
FILE = "lifelines/datasets/ACTG175.csv"


def packaged_file() -> Path:
    """Return the path of the data set inside the installed package lifelines."""
    remedy = "install dpwerm with its extra trials, or give the path of a copy"
    try:
        path = Path(str(distribution("lifelines").locate_file(FILE)))
    except PackageNotFoundError:
        fault = Fault("lifelines", "is not installed", remedy)
        raise TableError("ACTG 175", [fault]) from None
    if not path.is_file():
        raise TableError("ACTG 175", [Fault("lifelines", f"has no file {FILE}", remedy)])
    return path


def actg175(path: str | Path | None = None) -> OpenTrial:
    """Return zidovudine alone against zidovudine and didanosine, from lifelines or a copy."""
    source = packaged_file() if path is None else Path(path)
    return OpenTrial.read(study_file("actg175"), source, ARMS)
