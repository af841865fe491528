import pytest
from pydantic_core import PydanticCustomError

from dpwerm.study.variables import CategoryFeature, NumberFeature, levels_of


def test_levels_of_a_list_and_of_a_table() -> None:
    assert [(level.name, level.cells) for level in levels_of(["F", 1])] == [
        ("F", ("F",)),
        ("1", ("1",)),
    ]
    found = levels_of({"W": ["W", "white"], "other": "*"})
    assert [(level.name, level.cells) for level in found] == [
        ("W", ("W", "white")),
        ("other", "*"),
    ]


@pytest.mark.parametrize(
    ("levels", "said"),
    [
        ("F", "list or a table"),
        (["F"], "2 to 1,000"),
        (["1", 1], "stands twice|names two"),
        (["a", "*"], r'cannot hold "\*"'),
        ({"a": "*", "b": "*"}, "only one level"),
        ({"a": ["1"], "b": ["1.0"]}, "stands twice"),
        ({"a": [], "b": ["1"]}, "list of cell values"),
        ({"a": "x", "b": ["1"]}, "list of cell values"),
        ({"a\n": ["x"], "b": ["1"]}, "cannot name"),
        ({"a\u0301\u0301\u0301\u0301\u0301": ["x"], "b": ["1"]}, "cannot name"),
        ([str(k) for k in range(1001)], "2 to 1,000"),
        ([[], "a"], "must be text"),
    ],
)
def test_bad_levels_say_why(levels: object, said: str) -> None:
    with pytest.raises(PydanticCustomError, match=said):
        levels_of(levels)


def test_all_faults_of_levels_are_in_one_text() -> None:
    with pytest.raises(PydanticCustomError) as caught:
        levels_of({"a": "*", "b": "*", "c": "x", "": ["1"]})
    for said in ("only one level", "list of cell values", "cannot name"):
        assert said in str(caught.value)


def test_defaults() -> None:
    number = NumberFeature.model_validate({"kind": "number", "bounds": [0, 10]})
    assert number.block("x").default == 5.0
    assert number.block("x").column == "x"
    raw = {"kind": "category", "levels": ["a", "b"], "column": "C"}
    assert CategoryFeature.model_validate(raw).block("x").default == "a"
    assert CategoryFeature.model_validate({**raw, "default": "b"}).block("x").default == "b"
