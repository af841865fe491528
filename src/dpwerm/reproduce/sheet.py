"""Tables of texts, for a page of the documentation."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Sheet:
    """A table of texts under a name of its own; the title says what it shows."""

    name: str
    title: str
    header: list[str]
    rows: list[list[str]]

    def markdown(self) -> str:
        """Return the table in Markdown, its title below it."""
        lines = [self.header, ["---"] * len(self.header), *self.rows]
        table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
        return f"{table}\n\n{self.title}."
