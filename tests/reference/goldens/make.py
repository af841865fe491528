"""Write the goldens: ``python -m tests.reference.goldens.make [GROUP ...]`` from the checkout.

Each group is one file in ``data/``: what most of its cases share, and the rest of each case in one
line. The tests make the same groups anew and compare every value as it is written in JSON, so
integers and floating-point numbers must agree to the last bit. To be run only for a change of what
is released, which the message of its commit then names. Rules with a private propensity model are
in a group of their own, since the settings of that model cannot be given and are always chosen by
simulation.
"""

import json
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.reference.goldens import paths, releases
from tests.reference.goldens.surface import Content, leaves

DATA = Path(__file__).parent / "data"
Cases = dict[str, Content]
REFUSED, ABSENT = "refused", "(absent)"

GROUPS: dict[str, Callable[[Path], Cases]] = {
    "studies": lambda _: releases.studies(),
    "regressions": lambda _: releases.regressions(),
    "budgets": lambda _: releases.budgets(),
    "weights": lambda _: releases.weights(),
    "propensities": lambda _: releases.propensities(),
    "private-propensities": lambda _: releases.private_propensities(),
    "classifiers": lambda _: releases.classifiers(),
    "rules-of-arrays": lambda _: releases.rules_of_arrays(),
    "tuned": paths.tuned,
    "algorithm2": paths.algorithm2,
    "values": paths.values,
    "exports": paths.exports,
    "ledgers": paths.ledgers,
    "words": paths.words,
}


def written(value: object) -> str:
    """Return a value as JSON; 1 and 1.0 and true differ, and each double has one text."""
    return json.dumps(value, allow_nan=False, sort_keys=True)


def flat(cases: Cases) -> dict[str, dict[str, str]]:
    """Return each case as a table from path to written value."""
    return {
        name: {path: written(value) for path, value in leaves(content).items()}
        for name, content in cases.items()
    }


def packed(cases: Cases) -> str:
    """Return the text of a file of cases: what most of them share, and what differs in each."""
    tables = flat(cases)
    kept = [table for table in tables.values() if REFUSED not in table]
    seen = {path: [one[path] for one in kept if path in one] for path in _paths(kept)}
    usual = {
        path: Counter(texts).most_common(1)[0][0]
        for path, texts in seen.items()
        if 2 * len(texts) > len(kept)
    }
    shared = ",".join(f"{written(path)}:{value}" for path, value in usual.items())
    rows = {name: _row(table, usual) for name, table in tables.items()}
    own = ",\n".join(f"{written(name)}: {row}" for name, row in rows.items())
    return f'{{"usual": {{{shared}}},\n"cases": {{\n{own}\n}}}}\n'


def unpacked(text: str) -> dict[str, dict[str, str]]:
    """Return the cases of a file, each as a table from path to written value."""
    content: dict[str, Any] = json.loads(text)
    usual = {path: written(value) for path, value in content["usual"].items()}
    found = {}
    for name, case in content["cases"].items():
        absent = set(usual) if REFUSED in case else set(case.pop(ABSENT, ()))
        shared = {path: value for path, value in usual.items() if path not in absent}
        found[name] = shared | {path: written(value) for path, value in leaves(case).items()}
    return found


def _paths(tables: list[dict[str, str]]) -> list[str]:
    return list(dict.fromkeys(path for table in tables for path in table))


def _row(table: dict[str, str], usual: dict[str, str]) -> str:
    """Return what is not usual in a table, as nested JSON in one line."""
    nested: Content = {}
    for path, value in table.items():
        if usual.get(path) != value:
            *above, last = path.split("/")
            place = nested
            for key in above:
                place = place.setdefault(key, {})
            place[last] = json.loads(value)
    absent = [path for path in usual if path not in table]
    if absent and REFUSED not in table:
        nested[ABSENT] = absent
    return json.dumps(nested, allow_nan=False, separators=(",", ":"))


def made(group: str) -> Cases:
    """Return the cases of a group, made anew in a folder of its own."""
    with tempfile.TemporaryDirectory() as folder:
        return GROUPS[group](Path(folder))


def differences(stored: dict[str, dict[str, str]], now: dict[str, dict[str, str]]) -> list[str]:
    """Return in words every value that is not as it was stored."""
    found = [f"{name}: no longer made" for name in stored if name not in now]
    found += [f"{name}: not stored" for name in now if name not in stored]
    for name in (one for one in stored if one in now):
        before, after = stored[name], now[name]
        for path in dict.fromkeys([*before, *after]):
            if before.get(path) != after.get(path):
                was, now_is = before.get(path, "(absent)"), after.get(path, "(absent)")
                found.append(f"{name}, {path}: stored {was[:300]}, now {now_is[:300]}")
    return found


def main(groups: list[str]) -> None:
    DATA.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as cache:
        os.environ["DPWERM_CACHE"] = cache
        for group in groups or GROUPS:
            (DATA / f"{group}.json").write_text(packed(made(group)), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
