"""Sources of bits that are written down, one string for each substream, followed by zeros."""


class WrittenBits:
    """Bits of a text of 0 and 1; the i-th substream has the i-th text."""

    receipt = None

    def __init__(self, *texts: str, secure: bool = False) -> None:
        self.texts = list(texts)
        self.secure = secure
        self.read = 0

    def bits(self, count: int) -> int:
        found = self.texts[0][self.read : self.read + count].ljust(count, "0")
        self.read += count
        return int(found, 2) if count else 0

    def substream(self) -> "WrittenBits":
        return WrittenBits(self.texts.pop(0), secure=self.secure)


class NoBits:
    """A secure source that must not be asked."""

    secure: bool = True
    receipt = None

    def bits(self, count: int) -> int:
        raise AssertionError("bits were asked for")

    def substream(self) -> "NoBits":
        raise AssertionError("a substream was asked for")
