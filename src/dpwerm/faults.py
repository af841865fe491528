"""From a validator's findings to faults in plain words: where, what, and what would be right."""

import difflib
from collections.abc import Iterable, Mapping

from pydantic import ValidationError
from pydantic_core import PydanticCustomError

from dpwerm.errors import Fault

MOST_FAULTS = 200

_PLAIN = {
    "extra_forbidden": "is not a known key",
    "missing": "is missing",
    "string_type": "must be text",
    "dict_type": "must be a table of keys",
    "model_type": "must be a table of keys",
    "float_type": "must be a number",
    "finite_number": "must be finite",
    "tuple_type": "must be a list",
    "union_tag_not_found": "must have a kind",
    "union_tag_invalid": "has a kind that is not known",
}


def wrong(problem: str, remedy: str = "") -> PydanticCustomError:
    """Return the error a field's validator raises: what is wrong, what would be right."""
    return PydanticCustomError("fault", "{problem}", {"problem": problem, "remedy": remedy})


def shown(value: object) -> str:
    """Return a public value in at most 60 characters of printable text."""
    try:
        text = repr(value) if isinstance(value, str) else str(value)
    except (ValueError, RecursionError):  # more digits or levels than Python prints
        return "a huge value"
    return text if len(text) <= 60 else f"{text[:57]}..."


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name most like ``name``, if any is close."""
    folded = {other.casefold(): other for other in known}
    close = difflib.get_close_matches(name.casefold()[:100], folded, n=1, cutoff=0.6)
    return folded[close[0]] if close else None


def faults_of(
    error: ValidationError,
    *,
    known_keys: Mapping[str, Iterable[str]] | None = None,
    remedies: Mapping[str, str] | None = None,
) -> list[Fault]:
    """Return all findings of one validation as faults.

    known_keys : of each section ("" for the top, "features.*" for any feature), so that an unknown
    key names the nearest known one; remedies : from a dotted key to what it should hold
    """
    errors = error.errors(include_url=False, include_input=False)
    faults = [
        _fault(dict(found), known_keys or {}, remedies or {}) for found in errors[:MOST_FAULTS]
    ]
    if len(errors) > MOST_FAULTS:
        faults.append(Fault("and more", f"{len(errors) - MOST_FAULTS:,} further faults"))
    return faults


def _fault(
    found: Mapping[str, object],
    known_keys: Mapping[str, Iterable[str]],
    remedies: Mapping[str, str],
) -> Fault:
    loc, kind, context = found["loc"], str(found["type"]), found.get("ctx")
    path = _path(loc if isinstance(loc, tuple) else ())
    if kind != "extra_forbidden":  # a default's fault carries the field's name, not the key
        path = tuple(part.removeprefix("declared_") for part in path)
    where, remedy = ".".join(path), remedies.get(".".join(_general(path)), "")
    if kind == "fault" and isinstance(context, dict):
        return Fault(where, str(context["problem"]), str(context["remedy"]) or remedy)
    if kind == "extra_forbidden":
        known = list(known_keys.get(".".join(_general(path[:-1])), ()))
        guess = nearest(path[-1], known)
        remedy = f"known here: {', '.join(known)}" if known else ""
        remedy = f'did you mean "{guess}"?' if guess else remedy
        if path[-1] in known:
            remedy = "leave it out: it belongs to another choice than the one made here"
    if kind == "literal_error" and isinstance(context, dict):
        return Fault(where, f"must be {context['expected']}", "")
    return Fault(where, _PLAIN.get(kind, str(found["msg"])), remedy)


def with_open_places(
    faults: Iterable[Fault], raw: Mapping[str, object], placeholder: str
) -> list[Fault]:
    """Return the faults; one about a placeholder says that it is still to be filled in."""
    places = {}
    for path in _places(raw, placeholder):
        owner = path[:-1] if path[-1] == "kind" else path
        places[".".join(owner)] = ".".join(path)
    return [
        Fault(places[one.where], "is still to be filled in", one.remedy)
        if one.where in places
        else one
        for one in faults
    ]


def _places(
    raw: Mapping[str, object], placeholder: str, path: tuple[str, ...] = ()
) -> Iterable[tuple[str, ...]]:
    """Yield the path of every key with the placeholder, at most three keys deep."""
    for key, value in raw.items():
        here = (*path, str(key))
        if isinstance(value, str) and value == placeholder:
            yield here
        elif isinstance(value, Mapping) and len(here) < 3:
            yield from _places(value, placeholder, here)


def _path(loc: tuple[object, ...]) -> tuple[str, ...]:
    """Return a fault's path without the kinds of features and of propensities it is given.

    The validator puts them there, where a reader needs none.
    """
    parts = [
        shown(part)[1:-1] if isinstance(part, str) else f"[{part}]"
        for part in loc
        if part != "[key]"
    ]
    container = parts[:1] in (["features"], ["blocks"])
    if container and parts[2:3] in (["number"], ["category"]):
        del parts[2]
    if parts[:1] == ["propensity"] or parts[:2] == ["treatment", "propensity"]:
        at = parts.index("propensity") + 1
        if parts[at : at + 1] in (["column"], ["private"], ["ridge"], ["external"], ["outcome"]):
            del parts[at]
    return tuple(parts) or ("contents",)


def _general(path: tuple[str, ...]) -> tuple[str, ...]:
    """Return the path with a feature's own name replaced by a star."""
    return (path[0], "*", *path[2:]) if len(path) > 1 and path[0] == "features" else path
