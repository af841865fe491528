"""The public side of a fit: known, charged and refused before anything of a row is touched."""

from dataclasses import replace
from typing import Any, NoReturn

import numpy as np
import pytest
from tests.unit.estimators.observational import STUDY, by_study, columns

from dpwerm.choose.hyperparameters import Hyperparameters
from dpwerm.choose.question import Outcome
from dpwerm.choose.settle import outcome_of
from dpwerm.errors import ParameterError
from dpwerm.fit import fit, settle_private, settled_nuisance, whole_cost
from dpwerm.mechanisms.contract import no_progress
from dpwerm.parameters import LARGEST
from dpwerm.privacy.budget import AnyBudget, Budget, Relation
from dpwerm.privacy.randomness import BitSource, Unrecorded
from dpwerm.privacy.weight_origin import ReleasedModel, RidgeModel
from dpwerm.problem import Problem
from dpwerm.releases.certificate import Chosen, Specification, certify
from dpwerm.weighting.contract import OUTCOME_WEIGHTED
from dpwerm.weighting.trial import Trial

DESIGN = STUDY.replace('["a", "b"]', "{ a = 0.4, b = 0.6 }")
DESIGN = DESIGN.replace('propensity = { model = "private" }\npropensity_floor = 0.1\n', "")
RIDGE = STUDY.replace('"private"', '"ridge"')
TEXTS = {"design": DESIGN, "private": STUDY, "ridge": RIDGE}
OPEN_GAMMA = ("[method]\ngamma = 50\n", "")


def problem_of(text: str = STUDY, epsilon: object = 1, **other: Any) -> Problem:
    known = by_study(epsilon, text=text, **other).check_parameters()
    assert known.problem is not None
    return known.problem


# -- before the charge, nothing of a row is touched ----------------------------------------------


class Untouchable:
    """Rows that have a number and raise on everything else that one may ask of them."""

    def __init__(self, n: int) -> None:
        object.__setattr__(self, "_n", n)

    def __len__(self) -> int:
        return int(object.__getattribute__(self, "_n"))

    def __getattribute__(self, name: str) -> Any:
        raise AssertionError(f"{name} of sensitive rows was touched")

    def _refuse(self, *_: object, **__: object) -> Any:
        raise AssertionError("sensitive rows were touched")

    __getitem__ = __iter__ = __contains__ = __array__ = __bool__ = __eq__ = __hash__ = _refuse
    __repr__ = __str__ = __format__ = __reduce_ex__ = __dir__ = __reversed__ = _refuse
    __setattr__ = __delattr__ = __lt__ = __le__ = __gt__ = __ge__ = __ne__ = _refuse
    __index__ = __int__ = __float__ = __call__ = __add__ = __mul__ = __sizeof__ = _refuse


def test_the_untouchable_rows_would_notice() -> None:
    rows: Any = Untouchable(3)
    assert len(rows) == 3
    for touch in (list, np.asarray, repr, bool, lambda one: one[0], lambda one: one.shape):
        with pytest.raises(AssertionError, match="touched"):
            touch(rows)


def untouchable(n: int) -> Trial:
    rows: Any = Untouchable(n)
    return Trial(rows, rows, rows, rows)


class Charged(Exception):  # noqa: N818 - no error: the walk has come as far as it should
    """The cost was named, and no bit was given."""


class Till:
    """A privacy_filter that keeps what a fit costs and gives no bits."""

    secure = True

    def __init__(self) -> None:
        self.cost: AnyBudget | None = None

    def authorise(self, cost: AnyBudget) -> BitSource:
        self.cost = cost
        raise Charged

    def attach(self, *_: object) -> NoReturn:
        raise AssertionError("nothing was released")

    def begin(self) -> "Till":
        return self

    def note(self, error: BaseException) -> str | None: ...


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("open_gamma", [False, True], ids=["given", "auto"])
def test_until_the_charge_only_the_number_of_rows_is_asked(name: str, open_gamma: bool) -> None:
    text = TEXTS[name].replace(*OPEN_GAMMA) if open_gamma else TEXTS[name]
    till, stages = Till(), list[str]()
    with pytest.raises(Charged):
        fit(problem_of(text, "0.8"), untouchable(73), till, stages.append)
    assert till.cost == Budget.of("0.8")
    assert "encoding" not in stages
    assert "solving" not in stages


@pytest.mark.parametrize("name", TEXTS)
def test_what_is_then_released_is_what_was_settled(name: str) -> None:
    text, data = TEXTS[name].replace(*OPEN_GAMMA), columns()
    problem = problem_of(text, "0.8", random_state=1)
    arm = np.where(data["arm"] == "b", 1.0, -1.0)
    matrix = np.column_stack([data["x"], data["z"]])
    given = np.full(len(arm), 0.6) if name == "design" else None
    trial = Trial(arm, data["outcome"], given, lambda one: one.encode_numbers(matrix))
    rule = fit(problem, trial, Unrecorded(1))
    settled = problem.own(73).settled(73)
    release = rule.release
    certificate, calibration = certify(
        settled.spec, settled.encoding, 73, secure=False, library=release.certificate.library
    )
    assert release.certificate == certificate
    assert (release.encoding, rule.declaration) == (settled.encoding, settled.declaration)
    assert release.threshold == settled.hyperparameters.threshold
    assert settled.calibration(73) == calibration


# -- the rule's own part -------------------------------------------------------------------------


def test_a_rule_without_a_model_has_the_whole_budget() -> None:
    problem = problem_of(DESIGN, "0.7")
    assert problem.own(73).spec.budget == problem.spec.budget == Budget.of("0.7")
    assert settled_nuisance(problem, 73, no_progress) is None
    assert whole_cost(None, Budget.of("0.7")) == Budget.of("0.7")


