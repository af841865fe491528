"""A kind of release of one's own, in one module: how many people each level of a column has.

A person has one level, so one person moves all counts together by at most k = 2 under replace-one:
Laplace noise of scale k/ε, as for any sums of shares (docs/proofs/evaluation.md).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, Literal

from pydantic import Field

from dpwerm.audit.suite import Cell, SumsTarget
from dpwerm.documents.document import Document, Facts, Paragraph, Section, Table
from dpwerm.errors import Fault, ParameterError, RuleFileError
from dpwerm.features.blocks import Frozen
from dpwerm.mechanisms.laplace_sums import UNIT, LaplaceSums
from dpwerm.privacy.budget import Budget, Relation
from dpwerm.privacy.ledger.ledger import Ledger
from dpwerm.privacy.randomness import Receipt
from dpwerm.releases.certificate import LedgerKey, Name, ledger_key, receipt_in
from dpwerm.releases.charging import attach, privacy_filter_of
from dpwerm.releases.kinds import Beside, Kind


@dataclass(frozen=True)
class Counts:
    """Noisy counts on a public grid; everything in it is public."""

    study: str
    levels: tuple[str, ...]
    integers: tuple[int, ...]
    budget: Budget
    relation: Relation
    secure: bool
    receipt: Receipt | None

    @property
    def noise(self) -> LaplaceSums:
        """The noise in the counts."""
        return LaplaceSums(len(self.levels), self.relation, self.budget)

    @property
    def private(self) -> bool:
        """Whether the counts carry a privacy claim."""
        return self.secure and self.budget.is_private

    @property
    def counts(self) -> tuple[float, ...]:
        """The counts, as far as the noise lets them be known."""
        return tuple(k * 2.0**self.noise.exponent for k in self.integers)


def released_counts(
    cells: Sequence[str], levels: Sequence[str], epsilon: str, ledger: Ledger
) -> Counts:
    """Return how often each level occurs, charged to a study's ledger before noise is drawn."""
    budget, declared = Budget.of(epsilon), ledger.declared
    relation = Relation.of(declared.relation)
    privacy_filter = privacy_filter_of(ledger, budget, None, "statistics", relation=relation)
    noise = LaplaceSums(len(levels), relation, budget)
    bits = privacy_filter.authorise(budget)
    counts = Counts(
        declared.study,
        tuple(levels),
        noise.release([UNIT * list(cells).count(level) for level in levels], bits),
        budget,
        relation,
        bits.secure,
        bits.receipt,
    )
    attach(privacy_filter, bits.receipt, lambda: STATISTICS.content(counts))
    return counts


class StatisticsRecord(Frozen):
    """The content of a statistics file."""

    format: Literal["dpwerm-statistics"]
    version: Literal[1]
    study: Name
    levels: list[Name]
    integers: list[Annotated[int, Field(strict=True)]]
    exponent: Annotated[int, Field(strict=True)]
    epsilon: Name
    relation: Relation
    private: Annotated[bool, Field(strict=True)]
    noise_scale: float
    claim: str
    randomness: Literal["operating system", "seeded"]
    ledger: LedgerKey
    digest: Name


class StatisticsKind(Kind[Counts]):
    """Counts of the levels of a column."""

    format, version, releases = "dpwerm-statistics", 1, Counts
    charged_as = ("statistics",)
    again = "count again"
    shown = ("digest", "epsilon", "noise_scale", "private")
    given = ("epsilon",)

    def plain(self, release: Counts) -> dict[str, Any]:
        """Return the content of a file."""
        key = ledger_key(release.receipt)
        return {
            "study": release.study,
            "levels": list(release.levels),
            "integers": list(release.integers),
            "exponent": release.noise.exponent,
            "epsilon": str(release.budget.epsilon),
            "relation": str(release.relation),
            "private": release.private,
            "noise_scale": release.noise.scale,
            "claim": release.noise.statement,
            "randomness": "operating system" if release.secure else "seeded",
            "ledger": key if isinstance(key, str) else key.model_dump(mode="json"),
        }

    def parse(self, content: dict[str, Any], where: str) -> Counts:
        """Return the counts that content describes."""
        record = self.record(StatisticsRecord, content, where)
        if len(record.levels) != len(record.integers):
            raise RuleFileError(where, [Fault("integers", "not one for each level")])
        try:
            budget = Budget.of(record.epsilon)
        except ParameterError as error:
            raise RuleFileError(where, [Fault("epsilon", str(error))]) from None
        return Counts(
            record.study,
            tuple(record.levels),
            tuple(record.integers),
            budget,
            record.relation,
            record.randomness == "operating system",
            receipt_in(record.ledger),
        )

    def charged(self, release: Counts) -> tuple[str, str]:
        """Return what a ledger calls the counts, and their study."""
        return "statistics", release.study

    def summary(self, release: Counts) -> str:
        """Return the counts as text."""
        rows = zip(release.levels, release.counts, strict=True)
        return "\n".join(f"{level}: {count:.1f}" for level, count in rows) + "\n"

    def audited(self) -> Iterable[Cell]:
        """Return what an auditor attacks: as many sums as there are levels, one share for each."""
        make = partial(SumsTarget, Budget.of("4"), cells=2, pieces=1)
        return [Cell("statistics", "2 levels, epsilon = 4", make, quick=True)]

    def report(self, release: Counts, beside: Beside) -> Document:
        """Return a short report."""
        rows = zip(release.levels, release.counts, strict=True)
        table = Table("Counts", ("level", "people"), tuple((a, f"{b:.1f}") for a, b in rows))
        spent = "" if beside.account is None else f" {len(beside.account.charges)} charges so far."
        facts = Facts((("epsilon", str(release.budget.epsilon)), ("file", beside.file)))
        words = Paragraph(f"{beside.checks} checks hold.{spent}")
        section = Section("counts", "How many people", (table, facts, words))
        notice = f"Counts released under differential privacy: {release.budget}."
        return Document("report", "Statistics", (section,), (notice,), release.private)


STATISTICS = StatisticsKind()
