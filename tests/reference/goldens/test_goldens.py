"""Seeded releases with all settings given are what they were, to the last bit."""

import copy

import pytest
from tests.reference.goldens.make import (
    DATA,
    GROUPS,
    differences,
    flat,
    made,
    packed,
    unpacked,
)

STORED = {path.stem: path for path in sorted(DATA.glob("*.json"))}


def test_every_group_is_stored() -> None:
    assert set(STORED) == set(GROUPS)


@pytest.mark.parametrize("group", GROUPS)
def test_is_as_it_was_stored(group: str) -> None:
    stored = unpacked(STORED[group].read_text(encoding="utf-8"))
    found = differences(stored, flat(made(group)))
    shown = "\n".join(found[:25])
    assert not found, f"{len(found)} values differ, such as\n{shown}"


def test_a_file_holds_what_is_packed_and_one_last_bit_is_seen() -> None:
    cases = {
        "a": {"same": 1, "theta": {"k": [1, 2], "x": 0.1}},
        "b": {"same": 1, "theta": {"k": [1, 3], "x": 0.1}, "more": None},
    }
    stored = unpacked(packed(cases))
    assert stored == flat(cases)
    for value in (0.1 + 2**-56, 1):
        changed = copy.deepcopy(cases)
        changed["a"]["theta"]["x"] = value  # type: ignore[index]
        assert len(differences(stored, flat(changed))) == 1
    one = {"a": {"x": 1}}
    assert differences(flat(one), flat({"a": {"x": 1.0}}))
    assert differences(flat(one), flat({"a": {"x": True}}))
    assert differences(flat(one), flat({"b": {"x": 1}})) == ["a: no longer made", "b: not stored"]
