"""From the bytes of a study file to plain values, and from those to the values of its fields.

Numbers arrive as integers or exact decimals, never as rounded doubles, so one tenth stays one tenth
where exactness matters (budgets, probabilities). Each field type turns a written value into its
canonical one or says why not.
"""

import math
import re
import tomllib
from collections.abc import Callable, Mapping
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from pathlib import Path
from typing import Annotated, TypeVar

from pydantic import BeforeValidator, PlainValidator

from dpwerm.data.table import normalise
from dpwerm.errors import Fault, ParameterError, StudyError
from dpwerm.faults import shown, wrong
from dpwerm.parameters import interval, positive, real
from dpwerm.text import MOST_MARKS, stays_in_line

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
        raise StudyError(label, [Fault(where, 'is only for model = "external"', "leave out file")])
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


def shared_columns(raw: Mapping[str, object]) -> list[Fault]:
    """Return a fault for every column with two uses; works on whatever a file holds."""

    def at(*keys: str) -> object:
        found: object = raw
        for key in keys:
            found = found.get(key) if isinstance(found, Mapping) else None
        return found

    features, model = at("features"), at("treatment", "propensity")
    uses = {
        f"features.{name}.column": at("features", name, "column") or name
        for name in (features if isinstance(features, Mapping) else ())
    } | {
        "treatment.column": at("treatment", "column"),
        "treatment.propensity": model.get("column") if isinstance(model, Mapping) else model,
        "benefit.column": at("benefit", "column"),
        "study.person": at("study", "person"),
    }
    first: dict[str, str] = {}
    faults = []
    for where, column in uses.items():
        if not isinstance(column, str) or column == PLACEHOLDER:
            continue
        known = first.setdefault(column.strip(), where)
        if known != where:
            problem = f"column {shown(column)} is already used by {known}"
            faults.append(Fault(where, problem, "each column has one use"))
    return faults


# -- field types --------------------------------------------------------------------------------


T = TypeVar("T")
PLACEHOLDER = "<fill in>"
"""What a new study file holds where only a person can know the value."""

BROKEN = (
    f"has a line break, another control character, or more than {MOST_MARKS} combining marks in a "
    "row in it"
)
"""What is wrong with a name that a report could not show in one line."""

LEAST_PROBABILITY = Fraction(1, 10**9)
IDENTIFIER = re.compile(r"[a-z0-9][a-z0-9_.-]{0,63}")
_MOST_DIGITS = 50
_RATIO = re.compile(r"\s*([0-9]{1,60})\s*/\s*([0-9]{1,60})\s*")


def _double(value: object) -> object:
    """Return integers and decimals as doubles, anything else unchanged."""
    if isinstance(value, bool) or not isinstance(value, (int, float, Decimal)):
        return value
    try:
        return float(value)
    except (OverflowError, ValueError):
        return math.inf


def _checked(check: Callable[[str, object], T], value: object) -> T:
    try:
        return check("", value)
    except ParameterError as error:
        raise wrong(str(error).lstrip(" :")) from None


def number(value: object) -> float:
    """Return a finite number of moderate size."""
    found = _checked(real, _double(value))
    if abs(found) > 1e12:
        raise wrong("must lie within ±1e+12")
    return found


def positive_number(value: object) -> float:
    """Return a number in [1e-12, 1e12]."""
    return _checked(positive, _double(value))


def scale(value: object) -> float:
    """Return 0 or a number in [1e-12, 1e12]."""
    return 0.0 if number(value) == 0 else positive_number(value)


def word_or(
    check: Callable[[object], float], *words: str, kind: str = "a number"
) -> Callable[[object], float | str]:
    """Return a check that also takes some words."""

    def checked(value: object) -> float | str:
        if not isinstance(value, str):
            return check(value)
        if value not in words:
            known = ", ".join(f'"{word}"' for word in words)
            raise wrong(f"must be {known} or {kind}")
        return value

    return checked


def saturation(value: object) -> float:
    """Return a number in [1, 100]."""
    found = number(value)
    if not 1 <= found <= 100:
        raise wrong("must be between 1 and 100")
    return found


def share(value: object) -> float:
    """Return a share of ε from 0 to 0.5."""
    found = number(value)
    if not 0 <= found <= 0.5:
        raise wrong("must be from 0 to 0.5")
    return found


def threshold(value: object) -> float:
    """Return a number in [0, 1)."""
    found = number(value)
    if not 0 <= found < 1:
        raise wrong("must be at least 0 and below 1")
    return found


def people(value: object) -> int:
    """Return a whole number of people from 1 on."""
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= 10**12:
        raise wrong("must be a whole number from 1 on")
    return value


