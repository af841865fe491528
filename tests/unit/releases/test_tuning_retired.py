"""Files tuned in ways that are gone stay readable and verifiable, and their cost stays proved."""

import json
import math
from decimal import Decimal
from fractions import Fraction
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.cli.test_verify import survives, write
from tests.reference.goldens.stored import STORED
from tests.unit.mechanisms.selection.laws import (
    best_of_repeats,
    flips,
    largest_log_ratio,
    sharp_cost,
)
from tests.unit.releases.test_tuning_findings import edited_and_found

from dpwerm.arrays import FloatArray
from dpwerm.documents.summary import summary
from dpwerm.errors import ParameterError
from dpwerm.privacy.budget import Budget
from dpwerm.releases.files import digest_of
from dpwerm.releases.rule_file import content_of, read_rule, verify_rule
from dpwerm.releases.tuning import RETIRED, RUNS, best_run, one_run, refuse_retired, training_folds

FILES = {
    "flip": "epsilon = 9, delta = 0.000001",
    "parts": "epsilon = 9, delta = 0.000001",
    "repeats": "epsilon = 9",
    "split": "epsilon = 9",
}
"""Rules of simulated people that an earlier version released, by the way they were tuned."""

TOLD = {
    "flip": "permute-and-flip chose one by scores on the other 24",
    "parts": "the exponential mechanism chose one by scores on the other 24",
    "repeats": "the best of them three times that: epsilon = 6.75 in all",
    "split": "permute-and-flip chose one by scores on the other 24",
}


def stored(how: str) -> Path:
    return STORED / f"tuned-{how}.json"


@pytest.mark.parametrize(("how", "budget"), FILES.items())
def test_a_stored_file_is_read_verified_and_told(how: str, budget: str) -> None:
    rule = read_rule(stored(how))
    assert all(finding.holds for finding in verify_rule(stored(how)))
    assert rule.private
    assert str(rule.budget) == budget
    assert rule.tuning is not None
    assert rule.tuning.how == how
    assert content_of(rule) == json.loads(stored(how).read_text(encoding="utf-8"))
    assert TOLD[how] in " ".join(summary(rule).split())


@pytest.mark.parametrize("how", FILES)
def test_every_edit_of_its_record_is_found_even_under_a_new_digest(
    how: str, tmp_path: Path
) -> None:
    content = json.loads(stored(how).read_text(encoding="utf-8"))
    assert len(edited_and_found(content, tmp_path / "rule.json")) >= 17


@pytest.mark.parametrize(
    ("key", "value"), [("epsilon", "3.375"), ("epsilon", "13.5"), ("repeats", 24), ("rows", 180)]
)
def test_a_number_of_repeated_runs_off_by_two_is_found(
    key: str, value: object, tmp_path: Path
) -> None:
    content = json.loads(stored("repeats").read_text(encoding="utf-8"))
    content["tuning"][key] = value
    content["digest"] = digest_of(content)
    write(tmp_path / "rule.json", content)
    assert not survives(tmp_path / "rule.json")


@pytest.mark.parametrize("how", RETIRED)
def test_who_asks_for_one_hears_what_there_is(how: str) -> None:
    with pytest.raises(ParameterError, match=f"how {how} is no longer offered: (parts|split) "):
        refuse_retired("how", how)
    for other in ("parts", "split", None, 3, ["flip"]):
        refuse_retired("how", other)


@pytest.mark.parametrize("rows", [2, 3, 10, 600, 10**9])
def test_seven_tenths_of_the_rows_were_fitted(rows: int) -> None:
    training, scoring = training_folds(rows)
    assert training == rows * 7 // 10
    assert training + scoring == rows


EPSILONS = st.floats(0.01, 4)
MEANS = st.sampled_from([2, 3, 10, 100, 10**6])


@st.composite
def private_pairs(draw: st.DrawFn) -> tuple[float, FloatArray, FloatArray]:
    """Draw ε and two laws within e^ε of each other.

    Every such pair is randomised response at ε, followed by some random map of its answer.
    """
    epsilon, size = draw(EPSILONS), draw(st.integers(1, 6))
    weights = st.lists(st.integers(0, 1000), min_size=size, max_size=size).filter(any)
    zero, one = (np.array(draw(weights), dtype=np.float64) for _ in range(2))
    zero, one = zero / zero.sum(), one / one.sum()
    truth = 1 / (1 + math.exp(-epsilon))
    return epsilon, truth * zero + (1 - truth) * one, (1 - truth) * zero + truth * one


def worst_pair(epsilon: float) -> tuple[FloatArray, FloatArray]:
    """Return the pair that comes nearest to the bound: a rare middle outcome, the rest above it."""
    truth, rare = 1 / (1 + math.exp(-epsilon)), 1e-12
    zero, one = np.array([1 - rare, rare, 0]), np.array([0, 0, 1.0])
    return truth * zero + (1 - truth) * one, (1 - truth) * zero + truth * one


@settings(deadline=None)
@given(private_pairs(), MEANS)
def test_the_best_of_repeated_runs_costs_at_most_three_runs(
    pair: tuple[float, FloatArray, FloatArray], mean: int
) -> None:
    epsilon, one, other = pair
    stop = 1 / mean
    loss = largest_log_ratio(best_of_repeats(one, stop), best_of_repeats(other, stop))
    assert loss <= sharp_cost(epsilon, stop) + 1e-9
    assert sharp_cost(epsilon, stop) < RUNS * epsilon