def test_the_parts_of_a_private_model_and_its_rule_are_the_whole() -> None:
    text = STUDY.replace('"private"', '"private", share = 0.3')
    problem = problem_of(text, "0.7")
    model, own = settled_nuisance(problem, 73, no_progress), problem.own(73)
    assert model is not None
    assert model.spec.budget == Budget.of("0.21")
    assert own.spec.budget == Budget.of("0.49")
    assert whole_cost(model, own.spec.budget) == Budget.of("0.7")
    assert own.spec.origin == ReleasedModel()
    assert (model.spec.weight_bound, model.spec.loss.name) == (1.0, "logistic")
    assert (model.declaration, model.outcome) == (None, Outcome.of_labels())


def test_a_settled_model_is_the_one_for_its_part_of_the_budget() -> None:
    problem = problem_of(STUDY, 1)
    expected = settle_private(
        problem.encoding,
        budget=Budget.of("0.5"),
        people=73,
        relation=Relation.REPLACE_ONE,
        floor=problem.declared.treatment.pi_min,
    )
    assert settled_nuisance(problem, 73, no_progress) == expected
    planned = replace(problem, planned_n=73)
    assert settled_nuisance(planned, 9, no_progress) == expected


def test_the_origin_of_a_secret_model_knows_the_number_of_rows() -> None:
    problem = problem_of(RIDGE)
    few, many = (problem.own(n).spec.origin for n in (20, 2000))
    assert isinstance(few, RidgeModel)
    assert isinstance(many, RidgeModel)
    assert few.gamma < many.gamma


def test_the_outcome_is_that_of_the_declaration_or_of_labels() -> None:
    problem = problem_of()
    assert problem.outcome == outcome_of(problem.declared)
    labels = replace(problem, declaration=None)
    assert labels.outcome == Outcome.of_labels()
    with pytest.raises(ParameterError, match="no treatment and no benefit"):
        _ = labels.declared


# -- every hyperparameter in its place -----------------------------------------------------------


def test_a_clip_that_was_chosen_is_in_declaration_and_weight_bound(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    chosen = Chosen(settings=["gamma"], accuracy=0.9, reason="because")
    found = Hyperparameters("objective-l2", 0.25, 0.5, 1.5, 20.0, 0.1, chosen)
    monkeypatch.setattr("dpwerm.problem.settle", lambda *_, **__: found)
    problem = problem_of(DESIGN.replace(*OPEN_GAMMA)).own(73)
    settled = problem.settled(73)
    benefit = settled.declared.benefit
    assert benefit.clip == 0.25 * benefit.largest_clip
    assert settled.spec.weight_bound == OUTCOME_WEIGHTED.weight_bound(settled.declared)
    assert settled.spec.weight_bound == pytest.approx(0.25 * problem.spec.weight_bound)
    assert settled.spec.gamma == pytest.approx(20.0 * settled.spec.weight_bound, rel=1e-3)
    assert settled.encoding == problem.encoding.changed(intercept=0.5, saturation=1.5)
    assert (settled.hyperparameters, settled.spec.chosen) == (found, found.chosen)


def test_labels_keep_their_weight_bound() -> None:
    encoding = problem_of().encoding
    spec = Specification(Budget.of(1), 1.0, 3.0)
    settled = Problem(spec, encoding, Hyperparameters(gamma=4.0)).settled(5)
    assert (settled.spec.weight_bound, settled.spec.gamma) == (3.0, 4.0)
    assert settled.declaration is None


# -- what is refused without a row ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("fixed", "epsilon", "words"),
    [
        (Hyperparameters("objective-l2", gamma=1e-3), 1, "gamma"),
        (Hyperparameters("objective-l2"), "1e-6", r"at least 0\.0001"),
        (Hyperparameters("gaussian", gamma=50.0), 1, "needs delta above 0"),
        (Hyperparameters("gaussian"), 1, "needs delta above 0"),
    ],
)
def test_a_claim_that_cannot_be_made_is_refused_without_rows(
    fixed: Hyperparameters, epsilon: object, words: str
) -> None:
    problem = problem_of(DESIGN.replace(*OPEN_GAMMA), epsilon)
    with pytest.raises(ParameterError, match=words):
        replace(problem, hyperparameters=fixed).check()


@pytest.mark.parametrize("name", TEXTS)
def test_a_claim_that_can_be_made_is_checked_without_rows(name: str) -> None:
    problem_of(TEXTS[name]).check()
    problem_of(TEXTS[name].replace(*OPEN_GAMMA)).check()


def test_an_open_gamma_stands_at_its_largest() -> None:
    """What makes no claim at a small γ may still make one at the γ that will be chosen."""
    problem = problem_of(DESIGN.replace(*OPEN_GAMMA))

    def check(gamma: float | None) -> None:
        fixed = Hyperparameters("objective-block", gamma=gamma)
        replace(problem, hyperparameters=fixed).check()

    check(None)
    check(LARGEST)
    with pytest.raises(ParameterError, match="gamma"):
        check(1e-3)


def test_an_external_model_of_other_columns_is_no_problem_of_this_study() -> None:
    external = '{ model = "external", arm = "b", intercept = 0, coefficients = { x = 1, z = 0 } }'
    known = problem_of(STUDY.replace('{ model = "private" }', external))
    narrow = known.encoding.changed(blocks=known.encoding.blocks[1:])
    with pytest.raises(ParameterError, match="propensity coefficients: 'x' is no feature"):
        replace(known, encoding=narrow)
