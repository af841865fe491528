"""The pipeline releases what the certificate says and nothing else."""

import math
from dataclasses import fields

import numpy as np
import pytest

from dpwerm.errors import ParameterError
from dpwerm.features.encoding import Encoding
from dpwerm.fit import fit_release
from dpwerm.privacy.budget import Budget, Relation
from dpwerm.privacy.randomness import OperatingSystemBits, SeededBits
from dpwerm.privacy.weight_origin import WorstCase
from dpwerm.releases.certificate import Specification, certify
from dpwerm.releases.release import Release
from dpwerm.releases.rule_file import verify_release

ENCODING = Encoding.of_numbers(["a", "b"], [(0.0, 1.0), (-5.0, 5.0)])
RNG = np.random.default_rng(3)
X = ENCODING.encode_numbers(np.c_[RNG.uniform(0, 1, 60), RNG.uniform(-5, 5, 60)])
Y = np.where(X[:, 0] > 0, 1.0, -1.0)
WEIGHTS = RNG.uniform(0, 3, 60)


def spec(epsilon: object = 1, **other: object) -> Specification:
    return Specification(Budget.of(epsilon), 10.0, 3.0, **other)  # type: ignore[arg-type]


def fitted(seed: int = 0, **other: object) -> Release:
    return fit_release(X, Y, WEIGHTS, encoding=ENCODING, spec=spec(**other), bits=SeededBits(seed))


def test_the_certificate_follows_theory() -> None:
    certificate, calibration = certify(spec(), ENCODING, 60, secure=True, library="x")
    minimiser = 2 * 3.0 * 1.0 * math.sqrt(3.0) / 10.0
    assert certificate.sensitivity.minimiser == pytest.approx(minimiser, rel=1e-12)
    assert certificate.sensitivity.tolerance == pytest.approx(1e-6 * minimiser)
    total = minimiser * (1 + 2e-6)
    assert certificate.sensitivity.total == pytest.approx(total, rel=1e-12)
    assert calibration.noise.sensitivity == certificate.sensitivity.total
    assert certificate.private


def test_the_same_seed_gives_the_same_release() -> None:
    assert fitted(1).integers == fitted(1).integers
    assert fitted(1).integers != fitted(2).integers


def test_a_weight_above_its_bound_is_never_released() -> None:
    heavy = np.where(np.arange(60) == 3, 3.0001, WEIGHTS)
    with pytest.raises(ParameterError, match="weights must not exceed weight_bound"):
        fit_release(X, Y, heavy, encoding=ENCODING, spec=spec(), bits=SeededBits(0))


def test_a_seed_is_never_private() -> None:
    assert not fitted().private
    assert fitted().certificate.randomness == "seeded"


def test_operating_system_bits_are_private_and_differ() -> None:
    first, second = (
        fit_release(X, Y, WEIGHTS, encoding=ENCODING, spec=spec(), bits=OperatingSystemBits())
        for _ in range(2)
    )
    assert first.private
    assert first.integers != second.integers


def test_the_baseline_is_not_private_and_near_the_minimiser() -> None:
    exact = fit_release(
        X, Y, WEIGHTS, encoding=ENCODING, spec=spec("inf"), bits=OperatingSystemBits()
    )
    assert not exact.private
    close = fitted(epsilon=1e9)
    assert np.allclose(exact.theta, close.theta, atol=1e-5)


def test_noise_is_added_at_the_scale_of_the_certificate() -> None:
    exact = fitted(epsilon="inf").theta
    radii = [float(np.linalg.norm(fitted(seed).theta - exact)) for seed in range(200)]
    # Mean radius is pΔ/ε; the standard error of the mean of 200 is 4 %.
    expected = 3 * fitted().certificate.sensitivity.total
    assert 0.75 * expected < np.mean(radii) < 1.25 * expected


