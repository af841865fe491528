"""The curves of γ pass through published cells of Table II, which has the same law and method.

At n = 500 training sets have no repeated people, so a D₀ of 1,000 is as good as the sensitive data.
The seed is fixed; for a random one |z| < 4.5 in three cells would fail with probability 2e-5.
"""

import math
from dataclasses import replace
from pathlib import Path

from reproduction.artefact import Bench
from reproduction.gamma.curves import QUANTILE, curves_at
from reproduction.gamma.lines import BASELINE, FULL
from reproduction.published import published_cells

N = 500
BUDGETS = ("0.5", "1", "5")


def test_published_cells_lie_on_the_curves(tmp_path: Path) -> None:
    cells = {cell.epsilon: cell for cell in published_cells() if cell.n == N}
    gammas = tuple(sorted({cells[epsilon].gamma for epsilon in BUDGETS}))
    extent = replace(FULL, sizes=(N,), budgets=BUDGETS, repeats=300)
    bench = Bench("reference", tmp_path, workers=1)
    found = curves_at(bench, [BASELINE], extent, {N: gammas})[BASELINE.name]
    for epsilon in BUDGETS:
        curve, published = found[N, epsilon], cells[epsilon]
        place = curve.gammas.tolist().index(published.gamma)
        error = math.hypot(curve.half[place], published.accuracy[1]) / QUANTILE
        assert abs(curve.mean[place] - published.accuracy[0]) / error < 4.5, epsilon


def test_a_wrong_gamma_is_noticed(tmp_path: Path) -> None:
    extent = replace(FULL, sizes=(N,), budgets=("5",), repeats=300)
    bench = Bench("reference", tmp_path, workers=1)
    curve = curves_at(bench, [BASELINE], extent, {N: (400.0,)})[BASELINE.name][N, "5"]
    published = next(c for c in published_cells() if (c.epsilon, c.n) == ("5", N))
    error = math.hypot(curve.half[0], published.accuracy[1]) / QUANTILE
    assert abs(curve.mean[0] - published.accuracy[0]) / error > 4.5
