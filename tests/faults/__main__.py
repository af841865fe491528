"""``python -m tests.faults [NAME ...]``: audit planted faults; each must be caught.

About half a minute for all of them. Ends with 1 if a fault was missed or a twin accused.
"""

import sys
from collections.abc import Sequence

from tests.faults.catalogue import CATALOGUE, RUNS, lines, measure

from dpwerm.simulate.engine.run import bar


def main(names: Sequence[str], *, runs: int = RUNS) -> int:
    """Say which of the faults were caught; all of them if no name is given."""
    unknown = [name for name in names if name not in CATALOGUE]
    if unknown:
        sys.stderr.write(f"there is no fault {unknown[0]}; there are: {', '.join(CATALOGUE)}\n")
        return 2
    with bar("faults") as on_done:
        found = measure(tuple(names) or tuple(CATALOGUE), runs=runs, on_done=on_done)
    sys.stdout.write("\n".join(lines(found)) + "\n")
    return 0 if all(one.caught for one in found) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
