"""Why it is private: the mechanism, what must be true, each public bound, and how to check."""

from dpwerm.report.content import Block, Commands, Facts, Paragraph, Points, Section, Table
from dpwerm.report.material import Material, Names
from dpwerm.report.sections.naming import joined, quoted
from dpwerm.report.settings_words import chosen_lines, tuning_lines
from dpwerm.report.summary import certificate_rows
from dpwerm.rules.rule import Rule
from dpwerm.study.blocks import CategoryBlock, NumberBlock

NOT_STATED = "not stated"
ORIGINS = {
    "design": "the design of the trial",
    "external": "a model fitted to other people",
    "released": "a model released with the rule",
    "ridge": "a model fitted to the same people, its influence bounded",
    "worst_case": "a column of which nothing is assumed",
}
OUTPUT = (
    "The rule was computed from everybody's rows, with each person's weight held below a public "
    "bound, so one person can move the coefficients only so far. Random noise made for that "
    "distance was added before anything left the computer"
)
OBJECTIVE = (
    "Random noise was put into the task that the computer solves, before it was solved, so that "
    "the solution itself is random. Public bounds on one person's row and weight say how much "
    "noise that takes. A second, far smaller noise covers that a computer solves only to some "
    "digits"
)
HOW = {
    "spherical-laplace": OUTPUT,
    "product-laplace": OUTPUT,
    "gaussian": OUTPUT,
    "objective-l2": OBJECTIVE,
    "objective-block": OBJECTIVE,
    "objective-gaussian": OBJECTIVE,
    "none": "No noise was added, so there is no promise",
}
OUTSIDE = (
    (
        "Every bound, level, probability and setting below comes from outside the data: a "
        "protocol, a questionnaire, the literature. Looking at the data to choose one would be a "
        "release that nobody counts."
    ),
    "One person is one row of the table.",
    (
        "Everything else that was published about the same people is in the same ledger, or its "
        "cost is added to the one above."
    ),
    (
        "The random bits of the operating system are uniform and secret, and nobody else could "
        "read the computer's memory or measure how long it worked."
    ),
)


def why_private(material: Material) -> Section:
    """Return the section on the claim and what it rests on."""
    rule = material.rule
    certificate = rule.release.certificate
    how = HOW.get(certificate.mechanism, "The mechanism is not one of this library's own")
    blocks: list[Block] = [
        Paragraph(f"{how}. The noise is drawn exactly, on a grid, never in rounded numbers."),
        Paragraph(f"The claim: {certificate.claim} The proof: {certificate.proof}."),
    ]
    if not rule.private:
        blocks = [Paragraph(f"{how}. The numbers below say how the rule was made.")]
    elif certificate.mechanism == "none":
        blocks = blocks[1:]
    blocks += [
        Paragraph("The promise holds if these are true, which no software can see:"),
        Points(OUTSIDE),
        _bounds(rule),
        Paragraph(f"Weights: {certificate.weight_origin.statement}."),
        *_propensity(rule),
        Paragraph("The certificate, as the rule file has it:"),
        Facts(tuple(certificate_rows(rule).items())),
        *(Paragraph(joined(lines)) for lines in (tuning_lines(rule), chosen_lines(rule)) if lines),
        *_verify(material),
    ]
    title = "Why it is private" if rule.private else "How it was made"
    return Section("private", title, tuple(blocks))


def _bounds(rule: Rule) -> Table:
    """Return every public declaration with its source."""
    declaration = rule.declaration
    rows = []
    for block in rule.release.encoding.blocks:
        source = declaration.sources.get(block.name, NOT_STATED)
        rows.append((block.name, _declared(block), source))
    treatment, benefit = declaration.treatment, declaration.benefit
    if treatment.probabilities is not None:
        pairs = zip(treatment.arms, treatment.probabilities, strict=True)
        arms = ", ".join(f"{quoted(arm)} with probability {chance}" for arm, chance in pairs)
    else:
        arms = f"{quoted(treatment.arms[0])} and {quoted(treatment.arms[1])}, probabilities at "
        arms += f"least {treatment.pi_min:g}"
    rows.append(
        (f"arms, column {treatment.column}", arms, ORIGINS.get(treatment.origin, treatment.origin))
    )
    lower, upper = benefit.bounds
    turned = f"{lower:g} to {upper:g}, {benefit.direction} is better"
    if benefit.transform != "identity":
        turned += f", {benefit.transform} taken"
    rows.append((f"benefit, column {benefit.column}", turned, benefit.source or NOT_STATED))
    return Table(
        "Everything that was declared in public, and where it comes from.",
        ("what", "declared", "source"),
        tuple(rows),
    )


def _declared(block: NumberBlock | CategoryBlock) -> str:
    if isinstance(block, NumberBlock):
        return f"{block.lower:g} to {block.upper:g}, if missing {block.default:g}"
    levels = ", ".join(level.name for level in block.levels)
    return f"one of {levels}; if missing {block.default}"


def _propensity(rule: Rule) -> list[Block]:
    model = rule.propensity
    if model is None:
        return []
    own = tuple((name, f"{value:+.4g}") for name, value in model.own_units().items())
    second = quoted(rule.arms[1])
    return [
        Table(
            f"The model of who received {second}, released with the rule: log-odds, in the "
            "columns' own units.",
            ("feature", "adds to the log-odds"),
            own,
        )
    ]


def _verify(material: Material) -> list[Block]:
    names = material.names or Names()
    lines = [f"dpwerm verify {names.rule} --study {names.study}"]
    if material.value is not None:
        lines.append(f"dpwerm verify {names.value} --study {names.study}")
    return [
        Paragraph(
            "Anybody who holds the rule file can derive sensitivity, noise and budget again from "
            "the facts in it; whoever can read the ledger can also see that it was charged:"
        ),
        Commands(tuple(lines)),
    ]
