import pytest

from dpwerm.errors import ParameterError
from dpwerm.privacy.budget import Relation


def test_replacing_changes_two_terms_and_publishes_n() -> None:
    assert Relation.REPLACE_ONE.terms == 2
    assert Relation.REPLACE_ONE.publishes_n


def test_adding_or_removing_changes_one_term_and_hides_n() -> None:
    assert Relation.ADD_REMOVE.terms == 1
    assert not Relation.ADD_REMOVE.publishes_n


def test_a_relation_is_found_by_its_name() -> None:
    assert Relation.of("add_remove") is Relation.ADD_REMOVE
    assert Relation.of(Relation.REPLACE_ONE) is Relation.REPLACE_ONE
    assert str(Relation.REPLACE_ONE) == "replace_one"


@pytest.mark.parametrize("name", ["replace", "", None, 1])
def test_an_unknown_relation_is_refused_with_the_names(name: object) -> None:
    with pytest.raises(ParameterError, match="add_remove, replace_one"):
        Relation.of(name)
