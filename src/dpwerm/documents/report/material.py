"""What a report is made from: public objects only, each of which has been verified.

A rule and a value are releases. An account is what the ledger's entries say, which are public too.
No field can hold a row of a table.
"""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from dpwerm.arrays import FloatArray
from dpwerm.documents.half_widths import SimulatedReach, simulated_reach
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
    def reach(self) -> SimulatedReach | None:
        """How far noise inside the objective reaches, simulated; None where it is not."""
        return simulated_reach(self.rule)

    @cached_property
    def half(self) -> FloatArray | None:
        """How far noise reaches in each effect, by its law or simulated; None if not known."""
        return self.rule.release.effect_reach() if self.reach is None else self.reach.half

    @cached_property
    def drowned(self) -> tuple[str, ...]:
        """The coefficients that do not stand out from the noise, as far as its reach is known.

        In 95 of 100 releases noise alone lets none of them stand out.
        """
        release = self.rule.release
        exact = release.effect_reach(together=True)
        together = exact if self.reach is None else self.reach.together
        if together is None or not together.any():
            return ()
        rows = zip(release.encoding.coefficient_names, release.effects, together, strict=True)
        return tuple(name for name, effect, reach in rows if abs(effect) <= reach)

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


def joined(lines: Sequence[str]) -> str:
    """Return lines of a text summary as one paragraph."""
    return " ".join(line.strip() for line in lines if line.strip())


def exact(value: float) -> str:
    """Return a declared number with all its digits."""
    return f"{value + 0.0:.15g}"
