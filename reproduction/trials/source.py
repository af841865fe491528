"""Where the rows of a trial come from, as a task says it."""

import hashlib
from dataclasses import dataclass
from pathlib import Path

from reproduction.trials.actg175_file import actg175, packaged_file
from reproduction.trials.cyp_guides import cyp_guides
from reproduction.trials.sjcrh import stand_in
from reproduction.trials.trial import OpenTrial


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
