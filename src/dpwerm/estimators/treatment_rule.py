"""A treatment rule as an estimator: who benefits from which of two treatments, with noise.

The score is learned by arm-wise regression, by contrast regression, or by outcome weights, which
turn a trial into a weighted classification problem (Zhao et al. 2012); the shared pipeline releases
it. With a study the estimator fits a table, without one it fits arrays; both go the same way from
there.
"""

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, field
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from dpwerm.arrays import FloatArray
from dpwerm.errors import ParameterError
from dpwerm.estimators.arrays_in import number_encoding, numeric_matrix
from dpwerm.estimators.base import PrivateEstimator
from dpwerm.estimators.parameters import (
    METHOD,
    Checked,
    checked_problem,
    declared_labels,
    privacy_filter_in,
    problem_of,
)
from dpwerm.fit import fit
from dpwerm.mechanisms.contract import Stage, no_progress
from dpwerm.objective.losses import Loss
from dpwerm.releases.charging import accounted, attach, forget
from dpwerm.releases.release import Release, Rule
from dpwerm.releases.rule_file import content_of, write_rule
from dpwerm.releases.value.layout import for_evaluation
from dpwerm.study.study import Study, read_trial, refuse_repeated_persons
from dpwerm.weighting.trial import probabilities, trial_of_arrays, trial_of_table


