"""A mechanism from outside walks the whole way: fit, verify, summary, report, choice, audit."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats
from tests.plugins.mechanisms import CUBE, SUP, CubeLaplace
from tests.unit.choose.questions import question
from tests.unit.documents.test_summary import TEXT, TRIAL, demo_rule
from tests.unit.small import search_little

from dpwerm import PrivateTreatmentRule, Study
from dpwerm.audit.attack import audit
from dpwerm.audit.suite import mechanism_target
from dpwerm.choose import grid as candidates
from dpwerm.documents.half_widths import simulated_half_widths
from dpwerm.documents.render import as_text
from dpwerm.documents.report.compose import compose
from dpwerm.documents.report.material import Material
from dpwerm.documents.summary import summary
from dpwerm.errors import ParameterError
from dpwerm.mechanisms import MECHANISMS, contract, register_mechanism
from dpwerm.mechanisms.contract import Mechanism
from dpwerm.privacy.budget import Budget
from dpwerm.releases.rule_file import read_rule, verify_rule, write_rule

PLUGGED: tuple[Mechanism, ...] = (CUBE, SUP)
NAMES = [one.name for one in PLUGGED]
every = pytest.mark.parametrize("name", NAMES)


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Register both, and forget them afterwards."""
    table = dict(contract._MECHANISMS)
    for mechanism in PLUGGED:
        register_mechanism(mechanism)
    yield
    contract._MECHANISMS.clear()
    contract._MECHANISMS.update(table)


@every
def test_it_fits_verifies_and_is_told(name: str, tmp_path: Path) -> None:
    rule = demo_rule(50, mechanism=name)
    path = tmp_path / "rule.json"
    write_rule(rule, path)
    again = read_rule(path)
    findings = verify_rule(path)
    assert findings
    assert all(finding.holds for finding in findings)
    assert again.release.certificate.mechanism == name
    assert again.release.certificate.claim == MECHANISMS[name].statement
    assert name in summary(again)
    text = as_text(compose(Material(again)))
    assert MECHANISMS[name].how in " ".join(text.split())


def test_its_half_width_is_that_of_its_law() -> None:
    rule = demo_rule(50, mechanism="cube-laplace")
    certificate = rule.release.certificate
    width = rule.release.half_width()
    assert width is not None
    rng, p = np.random.default_rng(1), certificate.dimension
    noise = rng.gamma(p + 1, size=40_000) * rng.uniform(-1, 1, 40_000) * certificate.noise.scale
    assert np.mean(np.abs(noise) <= width) == pytest.approx(0.95, abs=0.006)
    inside = demo_rule(1, mechanism="objective-sup")
    assert inside.release.half_width() is None
    assert simulated_half_widths(inside, problems=4, draws=4) is not None


@pytest.fixture
def quick(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    search_little(tmp_path / "cache", monkeypatch, most=1)


@every
@pytest.mark.usefixtures("quick")
def test_gamma_is_chosen_for_it(name: str) -> None:
    study = Study.parse(TEXT)
    rule = PrivateTreatmentRule.from_study(study, 1, ledger="none", mechanism=name)
    certificate = rule.fit(TRIAL).rule_.release.certificate
    assert certificate.mechanism == name
    assert certificate.chosen is not None


def test_the_automatic_choice_tries_it_in_its_place() -> None:
    tried = candidates.mechanisms(question())
    assert tried == (
        "objective-block",
        "objective-sup",
        "objective-l2",
        "spherical-laplace",
        "cube-laplace",
    )
    assert not set(NAMES) & set(candidates.mechanisms(question(epsilon="inf")))


def test_an_answer_that_did_not_try_it_is_not_remembered_for_it() -> None:
    asked = question()
    with_it = asked.digest("x")
    contract._MECHANISMS.pop("objective-sup")
    without = asked.digest("x")
    contract._MECHANISMS.pop("cube-laplace")
    assert len({with_it, without, asked.digest("x")}) == 3


@every
def test_the_audit_finds_its_claim_true_and_a_wrong_one_not(name: str) -> None:
    target = mechanism_target(name, 1, "4", "0")
    found = audit(target, runs=8000, confidence=1 - 1e-8)
    assert found.holds
    assert found.lower > 2.0
    honest = target.calibration
    loud = replace(
        honest,
        noise=replace(honest.noise, scale=honest.noise.scale / 4),
        inside=None if honest.inside is None else replace(honest.inside, rate=4 * rate(honest)),
    )
    target.__dict__["calibration"] = loud
    assert not audit(target, runs=8000, confidence=1 - 1e-8).holds


def rate(calibration: Any) -> float:
    return float(calibration.inside.rate)


@every
def test_real_releases_have_the_simulated_law(name: str) -> None:
    target = mechanism_target(name, 2, "2", "0")
    data = target.pairs()[0].first
    exact, simulated = target.exact(data, 300), target.outputs(data, 20_000, (1,))
    for j in range(2):
        assert stats.ks_2samp(exact[:, j], simulated[:, j]).pvalue > 1e-4
    assert stats.ks_2samp(2 * exact[:, 0], simulated[:, 0]).pvalue < 1e-4


# -- what is refused -----------------------------------------------------------------------------


def test_a_name_is_given_once() -> None:
    for taken in (CUBE, MECHANISMS["none"], MECHANISMS["gaussian"]):
        with pytest.raises(ParameterError, match="already registered"):
            register_mechanism(taken)


class Renamed(CubeLaplace):
    """The cube law under a name of its own, with one thing missing."""

    name = "renamed"


class Silent(Renamed):
    how = ""


class Narrow(Renamed):
    def outside_noise(self, calibration: Any, draws: Any) -> Any:
        return super().outside_noise(calibration, draws)[..., :1]


class Endless(Renamed):
    def log_density(self, calibration: Any, noise: Any) -> Any:
        return super().log_density(calibration, noise) - np.inf


class Mixed(Renamed):
    def inside_noise(self, calibration: Any, draws: Any) -> Any:
        return self.outside_noise(calibration, draws)


class Moody(Renamed):
    def calibrate(self, facts: Any, budget: Any) -> Any:
        made = super().calibrate(facts, budget)
        return replace(made, tolerance=float(np.random.default_rng().random()))


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (Silent, "needs a name, a claim"),
        (Narrow, "noise"),
        (Endless, "finite"),
        (Mixed, "in one place only"),
        (Moody, "the same each time"),
    ],
)
def test_a_mechanism_that_lacks_something_is_refused(kind: Any, words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        register_mechanism(kind())
    assert "renamed" not in MECHANISMS


def test_a_budget_that_nothing_serves_is_refused_by_it() -> None:
    with pytest.raises(ParameterError, match="cube-laplace needs epsilon"):
        demo_rule(Budget.zcdp("0.1"), mechanism="cube-laplace")
