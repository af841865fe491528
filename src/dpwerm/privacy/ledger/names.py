"""Names of studies and slots: what a ledger writes down and a command line can take."""

import re
from collections.abc import Sequence

from dpwerm.errors import ParameterError
from dpwerm.study.budget import MAX_SLOTS

_NAME = re.compile(r"[a-z0-9][a-z0-9_.-]{0,63}")


def name_of(what: str, value: object) -> str:
    """Return a name, or say what a name is; what: "study" or "a slot"."""
    if not isinstance(value, str) or not _NAME.fullmatch(value):
        raise ParameterError(
            f"{what} must be 1 to 64 of a-z, 0-9, dot, dash, underscore, beginning with a letter "
            "or digit"
        )
    return value


def slot_names(slots: Sequence[str]) -> tuple[str, ...]:
    """Return the names of slots, each once."""
    if isinstance(slots, str) or len(slots) > MAX_SLOTS:
        raise ParameterError(f"slots must be a list of at most {MAX_SLOTS:,} names")
    names = tuple(name_of("a slot", slot) for slot in slots)
    if len(set(names)) < len(names):
        raise ParameterError("slots names a slot twice")
    return names
