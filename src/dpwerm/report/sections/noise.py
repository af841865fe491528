"""The coefficients beside the reach of the privacy noise, and which of them stand out."""

from dpwerm.report.content import Block, Caution, Paragraph, Table
from dpwerm.report.material import Material
from dpwerm.report.noise_interval import caveat
from dpwerm.report.sections.naming import listed
from dpwerm.report.settings_words import zeroed
from dpwerm.report.simulated_reach import why_not
from dpwerm.report.summary import UNITS

EXACT_RATE = (
    "From noise alone one coefficient or more stands out in 5 of 100 releases, at a reach wider "
    "than ±."
)
SIMULATED_RATE = (
    "On the simulated trials noise alone lets one coefficient or more stand out in 5 of 100 "
    "releases, at a reach wider than ±; on other trials it may be fewer or more "
    "(docs/report-intervals.md)."
)


def noise(material: Material) -> list[Block]:
    """Return the coefficients in encoded units beside the reach of the noise."""
    rule = material.rule
    release = rule.release
    names, effects = release.encoding.coefficient_names, release.effects
    small = zeroed(release)
    simulated, half = material.reach, material.half
    headings: tuple[str, ...] = ("coefficient", "released")
    columns: list[list[str]] = [[f"{one:+.4f}" for one in effects]]
    if half is not None and half.any():
        headings += (f"privacy noise, ±{', simulated' if simulated is not None else ''}",)
        columns.append([f"± {one:.4f}" for one in half])
    if simulated is not None:
        headings += ("in 8 of 10 simulated trials, ±",)
        ends = zip(simulated.low, simulated.high, strict=True)
        columns.append([f"{low:.4f} to {high:.4f}" for low, high in ends])
    rows = [
        (name, value, *("set to 0" if zero else text for text in rest))
        for name, zero, value, *rest in zip(names, small, *columns, strict=True)
    ]
    caption = f"Coefficients in encoded units: {UNITS[release.encoding.kind]}."
    blocks: list[Block] = [Table(caption, headings, tuple(rows))]
    if half is None:
        return [*blocks, Paragraph(f"No interval is shown. {why_not(rule)}")]
    return [*blocks, *_reading(material)] if half.any() else blocks


def _reading(material: Material) -> list[Block]:
    """Return what ± means, and what may be noise alone."""
    words = (
        "± is the reach of the privacy noise in 95 of 100 releases, by its exact law. It is not "
        "sampling error: other people would have given other coefficients even without noise."
    )
    rule, drowned = material.rule, material.drowned
    said = words if material.reach is None else material.reach.words
    blocks: list[Block] = [Paragraph(f"{said} {caveat(rule)}".strip())]
    small = dict(zip(rule.release.encoding.coefficient_names, zeroed(rule.release), strict=True))
    unclear = [name for name in drowned if not small[name]]
    if len(drowned) == len(small):
        blocks.append(
            Caution(
                "No coefficient stands out from the privacy noise: this rule may be noise alone. "
                "More people or a larger budget would give a clearer one."
            )
        )
    elif unclear:
        blocks.append(
            Paragraph(
                f"{EXACT_RATE if material.reach is None else SIMULATED_RATE} By that measure "
                f"these do not stand out: {listed(unclear)}. Read nothing into their signs; the "
                "score uses them all the same."
            )
        )
    return blocks
