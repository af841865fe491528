"""Everything that can be asked of a plan, on a small study."""

import pytest
from tests.unit.documents.shown import says_the_same_in_every_format
from tests.unit.plan.studies import OPEN, PRIVATE_MODEL, study

from dpwerm.documents.plan import (
    aimed,
    clips,
    expected_table,
    hyperparameters,
    opening,
    plan_document,
    share_taken,
)
from dpwerm.documents.plan_tables import by_features, by_scale
from dpwerm.documents.render import blocks_as_text
from dpwerm.errors import ParameterError
from dpwerm.plan import desk as desk_module
from dpwerm.plan import desk as place
from dpwerm.plan.assumed import EFFECTS, Assumed, cases
from dpwerm.plan.desk import Desk
from dpwerm.plan.smallest import Aim
from dpwerm.simulate import synthetic
from dpwerm.simulate.scale import Scale

SHARES = (0.1, 0.7)
BOUNDS = "bounds = [-10, 10]"
EXPECTING = OPEN.replace(BOUNDS, f"{BOUNDS}\nexpected_sd = 4\nexpected_effect_sd = 2")
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
    monkeypatch.setattr(synthetic, "MIXED", (1,))  # of few trials with few rows, easy ones
    desk = Desk(study())
    none = desk.smallest_epsilon(Aim(0.999), 50)
    assert (none.reached, none.place) == (False, "inf")
    easy = desk.smallest_epsilon(Aim(0.6), 50)
    assert easy.reached
    assert easy.found.accuracy.mean >= 0.6
    people = desk.smallest_n(Aim(0.6), "1")
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
    says_the_same_in_every_format(plan_document(desk, 50, None, Aim(0.6)))


def test_how_much_gains_vary_is_told_in_the_units_of_the_benefit() -> None:
    planned = study()
    lower, upper = planned.benefit.range
    half = (upper - lower) / 2
    words = f"by {0.2 * half:g} to {0.7 * half:g} units of {planned.benefit.column}, which is 0.2"
    assert words in opening(planned)


def test_what_a_study_expects_is_what_is_simulated() -> None:
    declared = study(EXPECTING)
    assert Desk(declared).assumed == Assumed(Scale(0.4, 0.2))
    assert "an sd of 4 units of gain, for which the bounds are not too wide" in opening(declared)
    assert "varies between people with an sd of 2" in opening(declared)
    narrow = opening(study(OPEN.replace(BOUNDS, f"{BOUNDS}\nexpected_sd = 1")))
    assert "bounds are 4 times too wide" in narrow
    assert "left to chance" in narrow


def test_a_plan_shows_what_it_depends_on_where_a_study_says_nothing() -> None:
    desk = Desk(study())
    found = desk.scales("1", 50)
    assert [scale for _, scale, _ in found] == [scale for _, scale in cases(study().benefit)]
    text = "\n".join(blocks_as_text(by_scale(desk, "1", 50)))
    assert "What it depends on, at epsilon = 1 with 50 people:" in text
    assert text.count(" times too wide ") == 6
    known = Desk(study(OPEN.replace(BOUNDS, f"{BOUNDS}\nexpected_sd = 4")))
    assert [word for word, _, _ in known.scales("1", 50)] == ["as declared"] * 3
    assert not list(by_scale(Desk(study(EXPECTING)), "1", 50))


def test_a_share_of_yes_decides_the_sd_of_two_values() -> None:
    two = study(OPEN.replace(BOUNDS, f'{BOUNDS}\nkind = "yes-no"'))
    scales = [scale.sd for _, scale in cases(two.benefit)][:: len(EFFECTS)]
    assert scales == pytest.approx([1, 0.8, 2 * 0.05**0.5 * 0.95**0.5])
    assert "50% yes" in "\n".join(blocks_as_text(by_scale(Desk(two), "1", 50)))


def test_fewer_features_are_planned_for_with_those_that_matter() -> None:
    more = "".join(f'[features.x{i}]\nkind = "number"\nbounds = [0, 1]\n' for i in range(4))
    desk = Desk(study(OPEN.replace("[treatment]", f"{more}\n[treatment]")))
    assert list(desk.declarations("1", 50)) == [6, 3, 2]
    text = "\n".join(blocks_as_text(by_features(desk, "1", 50)))
    assert "What fewer features would bring, at epsilon = 1 with 50 people:" in text
    assert " ".join(text.split()).count("first 2 features of the study file") == 1
    assert not list(by_features(Desk(study()), "1", 50))


def test_a_rule_worth_having_is_searched_for() -> None:
    text = " ".join(blocks_as_text(aimed(Desk(study(), quick=True), Aim(), 50, None)))
    words = "a rule worth having (gain at least 20 %, harm at most 10 %)"
    assert words in " ".join(text.split())
