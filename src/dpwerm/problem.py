"""The public side of a fit: everything known before a row is read, open and then settled."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Any

from dpwerm.choose.hyperparameters import Hyperparameters
from dpwerm.choose.question import Outcome
from dpwerm.choose.settle import check_tightness, outcome_of, public_people, settle
from dpwerm.errors import ParameterError
from dpwerm.features.encoding import Encoding
from dpwerm.mechanisms.contract import Calibration, Stage, no_progress
from dpwerm.parameters import LARGEST
from dpwerm.privacy.budget import AnyBudget, Budget, total
from dpwerm.privacy.randomness import BitSource
from dpwerm.releases.certificate import Chosen, Specification, calibration_of
from dpwerm.releases.parts import check_parts, range_of_benefit, ranges_of_features, tightness_of
from dpwerm.releases.ranges import Ranges
from dpwerm.releases.tightness import Tightness
from dpwerm.study.propensity import ExternalPropensity
from dpwerm.study.treatment import Declaration
from dpwerm.weighting.trial import Trial, origin_for, split

CHECKED_ROWS = 2
"""The rows of a fit that is only checked."""


@dataclass(frozen=True)
class Problem:
    """The public side of a fit: everything known before a row is read.

    spec : Specification, with the whole budget until ``own`` leaves the rule its part
    encoding : Encoding
    hyperparameters : Hyperparameters, open where they are None
    declaration : treatment and benefit, None for labels that come with weights
    planned_n : int or None, the number of people to choose hyperparameters for
    open_method : bool, whether the estimator is chosen with the hyperparameters
    parts : what tightness, private ranges and a guard take of the budget
    tightness, ranges : that were released
    outside : of a problem inside private ranges, the declaration as it was before them
    loose : of a settled problem, the one that takes its place where the released tightness says
        that bounds are too wide; None if none does
    """

    spec: Specification
    encoding: Encoding
    hyperparameters: Hyperparameters
    declaration: Declaration | None = None
    planned_n: int | None = None
    open_method: bool = False
    parts: Mapping[str, Budget] = field(default_factory=dict)
    outside: Declaration | None = None
    tightness: Tightness | None = None
    ranges: tuple[Ranges, ...] = ()
    loose: "Problem | None" = None

    def __post_init__(self) -> None:
        if self.declaration is None:
            return
        model = self.declaration.treatment.propensity
        if isinstance(model, ExternalPropensity):
            try:
                model.check(self.encoding)
            except ParameterError as error:
                raise ParameterError(f"propensity coefficients: {error}") from None

    @property
    def declared(self) -> Declaration:
        """Treatment and benefit of a problem that has them."""
        if self.declaration is None:
            raise ParameterError("labels with weights have no treatment and no benefit")
        return self.declaration

    @property
    def outcome(self) -> Outcome:
        """What is known of the benefit and the arms."""
        if self.declaration is None:
            return Outcome.of_labels()
        return replace(outcome_of(self.declaration), degree=int(self.hyperparameters.degree or 1))

    def own(self, n: int) -> "Problem":
        """Return the rule's own problem: its part of the budget, and the origin of its weights."""
        treatment = self.declared.treatment
        _, rest = split(self.spec.budget, treatment)
        origin = origin_for(treatment, self.encoding, n)
        return replace(self, spec=self.spec.changed(budget=rest, origin=origin))

    def settled(self, n: int | None, on_stage: Stage = no_progress) -> "Problem":
        """Return the problem with every hyperparameter in its place; of the rows, only n is asked.

        γ and mechanism are then in ``spec``, the clip in ``declaration``, the intercept and the
        saturation in ``encoding``.
        """
        given = self.hyperparameters
        people = None if given.gamma else public_people(self.planned_n, self.spec, n)
        found = settle(
            given,
            self.spec,
            self.encoding,
            self.outcome,
            people,
            on_stage,
            open_method=self.open_method,
        )
        return self._with(found)

    def _with(self, found: Hyperparameters) -> "Problem":
        declaration, bound = self.declaration, self.spec.weight_bound
        encoding = found.encoding(self.encoding)
        parts, rest = found.parts(self.spec.budget)
        spec = found.designed(self.spec.changed(budget=rest), encoding)
        check_parts(parts, spec, encoding, self.declaration)
        if declaration is not None:
            declaration = declaration.clipped_at(found.clip if spec.is_outcome_weighted else 1.0)
            bound = spec.weighting.weight_bound(declaration)
        return replace(
            self,
            spec=found.specification(spec, bound),
            encoding=encoding,
            hyperparameters=found,
            declaration=declaration,
            parts=parts,
            loose=None if found.loose is None else self._with(found.loose),
        )

    @property
    def cost(self) -> AnyBudget:
        """What a settled problem costs: the rule, tightness, private ranges and a guard.

        Both of its forms cost the same and spend as much on what decides between them.
        """
        own = reduce(total, self.parts.values(), self.spec.budget)
        if self.loose is None:
            return own
        paid = [one.parts.get("tightness") for one in (self, self.loose)]
        if self.loose.loose is not None or None in paid or paid[0] != paid[1]:
            raise ParameterError("two forms of a fit need one tightness, paid alike")
        if own != self.loose.cost:
            raise ParameterError("two forms of a fit must cost the same")
        return own

    def inside(self, trial: Trial, bits: BitSource, on_stage: Stage) -> "Problem":
        """Return the problem inside private ranges of a trial's rows, if it has paid for any."""
        told = tightness_of(self.parts, self.declared, self.encoding, trial, bits, on_stage)
        other = self.loose if told is not None and not told.tight else None
        form = self if other is None else other
        found = replace(form, tightness=told, outside=form.declared, loose=None)
        one = range_of_benefit(found.parts, found.declared, trial, bits, on_stage)
        if one is not None:
            benefit = one.benefit(found.declared.benefit)
            ranged = replace(found.declared, benefit=benefit)
            found = replace(found, declaration=ranged, ranges=(one,))
        two = ranges_of_features(found.parts, found.encoding, trial, bits, on_stage)
        if two is not None:
            encoding = two.encoding(found.encoding)
            found = replace(found, encoding=encoding, ranges=(*found.ranges, two))
        return found

    def calibration(self, n: int, **parts: Any) -> Calibration:
        """Return the noise of a settled problem, or raise if no claim can be made.

        parts : of the specification, to be used in the place of the problem's own
        """
        if self.loose is not None:
            self.loose.calibration(n, **parts)
        return calibration_of(self.spec.changed(**parts), self.encoding, n)

    def check(self) -> None:
        """Raise if no claim can be made with what is fixed, whatever else is chosen.

        A γ that is left open stands at its largest, where every mechanism makes its claim that
        makes one at any γ. Nor does a claim depend on the number of rows from 2 on; of 1, no other
        weight could move.
        """
        problem = self.own(CHECKED_ROWS)
        check_tightness(problem.hyperparameters, problem.spec.budget)
        plain = problem.hyperparameters.or_plain(problem.spec.budget)
        if problem.hyperparameters.gamma is None:
            chosen = Chosen(settings=[], accuracy=0.0, reason="left open")
            plain = replace(plain, gamma=LARGEST, chosen=chosen)
        problem._with(plain).calibration(CHECKED_ROWS)  # noqa: SLF001 - its own kind
