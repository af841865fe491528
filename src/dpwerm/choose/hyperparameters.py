"""The hyperparameters of a fit: estimator, γ, mechanism, clip or width, and how rows are encoded.

None means automatic. A γ that is given switches the simulation off: whatever else is open then
takes its plain value. Otherwise everything open is chosen together, on synthetic trials inside
the public bounds (``dpwerm.choose.settle``).
"""

from dataclasses import dataclass, fields, replace
from decimal import Decimal
from functools import partial
from numbers import Integral
from typing import Any, Self

from dpwerm.errors import ParameterError
from dpwerm.exact import decimal_of
from dpwerm.features.encoding import Encoding
from dpwerm.mechanisms import get_mechanism, plain_mechanism
from dpwerm.mechanisms.contract import spent
from dpwerm.objective.losses import form_of, get_loss
from dpwerm.objective.regularizers import ArmPenalty, Regularizer
from dpwerm.objective.residual_losses import ExpHuber
from dpwerm.parameters import LARGEST, SMALLEST, one_of, positive, real
from dpwerm.privacy.budget import AnyBudget, Budget, shared
from dpwerm.privacy.sensitivity import LARGEST_N
from dpwerm.releases.certificate import Chosen, Specification
from dpwerm.releases.parts import SHARES
from dpwerm.study.variables import Benefit
from dpwerm.weighting.contract import WEIGHTINGS, get_weighting

AUTO = "auto"
PLAIN_WIDTH = 0.1
"""T where γ is given and nothing is simulated."""

MAIN_EFFECTS = {"linear": 1.0, "squares": 2.0, "cubes": 3.0}
LARGEST_SATURATION = 100.0
REGRESSION = "contrast"
LARGEST_SHARE = 0.5


@dataclass(frozen=True)
class Hyperparameters:
    """What a fit uses; None where it is left open, or where the estimator has no such thing.

    estimator : str, the name of a weighting; None also for that of a specification
    mechanism : str, a name in the registry
    clip : float in (0, 1], the bound V on benefits as a share of the largest; outcome weights only
    width : float > 0, T of the loss of residuals, in units of half the benefit's range
    main : float > 0, the penalty of a main effect in units of the contrast's; arm-wise only
    mean : float ≥ 0, the constant of the column for the benefit's mean; contrast only
    degree : 1, 2 or 3, of the main effect of numbers; arm-wise only
    bend : float ≥ 1, the penalty of the curves of a main effect in units of its own; arm-wise only
    intercept : float, 0 or in [1e-12, 1e12], the constant of the intercept column
    saturation : float in [1, 100]
    gamma : float > 0; in units of W if ``chosen`` says that it was chosen
    threshold : float in [0, 1), the share of the largest coefficient below which a rule uses 0
    chosen : what was chosen on synthetic trials, and why; None if nothing was
    tightness, ranges, feature_ranges, guard : float in [0, 0.5], the shares of ε for the private
        tightness, for private ranges of the benefit and of the features' numbers, and for the
        guard; 0 for none
    loose : what is used instead where the released tightness is small; None if nothing
    """

    mechanism: str | None = None
    clip: float | None = None
    intercept: float | None = None
    saturation: float | None = None
    gamma: float | None = None
    threshold: float | None = None
    chosen: Chosen | None = None
    estimator: str | None = None
    width: float | None = None
    main: float | None = None
    mean: float | None = None
    degree: float | None = None
    bend: float | None = None
    tightness: float | None = None
    ranges: float | None = None
    feature_ranges: float | None = None
    guard: float | None = None
    loose: "Hyperparameters | None" = None

    @classmethod
    def of(cls, estimator: Any, *, intercept: Any, clip: float | None = None) -> Self:
        """Return what an estimator's parameters fix; each wrong one is an error that names it."""
        own = of_method(estimator) if hasattr(estimator, "estimator") else {}
        return cls(
            mechanism=_given(estimator.mechanism, lambda value: get_mechanism(value).name),
            clip=clip,
            intercept=_given(intercept, scale_of),
            saturation=_given(estimator.saturation, saturation_of),
            gamma=_given(estimator.gamma, lambda value: positive("gamma", value)),
            threshold=_given(estimator.threshold, threshold_of),
            **own,
        )

    @classmethod
    def used(
        cls, spec: Specification, encoding: Encoding, benefit: Benefit, threshold: float | None
    ) -> Self:
        """Return what a settled fit uses, all but γ."""
        own: dict[str, Any] = dict(spec.weighting.parameters)
        return cls(
            mechanism=spec.mechanism,
            clip=benefit.clip / benefit.largest_clip if spec.is_outcome_weighted else None,
            intercept=encoding.intercept,
            saturation=encoding.saturation,
            threshold=threshold,
            estimator=spec.weighting.name,
            width=spec.loss.parameters.get("width"),
            main=_ratio(spec.regularizer),
            **own,
        )

    @property
    def shares(self) -> dict[str, Decimal]:
        """The shares of ε besides the rule's own, those that are taken."""
        known = {name: getattr(self, name) for name in SHARES}
        return {name: decimal_of(one) for name, one in known.items() if one}

    def parts(self, budget: AnyBudget) -> tuple[dict[str, Budget], AnyBudget]:
        """Return what ranges and guard take of a budget, by name, and what is left to the rule."""
        return shared(budget, self.shares)

    def or_plain(self, budget: AnyBudget) -> Self:
        """Return these with plain values wherever nothing is fixed.

        The clip stays as it is, and so does the estimator: None is the specification's own, but a
        regression where one will be chosen, because private ranges and a guard need one.
        """
        if self.gamma is None and self.estimator is None and self.shares:
            return replace(self, estimator=REGRESSION).or_plain(budget)
        return replace(
            self,
            mechanism=plain_mechanism(budget) if self.mechanism is None else self.mechanism,
            intercept=1.0 if self.intercept is None else self.intercept,
            saturation=1.0 if self.saturation is None else self.saturation,
            gamma=1.0 if self.gamma is None else self.gamma,
            threshold=0.0 if self.threshold is None else self.threshold,
            width=PLAIN_WIDTH if self._is_residual and self.width is None else self.width,
        )

    @property
    def _is_residual(self) -> bool:
        kind: Any = WEIGHTINGS.get(self.estimator or "")
        return kind is not None and getattr(kind, "form", "") == "residual"

    def encoding(self, encoding: Encoding) -> Encoding:
        """Return the encoding with this intercept and saturation, as far as they are fixed."""
        known = {"intercept": self.intercept, "saturation": self.saturation}
        return encoding.changed(**{name: one for name, one in known.items() if one is not None})

    def designed(self, spec: Specification, encoding: Encoding) -> Specification:
        """Return the specification with this estimator: its design, its loss and its penalty."""
        name = self.estimator
        if name is None or (name == spec.weighting.name and spec.weighting.form == "margin"):
            return spec
        kind: Any = WEIGHTINGS[one_of("estimator", name, WEIGHTINGS)]
        known = {one.name: getattr(self, one.name, None) for one in fields(kind)}
        given = {key: one for key, one in known.items() if one is not None}
        weighting = get_weighting(name, **given)
        loss = spec.loss
        if self.width is not None:
            named = loss.name if form_of(loss) == "residual" else ExpHuber.name
            loss = get_loss(named, width=self.width)
        penalty = weighting.penalty(encoding, 1.0 if self.main is None else self.main)
        return spec.changed(
            weighting=weighting,
            loss=loss,
            regularizer=penalty or spec.regularizer,
            origin=weighting.origin(spec.origin),
        )

    def specification(self, spec: Specification, weight_bound: float) -> Specification:
        """Return the specification with γ, mechanism and this W; both must be fixed."""
        gamma, mechanism, budget = self.gamma, self.mechanism, spec.budget
        if gamma is None or mechanism is None:
            raise ParameterError("gamma and mechanism are still open")
        if self.chosen is not None:
            gamma = min(max(float(f"{gamma * weight_bound:.4g}"), SMALLEST), LARGEST)
            budget = spent(get_mechanism(mechanism), budget)
        return spec.changed(
            budget=budget,
            gamma=gamma,
            weight_bound=weight_bound,
            mechanism=mechanism,
            chosen=self.chosen,
        )


