"""Pipelines that look at the sample before they fit: what anybody might plug in by mistake."""

import csv
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from dpwerm.arrays import FloatArray
from dpwerm.audit.pipeline_target import StudyPipeline


def rows_of(table: Path) -> list[dict[str, str]]:
    with table.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def changed(table: Path, column: str, change: Callable[[FloatArray], FloatArray]) -> None:
    """Rewrite one column of a table."""
    rows = rows_of(table)
    values = change(np.array([float(row[column]) for row in rows]))
    with table.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, list(rows[0]))
        writer.writeheader()
        for row, value in zip(rows, values.tolist(), strict=True):
            writer.writerow({**row, column: repr(value)})


@dataclass(frozen=True)
class ScaledBySample:
    """Divides a feature by the largest one in the sample, then does everything right."""

    right: StudyPipeline
    column: str
    middle: float
    half: float

    def __call__(self, table: Path, folder: Path) -> None:
        def scale(x: FloatArray) -> FloatArray:
            off = x - self.middle
            scaled: FloatArray = self.middle + off * self.half / np.abs(off).max()
            return scaled

        changed(table, self.column, scale)
        self.right(table, folder)


@dataclass(frozen=True)
class ClippedBySample:
    """Clips benefits at a quantile of the sample, then does everything right."""

    right: StudyPipeline
    column: str
    quantile: float

    def __call__(self, table: Path, folder: Path) -> None:
        def clip(benefit: FloatArray) -> FloatArray:
            bound = np.quantile(np.abs(benefit), self.quantile)
            return np.clip(benefit, -bound, bound)

        changed(table, self.column, clip)
        self.right(table, folder)


@dataclass(frozen=True)
class BiasedCoin:
    """Records what a biased coin gave each person after those before, then fits as if by design."""

    right: StudyPipeline
    column: str

    def __call__(self, table: Path, folder: Path) -> None:
        treatment = self.right.study.treatment
        arms = [row[treatment.column] == treatment.arms[1] for row in rows_of(table)]
        ahead = np.concatenate([[0.0], np.cumsum(np.where(arms, 1.0, -1.0))[:-1]])
        changed(table, self.column, lambda _: 0.5 - np.sign(ahead) / 6)
        self.right(table, folder)
