"""What stands out from the noise: levels against each other, and one measure everywhere."""

import functools
import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from tests.unit.documents.reported import KINDS, material, said

from dpwerm import PrivateTreatmentRule, Study
from dpwerm.arrays import FloatArray
from dpwerm.documents.document import Table
from dpwerm.documents.effects import leans, one_sided, unclear
from dpwerm.documents.figures import draw_coefficients
from dpwerm.documents.half_widths import simulated_half_widths, simultaneous
from dpwerm.documents.report.compose import compose
from dpwerm.documents.report.learned import directions
from dpwerm.documents.report.material import Material
from dpwerm.fit import fit_release
from dpwerm.privacy.randomness import bit_source
from dpwerm.releases.release import Rule
from dpwerm.study.study import read_trial
from dpwerm.weighting.contract import OUTCOME_WEIGHTED
from dpwerm.weighting.trial import trial_of_table

PEOPLE, RELEASES, MOST = 900, 60, 18
"""Noise alone may name a feature in 5 of 100 releases: 18 or more of 60 have probability 2e-9."""

LEVELS, SHARES = ("north", "south", "east", "west"), (0.7, 0.1, 0.1, 0.1)
STUDY = Study.parse(
    """\
format = 1
study = { id = "regions", relation = "replace_one" }
features.age = { kind = "number", bounds = [20, 80] }
features.region = { kind = "category", levels = ["north", "south", "east", "west"] }
treatment = { column = "arm", arms = { old = 0.5, new = 0.5 } }
benefit = { column = "gain", bounds = [-10, 10] }
"""
)


@functools.cache
def trial(modified: tuple[str, ...] = ()) -> pa.Table:
    """Return a trial in which "new" is better for all but the people of some regions.

    Without any, the region is drawn by lot and has to do with nothing.
    """
    rng = np.random.default_rng(5)
    region = rng.choice(LEVELS, PEOPLE, p=SHARES)
    arm = rng.choice(["old", "new"], PEOPLE)
    better = np.where(np.isin(region, modified), -5.0, 5.0) * np.where(arm == "new", 1, -1)
    gain = better + rng.normal(0, 2, PEOPLE)
    return pa.table(
        {"age": rng.uniform(20, 80, PEOPLE), "region": region, "arm": arm, "gain": gain}
    )


@functools.cache
def released(mechanism: str, epsilon: int, modified: tuple[str, ...] = ()) -> tuple[Rule, ...]:
    """Return real releases of one trial, each with noise of its own."""
    estimator = PrivateTreatmentRule.from_study(
        STUDY, epsilon, gamma=PEOPLE * 20.0, mechanism=mechanism, random_state=1
    )
    rule = estimator.fit(trial(modified)).rule_
    read = trial_of_table(rule.declaration, read_trial(STUDY, trial(modified)))
    encoding, spec = rule.release.encoding, rule.release.certificate.specification()
    rows = OUTCOME_WEIGHTED.rows(read, rule.declaration, encoding, np.full(PEOPLE, 0.5))
    return tuple(
        replace(
            rule,
            release=fit_release(
                rows.X,
                rows.targets,
                rows.weights,
                encoding=encoding,
                spec=spec,
                bits=bit_source(seed),
            ),
        )
        for seed in range(RELEASES)
    )


def half_of(rules: Sequence[Rule]) -> FloatArray:
    half = simultaneous(rules[0], simulated_half_widths(rules[0]))
    assert half is not None
    return half


@pytest.mark.parametrize("mechanism", ["spherical-laplace", "objective-block"])
def test_a_category_by_lot_is_not_named_by_the_main_effect(mechanism: str) -> None:
    rules = released(mechanism, 4)
    half, levels = half_of(rules), slice(2, None)
    # Each level against 0 names it, and so does each against their mean: the common one takes most.
    against_0 = sum(bool((abs(one.release.effects) > half)[levels].any()) for one in rules)
    contrasts = [one.release.effects[levels] - one.release.effects[levels].mean() for one in rules]
    against_mean = sum(bool((abs(one) > half[levels]).any()) for one in contrasts)
    assert against_0 == RELEASES
    assert against_mean > 0.9 * RELEASES
    named = sum("region" in directions(one, half) for one in rules)
    assert named < MOST
    assert all(one_sided(one, half) == ["region"] for one in rules if not leans(one, half))


