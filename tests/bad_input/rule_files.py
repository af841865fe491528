"""Conditions of a rule file: cut off, edited, of another version, or hostile."""

import json
import pickle
from collections.abc import Callable, Mapping
from typing import Any

from dpwerm.privacy.budget import Budget
from dpwerm.releases.files import digest_of
from dpwerm.releases.tuning import Tuning, plain_tuning

Edit = Callable[[str], str | bytes]
DIGITS = "9" * 5_000


def edited(path: str, value: Any, *, forge: bool = False) -> Edit:
    """Return an edit of one value by its dotted path; a forger writes a new digest."""

    def edit(text: str) -> str:
        content = json.loads(text)
        *parents, last = path.split(".")
        place = content
        for key in parents:
            place = place[int(key)] if isinstance(place, list) else place[key]
        place[int(last) if isinstance(place, list) else last] = value
        if forge:
            content["digest"] = digest_of(content)
        return json.dumps(content, indent=2, ensure_ascii=False)

    return edit


def _raw(old: str, new: str) -> Edit:
    def edit(text: str) -> str:
        assert old in text
        return text.replace(old, new, 1)

    return edit


def _without(key: str) -> Edit:
    def edit(text: str) -> str:
        return json.dumps({name: value for name, value in json.loads(text).items() if name != key})

    return edit


def _twice_released(text: str) -> str:
    """Return a rule by design that has a copy of itself for a propensity model."""
    content = json.loads(text)
    parts = ("encoding", "coefficients", "certificate")
    content["propensity"] = {part: content[part] for part in parts}
    content["digest"] = digest_of(content)
    return json.dumps(content)


def _tuned(**changed: Any) -> Edit:
    """Return an edit that says of a rule at γ = 50 that γ was tuned, perhaps with changes."""
    record = plain_tuning(Tuning("parts", (50.0, 100.0), 24, Budget.of(1)))
    return edited("tuning", record | changed, forge=True)


CONDITIONS: Mapping[str, Edit] = {
    "truncated": lambda text: text[: len(text) // 2],
    "empty": lambda text: "",
    "a number edited": edited("certificate.gamma", 51.0),
    "a coefficient edited": edited("coefficients.integers.0", 1),
    "epsilon edited": edited("certificate.epsilon", "0.1"),
    "epsilon edited, new digest": edited("certificate.epsilon", "0.1", forge=True),
    "noise scale edited, new digest": edited("certificate.noise.scale", 1e-3, forge=True),
    "notice edited, new digest": edited("notice", "Released by an ethics board.", forge=True),
    "epsilon no number, new digest": edited("certificate.epsilon", "much", forge=True),
    "epsilon NaN, new digest": edited("certificate.epsilon", "NaN", forge=True),
    "epsilon with a million digits": edited("certificate.epsilon", "1" * 1_000_000, forge=True),
    "of another version": edited("version", 1),
    "of an older version": edited("version", 4),
    "of another format": edited("format", "other-rule"),
    "without a version": _without("version"),
    "a key missing": _without("treatment"),
    "a key unknown": edited("comment", "hello"),
    "a key twice": _raw('"version": 5,', '"version": 5, "version": 5,'),
    "text for a number": edited("certificate.gamma", "fifty"),
    "true for a number": edited("certificate.n", True),
    "NaN": edited("certificate.gamma", float("nan")),
    "infinity": edited("certificate.gamma", float("inf")),
    "a huge whole number": _raw('"n": 24', f'"n": {DIGITS}'),
    "a huge coefficient": edited("coefficients.integers.0", 10**39, forge=True),
    "a huge decimal": _raw('"n": 24', '"n": 1e400'),
    "a huge exponent": edited("certificate.noise.grid_exponent", 10**9, forge=True),
    "coefficients beyond every double": lambda text: edited(
        "coefficients.integers.0", 10**39, forge=True
    )(str(edited("certificate.noise.grid_exponent", 2_000)(text))),
    "half a character in a text": _raw('"column": "arm"', r'"column": "\ud800"'),
    "a negative number of rows": edited("certificate.n", -1, forge=True),
    "no coefficients": edited("coefficients.integers", [], forge=True),
    "a bound upside down": edited("encoding.blocks.0.lower", 99.0, forge=True),
    "a bound no number": edited("encoding.blocks.0.lower", "low", forge=True),
    "a saturation below 1": edited("encoding.saturation", 0.5, forge=True),
    "a threshold of 1": edited("coefficients.threshold", 1.0, forge=True),
    "chosen settings that are no list": edited(
        "certificate.chosen", {"settings": "gamma", "reason": "chosen"}, forge=True
    ),
    "an unknown mechanism": edited("certificate.mechanism", "magic", forge=True),
    "an unknown loss": edited("certificate.loss.name", "magic", forge=True),
    "an unknown loss parameter": edited("certificate.loss.parameters", {"k": 1.0}, forge=True),
    "an unknown regularizer": edited("certificate.regularizer.name", "magic", forge=True),
    "an unknown origin": edited("certificate.weight_origin.name", "magic", forge=True),
    "a probability that cannot be": edited("treatment.probabilities", ["2", "-1"], forge=True),
    "arms without an order": edited(
        "treatment.arms", {"pill": "1/2", "therapy": "1/2"}, forge=True
    ),
    "a loss parameter that is no parameter": edited(
        "certificate.loss.parameters", {"name": 1.0}, forge=True
    ),
    "a truth value that is a number": edited("certificate.private", 1, forge=True),
    "a propensity model that the study does not declare": _twice_released,
    "a tuning that did not happen": _tuned(),
    "a tuning in no known way": _tuned(how="luck"),
    "a tuning of one candidate": _tuned(candidates=[50.0]),
    "a tuning with fewer rows than folds": _tuned(rows=2),
    "a tuning whose epsilon is no number": _tuned(epsilon="much"),
    "a tuning with a share that it does not have": _tuned(share="0.3"),
    "a tuning with a key unknown": _tuned(scores=[1, 2]),
    "a source of no feature": edited("sources", {"weight": "protocol"}, forge=True),
    "a name of two lines, new digest": edited("study.name", "Trial\nepsilon 0.01", forge=True),
    "a library of two lines, new digest": edited("certificate.library", "a\u2028b", forge=True),
    "a feature called like a level, new digest": edited(
        "encoding.blocks.0.name", "sex=F", forge=True
    ),
    "nested deeply": lambda text: '{"a":' * 100_000 + "1" + "}" * 100_000,
    "nested deeply in a known key": _raw(
        '"treatment": {', f'"treatment": {{"a": {"[" * 5_000}{"]" * 5_000},'
    ),
    "a list": lambda text: f"[{text}]",
    "not JSON": lambda text: "format = 1\n",
    "not UTF-8": lambda text: text.encode("utf-16"),
    "a pickle": lambda text: pickle.dumps({"format": "dpwerm-rule", "version": 1}),
    "larger than 20 MB": lambda text: text + " " * 20_000_000,
}
