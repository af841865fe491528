"""Formulas as MathML: the browser sets them itself, so a page needs no script and no font."""

import re

from docutils.nodes import Element, SkipNode
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.util.logging import getLogger
from sphinx.util.typing import ExtensionMetadata
from sphinx.writers.html5 import HTML5Translator

_LOGGER = getLogger(__name__)
_BARE = re.compile(r"frac\s*\d\d")


def _mathml(node: Element, block: bool) -> str:
    if _BARE.search(node.astext()):
        _LOGGER.warning("write \\frac{1}{2}: two bare digits are read as one number", location=node)
    try:
        return str(tex2mathml(node.astext(), as_block=block))
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
