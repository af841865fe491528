"""Where the rows of a trial come from: a file of the user's, one of a package, or a simulation.

CYP-GUIDES is read from the user's own copy of the published file; nothing is fetched. 1,500 rows,
of which 1,459 have an arm: 982 genetically guided (G), 477 standard (S). The benefit is
log(24·365) − log(LOS), LOS in hours.

ACTG 175, two of its four arms, is read from the file that the package lifelines carries, which is
only located, never imported. The benefit is the CD4 count at 20 ± 5 weeks: more cells are better.
"""

import hashlib
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from dpwerm.errors import Fault, TableError
from reproduction.trials.sjcrh import stand_in
from reproduction.trials.trial import OpenTrial, study_file

CYP_GUIDES_ARMS = ("standard", "guided")
CYP_GUIDES_GAMMA = 75.0
"""The γ of the paper's Table I."""


def cyp_guides(path: str | Path) -> OpenTrial:
    """Return the trial in a file with the published columns."""
    return OpenTrial.read(study_file("cyp_guides"), Path(path), CYP_GUIDES_ARMS)


ACTG175_ARMS = ("zidovudine", "combination")
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
    return OpenTrial.read(study_file("actg175"), source, ACTG175_ARMS)


@dataclass(frozen=True)
class Source:
    """One trial by its name, and what it is made of: a file, or a seed where it is simulated.

    digest : of the file, so that what was found for another file is not taken for this one's
    """

    trial: str
    path: str = ""
    digest: str = ""
    seed: int = 0

    def load(self) -> OpenTrial:
        """Return the rows."""
        if self.trial == "sjcrh":
            return stand_in(self.seed)
        return (cyp_guides if self.trial == "cyp_guides" else actg175)(self.path)


def source_of(trial: str, path: Path | None = None) -> Source:
    """Return the source of a trial that is read: "cyp_guides" with its file, or "actg175"."""
    file = packaged_file() if path is None else path
    digest = hashlib.sha256(file.read_bytes()).hexdigest()[:16] if file.is_file() else ""
    return Source(trial, str(file), digest)
