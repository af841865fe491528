"""CPU time of a start: the command's help, the estimators, and what they are built on, in one run.

Each start is a process of its own. They take turns, so that a busy spell of the machine falls on
all of them. The unit is ``import numpy``; the time is the processor's, user and system, and the
median of the turns. OpenBLAS is kept to one thread, because the start of its threads counts too.
"""

import argparse
import os
import subprocess
import sys
from statistics import median

UNIT = "import numpy"
ESTIMATORS = "from dpwerm import PrivateTreatmentRule, PrivateWeightedClassifier"
COMMAND = "from dpwerm.cli.main import run; run()"
STARTS = {
    UNIT: (UNIT,),
    "dpwerm --help (target 3 units)": (COMMAND, "--help"),
    "dpwerm fit --help": (COMMAND, "fit", "--help"),
    "import sklearn.base": ("import sklearn.base",),
    "import of the estimators (target 1.5 s)": (ESTIMATORS,),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=9)
    turns = parser.parse_args().turns

    for statement in STARTS.values():
        spent(statement)  # bytecode is written and files are in the cache from now on
    seconds: dict[str, list[float]] = {name: [] for name in STARTS}
    for _ in range(turns):
        for name, statement in STARTS.items():
            seconds[name].append(spent(statement))
    unit = median(seconds[UNIT])
    for name, found in seconds.items():
        print(f"{name:42s} {median(found):6.2f} s   {median(found) / unit:6.1f} units")


def spent(statement: tuple[str, ...]) -> float:
    """Return the CPU seconds of a process that runs a statement."""
    before = os.times()
    subprocess.run(  # noqa: S603 - the statements above
        [sys.executable, "-c", *statement],
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
        stdout=subprocess.DEVNULL,
        check=True,
    )
    after = os.times()
    user = after.children_user - before.children_user
    return user + after.children_system - before.children_system


if __name__ == "__main__":
    main()