def bounds(value: object) -> tuple[float, float]:
    """Return (lower, upper)."""
    if isinstance(value, (list, tuple)):
        return _checked(interval, [_double(end) for end in value])
    raise wrong("must be a list of two numbers")


def text(value: object) -> str:
    """Return a text of 1 to 1,000 characters without its outer spaces."""
    if not isinstance(value, str):
        raise wrong(f"must be text, not {shown(value)}")
    if value == PLACEHOLDER:
        raise wrong("is still to be filled in")
    stripped = value.strip()
    if not stripped or len(stripped) > 1_000:
        raise wrong("must have 1 to 1,000 characters")
    return stripped


def line(value: object) -> str:
    """Return a text of one line, which no report shows as more than one."""
    found = text(value)
    if not stays_in_line(found):
        raise wrong(BROKEN, "write it in one line of plain text")
    return found


def cell(value: object) -> str:
    """Return what a cell holds, given as text, number or true/false, in the spelling written."""
    if isinstance(value, (bool, int, float, Decimal)):
        try:
            value = str(value)
        except ValueError:
            raise wrong("is a huge number") from None
        return normalise(value) or value
    return text(value)


def feature_name(value: object) -> str:
    """Return the name of a feature: printable, at most 64 characters, no "=", not "intercept"."""
    name = text(value)
    if len(name) > 64 or "=" in name or not (name.isprintable() and stays_in_line(name)):
        problem = 'has a name of more than 64 characters, or with "=" or control characters in it'
        raise wrong(problem, 'give it a short name, and the column as column = "..."')
    if name == "intercept":
        raise wrong('is called "intercept", which is the name of the constant', "rename it")
    return name


def identifier(value: object) -> str:
    """Return the id of a study."""
    if not isinstance(value, str) or not IDENTIFIER.fullmatch(value):
        raise wrong(f"is {shown(value)}")
    return value


def decimal(value: object) -> Decimal:
    """Return the exact decimal that was written, as number or text."""
    if isinstance(value, bool) or not isinstance(value, (int, Decimal, str, float)):
        raise wrong(f"must be a number, not {shown(value)}")
    try:
        found = Decimal(str(value).strip())
    except (InvalidOperation, ValueError):
        raise wrong(f"must be a number, not {shown(value)}") from None
    if not found.is_finite():
        raise wrong("must be finite")
    if len(found.as_tuple().digits) > _MOST_DIGITS or abs(found.adjusted()) > _MOST_DIGITS:
        raise wrong(f"must be written with at most {_MOST_DIGITS} digits")
    return found


def decimal_within(smallest: str, largest: str) -> Callable[[object], Decimal]:
    """Return a check of an exact decimal within a range."""

    def checked(value: object) -> Decimal:
        found = decimal(value)
        if not Decimal(smallest) <= found <= Decimal(largest):
            raise wrong(f"must be between {smallest} and {largest}, not {shown(found)}")
        return found

    return checked


epsilon_of = decimal_within("0.000001", "1000000000")


def delta_of(value: object) -> Decimal:
    """Return δ, a decimal in [0, 1)."""
    found = decimal(value)
    if not 0 <= found < 1:
        raise wrong(f"must be at least 0 and below 1, not {shown(found)}")
    return found


def probability(value: object) -> Fraction:
    """Return an exact probability in (0, 1), written as a decimal or as a text like "1/3"."""
    ratio = _RATIO.fullmatch(value) if isinstance(value, str) else None
    if ratio and int(ratio[2]):
        found = Fraction(int(ratio[1]), int(ratio[2]))
    else:
        found = Fraction(decimal(value))
    if not 0 < found < 1:
        raise wrong(f"must lie strictly between 0 and 1, not {shown(value)}")
    if not LEAST_PROBABILITY <= found <= 1 - LEAST_PROBABILITY:
        raise wrong(f"must differ from 0 and 1 by at least 1e-9, not {shown(value)}")
    return found


Text = Annotated[str, BeforeValidator(text)]
Line = Annotated[str, BeforeValidator(line)]
Cell = Annotated[str, BeforeValidator(cell)]
Real = Annotated[float, BeforeValidator(number)]
Positive = Annotated[float, BeforeValidator(positive_number)]
AutoPositive = Annotated[float | str, PlainValidator(word_or(positive_number, "auto"))]
AutoScale = Annotated[float | str, PlainValidator(word_or(scale, "auto"))]
AutoSaturation = Annotated[float | str, PlainValidator(word_or(saturation, "auto"))]
Share = Annotated[float | str, PlainValidator(word_or(share, "auto"))]
AutoThreshold = Annotated[float | str, PlainValidator(word_or(threshold, "auto"))]
People = Annotated[int, PlainValidator(people)]
Bounds = Annotated[tuple[float, float], BeforeValidator(bounds)]
FeatureName = Annotated[str, BeforeValidator(feature_name)]
