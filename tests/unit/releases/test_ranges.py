"""Private ranges: what one person moves, what comes of a release, and how a fit runs inside."""

import json
import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from dpwerm import PrivateTreatmentRule
from dpwerm.errors import ParameterError, RuleFileError
from dpwerm.features.blocks import NumberBlock
from dpwerm.features.encoding import Encoding
from dpwerm.mechanisms.box_sums import BoxSums
from dpwerm.privacy.budget import Budget
from dpwerm.privacy.randomness import bit_source
from dpwerm.releases.files import digest_of
from dpwerm.releases.ranges import (
    BENEFIT,
    CUT,
    DEVIATIONS,
    FEATURES,
    MOVES,
    Ranges,
    RangesRecord,
    benefit_column,
    number_columns,
    steps,
)
from dpwerm.releases.rule_file import read_rule, verify_rule, write_rule
from dpwerm.study.variables import Benefit

LARGE = Budget.of("1e6")


def benefit(**changes: object) -> Benefit:
    return Benefit.model_validate({"column": "y", "bounds": (0.0, 100.0), **changes})


def ranges_of(u: list[float], budget: Budget = LARGE) -> Ranges:
    rows = np.array(u)[:, None]
    return Ranges.released(BENEFIT, benefit_column(benefit()), rows, budget, bit_source(1))


def summed(u: np.ndarray, monkeypatch: pytest.MonkeyPatch, centre: Fraction) -> list[Fraction]:
    """Return the two sums that noise is added to, the second around a centre that is released."""
    seen: list[Fraction] = []

    def release(self: BoxSums, sums: list[Fraction], bits: object) -> tuple[int, ...]:
        del bits
        seen.extend(sums)
        return (round(centre * len(u) / Fraction(2) ** self.exponent),)

    monkeypatch.setattr(BoxSums, "release", release)
    Ranges.released(BENEFIT, benefit_column(benefit()), u, Budget.of("1"), bit_source(1))
    return seen


@pytest.mark.parametrize("centre", [Fraction(0), Fraction(1), Fraction(-1, 3)])
def test_one_row_moves_the_sums_by_what_the_noise_is_made_for_and_no_more(
    centre: Fraction, monkeypatch: pytest.MonkeyPatch
) -> None:
    places = np.array([*np.linspace(-1, 1, 41), float(centre), np.nan])
    others = np.linspace(-0.9, 0.9, 7)
    found = [
        summed(np.append(others, one)[:, None], monkeypatch, centre) for one in places.tolist()
    ]
    first, second = (np.array([float(sums[k]) for sums in found]) for k in (0, 1))
    assert np.ptp(first) == float(MOVES[0]) == 2.0
    assert np.ptp(second) == pytest.approx(float(MOVES[1]), abs=1e-9)
    assert MOVES[1] == CUT == Fraction(1, 2)


def test_the_scales_belong_to_what_one_row_moves_and_cost_the_budget_together() -> None:
    first, second = steps(3, Budget.of("0.1"))
    assert first.budget.epsilon + second.budget.epsilon == Budget.of("0.1").epsilon
    assert first.exact_scale == Fraction(2) / Fraction("0.06")
    assert second.exact_scale == Fraction(1, 2) / Fraction("0.04")


def test_a_range_is_the_centre_and_so_many_deviations() -> None:
    found = ranges_of([0.1, 0.3] * 500)
    ((low, high),) = found.ends
    reach = 0.1 * float(DEVIATIONS[BENEFIT])
    assert (float(low), float(high)) == pytest.approx((0.2 - reach, 0.2 + reach), abs=1e-3)
    bounds = found.benefit(benefit()).bounds
    assert bounds == pytest.approx((60 - 50 * reach, 60 + 50 * reach), abs=0.1)


def test_a_range_stays_within_the_declared_bounds_and_is_never_empty() -> None:
    for u in ([0.99] * 50, [-1.0] * 50, [-1.0, 1.0] * 50, [math.nan] * 50):
        for epsilon in ("1e6", "0.01"):
            ((low, high),) = ranges_of(u, Budget.of(epsilon)).ends
            assert -1 <= low < high <= 1


def test_direction_and_logarithm_are_undone() -> None:
    found = ranges_of([0.1, 0.3] * 500)
    smaller = found.benefit(benefit(direction="smaller")).bounds
    assert smaller == pytest.approx((25, 55), abs=0.2)
    log = found.benefit(benefit(bounds=(1.0, math.exp(2)), transform="log")).bounds
    assert np.log(log) == pytest.approx((0.9, 1.5), abs=0.01)


def test_ranges_that_doubles_cannot_tell_apart_leave_the_bounds_alone() -> None:
    found = ranges_of([0.5] * 1000)
    tight = benefit(bounds=(1e9, 1e9 + 1e-3))
    assert found.benefit(tight) == tight


