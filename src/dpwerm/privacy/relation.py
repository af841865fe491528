"""Which data sets are neighbours: D and D' that differ in one record.

Replacing a record changes the gradient by two terms, adding or removing one by a single term;
but under add/remove the number of records n is itself sensitive.
"""

from enum import StrEnum

from dpwerm.parameters import one_of


class Relation(StrEnum):
    """The neighbouring relation that a privacy claim is about."""

    REPLACE_ONE = "replace_one"
    ADD_REMOVE = "add_remove"

    @classmethod
    def of(cls, name: object) -> "Relation":
        """Return the relation of that name."""
        return cls(one_of("relation", name, [str(member) for member in cls]))

    @property
    def terms(self) -> int:
        """How many terms of the objective differ between neighbours: 2 or 1."""
        return 2 if self is Relation.REPLACE_ONE else 1

    @property
    def publishes_n(self) -> bool:
        """Whether the number of records is the same for all neighbours, hence public."""
        return self is Relation.REPLACE_ONE
