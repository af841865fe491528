import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from tests.unit.mechanisms.laws import NOISE_LAWS

from dpwerm import PrivateTreatmentRule, Study
from dpwerm.documents.figures import save_figure
from dpwerm.documents.null_trials import bar_of
from dpwerm.documents.summary import KEPT, summary
from dpwerm.privacy.budget import Budget
from dpwerm.releases.kinds import kind_of
from dpwerm.releases.release import Rule
from dpwerm.releases.rule_file import read_rule
from dpwerm.releases.tuning import Tuning
from dpwerm.simulate.demo import demo_trial, study_text
from dpwerm.text import number

TRIAL = demo_trial(people=150)
TEXT = study_text().replace("[budget]\nepsilon = 2\n", "")


def one_feature(feature: str, more: str = "") -> str:
    """Return a study of the demo trial with one feature alone."""
    return f"""\
format = 1
study = {{ id = "one" }}
features.{feature}
treatment = {{ column = "arm", arms = {{ pill = 0.5, therapy = 0.5 }} }}
benefit = {{ column = "improvement", bounds = [-12, 28] }}
{more}
"""


def demo_rule(epsilon: object = 1, text: str = TEXT, **other: object) -> Rule:
    parameters = {"gamma": 2000.0} | other
    rule = PrivateTreatmentRule.from_study(Study.parse(text), epsilon, ledger="none", **parameters)
    return rule.fit(TRIAL).rule_


def test_every_law_of_noise_has_its_half_width() -> None:
    assert all(law.half_width(1.0, 2, 0.95, 1) is not None for law in NOISE_LAWS.values())


def test_the_summary_says_what_was_released() -> None:
    rule = demo_rule()
    text = summary(rule)
    for words in (
        "Released under differential privacy: epsilon 1, delta 0",
        "Recommend 'therapy' where the score is above 0",
        "by at most a factor 2.72",
        "replace_one, n = 150",
        "operating system",
        "earlier_treatment=yes",
    ):
        assert words in text


def test_a_design_is_said_to_have_been_fixed() -> None:
    text = " ".join(summary(demo_rule()).split())
    assert "origin design, fixed before the first person" in text


def test_a_baseline_and_a_seed_say_not_private() -> None:
    assert "NOT PRIVATE: fitted without noise" in summary(demo_rule("inf"))
    assert "NOT PRIVATE: the noise came from a seed" in summary(demo_rule(1, random_state=1))
    assert "What epsilon" not in summary(demo_rule("inf"))


def test_delta_is_explained() -> None:
    rule = demo_rule(1, mechanism="gaussian", delta="1e-6")
    text = " ".join(summary(rule).split())
    assert "Beyond that factor a probability may differ by delta = 0.000001" in text
    assert "odds" not in text


@pytest.mark.parametrize(
    ("mechanism", "delta", "words"),
    [("objective-block", 0, "block, rate "), ("objective-gaussian", "1e-6", "gaussian, sigma ")],
)
def test_objective_perturbation_states_no_half_width_and_says_why(
    mechanism: str, delta: object, words: str
) -> None:
    rule = demo_rule(1, mechanism=mechanism, delta=delta)
    text = summary(rule)
    assert "the spread of the noise in a coefficient depends" in text
    assert "±  " not in text
    assert "in 95 of 100 releases" not in text
    assert "STANDS OUT" not in text
    assert words in text
    assert "0.99 inside" in text
    assert "0.01 for the second noise" in text


def test_a_simulated_half_width_is_promised_only_where_the_report_has_one() -> None:
    sentence = "`dpwerm report` shows a ± from synthetic trials instead."
    assert sentence in " ".join(summary(demo_rule(1, mechanism="objective-block")).split())
    text = study_text().replace('"replace_one"', '"add_remove"')
    for other in (demo_rule(1, text, mechanism="objective-block"), demo_rule()):
        assert sentence not in " ".join(summary(other).split())


def test_the_tiny_second_noise_is_not_called_the_noise_of_the_rule() -> None:
    text = summary(demo_rule(1, mechanism="objective-block"))
    for row in ("sensitivity", "noise scale"):
        assert f"\n  {row} " not in text
        assert f"\n  {row} " in summary(demo_rule(1))
    ten = r"\S+ × 10\^-\d+"
    words = rf"second noise scale {ten} on a grid of 2\^-\d+; covers {ten}, twice the solver"
    assert re.search(words, " ".join(text.split()))


def test_with_saturation_the_coefficients_of_the_score_are_shown() -> None:
    rule = demo_rule(10, saturation=2.0, random_state=1)
    release, text = rule.release, summary(rule)
    half = release.half_width(count=len(release.theta))
    assert half is not None
    units = "a number runs from -1 to 1 over its declared range, two levels are -1 and 1"
    assert units in " ".join(text.split())
    theta = dict(zip(release.encoding.coefficient_names, release.theta, strict=True))
    for name, phi in (("intercept", 1.0), ("age", 1.375), ("severity", 1.375), ("sex=M", 1.0)):
        shown = number(phi * theta[name], phi * half, sign=True)
        wanted = rf"\n  {name} +{re.escape(shown)}  ± {number(phi * half, phi * half)}\n"
        assert re.search(wanted, text), name