def test_levels_that_turn_the_answer_are_named_against_each_other() -> None:
    rules = released("spherical-laplace", 4, ("south", "east", "west"))
    half = half_of(rules)
    for one in rules:
        new, old = directions(one, half).split("Speaking for 'old'")
        assert re.search(r"region 'north' more than '(south|east|west)'", new)
        assert re.search(r"region '(south|east|west)'.* more than 'north'", old)


def with_effects(rule: Rule, *effects: float) -> Rule:
    unit = 2.0**rule.release.exponent
    integers = tuple(round(effect / unit) for effect in effects)
    return replace(rule, release=replace(rule.release, integers=integers))


@pytest.mark.parametrize(
    ("levels", "up", "down"),
    [
        ((2, 3, 4, 5), "", ""),
        ((2, 0.5, -0.5, 0), "", ""),
        ((2, 0.5, -1.5, 0), "'north'", "'east'"),
        ((2, 3, -1.5, -4), "'south' or 'north'", "'west' or 'east'"),
    ],
)
def test_levels_stand_out_on_either_side_of_0(
    levels: tuple[float, ...], up: str, down: str
) -> None:
    """Each half-width is 1."""
    rule = with_effects(released("spherical-laplace", 4)[0], 0, 0.5, *levels)
    half = np.ones(6)
    found = [(one.second, one.first) for one in leans(rule, half)]
    pair = (f"region {up} more than {down}", f"region {down} more than {up}")
    assert found == ([pair] if up else [])
    assert one_sided(rule, half) == ([] if up else ["region"])
    assert unclear(rule, half) == ["intercept", "age"]


@pytest.mark.parametrize("kind", KINDS)
def test_words_table_and_picture_have_one_measure(kind: str) -> None:
    """No interval leaves 0 out where the words say that nothing stands out, nor the other way."""
    one = material(kind)
    report = compose(one)
    text = said(report, "learned")
    axes = Figure().subplots()
    draw_coefficients(one.rule, axes, one.simulated, bar=one.bar)
    assert bool(axes.collections) is (one.bar is not None)
    assert (one.bar is None) is (kind == "add_remove")
    if one.bar is None:
        assert "stands out" not in text.split("\n")
        return
    (bars,) = axes.collections
    assert isinstance(bars, LineCollection)
    ends = [np.asarray(segment)[:, 0] for segment in bars.get_segments()]
    beyond = [bool(low > 0 or high < 0) for low, high in ends]
    drawn = [k != 0 for k in one.rule.release.kept]
    (learned,) = [section for section in report.sections if section.key == "learned"]
    (table,) = [
        block
        for block in learned.blocks
        if isinstance(block, Table) and "stands out" in block.headings
    ]
    told = [row[-1] for row, shown in zip(table.rows, drawn, strict=True) if shown]
    assert told == ["yes" if one else "no" for one in beyond]
    assert ("No coefficient stands out" in text) is not any(beyond)


def test_what_all_levels_share_is_not_called_a_difference() -> None:
    text = said(compose(Material(released("spherical-laplace", 4)[0])), "learned")
    assert "Levels are judged against each other: they tell people apart only where one" in text
    assert "Of region all that do lean one way." in text
    assert "To lie beyond the bar is not to tell people apart." in text


def test_the_answer_says_what_else_a_named_feature_may_be() -> None:
    shared = said(compose(Material(released("spherical-laplace", 4)[0])), "short")
    assert "region: levels beyond it lean one way" in shared
    turned = released("spherical-laplace", 4, ("south", "east", "west"))[0]
    other = said(compose(Material(turned)), "short")
    assert "region 'north' more than" in other
    assert "may also stand for what all people share" in other
    assert "Left out is what privacy noise and chance alone may do, as far as sim" in other
