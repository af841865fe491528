"""Formulas of a page in its source: those that are typeset, and signs of mathematics outside."""

import re

_CODE = re.compile(r"```.*?```|`[^`\n]*`|\]\([^)]*\)", re.DOTALL)
_TYPESET = re.compile(r"\$\$.+?\$\$|\$[^$]+\$", re.DOTALL)
_RAW = re.compile(
    "[\u0370-\u03ff\u0302\u0303\u2070-\u209f\u2200-\u220d\u220f-\u22ff\u2308-\u230b\u2016\u2113"
    "ᵀ²³¹·×±½¾⅔→↦⪰⪯]"  # Greek letters, indices and operators, but the end of a proof
    r"|\w_\w|\w\^|[<>=]|^ {4,}\S+ *=",
    re.MULTILINE,
)


def typeset(text: str) -> list[str]:
    """Return all formulas between dollars."""
    return _TYPESET.findall(_CODE.sub("", text))


def raw(text: str) -> list[str]:
    """Return the lines, without code, links and typeset formulas, that still hold a formula."""
    left = _TYPESET.sub("", _CODE.sub("", text))
    return [line for line in left.splitlines() if _RAW.search(line)]
