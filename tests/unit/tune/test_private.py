"""Private tuning from a study to a rule: what it costs, what it refuses, what never leaves."""

import json
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from tests.unit.tune.trials import GAMMAS, PRIVATE_MODEL, STUDY, N, columns, study, table

from dpwerm.errors import BudgetError, DpwermError, ParameterError, TableError
from dpwerm.privacy.budget import Budget
from dpwerm.releases.release import Rule
from dpwerm.releases.rule_file import content_of
from dpwerm.releases.tuning import WAYS
from dpwerm.tune.private import check_tuned, fit_tuned


def tuned(how: str = "parts", text: str = STUDY, data: Any = None, **other: Any) -> Rule:
    given = table() if data is None else data
    asked: dict[str, Any] = {"epsilon": 1, "gammas": GAMMAS} | other
    return fit_tuned(study(text), given, how=how, ledger="none", **asked)


@pytest.mark.parametrize("how", WAYS)
def test_everything_costs_what_was_asked(how: str) -> None:
    for text in (STUDY, PRIVATE_MODEL):
        rule = tuned(how, text, epsilon="1.1")
        assert rule.budget == Budget.of("1.1")
        assert rule.private
        assert rule.tuning is not None
        assert rule.tuning.candidates == GAMMAS
        assert rule.release.certificate.gamma in GAMMAS
        assert rule.release.certificate.n == rule.tuning.released_rows
        assert rule.release.certificate.budget == rule.tuning.steps.rule


def test_a_private_propensity_model_is_released_first_from_all_rows() -> None:
    rule = tuned("parts", PRIVATE_MODEL)
    assert rule.propensity is not None
    assert rule.tuning is not None
    assert rule.propensity.certificate.n == rule.tuning.rows == N
    assert rule.propensity.certificate.budget == Budget.of("0.25")
    assert rule.tuning.budget == rule.release.certificate.budget == Budget.of("0.75")


def test_a_share_is_the_user_s() -> None:
    rule = tuned("split", share="0.4")
    assert rule.tuning is not None
    assert rule.tuning.share == Decimal("0.4")
    assert rule.release.certificate.budget == Budget.of("0.6")


def test_candidates_lie_around_the_study_s_gamma() -> None:
    rule = tuned(gammas=None)
    assert rule.tuning is not None
    assert rule.tuning.candidates == (11.1, 33.3, 100.0, 300.0, 900.0)
    assert rule.tuning.folds == (10,) * 6


def test_without_one_they_lie_around_the_automatic_gamma() -> None:
    """The rest is chosen with it, once, for the rows and the budget of a candidate."""
    text = STUDY.replace("[method]\ngamma = 100\n", "")
    rule = tuned("split", text, gammas=None, random_state=1)
    chosen = rule.release.certificate.chosen
    assert chosen is not None
    assert "gamma" not in chosen.settings
    assert "mechanism" in chosen.settings
    assert rule.tuning is not None
    assert 2 <= len(rule.tuning.candidates) <= 5


def test_a_seed_gives_the_same_rule_again() -> None:
    for how in WAYS:
        first, second, other = (tuned(how, random_state=seed) for seed in (1, 1, 2))
        assert content_of(first) == content_of(second)
        assert first.release.integers != other.release.integers
        assert not first.private


