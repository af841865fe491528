"""Accuracy against n for three ε: ignoring confounding, a private propensity, the true one."""

from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt

from benchmarks.confounded.cells import Result

EPSILONS = ("0.5", "1", "5")
SHOWN = {
    "known": ("#444444", "--", "true propensity known"),
    "private": ("#0b6e4f", "-", "private propensity model"),
    "ridge": ("#b08a3e", ":", "ridge propensity, not released"),
    "ignoring": ("#b0413e", "-", "confounding ignored"),
}


def save_figure(results: list[Result], path: Path) -> None:
    """Draw one panel for each ε."""
    figure, panels = plt.subplots(1, len(EPSILONS), figsize=(11, 3.9), sharey=True)
    for panel, epsilon in zip(panels, EPSILONS, strict=True):
        for method, (colour, line, label) in SHOWN.items():
            chosen = [
                one for one in results if (one.cell.epsilon, one.cell.method) == (epsilon, method)
            ]
            chosen.sort(key=lambda one: one.cell.n)
            panel.errorbar(
                [one.cell.n for one in chosen],
                [one.accuracy for one in chosen],
                yerr=[one.accuracy_half for one in chosen],
                color=colour,
                linestyle=line,
                marker="o",
                capsize=3,
                label=label,
            )
        panel.axhline(50, color="#999999", lw=0.8)
        panel.set_xscale("log")
        sizes = sorted({one.cell.n for one in results})
        panel.set_xticks(sizes, [f"{n:,}" for n in sizes])
        panel.minorticks_off()
        panel.set_title(f"ε = {epsilon}")
        panel.set_xlabel("n")
        panel.grid(alpha=0.25)
    panels[0].set_ylabel("people who get their better arm, %")
    panels[0].set_ylim(10, 101)
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="lower center", ncols=4, frameon=False)
    figure.tight_layout(rect=(0, 0.09, 1, 1))
    figure.savefig(path, dpi=130, metadata={"Software": None})
    plt.close(figure)