def test_numbers_get_their_ranges_and_come_back_as_declared() -> None:
    encoding = Encoding.of_numbers(["a", "b"], [(0.0, 10.0), (-5.0, 5.0)])
    rows = np.column_stack([np.linspace(0.4, 0.6, 100), np.linspace(-0.1, 0.1, 100)])
    found = Ranges.released(FEATURES, number_columns(encoding), rows, LARGE, bit_source(1))
    inside = found.encoding(encoding)
    for block in inside.blocks:
        assert isinstance(block, NumberBlock)
        assert block.upper - block.lower == pytest.approx(10 * 0.05 * 2.5, rel=0.05)
        assert block.lower <= block.default <= block.upper
    assert found.undone(inside) == encoding


def test_a_record_gives_the_same_ranges() -> None:
    found = ranges_of([0.1, 0.3] * 20, Budget.of("0.3"))
    assert RangesRecord.model_validate(found.plain()).ranges() == found


# -- fits ------------------------------------------------------------------------------------


def people(n: int = 300) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(30, 3, n), rng.normal(0, 1, n)])
    arm = rng.choice(["a", "b"], n)
    return X, arm, 50 + np.where(arm == "b", 1, -1) * (X[:, 0] - 30) + rng.normal(0, 1, n)


def rule(**changes: object) -> PrivateTreatmentRule:
    given: dict[str, object] = {
        "feature_bounds": [(0, 300), (-20, 20)],
        "benefit_bounds": (0, 1000),
        "propensity": {"a": 0.5, "b": 0.5},
        "estimator": "arm-wise",
        "gamma": 5.0,
        "random_state": 1,
        "ranges": 0.1,
        "feature_ranges": 0.2,
        "guard": 0.1,
        **changes,
    }
    return PrivateTreatmentRule(given.pop("epsilon", "20"), **given)  # type: ignore[arg-type]


def test_a_fit_inside_ranges_costs_its_epsilon_and_verifies(tmp_path: Path) -> None:
    found = rule().fit(*people()).rule_
    assert found.budget == Budget.of("20")
    assert {one.of: str(one.budget.epsilon) for one in found.ranges} == {
        BENEFIT: "2",
        FEATURES: "4",
    }
    assert str(found.release.certificate.epsilon) == "12"
    assert found.guard is not None
    path = tmp_path / "rule.json"
    write_rule(found, path)
    assert all(finding.holds for finding in verify_rule(path))
    again = read_rule(path)
    assert (again.release, again.ranges, again.guard) == (
        found.release,
        found.ranges,
        found.guard,
    )


def test_wide_bounds_are_found_and_the_rule_is_learned_inside() -> None:
    X, arm, outcome = people()
    fitted = rule().fit(X, arm, outcome)
    first, _ = fitted.release_.encoding.blocks
    assert isinstance(first, NumberBlock)
    assert 15 < first.lower < 30 < first.upper < 45
    assert np.mean((fitted.predict(X) == "b") == (X[:, 0] > 30)) > 0.9


def test_a_forged_range_or_choice_is_found(tmp_path: Path) -> None:
    path = tmp_path / "rule.json"
    write_rule(rule().fit(*people()).rule_, path)
    plain = json.loads(path.read_text())
    forgeries = [
        ("ranges", 1, "centres", "integers", 0, 7),
        ("ranges", 0, "n", 5),
        ("ranges", 0, "deviations", "scale", 1e-3),
        ("guard", "chosen", "first arm"),
        ("guard", "sensitivity", 1.0),
    ]
    for *way, value in forgeries:
        content = json.loads(json.dumps(plain))
        inner = content
        for key in way[:-1]:
            inner = inner[key]
        inner[way[-1]] = value
        content["digest"] = digest_of(content)
        path.write_text(json.dumps(content))
        with pytest.raises(RuleFileError):
            read_rule(path)


def test_one_arm_for_everybody_is_the_release() -> None:
    X, arm, outcome = people()
    better = outcome + 40 * (arm == "b")
    found = rule().fit(X, arm, better)
    assert found.rule_.single_arm == "b"
    assert set(found.predict(X).tolist()) == {"b"}


def test_what_cannot_be_guarded_or_ranged_is_refused_before_anything_is_charged() -> None:
    data = people()
    for changes, words in (
        ({"estimator": "outcome-weighted"}, "regression"),
        ({"relation": "add_remove"}, "replace_one"),
        ({"intercept_scale": 0.0}, "intercept"),
        ({"epsilon": math.inf}, "finite budget"),
        ({"guard": 0.6}, "between 0 and 0.5"),
        ({"ranges": 0.5, "feature_ranges": 0.5}, "leave nothing"),
    ):
        with pytest.raises(ParameterError, match=words):
            rule(**changes).fit(*data)


def test_no_share_draws_the_same_bits_as_a_fit_without_any() -> None:
    plain = {"ranges": 0.0, "feature_ranges": 0.0, "guard": 0.0}
    found = rule(**plain).fit(*people()).rule_
    assert (found.ranges, found.guard) == ((), None)
