"""The directive rooms: every module of some packages with the first line of its docstring.

The modules are found in the tree and read as text, so the list is never behind the code.
"""

import ast
from pathlib import Path

from docutils.nodes import Node
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.util.typing import ExtensionMetadata

ROOT = Path(__file__).parents[2]
SOURCE, BESIDE = ROOT / "src", ("reproduction",)


def first_line(file: Path) -> str:
    """Return the first paragraph of a module's docstring, on one line."""
    text = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""
    # |x| is a size, not the name of something to be put in.
    return " ".join(text.split("\n\n")[0].split()).replace("|", "\\|")


def packages(room: str) -> list[Path]:
    """Return the room and the packages below it; of the ground, which is a dot, itself alone."""
    folder = ROOT / room if room in BESIDE else SOURCE / "dpwerm" / room
    if room == ".":
        return [folder]
    return sorted(file.parent for file in folder.rglob("__init__.py"))


def name_of(path: Path) -> str:
    """Return the dotted name of a package's folder or of a module's file."""
    root = SOURCE if path.is_relative_to(SOURCE) else ROOT
    return ".".join(path.relative_to(root).with_suffix("").parts)


def table_of(package: Path) -> list[str]:
    """Return a package as reStructuredText: its first line, then its modules."""
    name = name_of(package)
    modules = sorted(f for f in package.glob("*.py") if not f.name.startswith("__"))
    lines = [f".. py:module:: {name}", "", f"``{name}``: {first_line(package / '__init__.py')}", ""]
    if modules:
        lines += [".. list-table::", "   :widths: 28 72", "   :class: rooms", ""]
    for module in modules:
        lines += [f"   * - ``{module.stem}``", f"     - {first_line(module)}"]
    return [*lines, ""]


class Rooms(SphinxDirective):
    """Show the rooms that are named, with what is inside them."""

    required_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[Node]:
        """Return one table for each package."""
        found = [package for room in self.arguments[0].split() for package in packages(room)]
        for package in found:
            for file in package.glob("*.py"):
                self.env.note_dependency(str(file))
        lines = [line for package in found for line in table_of(package)]
        return self.parse_text_to_nodes("\n".join(lines))


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the directive."""
    app.add_directive("rooms", Rooms)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
