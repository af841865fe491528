"""What a report is made from: public objects only, each of which has been verified.

A rule and a value are releases. An account is what the ledger's entries say, which are public too.
No field can hold a row of a table.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from dpwerm.arrays import FloatArray
from dpwerm.errors import ParameterError
from dpwerm.privacy.ledger.account import Account, Charge
from dpwerm.report.noise_interval import effect_reach
from dpwerm.report.simulated_reach import SimulatedReach, simulated_reach
from dpwerm.rules.rule import Rule
from dpwerm.rules.rule_file import content_of
from dpwerm.rules.value.file import value_content
from dpwerm.rules.value.release import ValueRelease


@dataclass(frozen=True)
class Booked:
    """The account of the study, in the ledger that was asked; ``where`` names it for a reader."""

    account: Account
    where: str

    def charge_of(self, digest: str) -> Charge | None:
        """Return the charge that paid for a release."""
        return next((one for one in self.account.charges if one.digest == digest), None)


@dataclass(frozen=True)
class Material:
    """A rule, and what else is known of it.

    Parameters
    ----------
    rule : Rule
    value : the released value of this very rule, if one was bought
    booked : the account of its study, if a study file was given
    checks : how many checks of the files held when they were read
    names : the names of the files, for commands a reader can type
    """

    rule: Rule
    value: ValueRelease | None = None
    booked: Booked | None = None
    checks: int = 0
    names: "Names | None" = None

    def __post_init__(self) -> None:
        if self.value is not None and self.value.rule_digest != self.digest:
            raise ParameterError(
                "the value file is about another rule: give the one that dpwerm evaluate wrote "
                "for this rule file"
            )

    @cached_property
    def content(self) -> dict[str, Any]:
        """The plain content of the rule file."""
        return content_of(self.rule)

    @property
    def digest(self) -> str:
        """The digest of the rule file."""
        return str(self.content["digest"])

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
        return effect_reach(self.rule.release) if self.reach is None else self.reach.half

    @cached_property
    def drowned(self) -> tuple[str, ...]:
        """The coefficients whose sign the noise alone could have made, as far as is known."""
        if self.half is None or not self.half.any():
            return ()
        release = self.rule.release
        rows = zip(release.encoding.coefficient_names, release.effects, self.half, strict=True)
        return tuple(name for name, effect, reach in rows if abs(effect) <= reach)


@dataclass(frozen=True)
class Names:
    """What the files are called where the report is read."""

    rule: str = "rule.json"
    value: str = "value.json"
    study: str = "study.toml"
