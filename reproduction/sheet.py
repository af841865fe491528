"""Tables of texts, for a page of the documentation."""

from dataclasses import dataclass

from dpwerm.text import markdown


@dataclass(frozen=True)
class Sheet:
    """A table of texts under a name of its own; the title says what it shows."""

    name: str
    title: str
    header: list[str]
    rows: list[list[str]]

    def markdown(self) -> str:
        """Return the table in Markdown, its title below it."""
        return f"{markdown([self.header, *self.rows])}\n\n{self.title}."
