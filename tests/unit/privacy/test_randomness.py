import secrets
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpwerm.errors import ParameterError
from dpwerm.privacy.randomness import BitSource, OperatingSystemBits, SeededBits, bit_source

# BLAKE2b of the block and stream numbers, computed apart from the library.
SEVEN_FIRST = 0x505B576180884B62
SEVEN_SUBSTREAM_0 = 0xD9D829AD1E99B630
SEVEN_SUBSTREAM_1 = 0xC40F3B3F9EA05D8F


def test_a_seed_gives_these_bits_on_every_machine() -> None:
    source = SeededBits(7)
    assert source.bits(64) == SEVEN_FIRST
    assert source.substream().bits(64) == SEVEN_SUBSTREAM_0
    assert source.substream().bits(64) == SEVEN_SUBSTREAM_1


@given(st.integers(0, 2**128 - 1), st.lists(st.integers(0, 700), max_size=8))
def test_a_stream_reads_the_same_in_any_portions(seed: int, portions: list[int]) -> None:
    source, value = SeededBits(seed), 0
    for count in portions:
        part = source.bits(count)
        assert 0 <= part < 2**count
        value = value << count | part
    assert value == SeededBits(seed).bits(sum(portions))


def test_a_substream_does_not_depend_on_what_was_read_elsewhere() -> None:
    one, other = SeededBits(3), SeededBits(3)
    first = other.substream()
    other.bits(1000)
    first.bits(1000)
    assert [one.substream().bits(99) for _ in range(2)][1] == other.substream().bits(99)


def test_streams_seeds_and_children_all_differ() -> None:
    parent = SeededBits(1)
    children = [parent.substream() for _ in range(100)]
    streams: list[BitSource] = [parent, *children, *(child.substream() for child in children)]
    streams += [SeededBits(seed) for seed in range(2, 100)]
    values = [stream.bits(64) for stream in streams]
    assert len(set(values)) == len(values)


def test_only_the_operating_system_is_secure() -> None:
    assert bit_source(None).secure
    assert bit_source(None).substream().secure
    assert not bit_source(0).secure
    assert not bit_source(0).substream().secure


def test_the_operating_system_is_asked_for_every_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def randbits(count: int) -> int:
        asked.append(count)
        return 0

    monkeypatch.setattr(secrets, "randbits", randbits)
    source = OperatingSystemBits()
    source.bits(64)
    source.substream().bits(5)
    assert source.bits(0) == 0
    assert asked == [64, 5]


@pytest.mark.parametrize("state", [-1, 2**128, 1.0, "1", True, np.random.default_rng()])
def test_other_random_states_are_refused(state: Any) -> None:
    with pytest.raises(ParameterError, match=r"^random_state must"):
        bit_source(state)


def test_numpy_integers_are_seeds() -> None:
    seed: Any = np.int64(5)
    assert bit_source(seed).bits(64) == SeededBits(5).bits(64)
