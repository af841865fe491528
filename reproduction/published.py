"""What the paper prints on its synthetic experiment, and the γ its authors used."""

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files


@dataclass(frozen=True)
class Published:
    """One cell of Table II: settings, and mean with half width of its 95 % interval."""

    epsilon: str
    n: int
    gamma: float
    accuracy: tuple[float, float]
    value: tuple[float, float]


def data_rows(name: str) -> Iterator[dict[str, str]]:
    """Yield the rows of a data file of this package."""
    text = files("reproduction").joinpath(f"data/{name}.csv").read_text(encoding="utf-8")
    yield from csv.DictReader(text.splitlines())


def published_cells() -> list[Published]:
    """Return the 24 cells of Table II with the γ that produced them."""
    return [
        Published(
            row["epsilon"],
            int(row["n"]),
            float(row["gamma"]),
            _measure(row, "accuracy"),
            _measure(row, "value"),
        )
        for row in data_rows("table2")
    ]


def published_gammas() -> dict[tuple[str, int], float]:
    """Return the γ of Figure 1 by ε and n; "inf" is the fit without privacy."""
    return {(row["epsilon"], int(row["n"])): float(row["gamma"]) for row in data_rows("gammas")}


def _measure(row: dict[str, str], name: str) -> tuple[float, float]:
    width = float(row[f"{name}_hi"]) - float(row[f"{name}_lo"])
    return float(row[f"{name}_mean"]), width / 2
