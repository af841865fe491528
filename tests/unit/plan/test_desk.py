"""Everything that can be asked of a plan, on a small study."""

import pytest
from tests.unit.documents.shown import says_the_same_in_every_format
from tests.unit.plan.studies import OPEN, PRIVATE_MODEL, study

from dpwerm.documents.plan import (
    clips,
    expected_table,
    hyperparameters,
    opening,
    plan_document,
    share_taken,
)
from dpwerm.documents.render import blocks_as_text
from dpwerm.errors import ParameterError
from dpwerm.plan import desk as desk_module
from dpwerm.plan import desk as place
from dpwerm.plan.desk import Desk
from dpwerm.simulate import synthetic

SHARES = (0.1, 0.7)
OUTCOME_WEIGHTED = OPEN + 'estimator = "outcome-weighted"\n'
pytestmark = pytest.mark.usefixtures("quick")


@pytest.fixture(autouse=True)
def few_trials(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(desk_module, "TRIALS", 16)
    monkeypatch.setattr(desk_module, "QUICK_TRIALS", 8)
    monkeypatch.setattr(desk_module, "OPTIONS", {"clip": SHARES})


def test_every_epsilon_gets_a_row() -> None:
    found, refused = Desk(study()).over(("0.5", "1", "inf"), 50)
    assert refused == []
    text = "\n".join(blocks_as_text(expected_table(found, 50)))
    for name in ("0.5 ", "1 ", "no privacy", "one arm for all"):
        assert f"\n  {name}" in text
    assert "means over 16 synthetic trials" in text
    assert "stand for" not in text


def test_fewer_rows_than_people_are_owned_up_to() -> None:
    found, _ = Desk(study(), quick=True).over(("1",), 5000)
    text = " ".join(blocks_as_text(expected_table(found, 5000)))
    assert "60 rows that stand for 5,000 people" in text
    assert "means over 8 synthetic trials" in text


def test_an_epsilon_too_small_for_what_the_study_sets_is_named() -> None:
    fixed = study(OPEN + 'gamma = 30\nmechanism = "objective-block"\n')
    found, refused = Desk(fixed).over(("0.01", "5", "inf"), 50)
    assert list(found) == ["5", "inf"]
    assert len(refused) == 1
    assert refused[0].startswith("No release at epsilon = 0.01: ")
    with pytest.raises(ParameterError):
        Desk(fixed).over(("0.01", "inf"), 50)


def test_what_was_simulated_is_not_simulated_again(monkeypatch: pytest.MonkeyPatch) -> None:
    desk = Desk(study())
    first = desk.at("1", 50)
    monkeypatch.setattr(place, "settle", None)
    assert desk.at("1", 50) is first


def test_progress_is_told() -> None:
    stages: list[str] = []
    steps: list[int] = []
    desk = Desk(study(), on_stage=stages.append, on_step=lambda: steps.append(1))
    desk.over(("1", "inf"), 50)
    assert len(steps) == 2
    assert "epsilon 1, n 50: simulating trials" in stages
    assert any("choosing hyperparameters" in stage for stage in stages)


def test_targets_are_searched_for_on_the_study(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(synthetic, "TIGHT", (1,))  # of few trials with few rows, easy ones
    desk = Desk(study())
    none = desk.smallest_epsilon(0.999, 50)
    assert (none.reached, none.place) == (False, "inf")
    easy = desk.smallest_epsilon(0.6, 50)
    assert easy.reached
    assert easy.found.accuracy.mean >= 0.6
    people = desk.smallest_n(0.6, "1")
    assert people.reached
    assert people.place <= 100


def test_the_effect_of_the_clip_is_shown_with_what_is_used() -> None:
    desk = Desk(study(OUTCOME_WEIGHTED))
    settled, _ = desk.at("1", 50)
    found = desk.clips("1", 50)
    assert set(found) == {*SHARES, settled.clip}
    lines = blocks_as_text(clips(found, settled.clip))
    (used,) = [line for line in lines if line.endswith("used")]
    assert used.split()[0] == f"{settled.declared.benefit.clip:.4g}"


def test_hyperparameters_are_told_in_the_units_of_the_benefit() -> None:
    settled, _ = Desk(study(OUTCOME_WEIGHTED)).at("1", 50)
    text = "\n".join(blocks_as_text(hyperparameters(settled, 50)))
    V = settled.declared.benefit.clip
    assert "What a fit at epsilon = 1 with 50 people would use:" in text
    assert f"V = {V:g} in the units of gain, {V / 10:.0%} of the largest" in text
    assert f"at most W = V/pi_min = {V:g}/0.5 = {2 * V:g}" in text
    assert f"which is {settled.gamma:.4g} W" in text
    fixed, _ = Desk(study(OPEN + "gamma = 50\n")).at("1", 50)
    assert "nothing is chosen" in "\n".join(blocks_as_text(hyperparameters(fixed, 50)))


def test_a_propensity_model_is_mentioned() -> None:
    settled, _ = Desk(study(PRIVATE_MODEL)).at("1", 50)
    text = " ".join(blocks_as_text(share_taken(settled)))
    assert "takes epsilon = 0.25 and leaves epsilon = 0.75 for the rule" in text
    assert "taken as known" in text
    assert not list(share_taken(Desk(study()).at("1", 50)[0]))


def test_curves_are_for_sizes_around_n() -> None:
    curves = Desk(study(), quick=True).curves(("1", "inf"), 100)
    assert list(curves) == [25, 100, 400]
    assert all(list(curve) == ["1", "inf"] for curve in curves.values())


def test_a_plan_says_the_same_in_every_format() -> None:
    desk = Desk(study(), quick=True)
    says_the_same_in_every_format(plan_document(desk, 50, "1", None))
    says_the_same_in_every_format(plan_document(desk, 50, None, 0.6))


def test_how_much_gains_vary_is_told_in_the_units_of_the_benefit() -> None:
    planned = study()
    lower, upper = planned.benefit.range
    half = (upper - lower) / 2
    words = f"by {0.2 * half:g} to {0.7 * half:g} units of {planned.benefit.column}, which is 0.2"
    assert words in opening(planned)
