"""What Algorithm 2 found, in plain words and as a figure with one panel for each ε."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from matplotlib.axes import Axes

from dpwerm.documents.document import (
    Block,
    Commands,
    Document,
    Paragraph,
    Section,
    Table,
)
from dpwerm.documents.drawing import (
    INK,
    LINE,
    QUIET,
    headed,
    labelled,
    panels,
    save,
    short,
    styled,
    titled,
)
from dpwerm.plan.expected import Settled
from dpwerm.study.study import Study
from dpwerm.tune.people import NOT_PRIVATE
from dpwerm.tune.tuned import INDEPENDENT, PORTION, SIMULATED, Tuned

COSTS = {
    INDEPENDENT: (
        "This costs the study no privacy as long as these people are not among those of the "
        "study, which is your word; the privacy of these people themselves is not protected here."
    ),
    SIMULATED: "All people are simulated from public facts, so this costs no privacy.",
    PORTION: (
        "SENSITIVE, for the curator only: these people are those of the study, and what is found "
        "on them is NOT PRIVATE. A rule fitted with this gamma has a claim that does not cover "
        "how gamma was found. Neither figures nor gamma may leave. Private tuning can be paid for: "
        "--how parts or split."
    ),
}
UNITS = {"accuracy": "accuracy, %", "value": "value", "loss": "minus weighted loss"}
ACROSS, TICKS = 4, 7
"""The most panels beside each other, and γ written under each."""

DRAWN_UNITS = {
    "accuracy": "people given their better arm, %",
    "value": "value, in units of the benefit",
    "loss": "minus weighted loss, in units of W",
}


def tuning_document(
    study: Study,
    found: Sequence[tuple[Tuned, Settled]],
    how: str,
    file: str,
    mechanism: str | None = None,
) -> Document:
    """Return what Algorithm 2 found at each ε, and how to fit with it.

    how : whose people were used; file : the study file; mechanism : if one was asked for
    """
    first = found[0][0]
    blocks: list[Block] = [Paragraph(source_words(first, how))]
    for tuned, settled in found:
        blocks += curve(tuned)
        blocks += next_steps(study, tuned, settled, file, mechanism)
    return Document(
        "tuning",
        f"Tuning gamma for {study.name or study.id} with {first.n:,} people",
        (Section("tuning", "", tuple(blocks)),),
        about="Scores of candidates for gamma, by Algorithm 2",
        made_from=first.source,
    )


def source_words(tuned: Tuned, how: str) -> str:
    """Return where the people come from, what Algorithm 2 did with them, and what that costs."""
    if how == SIMULATED:
        people = f"{tuned.n:,} simulated people train and {tuned.validated:,} others validate"
    elif tuned.bootstrapped:
        people = (
            f"{tuned.validated:,} of {tuned.size:,} people validate, and {tuned.n:,} are drawn "
            f"with replacement from the other {tuned.size - tuned.validated:,} to train"
        )
    else:
        people = f"{tuned.n:,} of {tuned.size:,} people train and the other "
        people += f"{tuned.validated:,} validate"
    left_out = ""
    if tuned.left_out:
        left_out = f" {tuned.left_out:,} repeats are left out: in them nobody who validates "
        left_out += "received what some rule gives."
    return (
        f"People: {tuned.source}. In each of {tuned.repeats:,} repeats {people}. Every gamma sees "
        f"the same people and common random numbers.{left_out} {COSTS[how]}"
    )


def curve(tuned: Tuned) -> Iterator[Block]:
    """Yield the mean score of each γ as a table, and what is best."""
    low, high = tuned.window
    rows = []
    for gamma, mean, half in zip(tuned.gammas, tuned.means, tuned.halves, strict=True):
        holds = {
            "best": gamma == tuned.best,
            "automatic": gamma == tuned.automatic,
            "within 5 %": low <= gamma <= high and gamma != tuned.best,
        }
        marks = ", ".join(word for word in holds if holds[word])
        rows.append((shown(gamma), score_text(tuned, mean, half), marks))
    delta = "" if tuned.delta == "0" else f", delta = {tuned.delta}"
    caption = f"At epsilon = {tuned.epsilon}{delta}, mechanism {tuned.mechanism}:"
    yield Table(caption, ("gamma", UNITS.get(tuned.metric, "score"), ""), tuple(rows))
    yield Paragraph(" ".join(_verdict(tuned)))


def shown(gamma: float) -> str:
    """Return γ as a person would write it."""
    return f"{gamma:.10g}"


def score_text(tuned: Tuned, mean: float, half: float) -> str:
    """Return a mean with half its interval, in the units of the table."""
    if tuned.metric == "accuracy":
        return f"{100 * mean:.2f} ± {100 * half:.2f}"
    return f"{mean:.4g} ± {half:.2g}"


def _verdict(tuned: Tuned) -> Iterator[str]:
    """Yield what is best, how sure that is, and whether tuning gained anything."""
    window = " to ".join(map(shown, tuned.window))
    yield f"Best: gamma = {shown(tuned.best)}; from {window} scores are within 5 % of it."
    yield "± is half a 95 % interval over repeats."
    if tuned.is_at_an_end:
        yield "The best is at an end of what was tried: other gammas may be better still."
    gain = tuned.gain
    if tuned.best == tuned.automatic:
        yield "It is the automatic gamma: there is nothing to change."
    elif gain is not None:
        chance = ": no more than chance explains, so the automatic one may stay"
        yield (
            f"Over the automatic gamma, {shown(tuned.automatic)}, it gains "
            f"{score_text(tuned, gain.mean, gain.half)} in the same repeats"
            f"{'' if gain.mean > gain.half else chance}."
        )


def next_steps(
    study: Study, tuned: Tuned, settled: Settled, file: str, mechanism: str | None = None
) -> Iterator[Block]:
    """Yield how to fit with what was found; nothing on the study's own people."""
    if tuned.private_cost == NOT_PRIVATE:
        return
    command = f"dpwerm fit {file} TABLE --epsilon {tuned.epsilon}"
    command += "" if tuned.delta == "0" else f" --delta {tuned.delta}"
    if tuned.best == tuned.automatic:
        named = "" if mechanism is None else f" --mechanism {mechanism}"
        yield Paragraph(f"Next: {command}{named}")
        return
    if tuned.epsilon != "inf":
        command += f" --mechanism {tuned.mechanism}"
    command = f"Next: {command} --gamma {shown(tuned.best)}"
    others = other_hyperparameters(study, settled)
    if others:
        yield Paragraph(
            "A number for gamma switches the automatic choice off. The other hyperparameters that "
            "this gamma was tried with belong in the study file:"
        )
        yield Commands(tuple(others))
    yield Paragraph(command)


