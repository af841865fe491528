"""CYP-GUIDES, from the user's own copy of the published file; nothing is fetched.

1,500 rows, of which 1,459 have an arm: 982 genetically guided (G), 477 standard (S). The benefit is
log(24·365) − log(LOS), LOS in hours.
"""

from pathlib import Path

from reproduction.trials.trial import OpenTrial, study_file

ARMS = ("standard", "guided")
GAMMA = 75.0
"""The γ of the paper's Table I."""


def cyp_guides(path: str | Path) -> OpenTrial:
    """Return the trial in a file with the published columns."""
    return OpenTrial.read(study_file("cyp_guides"), Path(path), ARMS)