@pytest.mark.parametrize("epsilon", [0.01, 0.3, 1.0, 3.0])
def test_three_is_approached_so_half_of_it_would_be_wrong(epsilon: float) -> None:
    one, other = worst_pair(epsilon)
    assert largest_log_ratio(one, other) <= epsilon + 1e-9
    for mean, reached in [(2, 1.4), (10, 1.8), (100, 2.6), (10**6, 2.999)]:
        stop = 1 / mean
        loss = largest_log_ratio(best_of_repeats(one, stop), best_of_repeats(other, stop))
        assert loss == pytest.approx(sharp_cost(epsilon, stop), rel=1e-4)
        assert reached * epsilon < loss < RUNS * epsilon


def test_runs_that_are_cut_off_cost_far_more() -> None:
    # At most ten runs of randomised response at ε = 0.5: its lower answer wins only if all give it.
    most, stop, epsilon = 10, 1e-6, 0.5
    k = np.arange(1, most + 1)
    chances = np.append(stop * (1 - stop) ** (k[:-1] - 1), (1 - stop) ** (most - 1))
    less, more = (1 / (1 + math.exp(sign * epsilon)) for sign in (1, -1))
    assert math.log((chances @ more**k) / (chances @ less**k)) > 9 * epsilon


@settings(deadline=None)
@given(private_pairs(), st.sampled_from([2, 5]))
def test_the_law_of_the_best_follows_from_that_of_one_run(
    pair: tuple[float, FloatArray, FloatArray], mean: int
) -> None:
    _, one, _ = pair
    upto = one.cumsum()
    before = upto - one
    stop, k = 1 / mean, np.arange(1, 400)
    chances = stop * (1 - stop) ** (k - 1)
    summed = [float(chances @ (high**k - low**k)) for high, low in zip(upto, before, strict=True)]
    np.testing.assert_allclose(best_of_repeats(one, stop), summed, atol=1e-9)


def test_runs_that_tie_keep_the_law_of_one_run_within_the_tie() -> None:
    # Outcomes 1 and 2 have the same score; the first of the best runs is taken.
    one, score = [0.2, 0.3, 0.1, 0.4], [0, 1, 1, 2]
    for k in (1, 2, 3, 4):
        found = [0.0] * 4
        for runs in product(range(4), repeat=k):
            best = max(runs, key=lambda run: score[run])
            found[best] += math.prod(one[run] for run in runs)
        tied = 0.6**k - 0.2**k
        expected = [0.2**k, tied * 0.75, tied * 0.25, 1 - 0.6**k]
        np.testing.assert_allclose(found, expected, atol=1e-12)


@settings(deadline=None)
@given(st.decimals("0.000004", "100000000", places=9))
def test_the_part_of_a_run_is_the_largest_of_nine_digits(epsilon: Decimal) -> None:
    whole = Budget.of(str(epsilon))
    part = one_run(whole)
    digits = part.epsilon.adjusted() - 8
    assert part.epsilon == part.epsilon.quantize(Decimal(1).scaleb(digits))
    assert 3 * part.exact_epsilon <= whole.exact_epsilon
    assert 3 * (part.exact_epsilon + Fraction(10) ** digits) > whole.exact_epsilon
    assert best_run(part).exact_epsilon == 3 * part.exact_epsilon


def test_without_privacy_nothing_was_promised() -> None:
    none = Budget.of(math.inf)
    assert best_run(none) == one_run(none) == none


def test_a_budget_that_cannot_be_shared_is_refused() -> None:
    with pytest.raises(ParameterError, match="for one run"):
        one_run(Budget.of("0.000002"))


SCORES = st.lists(st.integers(-30, 30), min_size=1, max_size=5)


@settings(deadline=None)
@given(SCORES)
def test_coins_and_orders_are_a_uniform_draw_from_the_heads(scores: list[int]) -> None:
    # The identity by which exponential noise and permute-and-flip are the same law.
    rate, k = 0.1, len(scores)
    heads = [math.exp(rate * (q - max(scores))) for q in scores]
    found = np.zeros(k)
    for subset in range(1, 2**k):
        inside = [i for i in range(k) if subset >> i & 1]
        chance = math.prod(heads[i] if i in inside else 1 - heads[i] for i in range(k))
        found[inside] += chance / len(inside)
    np.testing.assert_allclose(found, flips(scores, rate), atol=1e-12)


@settings(deadline=None)
@given(SCORES, st.data(), st.integers(1, 9))
def test_no_neighbour_of_permute_and_flip_exceeds_epsilon(
    scores: list[int], data: st.DataObject, delta: int
) -> None:
    moves = st.lists(st.integers(-delta, delta), min_size=len(scores), max_size=len(scores))
    others = [q + move for q, move in zip(scores, data.draw(moves), strict=True)]
    rate = 1.5 / (2 * delta)
    assert largest_log_ratio(flips(scores, rate), flips(others, rate)) <= 1.5 + 1e-9


def test_its_epsilon_is_attained_so_a_scale_off_by_two_is_wrong_either_way() -> None:
    def loss(scale: float) -> float:
        return largest_log_ratio(flips([0, 0], 1 / scale), flips([-4, 4], 1 / scale))

    right = 2 * 4 / 0.5
    assert loss(right) == pytest.approx(0.5, abs=1e-12)
    assert loss(right / 2) == pytest.approx(1.0, abs=1e-12)
    assert loss(2 * right) == pytest.approx(0.25, abs=1e-12)
