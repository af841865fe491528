"""The answer to a question: settings for a fit, and in words why."""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Choice:
    """Settings chosen on simulated problems, in units that do not depend on W.

    gamma : γ/W; clip : share of the largest clip; intercept, saturation : of the encoding;
    threshold : coefficients below this share of the largest are set to 0 after the release;
    accuracy : of the winner on the problems of the last round, at its best threshold (one that wins
    less than 0.3 points is not applied); rivals : of the best of each other mechanism there;
    problems, rows : how many problems of how many rows those were.
    """

    mechanism: str
    gamma: float
    clip: float
    intercept: float
    saturation: float
    threshold: float
    accuracy: float
    rivals: Mapping[str, float]
    problems: int
    rows: int

    def __post_init__(self) -> None:
        numbers = (self.gamma, self.clip, self.intercept, self.saturation, self.threshold)
        if not all(math.isfinite(one) and one >= 0 for one in numbers) or self.gamma == 0:
            raise ValueError("these are no settings")

    def plain(self) -> dict[str, Any]:
        """Return plain values for a file."""
        return asdict(self) | {"rivals": dict(self.rivals)}

    @property
    def reason(self) -> str:
        """Say in one sentence what was tried and what won."""
        name = "the fit without noise" if self.mechanism == "none" else self.mechanism
        rivals = ", ".join(f"{name} {100 * value:.1f}" for name, value in self.rivals.items())
        return (
            f"chosen on {self.problems} simulated problems inside the declared bounds, without "
            f"reading a row: there {name} reached the right answer for {100 * self.accuracy:.1f} % "
            "of the people" + (f"; others: {rivals}" if rivals else "")
        )
