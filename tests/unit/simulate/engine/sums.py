"""Work for the engine's tests, in a module that other processes can import."""

import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from dpwerm.errors import ParameterError


@dataclass(frozen=True)
class Sum:
    """How many normal numbers to add, from which seed; where to note that it was done."""

    seed: int
    count: int = 100
    note: str = ""


def add(task: Sum) -> float:
    if task.note:
        with Path(task.note).open("a", encoding="utf-8") as file:
            file.write(f"{task.seed}\n")
    rng = np.random.default_rng(task.seed)
    matrix = rng.normal(size=(task.count, task.count))
    return float((matrix @ matrix).sum())


def fail_at_three(task: Sum) -> float:
    if task.seed == 3:
        raise ParameterError("three")
    return add(task)


def killed(task: Sum) -> float:
    """Add, but end this process in the third task, as a system without memory does."""
    if task.seed == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    return add(task)


def stuck(task: Sum) -> float:
    """Add, but after a minute from the third task on."""
    time.sleep(60.0 if task.seed >= 2 else 0.0)
    return add(task)


def slow(task: Sum) -> float:
    time.sleep(0.15)
    return add(task)
