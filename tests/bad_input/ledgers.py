"""Conditions of the ledger: none, one that does not suit, one that cannot be used."""

from tests.bad_input.arrays import both
from tests.bad_input.base import replaced
from tests.bad_input.fitting import Condition, Conditions, Through, only_option, study_says

from dpwerm.privacy.ledger.ledger import Ledger

TOTAL = "epsilon = 2"
NO_BUDGET = replaced(f"[budget]\n{TOTAL}\n", "")
NOWHERE = "sqlite:////no/such/folder/ledger.db"


def _ledger(line: str) -> Condition:
    return study_says(replaced(TOTAL, f"{TOTAL}\n{line}"))


CONDITIONS: Conditions = {
    "no ledger": study_says(NO_BUDGET, *both(ledger=None)),
    "the word none for a ledger": Condition(
        None, Through(NO_BUDGET, options=("--ledger", "none")), both(ledger="none")
    ),
    "no ledger, with a seed": Condition(
        None,
        Through(NO_BUDGET, options=("--seed", "1")),
        both(ledger=None, random_state=1),
    ),
    "no ledger, epsilon infinite": Condition(
        None,
        Through(NO_BUDGET, options=("--epsilon", "inf")),
        both(ledger=None, epsilon="inf"),
    ),
    "ledger that is no address": Condition(
        Through(replaced(TOTAL, f'{TOTAL}\nledger = "ledger.db"')),
        Through(options=("--ledger", "ledger.db")),
        both(ledger="ledger.db"),
    ),
    "ledger of another kind of thing": Condition(arrays=both(ledger=7)),
    "ledger with a password in the study file": _ledger(
        'ledger = "postgresql://me:zebra-canary@localhost/trials"'
    ),
    "ledger in a folder that does not exist": Condition(
        None,
        Through(replaced(TOTAL, f'{TOTAL}\nledger = "{NOWHERE}"')),
        both(ledger=Ledger(NOWHERE, study="small-trial", epsilon=2)),
    ),
    "ledger with less than is asked": Condition(
        None,
        Through(replaced(TOTAL, "epsilon = 0.5")),
        both(ledger=Ledger(NOWHERE, study="small-trial", epsilon="0.5")),
    ),
    "ledger for another relation": Condition(
        arrays=both(ledger=Ledger(NOWHERE, study="small-trial", epsilon=2, relation="add_remove"))
    ),
    "ledger that is not the study's": Condition(
        None,
        Through(
            replaced(TOTAL, f'{TOTAL}\nledger = "sqlite:///ledger.db"'),
            options=("--ledger", "sqlite:///other.db"),
        ),
    ),
    "partition that is not declared": only_option("--partition", "north"),
    "total of nothing": study_says(replaced(TOTAL, "delta = 1e-6")),
}
