"""The only thing that crosses from the sensitive side to the public one.

θ_j = k_j·2^e with integers k_j on the public grid 2^e, the encoding that gives them meaning,
and the certificate that says what was promised. A rule uses them after a public threshold, which
sets coefficients that are small beside the largest to 0: that costs no privacy.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpwerm.arrays import FloatArray
from dpwerm.data.table import read_table
from dpwerm.features.encoding import Encoding
from dpwerm.mechanisms import MECHANISMS
from dpwerm.privacy.budget import AnyBudget, total
from dpwerm.privacy.randomness import Receipt
from dpwerm.releases.certificate import Certificate
from dpwerm.releases.guard import Guard
from dpwerm.releases.ranges import BENEFIT, Ranges
from dpwerm.releases.tightness import Tightness
from dpwerm.releases.tuning import Tuning
from dpwerm.study.treatment import Declaration
from dpwerm.study.variables import Benefit


@dataclass(frozen=True)
class Release:
    """Released coefficients on a public grid, with their encoding and certificate.

    Parameters
    ----------
    encoding : Encoding
        How a row becomes numbers.
    integers : tuple of int
        The k_j of θ_j = k_j·2^e, as they were released.
    certificate : Certificate
        What was promised, and everything that the promise rests on.
    threshold : float in [0, 1)
        The share of the largest coefficient below which a rule uses 0.
    everybody : int
        −1 or +1 where a guard chose that arm for everybody, in the place of the rule; else 0.

    Examples
    --------
    >>> import math
    >>> from dpwerm import PrivateWeightedClassifier
    >>> X, y = [[-1.0], [-0.5], [0.5], [1.0]], ["no", "no", "yes", "yes"]
    >>> classifier = PrivateWeightedClassifier(math.inf, feature_bounds=(-1, 1), gamma=1.0)
    >>> release = classifier.fit(X, y).release_
    >>> release.private
    False
    >>> {name: round(value, 3) for name, value in release.own_units().items()}
    {'intercept': 0.0, 'x0': 1.333}
    """

    encoding: Encoding
    integers: tuple[int, ...]
    certificate: Certificate
    threshold: float = 0.0
    everybody: int = 0

    @property
    def exponent(self) -> int:
        """The e of the grid 2^e."""
        return self.certificate.noise.grid_exponent

    @property
    def private(self) -> bool:
        """Whether the release carries a privacy claim."""
        return self.certificate.private

    @property
    def coefficient_names(self) -> tuple[str, ...]:
        """One name per released integer; the rule uses those of the encoding."""
        return self.certificate.design.coefficient_names(self.encoding)

    @property
    def used(self) -> tuple[int, ...]:
        """The integers of the score, one per coefficient of the encoding."""
        return self.certificate.design.rule(self.integers, self.encoding)

    @property
    def kept(self) -> tuple[int, ...]:
        """The integers that the rule uses, with small ones set to 0.

        k_j becomes 0 where its size is below the threshold's share of the largest; the intercept's
        is left out on both sides.
        """
        first = int(self.encoding.intercept > 0)
        slopes = self.used[first:]
        if self.everybody:
            return (self.everybody << max(0, -self.exponent), *(0 for _ in slopes))
        least = Fraction(self.threshold) * max(map(abs, slopes), default=0)
        return (*self.used[:first], *(0 if abs(k) < least else k for k in slopes))

    @property
    def theta(self) -> FloatArray:
        """The coefficients of the rule in encoded units, intercept first if there is one."""
        grid = Fraction(2) ** self.exponent
        return np.array([float(k * grid) for k in self.kept])

    @property
    def effects(self) -> FloatArray:
        """The coefficients φ·θ of the score for rows encoded over their whole range.

        A number that was saturated while learning has φ > 1, everything else φ = 1.
        """
        return np.asarray(self.theta * self.encoding.stretch)

    def half_width(self, coverage: float = 0.95, count: int = 1) -> float | None:
        """Return t such that ``count`` of the θ_j have noise within ±t with probability coverage.

        None under objective perturbation, where t depends on the data, of an unknown mechanism, and
        of a design whose score is made of several coefficients: its noise is made of several too.
        """
        certificate = self.certificate
        mechanism = MECHANISMS.get(certificate.mechanism)
        if mechanism is None or certificate.weighting is not None:
            return None
        return mechanism.half_width(certificate.noise.scale, certificate.dimension, coverage, count)

    def effect_half_widths(
        self, coverage: float = 0.95, *, simultaneous: bool = False
    ) -> FloatArray | None:
        """Return φ_j·t, the half-width of the noise in each effect; None where ``half_width`` is.

        simultaneous : t that the noise of no effect exceeds in such a share of releases. Exact for
        Laplace and Gaussian noise; of spherical noise t has a relative error below 1e-6
        """
        t = self.half_width(coverage, self.certificate.dimension if simultaneous else 1)
        return None if t is None else t * self.encoding.stretch

    def score(self, X: FloatArray) -> FloatArray:
        """Return f(x) = s₀a₀ + xᵀa for encoded rows, a the effects."""
        effects, scale = self.effects, self.encoding.intercept_scale
        slopes = effects[1:] if scale > 0 else effects
        # One row's score must not depend on the rows beside it, so no matrix product.
        scores: FloatArray = np.einsum("ij,j->i", X, slopes)
        return scores + scale * effects[0] if scale > 0 else scores

    def terms(self) -> list[tuple[Fraction, Fraction]]:
        """Return the least and the largest of each term of the score over the declared domain.

        The constant comes first, then one term for each feature, exactly; whatever stands in a
        cell, its term lies between the two, and both are attained.
        """
        effects, factor = list(map(Fraction, self.effects)), Fraction(self.encoding.factor)
        least = -1 if self.encoding.kind == "centred" else 0
        found = []
        if self.encoding.intercept:
            constant = Fraction(self.encoding.intercept_scale) * effects.pop(0)
            found.append((constant, constant))
        for block in self.encoding.blocks:
            part = [effect * factor for effect in effects[: block.width]]
            del effects[: block.width]
            ends = part if block.width > 1 else [least * part[0], part[0]]
            found.append((min(ends), max(ends)))
        return found

    def sign(self) -> int | None:
        """Return the sign that every score has over the declared domain, None if two are possible.

        It is that of the doubles of ``score``: what their rounding may do is allowed for. A sign is
        1 if scores are above 0 and -1 if they are below, whatever the row; 0 if they are 0.
        """
        terms = self.terms()
        sizes = sum(max(abs(low), abs(high)) for low, high in terms)
        count = len(self.encoding.coefficient_names) + 2
        off = count * (Fraction(2) ** -52 * sizes + Fraction(2) ** -1070)
        if not sizes:
            return 0
        if sum(low for low, _ in terms) > off:
            return 1
        return -1 if sum(high for _, high in terms) < -off else None

    def own_units(self) -> dict[str, float]:
        """Return the coefficients in the columns' own units, for reading."""
        grid = Fraction(2) ** self.exponent
        return self.encoding.own_units([k * grid for k in self.kept])

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for a file."""
        return {
            "encoding": self.encoding.to_dict(),
            "coefficients": {
                "names": list(self.coefficient_names),
                "integers": list(self.integers),
                "exponent": self.exponent,
                "threshold": self.threshold,
                **({"everybody": self.everybody} if self.everybody else {}),
                "own_units": self.own_units(),
            },
            "certificate": self.certificate.model_dump(mode="json"),
        }


@dataclass(frozen=True)
class Rule:
    """A release, and the declared arms between which it decides; everything in it is public.

    It recommends the second arm where f(x) > 0, the first where f(x) < 0, else the default.

    Parameters
    ----------
    release : Release
    declaration : treatment and benefit as they were declared, and whose study it is
    propensity : Release of the private propensity model behind the weights, if there is one
    tuning : how γ was tuned privately on the same rows, if it was
    ranges : where benefit and features were found to lie, inside what was declared
    guard : what was chosen between the rule and each arm for everybody, if that was paid for
    tightness : how much of the declared bounds the rows fill, if that was paid for
    """

    release: Release
    declaration: Declaration
    propensity: Release | None = None
    tuning: Tuning | None = None
    ranges: tuple[Ranges, ...] = ()
    guard: Guard | None = None
    tightness: Tightness | None = None

    @property
    def fitted_benefit(self) -> Benefit:
        """Return the benefit as the fit saw it, inside its private range if one was released."""
        found = self.declaration.benefit
        for one in self.ranges:
            found = one.benefit(found) if one.of == BENEFIT else found
        return found

    @property
    def own_budget(self) -> AnyBudget:
        """What the rule cost with the tuning of its γ, without its propensity model."""
        own = self.release.certificate.budget if self.tuning is None else self.tuning.budget
        beside = (self.tightness, *self.ranges, self.guard)
        parts = [one.budget for one in beside if one is not None]
        for part in parts:
            own = total(part, own)
        return own

    @property
    def budget(self) -> AnyBudget:
        """What the rule cost in all, its propensity model and the tuning of its γ included."""
        own = self.own_budget
        return own if self.propensity is None else total(self.propensity.certificate.budget, own)

    @property
    def receipt(self) -> Receipt | None:
        """The charge that paid for all of it, None if no ledger knows of the rule."""
        return self.release.certificate.receipt

    @property
    def private(self) -> bool:
        """Whether the rule, and all that it rests on, carries a privacy claim."""
        return self.release.private and (self.propensity is None or self.propensity.private)

    @property
    def arms(self) -> tuple[str, str]:
        """The arms, the one for negative scores first."""
        return self.declaration.treatment.arms

    @property
    def default(self) -> str:
        """The arm where the score is 0."""
        return self.declaration.treatment.default

    @property
    def title(self) -> str:
        """The study's name, or its id, or a plain word."""
        return self.declaration.title

    @cached_property
    def single_arm(self) -> str | None:
        """The arm that everybody gets over the whole declared domain, None if both may be given.

        It follows from the rule alone. Where no term of the score lies on the other side of 0,
        scores of 0 are on the side of the default. None too where terms of both signs can cancel to
        within their rounding, even if only one arm comes of it.
        """
        first, second = self.arms
        sign, terms = self.release.sign(), self.release.terms()
        if sign == 0:
            return self.default
        if sign == 1 or (self.default == second and all(low >= 0 for low, _ in terms)):
            return second
        if sign == -1 or (self.default == first and all(high <= 0 for _, high in terms)):
            return first
        return None

    def arms_for(self, scores: FloatArray) -> NDArray[np.object_]:
        """Return the recommended arm for each score."""
        first, second = self.arms
        choice = np.full(len(scores), self.default, dtype=object)
        choice[scores > 0] = second
        choice[scores < 0] = first
        return choice

    def score_table(self, source: Any) -> FloatArray:
        """Return f(x) for each row of a table whose columns are matched by name."""
        encoding = self.release.encoding
        return self.release.score(encoding.encode(read_table(source, encoding.columns)))
