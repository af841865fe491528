"""``python -m dpwerm.audit.faults PAGE``: audit every fault and write the table into a page.

About half a minute.
"""

import sys
from pathlib import Path

from dpwerm.audit.attack import audit
from dpwerm.audit.faults import CONFIDENCE, RUNS
from dpwerm.audit.faults.measured import measure, table
from dpwerm.audit.faults.plain_doubles import healthy
from dpwerm.simulate.engine.bar import bar

REAL = 20_000
"""Real releases of the exact grid."""


def main(page: Path) -> int:
    """Write the table between its marks; return 1 if a fault was missed or a twin accused."""
    with bar("faults") as on_done:
        found = measure(on_done=on_done)
    real = audit(healthy(), runs=RUNS, confidence=CONFIDENCE, exact_runs=REAL)
    _fill(page, "faults", table(found))
    _fill(
        page,
        "real",
        f"In {REAL:,} real releases of the twin, new bits each time: ε ≥ {real.exact_lower:.2f}.",
    )
    return 0 if real.holds and all(one.caught for one in found) else 1


def _fill(page: Path, name: str, text: str) -> None:
    """Replace what stands between two marks of a page."""
    begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    head, rest = page.read_text(encoding="utf-8").split(begin)
    page.write_text(f"{head}{begin}\n{text}\n{end}{rest.split(end)[1]}", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
