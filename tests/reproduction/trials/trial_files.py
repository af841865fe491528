"""Invented tables with the headers of the real ones."""

from pathlib import Path

import numpy as np
import pyarrow as pa

from reproduction.trials.source import CYP_GUIDES_ARMS
from reproduction.trials.trial import OpenTrial, study_file

LETTERS = [chr(65 + i) for i in range(26)] + ["AA", "AB", "AC", "AD"]
CYP_HEADER = [
    "ID", "GENDER", "AGE", "RACE/ETHNICITY", "Diagnosis", "MD", "Assignment", "EMR", "LOS", "RAR",
    *LETTERS, "# Psychotropic Medications", "# Administrations", "Therapeutic Guidances",
]  # fmt: skip


def invented_cyp_guides(path: Path, n: int = 120, seed: int = 0) -> Path:
    """Write n invented rows, every tenth without an arm, and return the path."""
    rng = np.random.default_rng(seed)
    lines = [",".join(CYP_HEADER)]
    for i in range(n):
        arm = "" if i % 10 == 9 else str(rng.choice(["G", "G", "S"]))
        cells = [
            str(i + 1),
            str(rng.choice(["F", "M"])),
            str(rng.integers(18, 90)),
            str(rng.choice(["W", "B"])),
            str(rng.choice(["\tMDD", "Depressive Disorder NOS"])),
            "A",
            arm,
            "C",
            str(rng.integers(10, 900)),
            "0",
        ]
        lines.append(",".join([*cells, *["0"] * 32, "EG"]))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def small_trial(n: int = 120, *, effect: float = 0.0) -> OpenTrial:
    """Return an invented trial in which women gain ``effect`` from G and men lose it."""
    rng = np.random.default_rng(5)
    received = rng.choice([-1.0, 1.0], n, p=[1 / 3, 2 / 3])
    women = rng.random(n) < 0.5
    rows = pa.table(
        {
            "ID": list(range(n)),
            "AGE": rng.integers(18, 90, n),
            "GENDER": np.where(women, "F", "M"),
            "RACE/ETHNICITY": rng.choice(["W", "B"], n),
            "Diagnosis": rng.choice(["MDD", "Depression"], n),
            "Assignment": np.where(received > 0, "G", "S"),
            "LOS": rng.integers(10, 900, n),
        }
    )
    benefit = rng.normal(4.0, 1.0, n) + effect * received * np.where(women, 1.0, -1.0)
    propensity = np.where(received > 0, 2 / 3, 1 / 3)
    return OpenTrial(study_file("cyp_guides"), rows, received, benefit, propensity, CYP_GUIDES_ARMS)
