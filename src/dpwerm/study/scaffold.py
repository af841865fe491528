"""A new study file from a table's header: the names are public, the values are not looked at."""

import json
import re
import unicodedata
from collections.abc import Iterable

from dpwerm.data.table import check_header, open_source
from dpwerm.study.values import PLACEHOLDER

_TOP = f"""\
# A study file says what is public about a study. Nothing here may come from looking at the data:
# take bounds and levels from the protocol, the questionnaire or the literature.
# Replace every "{PLACEHOLDER}"; docs/study-file.md explains each key.

format = 1

[study]
id = "{PLACEHOLDER}"              # such as "my-trial": a-z, 0-9, dot, dash, underscore
# name = "My trial"           # its name in reports
relation = "replace_one"      # two tables are neighbours if one row differs
# person = "column"           # a column that identifies persons; each may have one row only
# planned_n = 1000            # how many people are planned for; needed for "add_remove"

[treatment]
column = "{PLACEHOLDER}"          # the column that holds the arm each person received
arms = "{PLACEHOLDER}"            # as in the cells, with probabilities: {{ A = "1/3", B = "2/3" }}
# The ratio must be fixed before the first person. Did the probabilities follow earlier people, as
# in an urn or with play-the-winner? Then allocation = "adaptive", and go on as if not randomised.
# Not randomised? Then arms = ["A", "B"], and:
# propensity = {{ model = "private" }}
# propensity_floor = 0.1      # the smallest probability of an arm that is thought possible

[benefit]
column = "{PLACEHOLDER}"          # the column that holds the outcome
bounds = "{PLACEHOLDER}"          # [lowest, highest] possible, in the column's units
direction = "larger"          # which outcomes are better: "larger" or "smaller"
transform = "identity"        # or "log"
# centre = 0                  # where most outcomes are expected, if not in the middle of bounds;
#                             # after log, and with a minus where smaller is better
# expected_sd = 7             # of the protocol's sample size, after log; dpwerm plan uses it alone
# source = "protocol, 5.1"    # where the bounds come from

[budget]
epsilon = "{PLACEHOLDER}"         # the total for this study, over all releases, such as 2
# ledger = "sqlite:///ledger.db"  # where releases are charged to it

# [method]
# gamma = 1000                # regularisation; without it, all is chosen by simulation

# One block for each column. Keep the features known before treatment, delete all other blocks.
"""

_FEATURE = """
# column {position}
[features.{name}]
column = {column}
kind = "{placeholder}"            # "number" or "category"
# bounds = [0, 100]           # a number needs its bounds
# levels = ["no", "yes"]      # a category needs its levels; or {{ yes = ["1", "2"], no = "*" }}
# source = "protocol, 3.2"    # where they come from
"""


def scaffold(source: object) -> str:
    """Return a study file, with places to fill in, for a table of which the header is read."""
    opened = open_source(source)
    check_header(opened, ())
    named = [(position, name) for position, name in enumerate(opened.names, start=1) if name]
    blocks = [
        _FEATURE.format(name=key, position=position, column=quoted(column), placeholder=PLACEHOLDER)
        for key, (position, column) in zip(slugs(name for _, name in named), named, strict=True)
    ]
    return _TOP + "".join(blocks)


def quoted(text: str) -> str:
    """Return a TOML string of any text."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def slugs(columns: Iterable[str]) -> list[str]:
    """Return a plain, distinct feature name for each column."""
    taken = {"", "intercept"}
    found = []
    for position, column in enumerate(columns, start=1):
        letters = unicodedata.normalize("NFKD", column.replace("ß", "ss"))
        plain = letters.encode("ascii", "ignore").decode()
        stem = re.sub(r"[^a-z0-9]+", "_", plain.lower()).strip("_")[:50] or f"column_{position}"
        name, copy = stem, 2
        while name in taken:
            name, copy = f"{stem}_{copy}", copy + 1
        taken.add(name)
        found.append(name)
    return found
