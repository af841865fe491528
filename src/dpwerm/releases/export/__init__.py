"""Write a rule in the language that the ending of the file names, in one step.

A language is one module with an ``Export``, which ``register_export`` makes known.
"""

from pathlib import Path

from dpwerm.errors import ParameterError
from dpwerm.parameters import check_unused
from dpwerm.releases.export.onnx import ONNX
from dpwerm.releases.export.python import PYTHON
from dpwerm.releases.export.r import R
from dpwerm.releases.export.sql import SQL
from dpwerm.releases.export.terms import Export
from dpwerm.releases.files import write_bytes
from dpwerm.releases.release import Rule
from dpwerm.text import listed

EXPORTS: dict[str, Export] = {one.ending: one for one in (PYTHON, R, SQL, ONNX)}
"""Every language by the ending of its files."""


def register_export(export: Export) -> Export:
    """Add a language under its ending, and return it."""
    check_unused("export to", export.ending, EXPORTS)
    EXPORTS[export.ending] = export
    return export


def export_to(path: Path) -> Export:
    """Return the language that the ending of a path names."""
    for ending, export in EXPORTS.items():
        if ending.lower() == path.suffix.lower():
            return export
    raise ParameterError(f"the name of an exported rule must end in {listed(list(EXPORTS), 'or')}")


def write_export(rule: Rule, path: str | Path) -> None:
    """Write a rule to a .py, .R, .sql or .onnx file, or leave everything as it was."""
    path = Path(path)
    write_bytes(export_to(path).write(rule), path)
