"""A cell of Table II: what is published, and the repeats of both methods."""

from dataclasses import dataclass

from reproduction.published import Published
from reproduction.summary import standard_errors_apart
from reproduction.synthetic.repeats import Cells, Repeats

LARGEST_Z = 4.5
# A published interval spans two 97.5 % quantiles of Student's t with 199 degrees of freedom.
QUANTILE = 1.972
MEASURES = {"accuracy": "accuracy rate", "value": "treatment value"}


@dataclass(frozen=True)
class Cell:
    """Repeats of both methods beside the published cell."""

    published: Published
    paper: Repeats
    ours: Repeats

    def z(self, measure: str) -> float:
        """Return reproduced minus published mean in standard errors of their difference."""
        mean, half_width = getattr(self.published, measure)
        return standard_errors_apart(getattr(self.paper, measure), mean, half_width / QUANTILE)

    def agrees(self, measure: str) -> bool:
        """Whether the means agree."""
        return abs(self.z(measure)) < LARGEST_Z

    @property
    def name(self) -> str:
        """The cell in words."""
        return f"ε = {shown(self.published.epsilon)}, n = {self.published.n}"


def cells_of(published: list[Published], found: Cells) -> list[Cell]:
    """Return the published cells with what was found for each."""
    return [
        Cell(one, found["paper", one.epsilon, one.n], found["ours", one.epsilon, one.n])
        for one in published
    ]


def shown(epsilon: str) -> str:
    """Return a budget for reading."""
    return "∞" if epsilon == "inf" else epsilon
