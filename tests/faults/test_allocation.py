"""How far one person moves the minimiser under adaptive allocation, and what covers it."""

import re
from pathlib import Path

import numpy as np
import pytest
from tests.faults import chain
from tests.faults.allocation import (
    BOUND,
    FLOOR,
    Law,
    N,
    allocated,
    biased_coin,
    by_coin,
    by_urn,
    coin_pair,
    even,
    urn,
    urn_pair,
)

from dpwerm.audit.target import Pair
from dpwerm.privacy.sensitivity import l2_sensitivity
from dpwerm.privacy.weight_origin import KnownByDesign, WorstCase

DOCS = Path(__file__).parents[2] / "docs"
DESIGN, WORST = KnownByDesign(), WorstCase()


def text_of(page: str) -> str:
    return " ".join((DOCS / page).read_text(encoding="utf-8").split())


def moved(target: chain.Chain) -> float:
    """Return how far the minimisers lie apart, in units of the origin's Δ₂."""
    one, other = (target.centre(people) for people in target.pair.both)
    return float(np.linalg.norm(one - other)) / l2_sensitivity(target.calibration.facts)


def weights_moved(target: chain.Chain) -> float:
    """Return Σ_{i>1} |w̃_i − w_i|."""
    one, other = (target.prepare(people).weights[0] for people in target.pair.both)
    return float(np.abs(one - other)[1:].sum())


@pytest.mark.parametrize(("pair", "law"), [(urn_pair(), urn), (coin_pair(), biased_coin)])
def test_the_tables_differ_in_the_first_row_and_the_law_does_the_rest(pair: Pair, law: Law) -> None:
    one, other = pair.both
    for column in ("x", "arm", "benefit"):
        assert (getattr(one, column)[1:] == getattr(other, column)[1:]).all()
    before, after = law(one), law(other)
    assert before[0] == after[0] == 0.5
    assert (before[1:] != after[1:]).all()


def test_by_design_the_noise_covers_a_part_of_it_and_the_pages_say_how_much() -> None:
    by = {"urn": by_urn("urn", DESIGN), "coin": by_coin("coin", biased_coin)}
    far = {name: moved(target) for name, target in by.items()}
    proof, model, study = map(
        text_of, ("proofs/weight-origin.md", "threat-model.md", "study-file.md")
    )
    assert f"the sum is {weights_moved(by['urn']):.1f} at" in proof
    assert f"The sum is {weights_moved(by['coin']):.1f} at" in proof
    assert f"moves {far['urn']:.2f} times as far as the $\\Delta_2$ of `design`" in proof
    assert f"moves {far['coin']:.0f} times as far as $\\Delta_2$" in proof
    assert f"the minimiser {far['urn']:.1f} times as far as the noise covers" in model
    assert f"{far['coin']:.0f} times (a biased coin)" in model
    assert f"{far['urn']:.1f} and {far['coin']:.0f} times as far as the noise covers" in study


def test_the_urn_moves_every_weight_by_one_ball() -> None:
    one, other = urn_pair().both
    first, second = (np.where(p.arm > 0, urn(p), 1 - urn(p))[1:] for p in (one, other))
    balls = 1 / (np.arange(2, N + 1) + 1)
    assert np.abs(first - second) == pytest.approx(balls)
    assert (second < FLOOR - 1e-9).sum() == 1  # of 1/4, so that a weight of 4 is cut at 3
    assert first.min() > FLOOR - 1e-9
    expected = (balls / (first * second)).sum() - 1
    assert weights_moved(by_urn("urn", DESIGN)) == pytest.approx(expected)


def test_the_worst_case_covers_both() -> None:
    shares = [moved(by_urn("urn", WORST)), moved(by_coin("coin", biased_coin, WORST))]
    assert max(shares) < 1
    words = f"the urn above uses {100 * shares[0]:.1f} % and the coin {100 * shares[1]:.0f} %"
    assert words in text_of("proofs/weight-origin.md")


def test_a_ratio_for_everybody_moves_no_other_weight() -> None:
    target = by_coin("even", even)
    assert weights_moved(target) == 0.0
    assert moved(target) == pytest.approx(2 * 2 / (2 * BOUND))


def simulated(seed: int) -> Pair:
    """Return a trial with the coin, and the same with the first person in the other arm."""
    rng = np.random.default_rng(seed)
    x, arm, ahead = np.column_stack([np.ones(N), rng.uniform(-1, 1, N)]), np.empty(N), 0.0
    for person in range(N):
        arm[person] = 1.0 if rng.random() < 0.5 - np.sign(ahead) / 6 else -1.0
        ahead += arm[person]
    benefit = np.where(rng.random(N) < 0.7 + 0.25 * arm * x[:, 1], 1.0, -1.0)
    changed = arm.copy()
    changed[0] = -arm[0]
    return Pair("simulated", chain.People(x, arm, benefit), chain.People(x, changed, benefit))


def test_it_is_no_matter_of_odd_tables_alone() -> None:
    found = [
        moved(allocated("simulated", simulated(seed), biased_coin, 1000.0)) for seed in range(10)
    ]
    said = re.search(r"minimiser by (\d+) to (\d+) times", text_of("proofs/weight-origin.md"))
    assert said is not None
    assert [int(one) for one in said.groups()] == [round(min(found)), round(max(found))]
    assert min(found) > 10