def of_method(estimator: Any) -> dict[str, Any]:
    """Return what the parameters of a treatment rule fix of its estimator."""
    degree = MAIN_EFFECTS[one_of("main_effect", estimator.main_effect, MAIN_EFFECTS)]
    return {
        "estimator": _given(estimator.estimator, lambda one: one_of("estimator", one, WEIGHTINGS)),
        "width": _given(estimator.width, lambda one: positive("width", one)),
        "main": _given(estimator.main_penalty, lambda one: positive("main_penalty", one)),
        "mean": _given(estimator.mean_scale, mean_of),
        "degree": None if degree == 1 else degree,
        **{name: _given(getattr(estimator, name), partial(share_of, name)) for name in SHARES},
    }


def share_of(name: str, value: object) -> float:
    """Return a share of ε in [0, 0.5]."""
    share = real(name, value)
    if not 0 <= share <= LARGEST_SHARE:
        raise ParameterError(f"{name} must be between 0 and {LARGEST_SHARE:g}, not {share:g}")
    return share


def mean_of(value: object) -> float:
    """Return the constant of the mean's column: 0, or in [1e-12, 1e12]."""
    mean = real("mean_scale", value)
    return 0.0 if mean == 0 else positive("mean_scale", mean)


def _ratio(regularizer: Regularizer) -> float | None:
    """Return γ_main/γ_contrast of a penalty for arms, None of another."""
    if not isinstance(regularizer, ArmPenalty):
        return None
    return regularizer.main / regularizer.contrast


def _given(value: Any, checked: Any) -> Any:
    """Return a parameter, checked, or None where it is left to the library."""
    return None if is_auto(value) else checked(value)


def is_auto(value: object) -> bool:
    """Whether a parameter is left to the library."""
    return isinstance(value, str) and value == AUTO


def scale_of(value: object) -> float:
    """Return the constant of the intercept column: 0, or in [1e-12, 1e12]."""
    scale = real("intercept_scale", value)
    return 0.0 if scale == 0 else positive("intercept_scale", scale)


def saturation_of(value: object) -> float:
    """Return a saturation in [1, 100]."""
    number = real("saturation", value)
    if not 1 <= number <= LARGEST_SATURATION:
        raise ParameterError(
            f"saturation must be between 1 and {LARGEST_SATURATION:g}, not {number:g}"
        )
    return number


def threshold_of(value: object) -> float:
    """Return a threshold in [0, 1)."""
    number = real("threshold", value)
    if not 0 <= number < 1:
        raise ParameterError(f"threshold must be at least 0 and below 1, not {number:g}")
    return number


def planned_of(value: object) -> int | None:
    """Return a planned number of people, or None."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise ParameterError(f"planned_n must be a whole number, not {type(value).__name__}")
    number = int(value)
    if not 1 <= number <= LARGEST_N:
        raise ParameterError(f"planned_n must be between 1 and {LARGEST_N}")
    return number
