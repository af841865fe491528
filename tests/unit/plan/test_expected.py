"""What is expected comes from fresh trials, and is not what the search hoped for."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.choose.questions import question
from tests.unit.plan.studies import OPEN, study

from dpwerm.choose import search
from dpwerm.plan import expected as module
from dpwerm.plan.expected import (
    Settled,
    Spread,
    expected,
    rehearsed,
    rows_for,
    settle,
    value_share,
)
from dpwerm.privacy.budget import Budget
from dpwerm.simulate.judged import SyntheticTrials
from dpwerm.simulate.synthetic import generator
from dpwerm.study.study import Study


def settled_at(epsilon: object, n: int = 60, text: Study | None = None) -> Settled:
    return settle(text or study(), Budget.of(str(epsilon)), n)


@given(seed=st.integers(0, 10_000), people=st.integers(2, 30))
def test_the_share_of_value_is_that_between_a_coin_and_the_best(seed: int, people: int) -> None:
    rng = np.random.default_rng(seed)
    means = rng.normal(size=(people, 2))
    contrast = means[:, 1] - means[:, 0]
    second = rng.random(people) < 0.5
    value = np.where(second, means[:, 1], means[:, 0]).mean()
    coin, best = means.mean(), means.max(axis=1).mean()
    assert value_share(second, contrast) == pytest.approx((value - coin) / (best - coin))
    assert value_share(contrast > 0, contrast) == pytest.approx(1)
    assert value_share(contrast <= 0, contrast) == pytest.approx(-1)


def test_where_nothing_can_be_gained_everything_is() -> None:
    assert value_share(np.array([True, False]), np.zeros(2)) == 1


def test_a_spread_counts_trials_and_not_draws() -> None:
    trials = np.random.default_rng(1).normal(size=(50, 1))
    once, often = Spread.of(trials), Spread.of(np.repeat(trials, 20, axis=1))
    assert often.mean == pytest.approx(once.mean)
    assert often.half == pytest.approx(once.half)
    assert once.half == pytest.approx(1.96 * trials.std(ddof=1) / np.sqrt(50))
    assert once.low == pytest.approx(np.quantile(trials, 0.1))
    assert once.high == pytest.approx(np.quantile(trials, 0.9))


@pytest.mark.usefixtures("quick")
def test_no_trial_is_one_on_which_settings_were_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    trials: list[SyntheticTrials] = []
    judged = module._judged

    def recorded(rehearsal: search.Rehearsal, *others: Any) -> Any:
        trials.append(rehearsal.synthetic)
        return judged(rehearsal, *others)

    monkeypatch.setattr(module, "_judged", recorded)
    settled = settled_at("1", 40)
    expected(settled, 32)
    assert len(trials) == 4
    seen = [
        search._rehearsal(
            settled.question, round_, index, [(settled.question.fixed, 1.0)]
        ).synthetic
        for index, round_ in enumerate(search.ROUNDS)
    ]
    for fresh in trials:
        # Many are cut off at the same bounds; what lies between them tells trials apart.
        inside = fresh.benefit[np.abs(fresh.benefit) < 1]
        assert inside.size
        assert not any(np.isin(inside, one.benefit).any() for one in seen)


@pytest.mark.usefixtures("quick")
def test_what_is_expected_is_less_than_what_a_search_hoped_for() -> None:
    """A winner on two problems won by chance, which does not come again."""
    hoped, came = [], []
    for n in (30, 40, 50, 60):
        settled = settled_at("0.2", n)
        assert settled.spec.chosen is not None
        hoped.append(settled.spec.chosen.accuracy)
        came.append(expected(settled, 48).accuracy.mean)
    assert np.mean(hoped) > np.mean(came) + 0.02


@pytest.mark.usefixtures("quick")
def test_more_epsilon_and_more_people_are_better() -> None:
    found = [expected(settled_at(epsilon), 96).accuracy.mean for epsilon in ("0.01", "5", "inf")]
    assert found[0] < found[1] <= found[2] + 0.02
    assert 0.45 < found[0] < 0.65
    few = expected(settled_at("1", 10), 96).accuracy.mean
    assert few < expected(settled_at("1", 60), 96).accuracy.mean


@pytest.mark.usefixtures("quick")
def test_the_better_single_arm_is_judged_on_the_same_people() -> None:
    low, high = (expected(settled_at(epsilon), 24) for epsilon in ("0.1", "inf"))
    assert low.single_value == high.single_value
    assert low.single_accuracy == high.single_accuracy
    assert low.single_accuracy.mean >= 0.5
    assert 0 < low.single_value.mean < 1
    assert (low.trials, low.rows) == (24, 60)


@pytest.mark.usefixtures("quick")
def test_the_same_plan_gives_the_same_figures() -> None:
    settled = settled_at("1")
    assert expected(settled, 16) == expected(settled, 16)


@pytest.mark.usefixtures("quick")
def test_a_wide_study_is_simulated_by_analogy() -> None:
    lines = ["format = 1", '[study]\nid = "wide"']
    lines += [f'[features.f{i}]\nkind = "number"\nbounds = [0, 1]' for i in range(40)]
    lines += ['[treatment]\ncolumn = "t"\narms = { a = 0.5, b = 0.5 }']
    lines += ['[benefit]\ncolumn = "y"\nbounds = [0, 1]']
    wide = settled_at("1", 400, Study.parse("\n".join(lines)))
    narrow, gamma = rehearsed(wide)
    assert (len(narrow.widths), narrow.n) == (32, 320)
    assert gamma == pytest.approx(wide.gamma * 320 / 400, rel=0.01)
    assert expected(wide, 8).accuracy.mean > 0.4


def test_rows_are_bounded_by_effort() -> None:
    asked = question((0, 0), n=10**6)
    assert rows_for(asked, 480) == module.MOST_ROWS
    assert rows_for(replace(asked, n=500), 480) == 500
    assert rows_for(question((0,) * 32, n=10**6), 480) < 10_000


@pytest.mark.parametrize("estimator", ["outcome-weighted", "contrast", "arm-wise"])
@pytest.mark.usefixtures("quick")
def test_gain_and_harm_are_those_of_the_trials_that_were_simulated(estimator: str) -> None:
    settled = settled_at("2", 60, study(f'{OPEN}estimator = "{estimator}"\n'))
    found = expected(settled, module.AT_ONCE)
    asked, rows = settled.question, found.rows
    rng = generator(module.SEED, 0, 1)
    trials = asked.outcome.trials(asked.widths, count=module.AT_ONCE, rows=rows, rng=rng)
    rehearsal = search.Rehearsal(asked, trials, module.DRAWS, (module.SEED, 0, 2), asked.n / rows)
    judged = rehearsal.judged(replace(asked.fixed, gamma=settled.gamma))
    assert (found.accuracy.mean, found.gain.mean, found.harm) == pytest.approx(judged)
