"""How the pages are built to HTML.

The source folder is the whole checkout, so a link from one file to another is the same link in the
checkout, on a code host and in the built pages. Nothing is loaded from elsewhere.
"""

import sys
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

from dpwerm.version import __version__

sys.path.insert(0, str(Path(__file__).parent / "_extensions"))

project = "dpwerm"
version = release = __version__
language = "en"
smartquotes = False  # ' is a prime, and -- begins an option
root_doc = "docs/index"
include_patterns = [
    "README.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "benchmarks/README.md",
    "docs/**",
]
exclude_patterns = [".*", "build", "dist", "demo", "src", "reproduction", "tests", "**/__pycache__"]
extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "bad_input",
    "mathml",
    "rooms",
]

myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 4

autosummary_generate = False
autodoc_member_order = "bysource"
autodoc_typehints = "none"  # types stand in the docstrings, with their ranges
autodoc_preserve_defaults = True
autodoc_default_options = {
    # Made by scikit-learn for its routing of metadata, which is not used, and by pydantic.
    "exclude-members": "set_fit_request, set_score_request, set_predict_request, model_config",
}
napoleon_google_docstring = False
napoleon_use_param = False
napoleon_use_rtype = False
napoleon_custom_sections = [("Attributes", "params_style")]
nitpicky = True

html_theme = "furo"
html_title = f"dpwerm {version}"
html_math_renderer = "mathml"
html_static_path = ["_static"]
html_css_files = ["site.css"]
templates_path = ["_templates"]
html_additional_pages = {"index": "forward.html"}
html_copy_source = False
html_show_sourcelink = False
html_show_copyright = False
html_use_index = False
html_domain_indices = False

_BESIDE = """

```{toctree}
:hidden:
:glob:
*
```
"""


def _head_the_folder(_app: Sphinx, docname: str, source: list[str]) -> None:
    """Let the README of a folder stand above the pages beside it; the file itself stays plain."""
    if docname.startswith("docs/") and docname.endswith("/README"):
        source[0] += _BESIDE


def _dash(_app: Sphinx, _what: str, _name: str, _it: Any, _options: Any, lines: list[str]) -> None:
    """Write a dash where two hyphens stand between a parameter and its meaning."""
    lines[:] = [line.replace(" -- ", " – ") for line in lines]


def setup(app: Sphinx) -> None:
    """Register what is above; the dash after napoleon, which has the usual priority 500."""
    app.connect("source-read", _head_the_folder)
    app.connect("autodoc-process-docstring", _dash, priority=600)
