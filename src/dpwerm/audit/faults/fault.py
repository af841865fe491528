"""What is known about a fault: what is wrong, who made it, how it shows, and the right version."""

from collections.abc import Callable
from dataclasses import dataclass

from dpwerm.audit.target import Target


@dataclass(frozen=True)
class Fault:
    """A fault that the auditor must catch.

    Parameters
    ----------
    name : str
    wrong : str, what is done
    known_from : str, where it was seen
    shows : str, what the attacker sees
    broken : the target with the fault
    healthy : the same with the right part, on the same pair; it must pass
    """

    name: str
    wrong: str
    known_from: str
    shows: str
    broken: Callable[[], Target]
    healthy: Callable[[], Target]
