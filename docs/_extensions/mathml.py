"""Formulas as MathML: the browser sets them itself, so a page needs no script and no font.

What docutils makes of LaTeX is mended where browsers set it badly: an index below an accent, bars
with the spaces of an operator, a function without a space before its argument.
"""

import re
from itertools import pairwise
from xml.etree import ElementTree as ET

from docutils.nodes import Element, SkipNode
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.util.logging import getLogger
from sphinx.util.typing import ExtensionMetadata
from sphinx.writers.html5 import HTML5Translator

_LOGGER = getLogger(__name__)
_BARE = re.compile(r"frac\s*\d\d")
_MATHML = "http://www.w3.org/1998/Math/MathML"
_ACCENTS, _BARS, _APPLY = "ˆ~ˉ", "|‖", "\u2061"
ET.register_namespace("", _MATHML)


def _name(tag: str) -> str:
    return f"{{{_MATHML}}}{tag}"


def mended(mathml: str) -> str:
    """Return a formula as browsers set it well."""
    root = ET.fromstring(mathml.replace("&ApplyFunction;", _APPLY))  # noqa: S314 made by docutils
    for node in list(root.iter()):
        parts = list(node)
        if node.tag == _name("munderover") and parts[2].text in set(_ACCENTS):
            base, index, accent = parts
            node.tag = _name("msub")
            node[:] = [ET.Element(_name("mover"), accent="true"), index]
            node[0].extend([base, accent])
        if node.tag == _name("mo") and node.text in set(_BARS) and "stretchy" not in node.attrib:
            opening = node.attrib.pop("class", "") == "mathopen"
            node.attrib |= {"stretchy": "false", "form": "prefix" if opening else "postfix"}
        for function, argument in pairwise(parts):
            if function.text == _APPLY and argument.text not in {"(", "["}:
                function.tag, function.text = _name("mspace"), None
                function.set("width", "0.17em")
    return ET.tostring(root, encoding="unicode")


def _mathml(node: Element, block: bool) -> str:
    if _BARE.search(node.astext()):
        _LOGGER.warning("write \\frac{1}{2}: two bare digits are read as one number", location=node)
    try:
        return mended(str(tex2mathml(node.astext(), as_block=block)))
    except MathError as fault:
        _LOGGER.warning("formula not understood: %s", fault, location=node)
        return ""


def visit_inline(self: HTML5Translator, node: Element) -> None:
    """Write a formula inside a line."""
    self.body.append(_mathml(node, block=False))
    raise SkipNode


def visit_block(self: HTML5Translator, node: Element) -> None:
    """Write a formula on a line of its own, in a box that scrolls if it is too wide."""
    self.body.append(f'<div class="formula">{_mathml(node, block=True)}</div>\n')
    raise SkipNode


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the renderer under the name mathml."""
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