@pytest.mark.parametrize(
    ("text", "other", "words"),
    [
        (STUDY.replace("replace_one", "add_remove"), {}, "needs relation replace_one"),
        (STUDY, {"how": "luck"}, "how must be one of parts, split"),
        (STUDY, {"gammas": [1]}, "2 to 50 numbers"),
        (STUDY, {"how": "split", "delta": "1e-6", "mechanism": "gaussian"}, "needs delta = 0"),
        (STUDY, {"how": "flip"}, "how flip is no longer offered: parts does the same"),
        (STUDY, {"how": "repeats"}, "how repeats is no longer offered: split tunes"),
        (STUDY, {"how": "split", "mechanism": "gaussian"}, "delta"),
        (STUDY, {"epsilon": Budget.zcdp("0.1"), "mechanism": "gaussian"}, "budget in epsilon"),
        (STUDY, {"how": "split", "share": 2}, "share must be above 0 and below 1"),
        (PRIVATE_MODEL.replace('model = "private", share = 0.25', 'model = "ridge"'), {}, "ridge"),
        (STUDY, {"mechanism": "magic"}, "mechanism must be one of"),
    ],
)
def test_what_is_refused_is_refused_before_a_row_is_read(
    text: str, other: dict[str, Any], words: str
) -> None:
    asked: dict[str, Any] = {"how": "parts", "epsilon": 1} | other
    if "delta" in other or other.get("mechanism") == "gaussian":
        text = text.replace("[budget]\nepsilon = 5\n", "")
    with pytest.raises(ParameterError, match=words):
        check_tuned(study(text), **asked)
    with pytest.raises(ParameterError, match=words):
        fit_tuned(study(text), "nowhere.csv", ledger="none", **asked)


def test_worst_case_weights_are_refused() -> None:
    text = STUDY.replace(
        "arms = { a = 0.5, b = 0.5 }",
        'arms = ["a", "b"]\npropensity = "p"\npropensity_floor = 0.1\norigin = "worst_case"',
    )
    with pytest.raises(ParameterError, match="with origin worst_case one person moves"):
        check_tuned(study(text), epsilon=1, how="parts")


def test_the_study_s_total_holds_for_all_of_it() -> None:
    with pytest.raises(BudgetError, match=r"epsilon = 5.1 is more than is left of epsilon = 5"):
        tuned(epsilon="5.1")
    assert not tuned(epsilon="5.1", random_state=1).private


def test_too_few_rows_and_repeated_persons_are_refused() -> None:
    with pytest.raises(ParameterError, match="needs at least 4 rows, not 3"):
        tuned(data=table(3))
    assert tuned(data=table(4)).private
    named = STUDY.replace('id = "small"', 'id = "small"\nperson = "who"')
    data = pa.table(columns() | {"who": ["p"] * N})
    with pytest.raises(TableError, match="a person has several rows"):
        tuned(text=named, data=data)


def test_a_gamma_that_cannot_be_is_named() -> None:
    with pytest.raises(ParameterError, match=r"gammas: 0\.5 cannot be tried"):
        tuned(mechanism="objective-block", gammas=[0.5, 200, 300])


@pytest.mark.parametrize("how", WAYS)
@pytest.mark.parametrize(
    "changed",
    [
        {"outcome": np.full(N, 2.0)},
        {"arm": np.full(N, "b")},
        {"arm": np.full(N, "c")},
        {"outcome": [None] * N},
        {"x": np.full(N, np.nan), "outcome": np.full(N, 1e300)},
    ],
    ids=["no weight", "one arm", "no arm", "no outcome", "beyond every bound"],
)
def test_every_table_gives_a_release(how: str, changed: dict[str, Any]) -> None:
    data = columns() | changed
    if data["outcome"] is changed.get("outcome") and isinstance(data["outcome"], list):
        data["outcome"] = pa.array(data["outcome"], type=pa.float64())
    assert tuned(how, data=pa.table(data)).private


@pytest.mark.parametrize("how", WAYS)
def test_nothing_sensitive_is_kept(how: str) -> None:
    data = columns()
    rule = tuned(how, data=pa.table(data))
    text = json.dumps(content_of(rule)) + repr(rule)
    for value in (*data["x"], *data["z"]):
        assert str(value)[:12] not in text
    record = content_of(rule)["tuning"]
    assert set(record) == {
        "how",
        "candidates",
        "rows",
        "slots",
        "epsilon",
        "delta",
        "fit",
        "choice",
        "share",
        "repeats",
        "claim",
        "proof",
    }


def test_no_error_quotes_a_value(tmp_path: Any) -> None:
    path = tmp_path / "trial.csv"
    path.write_text("x,z,arm\n0.987654321,zebra,a\n")
    with pytest.raises(DpwermError) as caught:
        tuned(data=path)
    assert "987654321" not in str(caught.value)
    assert "zebra" not in str(caught.value)
