"""What is said of the scores, and that what it says to do next uses the very settings tried."""

from dataclasses import replace

import pytest
from tests.unit.tune.people_at_hand import PAPER, fixed_study
from tests.unit.tune.test_tuned import tuned

from dpwerm.privacy.budget import Budget
from dpwerm.rules.settle import Settled, settle
from dpwerm.study.declaration import Study
from dpwerm.tune.open_ways import INDEPENDENT, PORTION, SIMULATED
from dpwerm.tune.tuned import NOT_PRIVATE, Gain
from dpwerm.tune.words import (
    curve_lines,
    next_lines,
    other_settings,
    source_lines,
    title_of,
)


def text(lines: list[str]) -> str:
    return " ".join(lines)


def open_settled(study: Study, clip: float = 0.5) -> Settled:
    """Return settings as a search might leave them, without one."""
    plain = settle(study, Budget.of("1"), 100, clip=clip)
    changed = plain.encoding.changed(intercept=0.4, saturation=1.5)
    spec = plain.spec.with_settings(mechanism="objective-block", gamma=90.0)
    return replace(plain, encoding=changed, threshold=0.15, spec=spec)


def test_the_curve_marks_what_matters() -> None:
    lines = curve_lines(tuned([0.5, 0.93, 0.95, 0.7]))
    assert lines[0] == "At epsilon = 1, mechanism objective-block:"
    assert "  1      50.00 ± 10.00" in lines
    assert "  3      93.00 ± 10.00  automatic, within 5 %" in lines
    assert "  9      95.00 ± 10.00  best" in lines
    assert "Best: gamma = 9; from 3 to 9 scores are within 5 % of it." in text(lines)
    assert "at an end" not in text(lines)


def test_it_says_whether_anything_was_gained() -> None:
    base = tuned([0.5, 0.93, 0.95])
    sure = replace(base, gain=Gain(0.02, 0.01))
    assert "it gains 2.00 ± 1.00 in the same repeats." in text(curve_lines(sure))
    luck = replace(base, gain=Gain(0.02, 0.03))
    assert "no more than chance explains" in text(curve_lines(luck))
    assert "at an end of what was tried" in text(curve_lines(base))
    same = tuned([0.5, 0.97, 0.95])
    assert "nothing to change" in text(curve_lines(same))
    values = replace(base, metric="value", delta="0.000001")
    assert ["9", "0.95", "±", "0.1", "best"] in [line.split() for line in curve_lines(values)]
    assert "delta = 0.000001" in text(curve_lines(values))


def test_it_says_who_the_people_are_and_what_that_costs() -> None:
    base = tuned([0.5, 0.9])
    boot = text(source_lines(base, INDEPENDENT))
    assert "10 of 50 people validate, and 100 are drawn with replacement from the other 40" in boot
    assert "your word" in boot
    whole = replace(base, n=30, validated=20, bootstrapped=False, left_out=3)
    assert "30 of 50 people train and the other 20 validate" in text(
        source_lines(whole, INDEPENDENT)
    )
    assert "3 repeats are left out" in text(source_lines(whole, INDEPENDENT))
    assert "costs no privacy" in text(source_lines(base, SIMULATED))
    own = text(source_lines(base, PORTION))
    assert "SENSITIVE, for the curator only" in own
    assert "NOT PRIVATE" in own
    assert "--how parts or split" in own
    assert title_of(fixed_study(), 1000)[0].endswith("with 1,000 people")


@pytest.mark.parametrize("clip", [1.0, 0.5])
def test_the_lines_for_a_study_file_give_the_settings_that_were_tried(clip: float) -> None:
    study = PAPER.study()
    found = replace(tuned([0.5, 0.9, 0.95]), mechanism="spherical-laplace")
    closed = study.model_copy(
        update={"method": study.method.model_copy(update={"gamma": 9.0})},
    )
    settled = open_settled(closed, clip)
    lines = other_settings(study, settled)
    assert ("[benefit]" in lines) == (clip < 1)
    section = ""
    declared: dict[str, dict[str, object]] = {"benefit": dict(PAPER.benefit()), "method": {}}
    for line in lines:
        if line.startswith("["):
            section = line.strip("[]")
        else:
            key, value = line.split(" = ")
            declared[section][key] = float(value)
    declared["method"] |= {"gamma": found.best, "mechanism": found.mechanism}
    written = Study.from_dict(
        {
            "format": 1,
            "study": {"id": "paper"},
            "features": PAPER.features(),
            "treatment": PAPER.treatment(),
            **declared,
        }
    )
    used = settle(written, Budget.of("1"), found.n)
    assert used.encoding == settled.encoding
    assert used.threshold == settled.threshold
    assert used.declaration.benefit.clip == settled.declaration.benefit.clip
    assert (used.spec.gamma, used.spec.mechanism) == (found.best, found.mechanism)


def test_what_to_do_next() -> None:
    study = fixed_study()
    settled = settle(study, Budget.of("1"), 100)
    better = tuned([0.5, 0.9, 0.95])
    assert next_lines(study, better, settled, "s.toml") == [
        "Next: dpwerm fit s.toml TABLE --epsilon 1 --mechanism objective-block --gamma 9"
    ]
    bare = replace(better, epsilon="inf", mechanism="none")
    assert next_lines(study, bare, settled, "s.toml") == [
        "Next: dpwerm fit s.toml TABLE --epsilon inf --gamma 9"
    ]
    same = tuned([0.5, 0.99, 0.95])
    assert next_lines(study, same, settled, "s.toml", "gaussian") == [
        "Next: dpwerm fit s.toml TABLE --epsilon 1 --mechanism gaussian"
    ]
    own = replace(better, private_cost=NOT_PRIVATE)
    assert next_lines(study, own, settled, "s.toml") == []
