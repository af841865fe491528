"""A new origin of weights is one class and one registration; what it leaves out is not assumed."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import ClassVar

import pytest
from tests.unit.documents.reported import said
from tests.unit.releases.value.trials import COLUMN, fitted, study, table

from dpwerm.documents.report.compose import compose
from dpwerm.documents.report.material import Material
from dpwerm.documents.value import value_summary
from dpwerm.errors import ParameterError, RuleFileError, StudyError
from dpwerm.evaluate import treatment_value
from dpwerm.privacy.sensitivity import Facts, WeightOrigin
from dpwerm.privacy.weight_origin import ORIGINS, origin_class, register_origin, stated_origin
from dpwerm.releases.files import digest_of, write_json
from dpwerm.releases.release import Rule
from dpwerm.releases.rule_file import read_rule, verify_rule, write_rule
from dpwerm.releases.tuning import refuse_shared_weights
from dpwerm.releases.value.release import read_value, value_content, write_value
from dpwerm.study.propensity import DECLARABLE
from dpwerm.study.study import Study
from dpwerm.tune.private import check_tuned


@dataclass(frozen=True)
class Silent(WeightOrigin):
    """It says no more than it must, and that it may be stated."""

    name: ClassVar[str] = "silent"
    statement: ClassVar[str] = "each weight comes from a place that keeps silent"
    stated: ClassVar[bool] = True

    def constant(self, facts: Facts) -> Fraction:
        return facts.gradient_bound


@dataclass(frozen=True)
class Lottery(Silent):
    """Its weights follow from their own records."""

    name: ClassVar[str] = "lottery"
    statement: ClassVar[str] = "each weight follows from a public lottery"
    needs_n: ClassVar[bool] = False
    own_record: ClassVar[bool] = True

    def constant(self, facts: Facts) -> Fraction:
        del facts
        return Fraction(0)


@dataclass(frozen=True)
class Hidden(Silent):
    """Nobody may state it."""

    name: ClassVar[str] = "hidden"
    stated: ClassVar[bool] = False


@pytest.fixture(autouse=True)
def registered() -> Iterator[None]:
    for origin in (Silent, Lottery, Hidden):
        register_origin(origin)
    yield
    for origin in (Silent, Lottery, Hidden):
        del ORIGINS[origin.name]
    for name in ("silent", "lottery"):
        del DECLARABLE[name]


def declaring(name: str) -> Study:
    return study(COLUMN.replace('"external"', f'"{name}"'))


def learned(name: str) -> Rule:
    return fitted(declaring(name), epsilon=1, mechanism="spherical-laplace")


@pytest.mark.parametrize("name", ["silent", "lottery"])
def test_a_study_declares_it_and_its_rule_is_written_verified_and_reported(
    name: str, tmp_path: Path
) -> None:
    rule, path = learned(name), tmp_path / "rule.json"
    write_rule(rule, path)
    assert read_rule(path).declaration.treatment.origin == name
    assert all(finding.holds for finding in verify_rule(path))
    report, statement = compose(Material(rule)), origin_class(name).statement
    assert said(report, "private").count(statement) == 2  # among the sources, and in a sentence
    assert "not assigned by lot" in said(report, "limits")


def test_without_its_word_one_person_may_move_every_weight(tmp_path: Path) -> None:
    declared, words = declaring("silent"), "may depend on more than their own record, so one person"
    with pytest.raises(ParameterError, match=f"origin silent cannot be evaluated: .*{words}"):
        treatment_value(learned("lottery"), table(), 1, study=declared, ledger="none")
    with pytest.raises(ParameterError, match="with origin silent one person moves the weights"):
        check_tuned(declared, epsilon=1, how="parts", ledger="none")
    value = treatment_value(learned("lottery"), table(), 1, ledger="none")
    content = value_content(value)
    content["treatment"]["origin"] = "silent"
    write_json({**content, "digest": digest_of(content)}, tmp_path / "value.json")
    with pytest.raises(RuleFileError, match="origin silent is never evaluated"):
        read_value(tmp_path / "value.json")


def test_with_its_word_it_is_evaluated_and_tuned(tmp_path: Path) -> None:
    refuse_shared_weights("lottery")
    check_tuned(declaring("lottery"), epsilon=1, how="parts", ledger="none")
    value = treatment_value(learned("lottery"), table(), 1, ledger="none")
    write_value(value, tmp_path / "value.json")
    assert value_content(read_value(tmp_path / "value.json")) == value_content(value)
    said = " ".join(value_summary(value).split())
    assert "Errors of the propensity model are in no interval" in said


def test_what_may_not_be_stated_is_refused_where_it_is() -> None:
    with pytest.raises(StudyError, match="must be 'design', 'external', 'worst_case', 'silent' or"):
        declaring("hidden")
    with pytest.raises(ParameterError, match="weight_origin must be one of"):
        stated_origin("hidden")
    assert stated_origin("silent") == Silent()


def test_studies_may_declare_what_may_be_stated() -> None:
    assert {one.name: one.own_record for one in ORIGINS.values() if one.stated} == DECLARABLE


def test_adaptive_allocation_is_refused_where_weights_follow_from_their_own_records() -> None:
    column = COLUMN + '\nallocation = "adaptive"'
    with pytest.raises(StudyError, match="have no origin 'lottery'"):
        study(column.replace('"external"', '"lottery"'))
    assert study(column.replace('"external"', '"silent"')).treatment.origin == "silent"


def test_a_property_is_not_taken_for_yes() -> None:
    class Late(Silent):
        name: ClassVar[str] = "late"

        @property
        def own_record(self) -> bool:  # type: ignore[override]
            return False

    with pytest.raises(ParameterError, match="own_record of an origin must be a bool on its class"):
        register_origin(Late)
    with pytest.raises(ParameterError, match="name of an origin must be a str on its class"):
        register_origin(WeightOrigin)  # type: ignore[type-abstract]
    assert "late" not in ORIGINS