@dataclass(eq=False, repr=False)
class PrivateTreatmentRule(PrivateEstimator):
    r"""A private individualised treatment rule.

    .. math:: \hat\theta = \arg\min_\theta \sum_i w_i \ell(t_i, \xi_i^\top\theta)
              + \gamma R(\theta)

    with design rows ξ, targets t and weights w of the ``estimator``: ``"arm-wise"`` regresses the
    benefit on x in the columns of the arm received, ``"contrast"`` on the arm's code times x beside
    its mean, and ``"outcome-weighted"`` classifies the arm, weighted by the benefit, centred by a
    public constant and clipped at V, over the arm's probability. Recommend the second arm where the
    score is above 0 and the first where it is below. Scores of the regressions are shrunk: they
    rank arms and are no estimates of an effect.

    Parameters
    ----------
    epsilon : float in (0, inf], or a budget
        As in :class:`~dpwerm.PrivateWeightedClassifier`.
    feature_bounds : (lower, upper), one pair per column, or a mapping from column to pair
    benefit_bounds : (lower, upper) in the benefit's own units
    arms : pair of labels
        The first is −1, the second +1; must be declared unless ``propensity`` names them.
    propensity : mapping from arm to probability, float P(second arm), ``"column"`` or a model
        ``"column"`` means that ``fit`` is given P(second arm | x) of each row; then
        ``weight_origin`` must be declared. A model, for observational data, is ``"private"``,
        ``"ridge"``, ``"outcome"`` (no probabilities: arm-wise regression alone) or a mapping as in
        the study file, such as ``{"model": "private", "share": 0.3}``; ``arms`` must then be given.
    propensity_floor : float in (0, 0.5]
        π_min for a column or a model; propensities are clipped to [π_min, 1 − π_min].
    weight_origin : ``"design"``, ``"external"`` or ``"worst_case"``
        Where the propensities come from; needed for a propensity column. ``"design"`` says that
        each follows from its own row by what was fixed before the first person.
    allocation : ``"fixed"`` or ``"adaptive"``
        Adaptive if probabilities depended on earlier people (an urn, play-the-winner,
        minimisation). They are then not known by design: use the model ``"private"``, or
        ``weight_origin="worst_case"``.
    transform, direction, weights, centre, benefit_clip, default_arm
        As in the study file: [benefit] transform, direction, weights, centre, clip; [treatment]
        default.
    estimator : ``"auto"``, ``"arm-wise"``, ``"contrast"`` or ``"outcome-weighted"``
        Automatic among all where the arms' probabilities are fixed for everybody, and among the
        last two with another propensity. With a number for ``gamma``, or a loss, ``h``, clip or
        ``weights`` of your own, ``"auto"`` is outcome weights. A ``centre`` leaves it open: outcome
        weights use it, the regressions do not.
    width : float > 0 or ``"auto"``
        T of the regressions' loss, in units of half the benefit's range.
    main_penalty : float > 0 or ``"auto"``
        Of arm-wise regression: the penalty of the main effect over that of the contrast.
    mean_scale : float ≥ 0 or ``"auto"``
        Of contrast regression: the constant of the column for the benefit's mean, 0 for none.
    main_effect : ``"linear"``, ``"squares"`` or ``"cubes"``
        Of arm-wise regression: what numbers do in both arms; the rule itself stays linear.
    tightness : ``"auto"`` or float in [0, 0.5]
        The share of ε that finds whether the declared bounds are tight, which decides between two
        sets of automatic hyperparameters; 0 for one set.
    ranges, feature_ranges : ``"auto"`` or float in [0, 0.5]
        The shares of ε that find where the benefit and the features' numbers lie inside their
        declared bounds; a regression then runs inside these private ranges. 0 for none.
    guard : ``"auto"`` or float in [0, 0.5]
        The share of ε for a private choice between the rule and each arm for everybody; 0 for none.
    gamma, loss, h, regularizer, mechanism, delta
        As in :class:`~dpwerm.PrivateWeightedClassifier`; ``loss="auto"`` is the Huberised hinge for
        outcome weights and the exp-Huber loss for the regressions. With ``gamma="auto"`` a
        ``benefit_clip`` of ``"auto"`` is chosen with the rest; with a number it is ``"range"``.
    relation, encoding, intercept_scale, saturation, threshold, planned_n, random_state
        As in :class:`~dpwerm.PrivateWeightedClassifier`.
    study : Study, optional
        Declares all of the data's facts instead of the parameters above; see :meth:`from_study`.
    ledger : Ledger, ``"none"``, or None for the study's own
        Charged before any noise is drawn. Without a study a private fit must be given one, or
        ``"none"`` for a release that is not added up with others. A seed or ε = ∞ charges nothing.

    Attributes
    ----------
    rule_ : Rule
        The public rule; :meth:`save` writes it to a file.
    release_ : Release
        Its coefficients and certificate.
    arms_ : array of the two arms as they were declared
    coef_, intercept_, coef_names_ : arrays of shape (1, k), (1,) and (k,)
        The released score in the units of X, as in :class:`~dpwerm.PrivateWeightedClassifier`. With
        a study each level of a category has a coefficient of its own, called "sex=F".

    Notes
    -----
    There is no ``predict_proba``, whatever the loss: the weights make each row count by its
    benefit, so that 1/(1 + e^{−f}) is no probability that an arm is better for a person.
    Whatever is fitted to the data before this step is outside the claim, and each fit at a finite ε
    costs ε again. A rule from arrays calls the arm and the benefit ``treatment`` and ``benefit``:
    under these names :func:`~dpwerm.treatment_value` looks for them in a table.

    Examples
    --------
    >>> import math
    >>> import numpy as np
    >>> from dpwerm import PrivateTreatmentRule
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(-1, 1, size=(500, 1))
    >>> treatment = rng.choice(["pill", "therapy"], 500)
    >>> benefit = np.where((X[:, 0] > 0) == (treatment == "therapy"), 1.0, 0.0)
    >>> rule = PrivateTreatmentRule(
    ...     math.inf,
    ...     feature_bounds=(-1, 1),
    ...     benefit_bounds=(0, 1),
    ...     propensity={"pill": 0.5, "therapy": 0.5},
    ...     gamma=1.0,
    ... ).fit(X, treatment, benefit)
    >>> rule.predict([[-0.5], [0.5]]).tolist()
    ['pill', 'therapy']
    >>> round(rule.score(X, treatment, benefit), 2)
    0.99
    """

    _: KW_ONLY
    benefit_bounds: Any = None
    arms: Any = None
    propensity: Any = None
    propensity_floor: float | None = None
    weight_origin: str | None = None
    allocation: str = "fixed"
    transform: str = "identity"
    direction: str = "larger"
    weights: str = "signed"
    centre: Any = None
    benefit_clip: Any = "auto"
    default_arm: Any = None
    relation: str | None = None
    loss: str | Loss = "auto"
    estimator: str = "auto"
    width: float | str = "auto"
    main_penalty: float | str = "auto"
    mean_scale: float | str = "auto"
    main_effect: str = "linear"
    tightness: float | str = "auto"
    ranges: float | str = "auto"
    feature_ranges: float | str = "auto"
    guard: float | str = "auto"
    study: Study | None = None
    rule_: Rule = field(init=False)
    arms_: NDArray[Any] = field(init=False)

    @classmethod
    def from_study(cls, study: Study, epsilon: Any, **parameters: Any) -> Self:
        """Return an estimator whose facts come from a study; parameters replace [method]."""
        declared = {name: getattr(study.method, name) for name in METHOD}
        known = {key: value for key, value in declared.items() if value is not None}
        return cls(epsilon, study=study, **{**known, **parameters})

    def check_parameters(self) -> Checked:
        """Raise for every parameter that is wrong; no table is read and nothing is chosen.

        What was found right may be handed to ``fit``, which then does not check it again.
        """
        declaration, problem = checked_problem(self)
        privacy_filter, parameters = privacy_filter_in(self, "rule"), self.get_params(deep=False)
        arms = declaration.treatment.arms if self.study is not None else declared_labels(self)
        return Checked(declaration, problem, privacy_filter, parameters, np.array(arms))

    def fit(
        self,
        X: Any,
        treatment: Any = None,
        benefit: ArrayLike | None = None,
        propensity: ArrayLike | None = None,
        *,
        on_stage: Stage = no_progress,
        checked: Checked | None = None,
        keep: Callable[[Rule], None] = forget,
    ) -> Self:
        """Fit and release; until there is a new release, that of an earlier fit stays.

        With a study, X is the whole table (a path or a data frame) and the rest is left out.
        Without one, X: (n, d) numbers, treatment: (n,) arms, benefit: (n,) numbers, propensity:
        (n,) P(second arm | x) if declared as ``"column"``. With ``weight_origin="design"`` each of
        them must follow from its own row alone, fixed before the first person: in an adaptive trial
        one person moves all later ones, which the noise does not cover. ``keep`` is given the rule
        as soon as it is made, before the ledger is told which one it is.
        """
        # The copy keeps the parameters of this moment, whatever happens to them meanwhile.
        fresh = self._unfitted()
        now = fresh.get_params(deep=False)
        if checked is None or any(checked.parameters.get(name) is not now[name] for name in now):
            checked = fresh.check_parameters()
        problem, declaration = checked.problem, checked.declaration
        with accounted(checked.privacy_filter) as privacy_filter:
            if fresh.study is not None and problem is not None:
                if not (treatment is None and benefit is None and propensity is None):
                    raise ParameterError("with a study, fit takes the table alone")
                on_stage("reading")
                table = read_trial(fresh.study, X)
                refuse_repeated_persons(fresh.study, table)
                trial = trial_of_table(declaration, table)
            else:
                matrix = numeric_matrix(fresh, X, reset=True)
                problem = problem_of(fresh, declaration, number_encoding(fresh, matrix.shape[1]))
                trial = trial_of_arrays(matrix, treatment, benefit, propensity, declaration)
            fresh.rule_, fresh.arms_ = fit(problem, trial, privacy_filter, on_stage), checked.arms
            rule = fresh.rule_
            keep(rule)
            self._take_over(fresh)
        attach(privacy_filter, rule.receipt, lambda: content_of(rule))
        return self

    def score(
        self,
        X: Any,
        treatment: Any = None,
        benefit: ArrayLike | None = None,
        propensity: ArrayLike | None = None,
    ) -> float:
        """Return the value function of the rule on rows given as to ``fit``; larger is better.

        The mean benefit, each row weighted by 1/P, of those who received what the rule recommends;
        in the units of the benefit after its transform, with the sign turned where smaller is
        better. NaN if there is nobody. It is computed from the rows that are given, without noise,
        and no privacy claim covers it: :func:`~dpwerm.treatment_value` releases it with one.
        """
        check_is_fitted(self, "rule_")
        rule = self.rule_
        declared, encoding = for_evaluation(rule.declaration), rule.release.encoding
        if self.study is not None:
            if not (treatment is None and benefit is None and propensity is None):
                raise ParameterError("with a study, score takes the table alone")
            trial = trial_of_table(declared, read_trial(self.study, X))
        else:
            matrix = numeric_matrix(self, X, reset=False)
            trial = trial_of_arrays(matrix, treatment, benefit, propensity, declared)
        probability = probabilities(declared, trial, encoding, rule.propensity)
        gained = declared.benefit.centred(trial.outcome) + declared.benefit.centre
        told = rule.arms_for(rule.release.score(trial.encode(encoding))) == rule.arms[1]
        usable = ~np.isnan(gained) & ~np.isnan(probability) & (trial.arm == np.where(told, 1, -1))
        if not usable.any():
            return float("nan")
        return float(np.average(gained[usable], weights=1 / probability[usable]))

    @staticmethod
    def _fitted() -> str:
        return "rule_"

    @property
    def release_(self) -> Release:
        """The release behind the rule."""
        check_is_fitted(self, "rule_")
        return self.rule_.release

    def decision_function(self, X: Any) -> FloatArray:
        """Return f(x) of each row; positive speaks for the second arm."""
        check_is_fitted(self, "rule_")
        if self.study is not None:
            return self.rule_.score_table(X)
        matrix = numeric_matrix(self, X, reset=False)
        return self.release_.score(self.release_.encoding.encode_numbers(matrix))

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the recommended arm of each row."""
        scores = self.decision_function(X)
        second = self.rule_.arms_for(scores) == self.rule_.arms[1]
        return np.asarray(self.arms_[second.astype(int)])

    def save(self, path: str | Path) -> None:
        """Write the rule to a file; ``dpwerm.releases.rule_file.read_rule`` reads it back."""
        check_is_fitted(self, "rule_")
        write_rule(self.rule_, Path(path))
