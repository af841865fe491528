"""Write a rule in the language that the ending of the file names, in one step."""

from collections.abc import Callable
from pathlib import Path

from dpwerm.errors import ParameterError
from dpwerm.releases.export.onnx import onnx_model
from dpwerm.releases.export.python import python_source
from dpwerm.releases.export.sql import sql_file
from dpwerm.releases.files import write_bytes
from dpwerm.releases.rule import Rule

_WRITERS: dict[str, Callable[[Rule], bytes]] = {
    ".py": lambda rule: python_source(rule).encode(),
    ".sql": lambda rule: sql_file(rule).encode(),
    ".onnx": lambda rule: onnx_model(rule).SerializeToString(),
}
ENDINGS = tuple(_WRITERS)


def refuse_export(path: Path) -> None:
    """Raise if the path has an ending that names no language."""
    if path.suffix.lower() not in ENDINGS:
        *some, last = ENDINGS
        raise ParameterError(
            f"the name of an exported rule must end in {', '.join(some)} or {last}"
        )


def write_export(rule: Rule, path: str | Path) -> None:
    """Write a rule to a .py, .sql or .onnx file, or leave everything as it was."""
    path = Path(path)
    refuse_export(path)
    write_bytes(_WRITERS[path.suffix.lower()](rule), path)
