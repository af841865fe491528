"""What a page may show otherwise than a run prints it: numbers, digests, days, and noise."""

import re

_LEFT_OUT = (
    # Whether a rule is called noise depends on the noise.
    r"^(NO COEFFICIENT STANDS OUT|A larger gamma, more).*\n",
    # The automatic settings: another processor may break a near tie differently.
    r"^  (clip|intercept|saturation|threshold) .*\n",
)
_MADE_EQUAL: tuple[tuple[str, str], ...] = (
    (r"^(Coefficients in encoded units) .*", r"\1"),
    (r"^Settings: (.+\n)+", "SETTINGS\n"),
    (r"sha256:[0-9a-f]{12,64}…?", "DIGEST"),
    (r"\b[0-9a-f]{32}\b", "ID"),
    (r"\bledger [0-9a-f]{8}\b", "ledger ID"),
    (r"\b\d{4}-\d\d-\d\d\b", "DAY"),
    # Which arm a simulated person gets depends on the noise.
    (r",(pill|therapy),(-?[\d.e-]+)$", ",ARM,N"),
    # The estimator of a plan is chosen with the rest.
    (r"\b(outcome-weighted|contrast|arm-wise) +(?=objective|spherical|none)", "ESTIMATOR "),
    (r"[+-]?\d[\d.,]*(e[+-]?\d+)?", "N"),
)
_IDS = _MADE_EQUAL[2:6]
"""Digests, ids and days."""


def _with(text: str, pairs: tuple[tuple[str, str], ...]) -> str:
    for pattern, instead in pairs:
        text = re.sub(pattern, instead, text, flags=re.MULTILINE)
    return text


def masked(text: str) -> list[str]:
    """Return the lines with what may differ, and the spaces around it, made equal."""
    text = _with(text.strip("\n") + "\n", tuple((pattern, "") for pattern in _LEFT_OUT))
    return [re.sub(r"\s+", " ", line).strip() for line in _with(text, _MADE_EQUAL).splitlines()]


def without_ids(line: str) -> str:
    """Return a line with digests, ids and days made equal; its numbers stay."""
    return _with(line, _IDS)
