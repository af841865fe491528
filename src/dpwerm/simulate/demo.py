r"""A bundled simulated trial of two treatments for insomnia, with a known best arm.

    contrast(x) = 0.55·(severity − 14) − 0.12·(age − 50) + 2·[earlier treatment = yes]

is what cognitive therapy gains over a sleeping pill, in points of improvement.
"""

from importlib.resources import files

import numpy as np
import pyarrow as pa

from dpwerm.arrays import FloatArray

PEOPLE = 2_000
SEED = 2026
ARMS = ("pill", "therapy")


def study_text() -> str:
    """Return the study file of the simulated trial."""
    return files("dpwerm.simulate").joinpath("demo.toml").read_text(encoding="utf-8")


def best_arm(table: pa.Table) -> np.ndarray[tuple[int], np.dtype[np.object_]]:
    """Return the arm with the larger expected improvement for each row."""
    return np.where(_contrast(table) > 0, ARMS[1], ARMS[0]).astype(object)


def _contrast(table: pa.Table) -> FloatArray:
    severity = table["severity"].to_numpy().astype(float)
    age = table["age"].to_numpy().astype(float)
    earlier = table["earlier_treatment"].to_numpy(zero_copy_only=False) == "yes"
    return np.asarray(0.55 * (severity - 14) - 0.12 * (age - 50) + 2.0 * earlier)


def demo_trial(people: int = PEOPLE, seed: int = SEED) -> pa.Table:
    """Return the table of the simulated trial; the same seed gives the same table."""
    rng = np.random.default_rng(seed)
    table = pa.table(
        {
            "person": np.arange(1, people + 1),
            "age": rng.integers(18, 81, people),
            "sex": rng.choice(["F", "M"], people),
            "severity": rng.integers(4, 29, people),
            "earlier_treatment": rng.choice(["no", "yes"], people, p=[0.7, 0.3]),
            "arm": rng.choice(ARMS, people),
        }
    )
    sign = np.where(table["arm"].to_numpy(zero_copy_only=False) == ARMS[1], 0.5, -0.5)
    mean = 4.0 + 0.15 * table["severity"].to_numpy() + sign * _contrast(table)
    improvement = np.clip(np.round(rng.normal(mean, 3.0)), -12, 28).astype(int)
    return table.append_column("improvement", pa.array(improvement))
