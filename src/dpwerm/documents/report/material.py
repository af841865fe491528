"""What a report is made from: public objects only, each of which has been verified.

A rule and a value are releases. An account is what the ledger's entries say, which are public too.
No field can hold a row of a table.
"""

import shlex
from dataclasses import dataclass, field
from functools import cached_property

from dpwerm.arrays import FloatArray
from dpwerm.documents.half_widths import (
    SimulatedHalfWidths,
    simulated_half_widths,
    simultaneous,
)
from dpwerm.documents.null_trials import Bar, bar_of
from dpwerm.documents.verdict import Verdict, verdict_of
from dpwerm.errors import ParameterError
from dpwerm.releases.kinds import Beside
from dpwerm.releases.release import Rule
from dpwerm.releases.rule_file import content_of, notice
from dpwerm.releases.value.release import ValueRelease, value_content


@dataclass(frozen=True)
class Material:
    """A rule, and what else is known of it; a value is that of this very rule."""

    rule: Rule
    beside: Beside = field(default_factory=Beside)

    def __post_init__(self) -> None:
        if self.value is not None:
            _refuse_other_question(self.value, self.rule, self.digest)

    @property
    def value(self) -> ValueRelease | None:
        """The released value, if one was bought."""
        found: ValueRelease | None = self.beside.value
        return found

    @property
    def private(self) -> bool:
        """Whether all that is reported carries a claim."""
        return self.rule.private and (self.value is None or self.value.private)

    @property
    def notices(self) -> tuple[str, ...]:
        """The sentence that heads each release."""
        if self.value is None:
            return (notice(self.rule),)
        return (notice(self.rule), f"Its value: {self.value.notice}")

    @cached_property
    def digest(self) -> str:
        """The digest of the rule file."""
        return str(content_of(self.rule)["digest"])

    @cached_property
    def value_digest(self) -> str | None:
        """The digest of the value file."""
        return None if self.value is None else str(value_content(self.value)["digest"])

    @cached_property
    def simulated(self) -> SimulatedHalfWidths | None:
        """The half-widths of noise inside the objective, simulated; None where they are not."""
        return simulated_half_widths(self.rule)

    @cached_property
    def half(self) -> FloatArray | None:
        """The ± of the privacy noise in each effect; None if it is not known."""
        return simultaneous(self.rule, self.simulated)

    @cached_property
    def bar(self) -> Bar | None:
        """What noise and chance do, which words, table and picture share; None if not known."""
        return bar_of(self.rule)

    @cached_property
    def verdict(self) -> Verdict:
        """Whether the rule as a whole can be told from noise."""
        return verdict_of(self.rule, self.bar)

    @property
    def noisy(self) -> bool:
        """Whether there is noise in the rule, and its half-width is known."""
        return self.half is not None and bool(self.half.any())

    def typed(self, command: str) -> str:
        """Return a command with the files' names in it as one types them, whatever is in a name."""
        names = (self.beside.file, self.beside.value_file, self.beside.study_file)
        rule, value, study = (shlex.quote(f"./{n}" if n.startswith("-") else n) for n in names)
        return command.format(rule=rule, value=value, study=study)


def _refuse_other_question(value: ValueRelease, rule: Rule, digest: str) -> None:
    """Raise unless a value is that of this rule, between its arms and in its benefit."""
    if value.rule_digest != digest:
        raise ParameterError(
            "the value file is about another rule: give the one that dpwerm evaluate wrote "
            "for this rule file"
        )
    if value.rule_private != rule.private:
        said, found = ("", "not ") if value.rule_private else ("not ", "")
        raise ParameterError(
            f"the value file says that the rule is {said}private, and this rule is {found}private: "
            "evaluate the rule again"
        )
    measured, learned = value.declaration.benefit, rule.declaration.benefit
    if value.declaration.treatment.arms != rule.arms:
        raise ParameterError("the value file has other arms than the rule: evaluate the rule again")
    for name in ("column", "transform", "direction"):
        if getattr(measured, name) != getattr(learned, name):
            raise ParameterError(
                f"the value file measures another benefit than the rule was learned for (its "
                f"{name} differs), and a report answers one question: evaluate with the rule's own "
                "study file"
            )


def quoted(name: str) -> str:
    """Return a name between quotes."""
    return f"'{name}'"
