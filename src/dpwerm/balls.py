"""The precision of ball arithmetic, changed in one place and always put back.

flint keeps one precision for the whole process. A change by another thread could widen an
enclosure and never make it wrong, but it must not outlive the work it was made for.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from flint import ctx

_LOCK = threading.RLock()


@contextmanager
def precision(bits: int) -> Iterator[None]:
    """Work at that many bits; afterwards the precision is as before, also after an exception."""
    with _LOCK:
        before = ctx.prec
        try:
            ctx.prec = bits
            yield
        finally:
            ctx.prec = before