def other_hyperparameters(study: Study, settled: Settled) -> list[str]:
    """Return the lines of a study file without which a fit with a γ would use others.

    With a number for γ whatever is "auto" takes its plain value.
    """
    lines = []
    clip, method = settled.declared.benefit.clip, study.method
    if study.benefit.clip != clip:
        lines += ["[benefit]", f"clip = {clip!r}"]
    triples = {
        "intercept_scale": (method.intercept_scale, 1.0, settled.encoding.intercept),
        "saturation": (method.saturation, 1.0, settled.encoding.saturation),
        "threshold": (method.threshold, 0.0, settled.threshold),
    }
    wanted = [
        f"{key} = {used!r}"
        for key, (declared, plain, used) in triples.items()
        if used != (declared if isinstance(declared, float) else plain)
    ]
    return lines + (["[method]", *wanted] if wanted else [])


@styled()
def draw_tuned(tuned: Tuned, axes: Axes, chosen: float | None = None) -> None:
    """Draw one curve; the band holds what is within 5 % of the best, dots mark the automatic γ.

    chosen: the candidate that a tuning on the rows released, marked in the place of the best.
    """
    factor = 100.0 if tuned.metric == "accuracy" else 1.0
    means, halves = ([factor * one for one in part] for part in (tuned.means, tuned.halves))
    axes.axvspan(*tuned.window, color=LINE, alpha=0.10, linewidth=0)
    if tuned.gammas[0] <= tuned.automatic <= tuned.gammas[-1]:
        axes.axvline(tuned.automatic, color=QUIET, linestyle=":", linewidth=1.4)
    axes.errorbar(tuned.gammas, means, yerr=halves, color=LINE, marker="o", elinewidth=1.0)
    marked = tuned.best if chosen is None else chosen
    height = means[tuned.gammas.index(marked)]
    axes.plot([marked], [height], marker="D", markersize=8, color=INK, zorder=3)
    axes.set_xscale("log")
    ticks = tuned.gammas[:: -(-len(tuned.gammas) // TICKS)]
    axes.set_xticks(ticks, [f"{gamma:g}" for gamma in ticks])
    axes.minorticks_off()
    word = "best" if chosen is None else "released:"
    headed(axes, f"ε = {tuned.epsilon}: {word} γ = {marked:g}")
    labelled(axes, across="γ (log scale)", up=DRAWN_UNITS.get(tuned.metric, "score"))


@styled()
def save_tuned(
    found: Sequence[Tuned],
    title: str,
    path: Path,
    chosen: float | None = None,
    *,
    private: bool = True,
) -> None:
    """Write the figure; the ending of the path decides the format.

    chosen: what a tuning on the rows released; the curves are then what one may expect; private:
    whether that release carries a claim.
    """
    columns = min(ACROSS, len(found))
    rows = -(-len(found) // columns)
    figure, axes = panels(
        max(7.2, 3.8 * columns), 1.2 + 3.0 * rows, rows=rows, columns=columns, sharey=True
    )
    for tuned, panel in zip(found, axes.flat, strict=False):
        draw_tuned(tuned, panel, chosen)
    for panel in axes[:, 1:].flat:
        labelled(panel, up="")
    for panel in axes.flat[len(found) :]:
        panel.set_visible(False)
    first = found[0]
    mark = "" if private and first.private_cost != NOT_PRIVATE else f"{NOT_PRIVATE}: "
    titled(
        figure,
        f"{mark}{short(title, 80)}, n = {first.n:,}, on {first.source}\n"
        f"{first.repeats:,} repeats, 95 % intervals; band: within 5 % of the best;\n"
        "diamond: the best or the released γ; dotted: the automatic γ",
    )
    save(figure, path)
