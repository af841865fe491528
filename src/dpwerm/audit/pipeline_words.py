"""An audit of a study's pipeline in words."""

from dpwerm.audit.study_audit import StudyAudit


def lines(found: StudyAudit) -> list[str]:
    """Return what was claimed, what was found, and how, one line each."""
    one, two = found.one_run, found.worlds
    others = f" and {one.people:,} simulated people" if one.people else ""
    runs = "one run" if one.runs == 1 else f"{one.runs:,} runs"
    return [
        f"Study {found.study}, from a table to its released files. They claim {one.claim}.",
        f"One-run audit: epsilon is at least {one.lower:.2f} (confidence {one.confidence:g}). "
        f"{one.right:,} of {one.guesses:,} guesses were right, in {runs} with "
        f"{one.canaries:,} canaries{others}, after {one.practice:,} runs of practice.",
        f"Two worlds: epsilon is at least {two.largest:.2f} (confidence {two.confidence:g}). "
        f"{two.exact_runs:,} real runs; worst pair: {two.pair}.",
        "The claim holds against these attacks."
        if found.holds
        else "BROKEN: a bound is above the claimed epsilon.",
    ]
