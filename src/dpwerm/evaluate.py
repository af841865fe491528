r"""The treatment value of a rule on sensitive data (Eqn 14 of the paper), released with its error.

.. math:: V(f) = \frac{\sum_i 1(y_i = f(x_i))\,B_i / P_i}{\sum_i 1(y_i = f(x_i)) / P_i}

beside the values of treating everybody with each arm. The rule is public here: it was learned
before, from these people or from others, and what that cost is not part of this release.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from dpwerm.data.table import Table, normalise, read_table
from dpwerm.errors import ParameterError
from dpwerm.mechanisms.contract import Stage, no_progress
from dpwerm.mechanisms.laplace_sums import LaplaceSums, exact_sums
from dpwerm.parameters import real
from dpwerm.privacy.budget import Budget, Relation, budget_of
from dpwerm.privacy.randomness import NO_LEDGER, PrivacyFilter
from dpwerm.privacy.weight_origin import origin_class
from dpwerm.releases.charging import StudyLedger, accounted, attach, forget, privacy_filter_of
from dpwerm.releases.release import Rule
from dpwerm.releases.rule_file import content_of
from dpwerm.releases.value.layout import (
    CONFIDENCES,
    OutcomeModel,
    for_evaluation,
    layout_for,
    shared_rows,
)
from dpwerm.releases.value.release import ValueRelease, value_content
from dpwerm.study.propensity import NoPropensity, PrivatePropensity
from dpwerm.study.study import Study, refuse_no_rows, refuse_repeated_persons
from dpwerm.study.treatment import Declaration
from dpwerm.version import __version__
from dpwerm.weighting.trial import trial_of_table


class Evaluation:
    """The public choices of one :func:`treatment_value`, checked before a row is read."""

    def __init__(
        self,
        rule: Any,
        epsilon: Any,
        *,
        study: Study | None = None,
        confidence: float = 0.95,
        outcome_model: OutcomeModel | Mapping[str, Any] | None = None,
        random_state: int | None = None,
        ledger: StudyLedger | str | None = None,
    ) -> None:
        found = getattr(rule, "rule_", rule)
        if not isinstance(found, Rule):
            raise ParameterError("rule must be a released rule or a fitted PrivateTreatmentRule")
        if not isinstance(study, Study | None):
            kind = type(study).__name__
            raise ParameterError(f"study must be a Study, such as Study.load(path), not {kind}")
        budget = budget_of(epsilon)
        if not isinstance(budget, Budget) or budget.delta != 0:
            raise ParameterError("an evaluation needs epsilon alone, without delta")
        level = real("confidence", confidence)
        if not CONFIDENCES[0] <= level <= CONFIDENCES[1]:
            raise ParameterError(f"confidence must be between 0.5 and 0.999, not {level:g}")
        self.rule, self.study, self.budget, self.confidence = found, study, budget, level
        declared, self.relation = found.declaration, found.release.certificate.relation
        self.encoding = found.release.encoding
        if study is not None:
            declared, self.relation = study.declaration(), Relation.of(study.relation)
            self.encoding = study.encoding()
        _refuse_other_study(found, declared)
        _refuse_origin(found, declared)
        self.model = OutcomeModel.of(outcome_model)
        if self.model is not None:
            self.model.check(declared.treatment.arms, self.encoding)
        self.privacy_filter = privacy_filter_of(
            ledger if found.private else NO_LEDGER,
            budget,
            random_state,
            "value",
            relation=self.relation,
            study=study,
            study_id=declared.study_id,
        )
        self.declaration = for_evaluation(declared).checked()

    def run(
        self, source: object, on_stage: Stage, keep: Callable[[ValueRelease], None] = forget
    ) -> ValueRelease:
        """Return the release of a path or a data frame; ``keep`` has it before the ledger knows."""
        with accounted(self.privacy_filter) as privacy_filter:
            on_stage("reading")
            table = self.read(source)
            on_stage("evaluating")
            value = self.release(table, privacy_filter)
            keep(value)
        attach(privacy_filter, value.receipt, lambda: value_content(value))
        return value

    def read(self, source: object) -> Table:
        """Return the rule's and the study's columns of a table; only its form can be refused."""
        own = (*self.declaration.treatment.columns, self.declaration.benefit.column)
        studied = self.study.columns if self.study is not None else own
        both = dict.fromkeys([*self.rule.release.encoding.columns, *studied])
        table = read_table(source, tuple(both))
        refuse_no_rows(table, n_is_public=self.relation.publishes_n)
        if self.study is not None:
            refuse_repeated_persons(self.study, table)
        return table

    def release(self, table: Table, privacy_filter: PrivacyFilter) -> ValueRelease:
        """Return the release of one table, charged before its noise; the exact sums stay here."""
        layout = layout_for(self.declaration, robust=self.model is not None)
        exact = np.zeros((len(layout.cells), len(layout.shares)), dtype=object)
        for block in table.blocks():
            trial = trial_of_table(self.declaration, block)
            rows = shared_rows(self.rule, self.declaration, trial, self.encoding, self.model)
            exact += np.array(exact_sums(*rows, len(layout.cells)), dtype=object)
        noise = LaplaceSums(layout.count, self.relation, self.budget)
        bits = privacy_filter.authorise(self.budget)
        return ValueRelease(
            integers=noise.release(exact.ravel().tolist(), bits),
            declaration=self.declaration,
            budget=self.budget,
            relation=self.relation,
            n=table.n_rows if self.relation.publishes_n else None,
            secure=bits.secure,
            library=f"dpwerm {__version__}",
            confidence=self.confidence,
            rule_digest=str(content_of(self.rule)["digest"]),
            rule_private=self.rule.private,
            outcome_model=self.model,
            receipt=bits.receipt,
        )


def treatment_value(
    rule: Any,
    table: object,
    epsilon: Any,
    *,
    study: Study | None = None,
    confidence: float = 0.95,
    outcome_model: OutcomeModel | Mapping[str, Any] | None = None,
    random_state: int | None = None,
    ledger: StudyLedger | str | None = None,
    on_stage: Stage = no_progress,
) -> ValueRelease:
    r"""Return the value of a rule, of each arm for everybody, and the rule's gains, with intervals.

    A row is divided into shares of total at most 1 (Bernstein polynomials of its benefit and its
    weight), and each sum of shares in each cell (arm received and arm recommended) gets
    Laplace noise of scale k/ε, k = 2 under replace-one and 1 under add/remove.

    Parameters
    ----------
    rule : Rule, or a fitted PrivateTreatmentRule
    table : path or data frame with the rule's columns, the arm received and the benefit
    epsilon : float in [1e-6, 1e9], or inf for no privacy
        On top of what the rule cost, if the people are the same.
    study : Study, optional
        What the columns mean; without one as the rule's own study declared them.
    confidence : float in [0.5, 0.999]
    outcome_model : OutcomeModel, optional
        A public model of the benefit under each arm, for the doubly robust value.
    random_state : int, optional
        For simulation only: marks the release as not private.
    ledger : Ledger, ``"none"``, or None for the study's own
        Charged before any noise is drawn; without a study it must be given. What carries no
        privacy claim, such as the value of a rule that carries none, is not charged.

    Returns
    -------
    ValueRelease
        The value of the rule and of each arm for everybody, the gains, and their certificate.

    Examples
    --------
    >>> import math
    >>> import pyarrow as pa
    >>> from dpwerm import PrivateTreatmentRule, Study, treatment_value
    >>> study = Study.parse('''
    ... format = 1
    ... study = { id = "sleep-trial" }
    ... features = { age = { kind = "number", bounds = [18, 90] } }
    ... treatment = { column = "arm", arms = { pill = 0.5, therapy = 0.5 } }
    ... benefit = { column = "gain", bounds = [0, 10] }
    ... ''')
    >>> rows = {"age": [30, 80, 40, 70], "arm": ["pill", "pill", "therapy", "therapy"]}
    >>> rows["gain"] = [3, 9, 8, 2]
    >>> table = pa.table({name: 25 * values for name, values in rows.items()})
    >>> rule = PrivateTreatmentRule.from_study(study, math.inf, gamma=0.1).fit(table)
    >>> value = treatment_value(rule, table, math.inf)
    >>> [round(one.estimate, 2) for one in value.values]
    [8.5, 6.0, 5.0]
    """
    wanted = Evaluation(
        rule,
        epsilon,
        study=study,
        confidence=confidence,
        outcome_model=outcome_model,
        random_state=random_state,
        ledger=ledger,
    )
    return wanted.run(table, on_stage)


def _refuse_other_study(rule: Rule, declared: Declaration) -> None:
    """Raise if a study speaks of other arms, or of the same benefit in another way."""
    arms = [rule.arms, declared.treatment.arms]
    if len({tuple(map(normalise, names)) for names in arms}) > 1:
        ours, theirs = (" and ".join(map(repr, names)) for names in arms)
        raise ParameterError(
            f"the rule decides between {ours}, the study has the arms {theirs}: evaluate it on a "
            "trial of the same arms, named in the same order"
        )
    for key in ("direction", "transform"):
        learned, said = (getattr(one.benefit, key) for one in (rule.declaration, declared))
        if learned != said and rule.declaration.benefit.column == declared.benefit.column:
            raise ParameterError(
                f"the rule was learned with {key} {learned!r} of the benefit "
                f"{declared.benefit.column!r}, the study says {said!r}: mend the study, or "
                "evaluate a rule that was learned with it"
            )


def _refuse_origin(rule: Rule, declared: Declaration) -> None:
    """Raise where no probabilities are known, or one person could move the weights of others."""
    treatment, origin = declared.treatment, origin_class(declared.treatment.origin)
    if isinstance(treatment.propensity, NoPropensity):
        raise ParameterError(
            'the study declares no probabilities of the arms (propensity = { model = "outcome" }), '
            "and a value needs them: evaluate with a study file of a trial whose arms have "
            "probabilities, or that has a propensity column or an external model"
        )
    if not origin.own_record:
        raise ParameterError(
            f"a trial with origin {origin.name} cannot be evaluated: {origin.shared}, so one "
            "person could move everybody's weight. Evaluate with probabilities by design, from an "
            'external model, or with a rule whose propensity is { model = "private" }'
        )
    if isinstance(treatment.propensity, PrivatePropensity) and rule.propensity is None:
        raise ParameterError(
            "the study's propensity model is private, but the rule holds none: evaluate a rule "
            "that was learned with it, or declare a propensity column or an external model"
        )
