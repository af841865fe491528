"""Accuracy against ε on the paper's problem: published, the paper's method, and auto."""

import csv
from importlib.resources import files
from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt

from benchmarks.utility.cells import Result

SHOWN = {
    "auto": ("#0b6e4f", "dpwerm, everything automatic"),
    "paper": ("#b0413e", "the paper's method, best γ in hindsight"),
}


def save_figure(results: list[Result], path: Path) -> None:
    """Draw one panel for each n."""
    sizes = sorted({one.cell.n for one in results})
    figure, panels = plt.subplots(1, len(sizes), figsize=(11, 3.9), sharey=True)
    published = _published()
    for panel, n in zip(panels, sizes, strict=True):
        for method, (colour, label) in SHOWN.items():
            chosen = [one for one in results if one.cell.n == n and one.cell.method == method]
            chosen.sort(key=lambda one: float(one.cell.epsilon))
            panel.errorbar(
                [float(one.cell.epsilon) for one in chosen],
                [one.accuracy for one in chosen],
                yerr=[one.accuracy_half for one in chosen],
                color=colour,
                marker="o",
                capsize=3,
                label=label,
            )
        dots = sorted((eps, value) for (eps, size), value in published.items() if size == n)
        finite = [(eps, value) for eps, value in dots if eps != float("inf")]
        panel.plot(
            *zip(*finite, strict=True),
            color="#888888",
            marker="s",
            linestyle=":",
            label="published, private",
        )
        bare = published[float("inf"), n]
        panel.axhline(bare, color="#444444", ls="--", lw=1, label="published, without privacy")
        panel.set_xscale("log")
        panel.set_xticks([0.1, 0.5, 1, 2, 5], ["0.1", "0.5", "1", "2", "5"])
        panel.minorticks_off()
        panel.set_title(f"n = {n:,}")
        panel.set_xlabel("ε")
        panel.grid(alpha=0.25)
    panels[0].set_ylabel("people who get their better arm, %")
    panels[0].set_ylim(45, 101)
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="lower center", ncols=4, frameon=False)
    figure.tight_layout(rect=(0, 0.09, 1, 1))
    figure.savefig(path, dpi=130, metadata={"Software": None})
    plt.close(figure)


def _published() -> dict[tuple[float, int], float]:
    text = files("dpwerm.reproduce").joinpath("data/table2.csv").read_text(encoding="utf-8")
    rows = csv.DictReader(text.splitlines())
    return {(float(row["epsilon"]), int(row["n"])): float(row["accuracy_mean"]) for row in rows}
