r"""Synthetic trials at the scale that a protocol expects, in the place of scales at random.

.. math:: u = c + \text{main}(x) + y\,f(x) + \text{noise}, \qquad
          \text{sd}^2 = \operatorname{var}(\text{main}) + \operatorname{var}(f)
                        + \operatorname{var}(\text{noise})

sd² is the variance of the benefit within an arm, on average over the two, and the arms' difference
2f has the standard deviation that is expected. All else stays as a trial was drawn: the shape of
each part, who is better off with which arm, and how what is left divides between main effect and
noise.
"""

from dataclasses import dataclass

import numpy as np

from dpwerm.arrays import FloatArray

FITTING_SD = 0.4
"""Of a benefit whose bounds fit, in half ranges: they lie 2.5 standard deviations off its mean."""

LEAST_EFFECT = 0.25
"""How much better one arm is on average does not vanish where people hardly differ: it is that of
gains which vary by this share of the outcome's sd, 0 to 0.4 sd in most trials. Trials are planned
for differences of 0.2 sd, which is called small, to 0.5, which is called medium.
"""

NEARLY_NONE = 1e-9
"""A smaller average is the rounding of none."""

Parts = tuple[FloatArray, FloatArray, FloatArray]
"""Half the contrast, the mean benefit and its scatter, (n,) each."""


@dataclass(frozen=True)
class Scale:
    """What is expected of the benefit, in units of half its range.

    sd : float in (0, 1], of the benefit within an arm
    effect_sd : float in [0, 2 sd], of what one arm gains over the other, between people; None for
        the share of the sd that each trial was drawn with
    """

    sd: float
    effect_sd: float | None = None

    def applied(self, parts: Parts, values: int | None) -> Parts:
        """Return half the contrast, mean and scatter of a trial at this scale.

        values: how many values the benefit has; giving it one of them is a part of its scatter
        """
        f, mean, scatter = parts
        spreads = [float(part.std()) for part in parts]
        own = float(np.hypot.reduce(spreads))
        half = least = self.sd * spreads[0] / own
        if self.effect_sd is not None:
            half, least = self.effect_sd / 2, max(self.effect_sd, LEAST_EFFECT * self.sd) / 2
        rest = max(self.sd**2 - half**2, 0.0)
        average = float(f.mean())
        shift = average / spreads[0] if spreads[0] else float(np.sign(average))
        shift = shift if abs(shift) > NEARLY_NONE else 0.0
        common = spreads[1] ** 2 / (spreads[1] ** 2 + spreads[2] ** 2)
        noise = max(rest * (1 - common) - _rounding(values), 0.0)
        place, main = self._place(float(mean.mean()), values), float(np.sqrt(rest * common))
        if values == 2:  # so that few of the chances are cut at 0 or 1
            main = min(main, (1.0 - abs(place)) / 2)
        return (
            half * _shape(f) + least * shift,
            place + main * _shape(mean),
            np.sqrt(noise) * _shape(scatter),
        )

    def _place(self, drawn: float, values: int | None) -> float:
        """Return where the benefit lies as a whole: as drawn, but inside its bounds."""
        if values == 2:  # where its sd says, as p(1 - p) does
            return float(np.copysign(np.sqrt(1.0 - self.sd**2), drawn))
        room = max(0.0, 1.0 - self.sd / FITTING_SD)
        return float(np.clip(drawn, -room, room))


def _rounding(values: int | None) -> float:
    """Return the variance that comes of giving a benefit one of so many values."""
    if values is None:
        return 0.0
    return np.inf if values == 2 else (2 / (values - 1)) ** 2 / 6


def _shape(part: FloatArray) -> FloatArray:
    """Return a part with mean 0 and sd 1, zeros where all are equal."""
    centred = part - part.mean()
    spread = float(centred.std())
    return centred / spread if spread > NEARLY_NONE else np.zeros_like(centred)
