"""What audits found, in words and as a figure: claims, lower bounds, and the verdict.

In the figure a line runs to each claim, with a mark at each bound. Marks differ in shape, not only
in colour: | is the claim, a filled circle the simulated bound, an open diamond the one by real
releases, and a cross whatever lies above its claim.
"""

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from dpwerm.audit.attack import Audited
from dpwerm.audit.pipeline import OneRun, StudyAudit, one_run_lower
from dpwerm.audit.suite import Cell
from dpwerm.documents.document import Block, Document, Paragraph, Section, Table
from dpwerm.documents.drawing import (
    ALARM,
    INK,
    LINE,
    QUIET,
    labelled,
    legend_under,
    panels,
    rows_named,
    save,
    short,
    styled,
    titled,
)

HEADINGS = ("", "", "claimed", "at least", "at least, real", "ratio", "verdict")
WITHIN = 2.0
"""How near the claim a bound is asked to come."""

Found = Sequence[tuple[Cell, Audited]]


def audit_document(found: Found) -> Document:
    """Return the table of claims and bounds, and what it says."""
    table = Table("Claimed epsilon, and what it is at least:", HEADINGS, tuple(rows_of(found)))
    return _document("Audit of what is shipped", (table, *map(Paragraph, _end(found))))


def _document(title: str, blocks: tuple[Block, ...]) -> Document:
    return Document(
        "audit",
        title,
        (Section("audit", "", blocks),),
        about="Attacks on releases, and what they prove of epsilon",
        made_from="simulated people alone",
    )


def rows_of(found: Found) -> list[tuple[str, ...]]:
    """Return the rows of the table."""
    rows: list[tuple[str, ...]] = []
    for cell, one in found:
        ratio = f"{one.ratio:.2f}" if math.isfinite(one.ratio) else "none"
        exact = "" if one.exact_lower is None else f"{one.exact_lower:.2f}"
        bounds = (str(one.claim.epsilon), f"{one.lower:.2f}", exact, ratio)
        rows.append((cell.name, cell.setting, *bounds, one.verdict))
    return rows


def _end(found: Found) -> Iterator[str]:
    """Yield how the bounds were found, and how many claims hold."""
    audits = [one for _, one in found]
    first = audits[0]
    broken = [cell.key for cell, one in found if not one.holds]
    judged = [one for cell, one in found if cell.asked]
    near = sum(one.ratio <= WITHIN for one in judged)
    confirmed = [one for one in audits if one.exact_lower is not None]
    missing = 1.0 - first.confidence
    sure = f"{first.confidence:g}" if missing >= 1e-5 else f"1 - {missing:.0e}"
    method = f"{first.runs:,} simulated releases of each on its worst pair, half to choose the "
    yield f"{method}attack and half to judge it; bounds by guesses of a coin, confidence {sure}."
    if confirmed:
        some = "each" if len(confirmed) == len(audits) else f"{len(confirmed)} of them"
        attacked = f"At least, real: by the same attack on {confirmed[0].exact_runs:,} real"
        yield f"{attacked} releases of {some}."
    within = f" Within a factor of {WITHIN:g}: {near} of {len(judged)}." if judged else ""
    yield f"{len(audits) - len(broken)} of {len(audits)} claims hold.{within}"
    if broken:
        yield f"BROKEN: {'; '.join(broken)}."


def passed(found: Found) -> bool:
    """Whether every claim holds."""
    return all(one.holds for _, one in found)


def plain(found: Found) -> list[dict[str, Any]]:
    """Return everything as plain data for a file."""
    bounds = ("dimension", "lower", "exact_lower", "runs", "exact_runs", "pair", "statistic")
    return [
        {"name": cell.name, "setting": cell.setting, "claim": one.claim.plain()}
        | {name: getattr(one, name) for name in (*bounds, "confidence", "verdict")}
        for cell, one in found
    ]


def pipeline_document(found: StudyAudit) -> Document:
    """Return what was claimed, what was found and how, and the verdict."""
    one, two = found.one_run, found.neighbours
    others = f" and {one.people:,} simulated people" if one.people else ""
    runs = "one run" if one.runs == 1 else f"{one.runs:,} runs"
    canaries = f"epsilon is at least {one.lower:.2f} (confidence {one.confidence:g})"
    pairs = f"epsilon is at least {two.largest:.2f} (confidence {two.confidence:g})"
    guessed = f"{one.right:,} of {one.guesses:,} guesses were right, in {runs} with "
    guessed += f"{one.canaries:,} canaries{others}, after {one.practice:,} runs of practice"
    broken = "BROKEN: a bound is above the claimed epsilon."
    said = (
        f"From a table to its released files. They claim {one.claim}.",
        f"Canaries: {canaries}. {guessed}.{_too_few(one)}",
        f"Neighbouring data sets: {pairs}. {two.exact_runs:,} real runs; worst pair: {two.pair}.",
        "The claim holds against these attacks." if found.holds else broken,
    )
    return _document(f"Audit of study {found.study}", tuple(map(Paragraph, said)))


def _too_few(one: OneRun) -> str:
    """Return a sentence if even guesses that are all right would have proved nothing."""
    most = one_run_lower(
        one.guesses,
        one.guesses,
        canaries=one.canaries * one.runs,
        delta=float(one.claim.delta),
        confidence=one.confidence,
    )
    return "" if most > 0 else " So few guesses prove nothing at this confidence."


CLAIM: dict[str, Any] = {"marker": "|", "markersize": 9, "color": INK}
SIMULATED: dict[str, Any] = {"marker": "o", "markersize": 4.5, "color": LINE}
REAL: dict[str, Any] = {"marker": "D", "markersize": 4.5, "color": LINE, "markerfacecolor": "white"}
ABOVE: dict[str, Any] = {"marker": "x", "markersize": 7, "markeredgewidth": 1.6, "color": ALARM}
NAMES = {
    "claimed": CLAIM,
    "at least, simulated": SIMULATED,
    "at least, real releases": REAL,
    "above the claim": ABOVE,
}


@styled()
def draw_audit(found: Found, axes: Axes) -> None:
    """Draw the claim of each cell and the lower bounds on what its releases show."""
    names = [short(f"{cell.name}, {cell.setting}", most=72) for cell, _ in found]
    for row, (_, one) in zip(rows_named(axes, names), found, strict=True):
        claim = float(one.claim.epsilon)
        axes.plot([0, claim], [row, row], color=QUIET, linewidth=0.9, zorder=1)
        axes.plot([claim], [row], zorder=2, **CLAIM)
        for bound, mark in ((one.exact_lower, REAL), (one.lower, SIMULATED)):
            if bound is not None:
                axes.plot([bound], [row], zorder=3, **(ABOVE if bound > claim else mark))
    axes.set_xlim(left=0)
    axes.spines["left"].set_visible(False)
    labelled(axes, across="ε: claimed, and at least")
    marks = [Line2D([], [], linestyle="none", label=name, **look) for name, look in NAMES.items()]
    legend_under(axes, marks=marks, over=True)


@styled()
def save_audit(found: Found, path: Path) -> None:
    """Write the figure; the ending of the path decides the format."""
    figure, ((axes,),) = panels(8.6, 1.9 + 0.2 * len(found))
    draw_audit(found, axes)
    first, real = found[0][1], max(one.exact_runs for _, one in found)
    confirmed = f" and {real:,} real ones of those marked" if real else ""
    titled(
        figure,
        f"{first.runs:,} simulated releases of each{confirmed}, confidence {first.confidence:g}",
    )
    save(figure, path)
