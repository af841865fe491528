"""DP-wERM as a scikit-learn classifier: θ̂ = argmin Σ w_i ℓ(y_i x_iᵀθ) + γR(θ), released with noise.

Every parameter is public knowledge. After ``fit`` the object holds the release and what
follows from it, and nothing else that was learned from data.
"""

from dataclasses import KW_ONLY, dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit
from sklearn.base import ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d

from dpwerm.arrays import FloatArray
from dpwerm.choose.hyperparameters import Hyperparameters, planned_of
from dpwerm.errors import ParameterError
from dpwerm.estimators.arrays_in import number_encoding, numeric_matrix
from dpwerm.estimators.base import PrivateEstimator, paying_ledger
from dpwerm.estimators.parameters import specification_of
from dpwerm.fit import Ready
from dpwerm.objective.losses import Logistic
from dpwerm.parameters import positive, refuse_mask, vector
from dpwerm.privacy.budget import Relation, budget_of
from dpwerm.problem import Problem
from dpwerm.releases.charging import accounted, attach, privacy_filter_of
from dpwerm.releases.release import Release
from dpwerm.weighting.contract import TrialRows


def _is_logistic(estimator: "PrivateWeightedClassifier") -> bool:
    """Whether the released score, or before a fit the declared one, is of the logistic loss."""
    released: Release | None = vars(estimator).get("release_")
    loss = estimator.loss if released is None else released.certificate.loss
    if getattr(loss, "name", loss) == Logistic.name:
        return True
    raise AttributeError("predict_proba needs loss='logistic': no other score is a log-odds")