def test_the_number_of_rows_is_not_written_under_add_remove() -> None:
    release = fitted(relation=Relation.ADD_REMOVE)
    assert release.certificate.n is None
    assert "60" not in str(release.to_dict()["certificate"])
    more = fit_release(
        np.vstack([X, X]),
        np.tile(Y, 2),
        np.tile(WEIGHTS, 2),
        encoding=ENCODING,
        spec=spec(relation=Relation.ADD_REMOVE),
        bits=SeededBits(0),
    )
    assert more.certificate == release.certificate


def test_worst_case_weights_cost_what_they_must() -> None:
    design, worst = fitted(), fitted(origin=WorstCase())
    ratio = worst.certificate.sensitivity.total / design.certificate.sensitivity.total
    assert ratio == pytest.approx((59 + 2) / 2)


def test_worst_case_weights_need_a_public_n() -> None:
    with pytest.raises(ParameterError, match="worst_case"):
        fitted(origin=WorstCase(), relation=Relation.ADD_REMOVE)


def test_a_release_holds_public_things_only() -> None:
    public = {"encoding", "integers", "certificate", "threshold", "everybody"}
    assert {field.name for field in fields(Release)} == public


def test_stages_do_not_depend_on_the_data() -> None:
    seen: list[str] = []
    fit_release(
        X, Y, WEIGHTS, encoding=ENCODING, spec=spec(), bits=SeededBits(0), on_stage=seen.append
    )
    assert seen == ["solving", "adding noise"]


def test_scores_are_those_of_the_released_coefficients() -> None:
    release = fitted()
    theta = release.theta
    assert np.allclose(release.score(X), theta[0] + X @ theta[1:])
    assert release.score(X)[7] == release.score(X[7:8])[0]


@pytest.mark.parametrize("mechanism", ["spherical-laplace", "product-laplace", "gaussian"])
def test_every_release_verifies(mechanism: str) -> None:
    delta = "1e-6" if mechanism == "gaussian" else "0"
    release = fit_release(
        X,
        Y,
        WEIGHTS,
        encoding=ENCODING,
        spec=Specification(Budget.of("0.7", delta), 10.0, 3.0, mechanism=mechanism),
        bits=OperatingSystemBits(),
    )
    assert all(finding.holds for finding in verify_release(release))


def test_halving_the_recorded_sensitivity_is_found() -> None:
    release = fitted()
    s = release.certificate.sensitivity
    forged = release.certificate.model_copy(
        update={"sensitivity": s.model_copy(update={"total": s.total / 2})}
    )
    findings = verify_release(Release(release.encoding, release.integers, forged))
    assert [f.what for f in findings if not f.holds] == ["certificate.sensitivity.total"]


INSIDE_EDITS = ["kappa", "jacobian", "rate", "epsilon_inside", "epsilon_outside", "norm", "sigma"]


@pytest.mark.parametrize("field", INSIDE_EDITS)
def test_an_edit_of_the_noise_inside_is_found(field: str) -> None:
    spec_inside = Specification(Budget.of(1), 100.0, 3.0, mechanism="objective-block")
    release = fit_release(X, Y, WEIGHTS, encoding=ENCODING, spec=spec_inside, bits=SeededBits(0))
    inside = release.certificate.perturbation
    assert inside is not None
    value = getattr(inside, field)
    other = "0.5" if isinstance(value, str) else 2.0 * (value or 1.0)
    forged = release.certificate.model_copy(
        update={"perturbation": inside.model_copy(update={field: other})}
    )
    findings = verify_release(Release(release.encoding, release.integers, forged))
    wrong = [f.what for f in findings if not f.holds]
    assert wrong == [f"certificate.perturbation.{field}"]
    gone = release.certificate.model_copy(update={"perturbation": None})
    assert not all(
        f.holds for f in verify_release(Release(release.encoding, release.integers, gone))
    )


def test_an_impossible_certificate_is_found() -> None:
    release = fitted()
    forged = release.certificate.model_copy(update={"gamma": -1.0})
    findings = verify_release(Release(release.encoding, release.integers, forged))
    assert not all(f.holds for f in findings)
