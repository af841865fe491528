import re
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom

from dpwerm.data.table import BLOCK
from dpwerm.study.check import check, examine
from dpwerm.study.findings import Finding
from dpwerm.study.study import Study, read_trial
from dpwerm.study.suspicions import FALSE_ALARM, Tally, arm_counts, sample, tallied

N = 300
COLUMN = 'arms = ["S", "G"]\npropensity = "p"\npropensity_floor = 0.1\norigin = "external"'


def trial(n: int = N) -> pd.DataFrame:
    """Return a trial in which nothing is odd: all bounds are used, a third has arm S."""
    rng = np.random.default_rng(7)
    frame = pd.DataFrame({"ID": np.arange(n), "AGE": rng.integers(18, 91, n)})
    frame["sex"], frame["site"] = rng.choice(["F", "M"], n), rng.integers(1, 5, n)
    frame["arm"] = (["S", "G", "G"] * n)[:n]
    return frame.assign(days=rng.integers(1, 101, n))


def put(frame: pd.DataFrame, column: str, values: Any) -> pd.DataFrame:
    return frame.assign(**{column: values})


def told(study: Study, frame: pd.DataFrame, kind: str) -> list[Finding]:
    return [found for found in check(study, frame) if found.kind == kind]


def test_a_sound_trial_is_not_doubted(study: Study) -> None:
    assert check(study, trial()) == []


# -- usable rows ---------------------------------------------------------------------------------


def test_rows_are_usable_with_arm_benefit_and_propensity(study: Study, study_text: str) -> None:
    frame = put(trial(6), "arm", ["S", "G", "Q", None, "S", "G"])
    frame = put(frame, "days", [1, 2, 3, 4, None, "x"])
    found = examine(study, frame)
    assert (found.rows, found.usable) == (6, 2)
    by_column = Study.parse(study_text.replace('arms = { S = "1/3", G = "2/3" }', COLUMN))
    assert examine(by_column, put(frame, "p", [None, *[0.5] * 5])).usable == 1
    by_model = Study.parse(
        study_text.replace(
            'arms = { S = "1/3", G = "2/3" }',
            'arms = ["S", "G"]\npropensity = { model = "outcome" }',
        )
    )
    assert examine(by_model, frame).usable == 2


def test_counts_go_on_over_blocks(study: Study) -> None:
    n = BLOCK + 5
    frame = pd.DataFrame({"ID": range(n), "AGE": 50, "sex": "F", "site": 1, "arm": "S", "days": 5})
    tally = tallied(study, read_trial(study, frame))
    assert (tally.rows, tally.usable, tally.by_arm) == (n, n, (n, 0))
    assert tally.given == (n, 0)
    assert tally.expected == pytest.approx(n * 2 / 3)
    assert tally.variance == pytest.approx(n * 2 / 9)


# -- one value -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "share", "words"),
    [
        (250, 0.7, "fall on the upper bound"),
        (100, 0.7, "ceiling effect"),
        (-3, 0.7, "floor effect"),
        (50, 0.7, "is the value a code, such as one for missing?"),
        (50, 0.97, "next to nothing to learn"),
        (250, 1.0, "next to nothing to learn"),
        (100, 0.4, ""),
    ],
)
def test_benefits_on_one_value(study: Study, value: int, share: float, words: str) -> None:
    frame = trial()
    frame.loc[frame.index < share * N, "days"] = value
    found = told(study, frame, "one value")
    assert [words in str(one) for one in found] == [True] * bool(words)
    if words:
        on_it = int((frame["days"].clip(1, 100) == np.clip(value, 1, 100)).sum())
        assert f"{on_it} of {N} benefits" in found[0].problem


def test_two_values_may_be_unequal_but_not_nearly_one(study: Study) -> None:
    for first, count in ((270, 0), (290, 1)):
        frame = trial().assign(days=[1] * first + [100] * (N - first))
        assert len(told(study, frame, "one value")) == count


def test_few_rows_say_nothing_in_sum(study: Study) -> None:
    assert check(study, trial(19).assign(days=50, AGE=50, arm=["S", "G"] + ["S"] * 17)) == []


# -- bounds --------------------------------------------------------------------------------------