def test_a_stretched_coefficient_does_not_stand_out_by_its_stretch() -> None:
    rule = demo_rule(1, saturation=100.0, random_state=1)
    names = rule.release.encoding.coefficient_names
    half = rule.release.half_width(count=len(names))
    assert half is not None
    inside = int(0.9 * half / 2.0**rule.release.exponent)
    for integer, said in ((inside, True), (int(1.2 * inside), False)):
        integers = tuple(integer if name == "age" else 0 for name in names)
        shown = summary(replace(rule, release=replace(rule.release, integers=integers)))
        assert ("NO COEFFICIENT STANDS OUT" in shown) is said


def test_gaussian_noise_is_stated_in_every_notion(tmp_path: Path) -> None:
    text = summary(demo_rule(1, mechanism="gaussian", delta="1e-6"))
    assert "other notions  rho = 0.0280145 (zCDP), mu = 0.236705 (Gaussian DP)" in text
    rule = demo_rule(Budget.zcdp("0.02"))
    text = summary(rule)
    assert "Released under differential privacy: rho 0.02 (zCDP), relation replace_one." in text
    assert "What rho = 0.02 means" in text
    assert "other notions  rho = 0.02 (zCDP), mu = 0.2 (Gaussian DP)" in text
    assert "epsilon" not in text
    save_figure(rule, tmp_path / "rule.svg")
    assert "other notions" not in summary(demo_rule(1))


def test_the_summary_says_what_its_half_width_leaves_out() -> None:
    rule = demo_rule(1)
    tuned = replace(rule, tuning=Tuning("parts", (50.0, 100.0), 600, Budget.of(1)))
    assert KEPT in " ".join(summary(tuned).split())
    assert KEPT not in " ".join(summary(rule).split())


def test_an_epsilon_of_no_use_is_called_so() -> None:
    assert "protects nobody" in summary(demo_rule(50))


def test_add_remove_writes_no_n() -> None:
    text = study_text().replace('"replace_one"', '"add_remove"')
    lines = summary(demo_rule(text=text)).splitlines()
    assert any("n is not written" in line for line in lines)
    # Coefficients are noise and may hold any digits; they carry a sign.
    assert not any("150" in line for line in lines if "+" not in line and "-" not in line)


@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_figures_are_written(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"rule.{ending}"
    save_figure(demo_rule(), path)
    assert path.stat().st_size > 5_000


def test_names_with_signs_are_drawn_as_text(tmp_path: Path) -> None:
    text = (
        study_text()
        .replace("Therapy or pill", r"$\\frac{$ [red] <b>")
        .replace("[features.age]", '[features."$x_{"]\ncolumn = "age"')
    )
    path = tmp_path / "rule.png"
    save_figure(demo_rule(text=text), path)
    assert path.stat().st_size > 5_000


def test_a_rule_without_two_numbers_is_drawn_too(tmp_path: Path) -> None:
    only = one_feature('sex = { kind = "category", levels = ["F", "M"] }')
    save_figure(demo_rule(text=only), tmp_path / "rule.png")
    assert np.isfinite(demo_rule(text=only).score_table(pa.table({"sex": ["F", "M", ""]}))).all()


def test_a_rule_of_noise_is_called_so(monkeypatch: pytest.MonkeyPatch) -> None:
    words = "NO COEFFICIENT STANDS OUT"
    assert words not in summary(demo_rule(1_000_000))
    # The noise is far larger than every coefficient: 95 of 100 such rules are called noise. If each
    # coefficient were judged by itself, only 9 of these 12 would be.
    rules = [demo_rule("0.001", random_state=seed) for seed in range(12)]
    shared = bar_of(rules[0])  # they were made alike
    monkeypatch.setattr("dpwerm.documents.verdict.bar_of", lambda _: shared)
    assert sum(words in summary(rule) for rule in rules) == 11


def test_a_number_whose_name_looks_like_a_level_is_a_number() -> None:
    X = np.linspace(-1, 1, 40)[:, None]
    frame = pd.DataFrame({"a=b": X[:, 0]})
    rule = PrivateTreatmentRule(
        "inf",
        feature_bounds=(-1, 1),
        benefit_bounds=(-1, 1),
        propensity={"old": 0.5, "new": 0.5},
        gamma=1.0,
    )
    rule.fit(frame, np.tile(["old", "new"], 20), X[:, 0])
    assert re.search(r"^  a=b +\S+ per unit$", summary(rule.rule_), re.MULTILINE)


def test_a_rule_from_a_file_is_told_as_the_one_in_memory(tmp_path: Path) -> None:
    wide = TEXT.replace("bounds = [-12, 28]", "bounds = [-12, 2800]\nclip = 100")
    rule = demo_rule(text=wide, random_state=1)
    kind_of(rule).write(rule, tmp_path / "rule.json")
    text = summary(read_rule(tmp_path / "rule.json"))
    assert text == summary(rule)
    assert "If most people's improvement lies below 1,294, or most above 1,494" in " ".join(
        text.split()
    )
