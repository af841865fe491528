"""``python -m benchmarks.audit_faults``: audit every fault and write the table that its page shows.

About half a minute.
"""

import sys
from pathlib import Path

from tests.faults.catalogue import CONFIDENCE, RUNS, measure, table
from tests.faults.noise import on_exact_grid

from benchmarks.page import DATA, fill, write_table
from dpwerm.audit.attack import audit
from dpwerm.simulate.engine.run import bar

PAGE = Path(__file__).parents[1] / "docs" / "audit-faults.md"
TABLE = DATA / "faults.csv"
REAL = 20_000
"""Real releases of the exact grid."""


def main() -> int:
    """Write the table; return 1 if a fault was missed or a twin accused."""
    with bar("faults") as on_done:
        found = measure(on_done=on_done)
    real = audit(on_exact_grid(), runs=RUNS, confidence=CONFIDENCE, exact_runs=REAL)
    write_table(TABLE, table(found))
    said = f"In {REAL:,} real releases of the twin, new bits each time: ε ≥ {real.exact_lower:.2f}."
    fill(PAGE, "real", said)
    return 0 if real.holds and all(one.caught for one in found) else 1


if __name__ == "__main__":
    sys.exit(main())
