"""An audit of a study's pipeline in words."""

from dpwerm.audit.attack import Audited
from dpwerm.audit.one_run import one_run_lower
from dpwerm.audit.pipeline import OneRun, StudyAudit
from dpwerm.text import wrapped


def lines(found: StudyAudit) -> list[str]:
    """Return what was claimed, what was found and how, and the verdict, each from a new line."""
    one, two = found.one_run, found.worlds
    holds = "The claim holds against these attacks."
    said = [
        f"Study {found.study}, from a table to its released files. They claim {one.claim}.",
        f"Canaries: {_bound(one.lower, one.confidence)}. {_guessed(one)}.{_too_few(one)}",
        f"Two worlds: {_bound(two.largest, two.confidence)}. {_told(two)}.",
        holds if found.holds else "BROKEN: a bound is above the claimed epsilon.",
    ]
    return [line for text in said for line in wrapped(text)]


def _bound(lower: float, confidence: float) -> str:
    return f"epsilon is at least {lower:.2f} (confidence {confidence:g})"


def _guessed(one: OneRun) -> str:
    others = f" and {one.people:,} simulated people" if one.people else ""
    runs = "one run" if one.runs == 1 else f"{one.runs:,} runs"
    return (
        f"{one.right:,} of {one.guesses:,} guesses were right, in {runs} with "
        f"{one.canaries:,} canaries{others}, after {one.practice:,} runs of practice"
    )


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


def _told(two: Audited) -> str:
    return f"{two.exact_runs:,} real runs; worst pair: {two.pair}"
