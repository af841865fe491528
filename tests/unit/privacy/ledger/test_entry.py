import dataclasses
import hashlib
from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpwerm.errors import ParameterError
from dpwerm.privacy.ledger.entry import Entry, chain_faults, seal, unsealed

PLAIN = st.recursive(
    st.none() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=4,
)
BODIES = st.dictionaries(st.text(max_size=6), PLAIN, max_size=3)


def chain(bodies: list[dict[str, object]]) -> list[Entry]:
    entries: list[Entry] = []
    for number, body in enumerate(bodies, start=1):
        entries.append(seal(number, entries[-1].hash if entries else "", body))
    return entries


FIVE = chain([{"kind": "charged", "step": step} for step in range(5)])


def test_the_hash_is_of_canonical_json() -> None:
    text = '{"body":{"a":null,"b":"\\u03b5"},"number":7,"previous":"sha256:x"}'
    entry = seal(7, "sha256:x", {"b": "ε", "a": None})
    assert entry.content == text
    assert entry.hash == "sha256:" + hashlib.sha256(text.encode()).hexdigest()


@settings(max_examples=40)
@given(st.lists(BODIES, max_size=4))
def test_a_chain_verifies_and_reads_back(bodies: list[dict[str, object]]) -> None:
    entries = chain(bodies)
    assert chain_faults(entries) == []
    assert [unsealed(entry.number, entry.content, entry.hash) for entry in entries] == entries


@settings(max_examples=40)
@given(st.lists(BODIES, min_size=2, max_size=4), st.data())
def test_any_edit_is_found(bodies: list[dict[str, object]], data: st.DataObject) -> None:
    entries = chain(bodies)
    at = data.draw(st.integers(0, len(entries) - 1))
    old = entries[at]
    other = data.draw(BODIES.filter(lambda body: body != old.body))
    edits = [
        dataclasses.replace(old, body=other),
        dataclasses.replace(old, previous="sha256:" + "0" * 64),
        dataclasses.replace(old, hash="sha256:" + "0" * 64),
        dataclasses.replace(old, number=old.number + 1),
    ]
    if at + 1 < len(entries):
        edits.append(seal(old.number, old.previous, other))  # with a hash that fits
    for edit in edits:
        assert chain_faults([*entries[:at], edit, *entries[at + 1 :]])


@pytest.mark.parametrize(
    ("order", "told"),
    [
        ([1, 2, 4, 5], ["entry 3 is missing"]),
        ([1, 5], ["entries 2 to 4 are missing"]),
        ([2, 3], ["entry 1 is missing"]),
        ([1, 3, 2], ["entry 2 is missing", "entry 2 stands after entry 3"]),
        ([1, 2, 2, 3], ["entry 2 occurs twice"]),
    ],
)
def test_dropped_moved_and_doubled_entries_are_named(order: list[int], told: list[str]) -> None:
    assert chain_faults([FIVE[number - 1] for number in order]) == told


def test_edited_entries_are_named() -> None:
    edited = dataclasses.replace(FIVE[2], body={"kind": "charged", "step": 9})
    assert chain_faults([*FIVE[:2], edited, *FIVE[3:]]) == [
        "entry 3 was edited or moved: its hash does not fit"
    ]
    replaced = seal(3, FIVE[1].hash, {"kind": "charged", "step": 9})
    assert chain_faults([*FIVE[:2], replaced, *FIVE[3:]]) == [
        "entry 4 does not follow from entry 3: one of them was edited or replaced"
    ]
    first = seal(1, FIVE[3].hash, {})
    assert chain_faults([first]) == ["entry 1 names an entry before it: it was edited"]


def test_a_gap_of_unreadable_entries_is_not_called_missing() -> None:
    assert chain_faults([FIVE[0], FIVE[3]], unreadable=[2, 3]) == []
    assert chain_faults([FIVE[0], FIVE[3]], unreadable=[3]) == ["entries 2 to 3 are missing"]


@pytest.mark.parametrize(
    "content",
    [
        "",
        "no JSON",
        "[]",
        "[" * 100_000,
        '{"number":3}',
        FIVE[2].content + " ",
        FIVE[2].content.replace("charged", "ü\ud800"),
        FIVE[2].content.replace('"step":2', '"step":2,"step":2'),
        FIVE[2].content.replace('"step":2', '"step":2.0'),
        FIVE[2].content.replace('"step":2', '"step":NaN'),
        '{"body":[],"number":3,"previous":""}',
        '{"body":{},"number":3,"previous":null}',
        '{"body":{},"number":true,"previous":""}',
        FIVE[2].content.encode(),
        None,
        3,
    ],
)
def test_only_what_the_ledger_writes_verifies(content: object) -> None:
    entry = unsealed(3, content, FIVE[2].hash)
    assert entry is None or not entry.is_sealed


def test_numbers_and_hashes_of_other_types_are_not_read() -> None:
    assert unsealed("3", FIVE[2].content, FIVE[2].hash) is None
    assert unsealed(3, FIVE[2].content, None) is None


def test_an_entry_under_another_number_does_not_verify() -> None:
    moved = unsealed(4, FIVE[2].content, FIVE[2].hash)
    assert moved is not None
    assert not moved.is_sealed


@pytest.mark.parametrize(
    "body", [{"x": 0.5}, {"x": True}, {"x": [1.0]}, {"x": {"y": b"z"}}, {"x": {1: "y"}}]
)
def test_bodies_are_plain_and_exact(body: Mapping[str, object]) -> None:
    with pytest.raises(ParameterError, match="an entry cannot"):
        seal(1, "", body)


def test_a_body_is_copied() -> None:
    body: dict[str, list[int]] = {"x": [1]}
    entry = seal(1, "", body)
    body["x"].append(2)
    assert entry.is_sealed
