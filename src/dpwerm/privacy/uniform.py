"""Uniform numbers known to as many bits as are needed: U = 0.b₁b₂b₃… with fair bits b.

The first m bits say that U lies in [k, k+1]·2^−m. More bits narrow the *same* number; it is
never drawn anew, because rejecting a draw for being hard to round would change its law.
"""

from functools import lru_cache

from flint import arb

from dpwerm.privacy.randomness import BitSource

_SPREAD = arb(0, 1)


@lru_cache(maxsize=64)
def _power_of_two(exponent: int) -> arb:
    """Return 2^exponent, exactly."""
    return arb((1, exponent))


class LazyUniforms:
    """Independent uniforms U₀, U₁, … of [0, 1]; U_i reads the i-th substream of the source."""

    def __init__(self, source: BitSource) -> None:
        self._source = source
        self._streams: list[BitSource] = []
        self._known: list[tuple[int, int]] = []

    def ball(self, index: int, bits: int) -> arb:
        """Return an enclosure of U_index from at least its first ``bits`` bits (≥ 1)."""
        while len(self._streams) <= index:
            self._streams.append(self._source.substream())
            self._known.append((0, 0))
        value, known = self._known[index]
        if known < bits:
            value = value << (bits - known) | self._streams[index].bits(bits - known)
            known = bits
            self._known[index] = value, known
        return (arb(2 * value + 1) + _SPREAD) * _power_of_two(-known - 1)

    def balls(self, start: int, count: int, bits: int) -> list[arb]:
        """Return enclosures of U_start, …, U_{start+count−1}."""
        return [self.ball(index, bits) for index in range(start, start + count)]
