from typing import Any

import pytest

from dpwerm.features.encoding import Encoding
from dpwerm.privacy.budget import Budget
from dpwerm.releases.certificate import Specification, certify
from dpwerm.releases.kinds import Finding, leaves
from dpwerm.releases.release import Release
from dpwerm.releases.rule_file import verify_release

ENCODING = Encoding.of_numbers(["a"], [(0.0, 1.0)])
CERTIFICATE, _ = certify(
    Specification(Budget.of(1), 10.0, 3.0), ENCODING, 10, secure=True, library="x"
)


def wrong(**edits: Any) -> list[str]:
    release = Release(ENCODING, (1, 2), CERTIFICATE.model_copy(update=edits))
    return [finding.what for finding in verify_release(release) if not finding.holds]


def test_an_honest_release_holds() -> None:
    assert wrong() == []


@pytest.mark.parametrize(
    "edits",
    [{"epsilon": "0.5"}, {"gamma": 20.0}, {"weight_bound": 1.5}, {"mechanism": "product-laplace"}],
)
def test_an_edited_fact_no_longer_fits_the_rest(edits: dict[str, Any]) -> None:
    assert wrong(**edits)


@pytest.mark.parametrize(
    "edits", [{"private": False}, {"radius": 1.0}, {"dimension": 3}, {"claim": "all is well"}]
)
def test_an_edited_consequence_is_named(edits: dict[str, Any]) -> None:
    assert wrong(**edits) == [f"certificate.{next(iter(edits))}"]


def test_equal_numbers_of_another_type_are_not_the_same() -> None:
    assert not Finding("x", 1, 1.0).holds
    assert not Finding("x", True, 1).holds


def test_leaves_of_nested_data() -> None:
    assert dict(leaves({"a": [1, {"b": 2}], "c": None})) == {"a[0]": 1, "a[1].b": 2, "c": None}


IN_RHO, _ = certify(
    Specification(Budget.zcdp("0.1"), 10.0, 3.0, mechanism="gaussian"),
    ENCODING,
    10,
    secure=True,
    library="x",
)


@pytest.mark.parametrize(
    ("edits", "named"),
    [
        ({}, []),
        ({"rho": "0.2"}, ["noise.scale", "gaussian.rho", "gaussian.mu"]),
        ({"rho": "0.05"}, ["noise.scale", "gaussian.rho", "gaussian.mu"]),
        ({"gaussian": None}, ["gaussian.rho", "gaussian.mu"]),
        ({"delta": "0"}, ["delta"]),
    ],
)
def test_sigma_is_derived_again_from_rho(edits: dict[str, Any], named: list[str]) -> None:
    release = Release(ENCODING, (1, 2), IN_RHO.model_copy(update=edits))
    found = [finding.what for finding in verify_release(release) if not finding.holds]
    assert {f"certificate.{name}" for name in named} - set(found) == set()
    assert bool(found) is bool(edits)


def test_a_promise_in_two_notions_is_refused() -> None:
    release = Release(ENCODING, (1, 2), IN_RHO.model_copy(update={"epsilon": "1"}))
    (*_, last) = verify_release(release)
    assert not last.holds
    assert "exactly one of epsilon, rho and mu" in str(last.derived)