def test_bounds_many_times_as_wide_as_the_data_are_told(study: Study) -> None:
    frame = trial()
    frame["AGE"] = 40 + frame["AGE"] % 10
    frame["days"] = 50 + frame["days"] % 10
    found = told(study, frame, "wide bounds")
    assert [one.column for one in found] == ["AGE", "days"]
    for one, times in zip(found, (8, 11), strict=True):
        assert f"the bounds are about {times} times as wide" in str(one)
        assert "in the protocol, the literature or the instrument, never in these data" in str(one)
        assert re.findall(r"[0-9]+", str(one)) == [str(times), "95"]


def test_a_few_outliers_do_not_justify_wide_bounds(study: Study) -> None:
    frame = trial()
    frame["AGE"] = 40 + frame["AGE"] % 10
    frame.loc[:3, "AGE"] = [18, 90, 18, 90]
    assert [one.column for one in told(study, frame, "wide bounds")] == ["AGE"]


def test_the_width_of_a_benefit_is_that_after_its_transform(study_text: str) -> None:
    frame = trial()
    frame["days"] = 1 + frame["days"] / 10
    plain = study_text.replace("[1, 100]", "[1, 1000]")
    log = Study.parse(plain.replace("[1, 1000]", '[1, 1000]\ntransform = "log"'))
    assert len(told(Study.parse(plain), frame, "wide bounds")) == 1
    assert told(log, frame, "wide bounds") == []


def test_a_single_number_is_no_matter_of_bounds(study: Study) -> None:
    frame = trial().assign(AGE=50)
    frame.loc[0, "AGE"] = 60
    assert told(study, frame, "wide bounds") == []


@pytest.mark.parametrize(("n", "kept"), [(1, 1), (1 << 14, 1 << 14), ((1 << 14) + 1, 8193)])
def test_big_tables_are_sampled_at_equal_distances(study: Study, n: int, kept: int) -> None:
    frame = pd.DataFrame({"ID": range(n), "AGE": range(n), "sex": "F", "site": 1, "arm": "S"})
    some = sample(read_trial(study, frame.assign(days=5)))
    assert some.n_rows == kept
    assert len(np.unique(np.diff(some.numbers("AGE")))) <= 1


# -- arms ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("second", "odd"), [(200, False), (177, False), (171, True), (229, True), (223, False)]
)
def test_arms_in_other_proportions_than_declared(study: Study, second: int, *, odd: bool) -> None:
    frame = trial().assign(arm=["G"] * second + ["S"] * (N - second))
    found = told(study, frame, "arm counts")
    assert len(found) == odd
    if odd:
        said = f"{second} of 300 rows have arm 'G', where the declared probabilities make 200"
        assert said in str(found[0])
        assert "fewer than 1 of 1,000 trials" in str(found[0])
        assert "everybody in the table who was randomised?" in str(found[0])


def test_arms_against_a_column_of_propensities(study_text: str) -> None:
    study = Study.parse(study_text.replace('arms = { S = "1/3", G = "2/3" }', COLUMN))
    p = np.random.default_rng(5).uniform(0.2, 0.8, N)
    drawn = np.where(np.random.default_rng(6).random(N) < p, "G", "S")
    assert told(study, trial().assign(arm=drawn, p=p), "arm counts") == []
    (found,) = told(study, trial().assign(arm=drawn, p=0.2 + 0.3 * p), "arm counts")
    assert found.column == "arm"


@pytest.mark.parametrize("n", [20, 60, 300, 5_000])
@pytest.mark.parametrize("by_column", [False, True])
def test_false_alarms_about_arms_are_as_rare_as_said(
    study: Study, study_text: str, n: int, *, by_column: bool
) -> None:
    """The level is exact: the probability of all counts that raise the alarm."""
    p = 9 / 10 if by_column else 2 / 3
    if by_column:
        study = Study.parse(study_text.replace('arms = { S = "1/3", G = "2/3" }', COLUMN))
    level = 0.0
    for second in range(1, n):
        tally = Tally(n, n, (n - second, second), (n, second), n * p, n * p * (1 - p))
        if arm_counts(study, tally):
            level += float(binom.pmf(second, n, p))
    assert level <= FALSE_ALARM


def test_a_single_arm_is_told_once(study: Study) -> None:
    kinds = [one.kind for one in check(study, trial().assign(arm="S"))]
    assert kinds == ["single arm"]
