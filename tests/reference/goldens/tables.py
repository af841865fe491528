"""Small tables and study files from integers by formula: the same on every machine."""

import json
from collections.abc import Mapping
from typing import Any

import pyarrow as pa

ROWS = 60
Columns = dict[str, list[Any]]

BY_DESIGN = 'arms = { pill = "1/3", talk = "2/3" }'
BY_COLUMN = 'arms = ["pill", "talk"]\npropensity = "p"\npropensity_floor = 0.1\norigin = "ORIGIN"'
BY_MODEL = 'arms = ["pill", "talk"]\npropensity = MODEL\npropensity_floor = 0.1'
EXTERNAL = (
    '{ model = "external", arm = "talk", intercept = -0.7, coefficients = '
    '{ age = 0.02, dose = -0.125, "sex=M" = 0.3, "site=south" = -0.5 } }'
)

FEATURES = """
[features.age]
kind = "number"
bounds = [18, 90]
source = "protocol"

[features.dose]
kind = "number"
bounds = [0, 4]
default = 1.5

[features.sex]
kind = "category"
levels = ["F", "M"]

[features.site]
kind = "category"
levels = { north = ["1", "2"], south = ["3"], other = "*" }
default = "other"
"""


def columns(n: int = ROWS, start: int = 0) -> Columns:
    """Return n people; their better arm depends on age and site."""
    table: Columns = {
        name: [] for name in ("who", "age", "dose", "sex", "site", "arm", "p", "gain")
    }
    for i in range(start, start + n):
        age, dose = 18 + (i * 37) % 73, (i * i * 7) % 41 / 10
        sex, site = "FM"[(i * i + i // 3) % 2], "123x"[(i * 5 + i // 4) % 4]
        arm = "talk" if (i * i + i // 2) % 3 else "pill"
        better = "talk" if age > 50 or site == "3" else "pill"
        gain = ((i * 53) % 121) / 10 - 4 + (6.25 if arm == better else 0) + dose
        row = (f"w{i}", age, dose, sex, site, arm, ((i * 29) % 80 + 10) / 100, round(gain, 3))
        for name, value in zip(table, row, strict=True):
            table[name].append(value)
    return table


def odd_columns() -> Columns:
    """Return the same people as texts, with cells that a fit has to map."""
    table = {name: [str(one) for one in values] for name, values in columns().items()}
    odd = {
        "age": {0: "", 3: "17", 4: "91.5", 5: "old", 6: "1e400", 7: "-inf", 8: " 33 "},
        "dose": {0: "NA", 9: "2,5", 10: "1e-1", 11: "TRUE", 12: "99"},
        "sex": {1: "", 13: "m", 14: "X"},
        "site": {2: "", 15: "01", 16: "3.0", 17: "null"},
        "arm": {18: "", 19: "other", 20: "PILL"},
        "gain": {21: "", 22: "-1000", 23: "1000", 24: "nan", 25: "much"},
        "p": {26: "0", 27: "1", 28: "", 29: "2", 30: "text"},
    }
    for name, cells in odd.items():
        for place, cell in cells.items():
            table[name][place] = cell
    return table


def arrow(table: Columns) -> pa.Table:
    return pa.table(table)


def csv_of(table: Columns) -> str:
    lines = [",".join(table)]
    for row in zip(*table.values(), strict=True):
        lines.append(",".join(f'"{one}"' if "," in str(one) else str(one) for one in row))
    return "\n".join(lines) + "\n"


def study_text(
    *,
    relation: str = "replace_one",
    treatment: str = BY_DESIGN,
    benefit: Mapping[str, Any] | None = None,
    method: Mapping[str, Any] | None = None,
    budget: str = "",
    person: bool = False,
) -> str:
    """Return a study file in which nothing is left automatic."""
    study = {"id": "golden", "name": "Goldens", "relation": relation, "planned_n": ROWS}
    told = {"column": "gain", "bounds": [-10, 20], "centre": 4, "clip": 9, **(benefit or {})}
    settings = {
        "gamma": 40,
        "mechanism": "spherical-laplace",
        "loss": "huberised-hinge",
        "h": 1,
        "encoding": "centred",
        "intercept_scale": 0.5,
        "saturation": 1,
        "threshold": 0,
        **(method or {}),
    }
    parts = [
        "format = 1",
        _section("study", study | ({"person": "who"} if person else {})),
        FEATURES.strip(),
        f'[treatment]\ncolumn = "arm"\n{treatment}',
        _section("benefit", told),
        f"[budget]\n{budget}" if budget else "",
        _section("method", settings),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _section(name: str, keys: Mapping[str, Any]) -> str:
    return "\n".join([f"[{name}]", *(f"{key} = {json.dumps(one)}" for key, one in keys.items())])