@dataclass(eq=False, repr=False)
class PrivateWeightedClassifier(ClassifierMixin, PrivateEstimator):  # type: ignore[misc]
    r"""A private linear classifier with sample weights.

    .. math:: \hat\theta = \arg\min_\theta \sum_i w_i \ell(y_i x_i^\top\theta) + \gamma R(\theta)

    The release of θ̂ satisfies (ε, δ)-differential privacy for the declared relation, because
    features are encoded into ‖x‖ ≤ r and weights clipped at W, both public.

    Parameters
    ----------
    epsilon : float in (0, inf], or a budget
        The privacy loss of this fit; ``math.inf`` is the non-private baseline. ``Budget.zcdp(rho)``
        and ``Budget.gdp(mu)`` promise ρ-zCDP or μ-GDP, with mechanism ``"gaussian"``.
    feature_bounds : (lower, upper), one pair per column, or a mapping from column to pair
        Known before the data is seen. Values outside are clipped. A mapping, such as
        ``{"age": (18, 90)}``, names every column of a data frame.
    weight_bound : float > 0, optional
        Weights above it are clipped. May be left out only when no weights are given.
    classes : pair, optional
        The two labels. Must be declared for a private release; the first is the negative class.
    gamma : ``"auto"`` or float > 0
        Regularisation on the summed objective. ``"auto"`` chooses it, and all else that is
        ``"auto"``, on synthetic trials inside the declared bounds; it reads no row and costs no
        privacy. With a number, whatever else is ``"auto"`` takes its plain value.
    loss : name or registered loss
        ``"huberised-hinge"`` or ``"logistic"``.
    h : float > 0
        Half the width of the bend of the Huberised hinge.
    regularizer : name
        ``"ridge"``: ½‖θ‖² on every coordinate, the intercept too.
    mechanism : ``"auto"`` or name
        ``"objective-block"``, ``"objective-l2"``, ``"spherical-laplace"``, ``"product-laplace"``,
        or with ``delta`` > 0 ``"objective-gaussian"`` and ``"gaussian"``. Plain:
        ``"spherical-laplace"``, or ``"gaussian"`` with ``delta`` > 0, ρ or μ.
    delta : float in [0, 1)
        0 for the pure mechanisms.
    relation : ``"replace_one"`` or ``"add_remove"``
        What neighbouring means. Under add/remove the number of rows is never written.
    weight_origin : ``"design"``, ``"external"`` or ``"worst_case"``
        Where the weights come from; decides the constant C of the sensitivity. ``"design"``: each
        follows from its own row by what was fixed before the first person. Weights that depend on
        other people, such as those of an adaptive trial, are ``"worst_case"``.
    encoding : ``"centred"`` or ``"paper"``
        Numbers into [−1, 1], or into [0, 1] and divided by √(p+1) as in the paper.
    intercept_scale : ``"auto"`` or float ≥ 0
        The constant of the intercept column; 0 means no intercept. Plain: 1.
    saturation : ``"auto"`` or float in [1, 100]
        Learn from clip(kx, −1, 1) instead of x. Plain: 1, which changes nothing.
    threshold : ``"auto"`` or float in [0, 1)
        Released coefficients below this share of the largest become 0. Plain: 0.
    planned_n : int, optional
        The number of people to choose hyperparameters for; needed for ``gamma="auto"`` under
        add/remove.
    random_state : int, optional
        None draws from the operating system. An integer is for simulation and marks the
        release as not private.
    ledger : Ledger or ``"none"``
        Charged before any noise is drawn. A private fit must be given one, or ``"none"`` for a
        release that is not added up with others. A seed or ε = ∞ charges nothing.

    Attributes
    ----------
    release_ : Release
        Coefficients (``release_.theta``, ``release_.own_units()``) and ``release_.certificate``.
    classes_ : array of the two labels
    coef_, intercept_, coef_names_ : arrays of shape (1, d), (1,) and (d,)
        ``decision_function(X)`` is ``X @ coef_.T + intercept_`` within the declared bounds, in the
        units of X. They follow from the release and are as public as it is.

    Notes
    -----
    Whatever is fitted to the data before this step, such as a scaler in a pipeline, is outside the
    claim. Each fit at a finite ε costs ε again: cross-validation and grid searches add up, and
    copies share their ledger. At ``predict`` columns have the names of the fit in the same order.
    A ledger stays in its process: a pickled copy predicts, but refuses to fit until it is given a
    ledger again, and so does each copy that ``n_jobs`` sends to another process.

    Examples
    --------
    >>> import math
    >>> import numpy as np
    >>> from dpwerm import PrivateWeightedClassifier
    >>> X = np.linspace(-1, 1, 200).reshape(-1, 1)
    >>> y = np.where(X[:, 0] > 0, "yes", "no")
    >>> model = PrivateWeightedClassifier(
    ...     math.inf, feature_bounds=(-1, 1), classes=("no", "yes"), gamma=1.0
    ... ).fit(X, y)
    >>> model.predict([[-0.5], [0.5]]).tolist()
    ['no', 'yes']
    >>> model.release_.private
    False
    >>> round(float(model.coef_[0, 0]), 2), model.score(X, y)
    (5.1, 1.0)
    """

    _: KW_ONLY
    weight_bound: float | None = None
    classes: Any = None
    relation: str = "replace_one"
    weight_origin: str = "design"
    release_: Release = field(init=False)
    classes_: NDArray[Any] = field(init=False)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit and release; X: (n, d) finite, y: two labels, sample_weight: (n,) ≥ 0.

        Until there is a new release, that of an earlier fit stays.
        """
        fresh = self._unfitted()
        budget, relation = budget_of(fresh.epsilon, fresh.delta), Relation.of(fresh.relation)
        privacy_filter = privacy_filter_of(
            paying_ledger(fresh, budget),
            budget,
            fresh.random_state,
            "classifier",
            relation=relation,
        )
        private = privacy_filter.secure and budget.is_private
        with accounted(privacy_filter) as own:
            matrix = numeric_matrix(fresh, X, reset=True)
            n = len(matrix)
            fresh.classes_, labels = fresh._labels(y, n, private=private)  # noqa: SLF001 - a copy
            bound, weights = fresh._weights(sample_weight, n)  # noqa: SLF001 - a copy
            spec = specification_of(
                fresh, weight_bound=bound, relation=relation, origin=fresh.weight_origin
            )
            given = Hyperparameters.of(fresh, intercept=fresh.intercept_scale)
            declared, planned = number_encoding(fresh, matrix.shape[1]), planned_of(fresh.planned_n)
            settled = Problem(spec, declared, given, planned_n=planned).settled(n)
            settled.calibration(n)  # what makes no claim is refused before it is charged
            bits = own.authorise(settled.spec.budget)
            rows = TrialRows(settled.encoding.encode_numbers(matrix), labels, weights)
            fresh.release_ = Ready(settled, rows).release(settled.spec, bits)
            self._take_over(fresh)
        attach(own, fresh.release_.certificate.receipt, fresh.release_.to_dict)
        return self

    def decision_function(self, X: Any) -> FloatArray:
        """Return f(x) for each row; positive speaks for the second class."""
        check_is_fitted(self, "release_")
        matrix = numeric_matrix(self, X, reset=False)
        return self.release_.score(self.release_.encoding.encode_numbers(matrix))

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the predicted class of each row; f(x) = 0 gives the first class."""
        positive_side = self.decision_function(X) > 0
        return np.asarray(self.classes_[positive_side.astype(int)])

    @available_if(_is_logistic)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> FloatArray:
        """Return 1/(1 + e^{∓f(x)}) for the two classes, shape (n, 2); the logistic loss alone.

        Without penalty, noise, saturation and threshold it would estimate P(class | x) among people
        drawn in proportion to their clipped weights, if that probability is logistic in x. The
        penalty pulls it towards 1/2, and the noise moves it either way. It ranks people as f(x)
        does; it is not calibrated, and calibrating it on the same people costs privacy again.
        """
        second = expit(self.decision_function(X))
        return np.column_stack([1.0 - second, second])

    def score(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """Return the share of rows, by weight, whose class is predicted.

        It is computed from the rows that are given, without noise. No privacy claim covers it: on
        sensitive rows it is for the curator's eyes, and choosing by it is not accounted for.
        """
        return float(super().score(X, y, sample_weight))

    def _labels(self, y: Any, n: int, *, private: bool) -> tuple[NDArray[Any], FloatArray]:
        """Return the two classes and the labels as −1 and +1."""
        if y is None:
            raise ParameterError(
                "This classifier requires y to be passed, but the target y is None"
            )
        refuse_mask("y", y)
        try:
            y = column_or_1d(y, warn=True)
        except (ValueError, TypeError):
            raise ParameterError("y must be one-dimensional: y should be a 1d array") from None
        if len(y) != n:
            raise ParameterError(f"y has {len(y)} entries and X has {n} rows")
        if y.dtype.kind in "fc" and not np.isfinite(y).all():
            raise ParameterError("Input y contains NaN or infinity")
        if self.classes is not None:
            classes = np.asarray(self.classes)
            if classes.shape != (2,) or classes[0] == classes[1]:
                raise ParameterError("classes must be two different labels")
        elif private:
            raise ParameterError(
                "classes is missing: declare the two labels, since which labels occur is data"
            )
        else:
            check_classification_targets(y)
            classes = np.unique(y)
            if len(classes) > 2:
                raise ParameterError(
                    "Only binary classification is supported. y has more than two classes"
                )
            if len(classes) < 2:
                raise ParameterError("y has only one class; two are needed")
        if not np.all((y == classes[0]) | (y == classes[1])):
            raise ParameterError("y has labels other than the two declared classes")
        return classes, np.where(y == classes[1], 1.0, -1.0)

    def _weights(self, sample_weight: Any, n: int) -> tuple[float, FloatArray]:
        """Return W and the weights clipped to [0, W]."""
        if sample_weight is None:
            bound = 1.0 if self.weight_bound is None else self.weight_bound
            bound = positive("weight_bound", bound)
            return bound, np.full(n, min(1.0, bound))
        if self.weight_bound is None:
            raise ParameterError(
                "weight_bound is missing: declare the largest weight a person can have, from what "
                "is known before seeing the data"
            )
        bound = positive("weight_bound", self.weight_bound)
        if np.isscalar(sample_weight) and not isinstance(sample_weight, str):
            sample_weight = np.full(n, sample_weight)
        weights = vector("sample_weight", sample_weight, n)
        if np.any(weights < 0):
            raise ParameterError("sample_weight has negative entries; weights must be at least 0")
        return bound, np.minimum(weights, bound)
