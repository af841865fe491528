r"""A bundled simulated trial of two treatments for insomnia, with a known best arm.

    contrast(x) = 0.55·(severity − 14) − 0.12·(age − 50) + 2·[earlier treatment = yes]

is what cognitive therapy gains over a sleeping pill, in points of improvement.

Its sloppy twin has the same people and arms, and tells minutes of sleep instead: 8 for each point,
after a main effect of age and severity that is larger than all that an arm does. Its bounds are
those of a day and of any questionnaire.
"""

from importlib.resources import files

import numpy as np
import pyarrow as pa

from dpwerm.arrays import FloatArray

PEOPLE = 2_000
SEED = 2026
ARMS = ("pill", "therapy")

MINUTES = 8
"""What a point of improvement is in the sloppy twin."""


def study_text(*, sloppy: bool = False) -> str:
    """Return the study file of the simulated trial, or of its sloppy twin."""
    name = "demo-sloppy.toml" if sloppy else "demo.toml"
    return files("dpwerm.simulate").joinpath(name).read_text(encoding="utf-8")


def best_arm(table: pa.Table) -> np.ndarray[tuple[int], np.dtype[np.object_]]:
    """Return the arm with the larger expected improvement for each row."""
    return np.where(_contrast(table) > 0, ARMS[1], ARMS[0]).astype(object)


def _contrast(table: pa.Table) -> FloatArray:
    severity, age = (_column(table, name) for name in ("severity", "age"))
    earlier = table["earlier_treatment"].to_numpy(zero_copy_only=False) == "yes"
    return np.asarray(0.55 * (severity - 14) - 0.12 * (age - 50) + 2.0 * earlier)


def _column(table: pa.Table, name: str) -> FloatArray:
    return np.asarray(table[name].to_numpy().astype(float))


def demo_trial(people: int = PEOPLE, seed: int = SEED, *, sloppy: bool = False) -> pa.Table:
    """Return the table of the simulated trial, or of its sloppy twin.

    The same seed gives the same table, and both the same people with the same arms.
    """
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
    if sloppy:
        shared = 360 - 3 * (_column(table, "age") - 50) - 5 * (_column(table, "severity") - 16)
        minutes = np.round(rng.normal(shared + MINUTES * sign * _contrast(table), 30.0))
        return table.append_column("sleep", pa.array(np.clip(minutes, 0, 1440).astype(int)))
    mean = 4.0 + 0.15 * table["severity"].to_numpy() + sign * _contrast(table)
    improvement = np.clip(np.round(rng.normal(mean, 3.0)), -12, 28).astype(int)
    return table.append_column("improvement", pa.array(improvement))
