"""From the bytes of a study file to plain values; decimals stay as they were written."""

import tomllib
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path

from dpwerm.errors import Fault, StudyError

SIZE_LIMIT = 1 << 20
MOST_DOTS = 50
"""Parts of one dotted key; the parser's time grows with their square."""


def read_study_text(path: str | Path) -> str:
    """Return the text of a study file of at most 1 MB."""
    path = Path(path)
    label = f"study file {path.name or path}"
    try:
        if not path.is_file():
            problem = "is a folder" if path.is_dir() else "does not exist"
            raise StudyError(label, [Fault("file", problem, "give the path of a TOML file")])
        with path.open("rb") as stream:
            raw = stream.read(SIZE_LIMIT + 1)
        if len(raw) > SIZE_LIMIT:
            raise StudyError(label, [Fault("file", "is larger than 1 MB")])
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        fault = Fault(f"line {line}", "is not UTF-8", "save the file as UTF-8")
        raise StudyError(label, [fault]) from None
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise StudyError(label, [Fault("file", f"cannot be read ({reason})")]) from None
    except ValueError as error:
        if isinstance(error, StudyError):
            raise
        raise StudyError(label, [Fault("file", "has an impossible path")]) from None


def parse_toml(text: str, label: str = "study file") -> dict[str, object]:
    """Return the values of a TOML text; a fault of the syntax comes with line and column."""
    if len(text) > SIZE_LIMIT:
        raise StudyError(label, [Fault("file", "is larger than 1 MB")])
    if any(line.partition("=")[0].count(".") > MOST_DOTS for line in text.splitlines()):
        raise StudyError(label, [Fault("syntax", "is nested too deeply")])
    try:
        return tomllib.loads(text, parse_float=Decimal)
    except tomllib.TOMLDecodeError as error:
        message = str(error)
        raise StudyError(label, [Fault("syntax", message[:200], "see https://toml.io")]) from None
    except (ValueError, ArithmeticError):
        raise StudyError(label, [Fault("syntax", "a number is too long to read")]) from None
    except RecursionError:
        raise StudyError(label, [Fault("syntax", "is nested too deeply")]) from None


def with_model_file(raw: dict[str, object], folder: Path, label: str) -> dict[str, object]:
    """Return a study's values with the coefficients of its propensity file in their place.

    ``propensity = { model = "external", file = "propensity.toml" }``: the path is relative to the
    study file's folder, and the file holds ``arm``, ``intercept`` and ``[coefficients]``.
    """
    found = raw.get("treatment")
    treatment: Mapping[str, object] = found if isinstance(found, Mapping) else {}
    propensity = treatment.get("propensity")
    if not isinstance(propensity, Mapping) or not isinstance(propensity.get("file"), str):
        return raw
    rest = {key: value for key, value in propensity.items() if key != "file"}
    where = "treatment.propensity.file"
    if rest.get("model") != "external":
        fault = Fault(where, 'is only for model = "external"', "leave out file")
        raise StudyError(label, [fault])
    try:
        path = folder / str(propensity["file"])
        model = parse_toml(read_study_text(path), f"propensity file {path.name}")
    except StudyError as error:
        faults = [Fault(f"{where}: {fault.where}", fault.problem) for fault in error.faults]
        raise StudyError(label, faults) from None
    both = sorted(set(rest) & set(model) - {"model"})
    if both:
        fault = Fault(where, f"also holds {', '.join(both)}", "say each thing once")
        raise StudyError(label, [fault])
    return {**raw, "treatment": {**treatment, "propensity": {**model, **rest}}}
