"""Curves made by hand for the tests of the γ figures."""

from collections.abc import Sequence

import numpy as np

from reproduction.gamma.curves import Cell, Curve

GAMMAS = (1.0, 101.0, 201.0, 301.0, 401.0)
CELL: Cell = (200, "1")


def curve(*means: float, gammas: Sequence[float] = GAMMAS) -> Curve:
    return Curve(np.array(gammas), np.array(means), np.full(len(means), 0.5), 10)
