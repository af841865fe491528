"""What can be audited: something that makes releases, its claim, and neighbours to tell apart.

A target may be a mechanism, a whole pipeline, or somebody else's code. All the auditor needs is its
output on data sets that the auditor makes up; what else a target can do makes the attack stronger.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np

from dpwerm.arrays import FloatArray
from dpwerm.errors import ParameterError
from dpwerm.privacy.budget import Budget, budget_of
from dpwerm.simulate.synthetic import generator

Key = tuple[int | str, ...]
"""A public key for simulated randomness: the same key, the same outputs."""


@dataclass(frozen=True, eq=False)
class Pair:
    """Two neighbouring data sets, made up by the auditor and therefore public.

    name : str, what they are, for reading
    first, second : whatever the target's ``outputs`` takes
    """

    name: str
    first: Any
    second: Any

    @property
    def both(self) -> tuple[Any, Any]:
        """The two data sets."""
        return self.first, self.second


class Target(Protocol):
    """Something that claims to be (ε, δ)-differentially private."""

    @property
    def name(self) -> str:
        """What is audited, for reading."""

    @property
    def claim(self) -> Budget | float | str:
        """The claimed (ε, δ) as a budget, or ε alone; ε finite."""

    @property
    def dimension(self) -> int:
        """How many numbers p one release has."""

    def pairs(self) -> Sequence[Pair]:
        """Return neighbours to start the search from, at least one pair."""

    def outputs(self, data: Any, runs: int, key: Key) -> FloatArray:
        """Return what ``runs`` independent releases would be, (runs, p), with the key's randomness.

        Of one number each (runs,) will do; the attacker, and a ``score``, see it as (runs, 1).
        As released, on its grid if it has one: the last bits of noise that was added in doubles
        give the data away, and the auditor looks at them. Other keys give independent outputs.
        """


@runtime_checkable
class Searchable(Protocol):
    """A target that knows other pairs near a good one."""

    def near(self, pair: Pair, key: Key) -> Sequence[Pair]:
        """Return some neighbours that differ a little from ``pair``; may be none."""


@runtime_checkable
class Scored(Protocol):
    """A target whose law is known to the attacker, as it is for everything public."""

    def score(self, outputs: FloatArray, pair: Pair) -> FloatArray:
        """Return log p(output | first) − log p(output | second), or what stands for it, (runs,)."""


@runtime_checkable
class Learning(Protocol):
    """A target whose score is learned from the outputs that choose an attack."""

    def learn(self, pair: Pair, first: FloatArray, second: FloatArray) -> None:
        """Learn the score of a pair from practice on its two data sets, (runs, p) each."""


@runtime_checkable
class Exact(Protocol):
    """A target that can also release for real, with the operating system's bits."""

    def exact(self, data: Any, runs: int) -> FloatArray:
        """Return ``runs`` real releases, (runs, p)."""


def claimed(target: Target) -> Budget:
    """Return the claim of a target as a budget; one that is no finite (ε, δ) is refused."""
    try:
        claim = budget_of(target.claim)
    except ParameterError as error:
        raise ParameterError(f"the claim of {target.name}: {error}") from None
    if not isinstance(claim, Budget):
        raise ParameterError(
            f"{target.name} claims {claim}: an audit is of (epsilon, delta), such as "
            "Budget.of(1, 1e-5)"
        )
    if not claim.is_private:
        raise ParameterError(f"{target.name} claims nothing that could be audited")
    return claim


def released(target: Target, data: Any, runs: int, key: Key) -> FloatArray:
    """Return the outputs of a target on a data set, (runs, p)."""
    return as_matrix(target.name, target.outputs(data, runs, key), runs)


def as_matrix(name: str, outputs: Any, runs: int) -> FloatArray:
    """Return outputs as doubles (runs, p), of one number each also from (runs,)."""
    try:
        found = np.asarray(outputs, dtype=np.float64)
    except (ValueError, TypeError):
        raise ParameterError(f"the outputs of {name} must be numbers, (runs, p)") from None
    matrix = found[:, None] if found.ndim == 1 else found
    if matrix.ndim != 2 or len(matrix) != runs or not matrix.shape[1]:
        raise ParameterError(
            f"the outputs of {name} have the shape {found.shape} for {runs} runs: they must be "
            f"({runs}, p), one row for each release, or ({runs},) where p = 1"
        )
    return matrix


def rng_of(*key: int | str) -> np.random.Generator:
    """Return the generator of a public key; for simulation only."""
    return generator(*(_number(part) for part in key))


def _number(part: int | str) -> int:
    if isinstance(part, int):
        return part
    return int.from_bytes(hashlib.blake2b(part.encode(), digest_size=8).digest(), "big")
