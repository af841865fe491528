"""Where a study is charged: in one place, for a total holds only if all releases are added up.

Once the ledger beside a study file knows the study, no other place can be named for it.
"""

from dpwerm.errors import ParameterError
from dpwerm.privacy.ledger.account import studies_in
from dpwerm.privacy.ledger.store import Store
from dpwerm.privacy.ledger.url import LedgerAddress
from dpwerm.study.declaration import Study

DEFAULT = "sqlite:///ledger.db"
"""Where a study is charged that names no ledger: beside its file."""


def refuse_elsewhere(study: Study, address: LedgerAddress) -> None:
    """Raise if a study declares another ledger, or was charged in the one beside its file."""
    named = study.budget.ledger if study.budget else None
    if named:
        declared = LedgerAddress.of(named, study.folder)
        if not address.same_database(declared):
            raise ParameterError(
                f"{address.shown} is not the ledger that the study declares ({declared.shown}): "
                "a total holds only if all releases are charged in one place"
            )
    if study.folder is None:
        return
    beside = LedgerAddress.of(DEFAULT, study.folder)
    if not address.same_database(beside) and study.id in studies_in(Store(beside).read()):
        raise ParameterError(
            f"study {study.id} was charged in {beside.shown} beside its file, of which "
            f"{address.shown} does not know. Charge it there; or take what was spent off the total "
            "in [budget], then move that file away"
        )
