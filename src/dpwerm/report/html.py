"""A report as one HTML file: no request leaves it, and text from files stays text.

Jinja escapes everything; characters that could turn a line around are written out. Pictures are
images in the page itself, where a browser runs nothing, and the page forbids every other source.
"""

import base64

from jinja2 import Environment, PackageLoader, StrictUndefined

from dpwerm.report.content import Drawing, Report
from dpwerm.text import harmless

TEMPLATE = "report.html.j2"
BRIEF = 18
"""Characters of a cell that is kept on one line."""


def as_html(report: Report) -> str:
    """Return the report as a page that stands alone."""
    environment = Environment(
        loader=PackageLoader("dpwerm.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_finalize,
    )
    environment.filters["image"] = _image
    return environment.get_template(TEMPLATE).render(report=report, BRIEF=BRIEF)


def _finalize(value: object) -> object:
    """Return text without a character that could steer a reader's screen."""
    return harmless(value) if type(value) is str else value


def _image(drawing: Drawing) -> str:
    """Return a drawing as the address of an image in the page itself."""
    return f"data:image/svg+xml;base64,{base64.b64encode(drawing.text.encode()).decode('ascii')}"
