"""A sound study, a sound trial and sound arrays, each to be spoilt in one way at a time."""

import csv
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass

NUMBER_CANARY, TEXT_CANARY = "987654.321", "zebra-canary"
"""Values that are planted in every table a fit sees and must never be seen in any text."""

N = 24

STUDY = """\
format = 1

[study]
id = "small-trial"
relation = "replace_one"

[features.age]
kind = "number"
bounds = [18, 80]

[features.sex]
kind = "category"
levels = ["F", "M"]

[treatment]
column = "arm"
arms = { pill = 0.5, therapy = 0.5 }

[benefit]
column = "gain"
bounds = [-10, 10]

[budget]
epsilon = 2

[method]
gamma = 50
"""


@dataclass(frozen=True)
class Cells:
    """The text of a table: its header and its rows."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def set(self, column: str, value: str, rows: Sequence[int] | None = None) -> "Cells":
        """Return the table with a value in some rows of a column, by default in all."""
        place = self.header.index(column)
        chosen = range(len(self.rows)) if rows is None else rows
        changed = [
            (*row[:place], value, *row[place + 1 :]) if i in chosen else row
            for i, row in enumerate(self.rows)
        ]
        return Cells(self.header, tuple(changed))

    def take(self, rows: Sequence[int]) -> "Cells":
        """Return some of the rows."""
        return Cells(self.header, tuple(self.rows[i] for i in rows))

    def pick(self, columns: Sequence[int], names: Sequence[str] | None = None) -> "Cells":
        """Return columns by position, perhaps with other names."""
        header = names or [self.header[j] for j in columns]
        return Cells(tuple(header), tuple(tuple(row[j] for j in columns) for row in self.rows))

    def add(self, name: str, values: Sequence[str]) -> "Cells":
        """Return the table with one more column."""
        rows = tuple((*row, value) for row, value in zip(self.rows, values, strict=True))
        return Cells((*self.header, name), rows)

    def to_bytes(self) -> bytes:
        """Return the table as a CSV file."""
        stream = io.StringIO()
        csv.writer(stream, lineterminator="\n").writerows([self.header, *self.rows])
        return stream.getvalue().encode()


def sound_table() -> Cells:
    """Return a trial in which every value is as declared."""
    rows = []
    for i in range(N):
        arm = ("pill", "therapy")[i % 2]
        gain = (i % 7) - 3 + (2 if (i % 3 == 0) == (arm == "pill") else -2)
        rows.append((str(i), str(20 + 2 * i), "FM"[i % 3 == 0], arm, str(gain), "0.4"))
    return Cells(("person", "age", "sex", "arm", "gain", "chance"), tuple(rows))


def with_canaries(table: Cells) -> Cells:
    """Return the table with canaries in its last row, which a fit maps by the public rule."""
    last = [len(table.rows) - 1]
    for column, value in (("age", NUMBER_CANARY), ("sex", TEXT_CANARY), ("gain", NUMBER_CANARY)):
        table = table.set(column, value, last)
    return table


def replaced(old: str, new: str) -> Callable[[str], str]:
    """Return an edit of a text that must hold ``old`` exactly once."""

    def edit(text: str) -> str:
        assert text.count(old) == 1
        return text.replace(old, new)

    return edit


PROPENSITY_COLUMN = replaced(
    "arms = { pill = 0.5, therapy = 0.5 }",
    'arms = ["pill", "therapy"]\npropensity = "chance"\n'
    'propensity_floor = 0.1\norigin = "external"',
)
PERSON_COLUMN = replaced('id = "small-trial"', 'id = "small-trial"\nperson = "person"')
ADD_REMOVE = replaced('"replace_one"', '"add_remove"')
