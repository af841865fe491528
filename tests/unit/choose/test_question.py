"""A question is public, and its digest changes with everything its answer depends on."""

import json
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from tests.unit.choose.questions import TRIAL, encoding_of, question, specification
from tests.unit.features.domains import Curved

from dpwerm.choose.grid import floor_of
from dpwerm.choose.hyperparameters import Hyperparameters
from dpwerm.choose.question import LOOSE, Outcome, Question
from dpwerm.errors import ParameterError
from dpwerm.features.composed import Product
from dpwerm.features.domain import Domain, Interval
from dpwerm.features.encoding import Encoding
from dpwerm.mechanisms import MECHANISMS
from dpwerm.objective.losses import HuberisedHinge, Logistic
from dpwerm.objective.regularizers import ArmPenalty, Regularizer, Ridge
from dpwerm.parameters import LARGEST
from dpwerm.privacy.budget import Budget, Relation
from dpwerm.privacy.weight_origin import ExternalModel, WorstCase
from dpwerm.releases.certificate import Specification
from dpwerm.weighting.arm_wise import ArmWiseRegression
from dpwerm.weighting.contract import OutcomeWeighted, Weighting
from dpwerm.weighting.contrast import ContrastRegression


class Sideways(OutcomeWeighted):
    """A design whose rows lie in a larger set."""

    name = "sideways"

    def domain(self, encoding: Encoding) -> Domain:
        return Product((encoding.domain, Interval(1.0)))


OTHERS: dict[str, Any] = {
    "n": 61,
    "encoding": encoding_of((0, 1)),
    "spec": specification(Budget.of(2)),
    "outcome": Outcome.of_labels(),
    "fixed": Hyperparameters("gaussian"),
    "open_method": False,
    "form": LOOSE,
}
SPECIFIED: dict[str, Any] = {
    "weight_bound": 1e6,
    "relation": Relation.ADD_REMOVE,
    "loss": Logistic(),
    "origin": WorstCase(),
    "regularizer": Curved(),
    "weighting": Sideways(),
}
FIXED: list[dict[str, Any]] = [
    {"mechanism": "objective-l2"},
    {"clip": 0.5},
    {"clip": 0.25},
    {"intercept": 1.0},
    {"intercept": 0.25},
    {"saturation": 1.0},
    {"saturation": 2.0},
    {"threshold": 0.0},
    {"threshold": 0.25},
    {"estimator": "contrast"},
    {"estimator": "arm-wise"},
    {"width": 0.1},
    {"width": 0.2},
    {"main": 1.0},
    {"main": 2.0},
    {"bend": 2.0, "degree": 2.0},
    {"bend": 4.0, "degree": 2.0},
    {"mean": 0.0},
    {"tightness": 0.1},
    {"ranges": 0.1},
    {"feature_ranges": 0.1},
    {"guard": 0.1},
    {"guard": 0.2},
    {"mean": 1.0},
    {"degree": 2.0},
    {"degree": 3.0},
]
BASE = question()
CHANGED: list[Question] = [
    BASE,
    *(replace(BASE, **{name: value}) for name, value in OTHERS.items()),
    *(question(**{name: value}) for name, value in SPECIFIED.items()),
    question((0, 0, 0)),
    question((0, 3)),
    question((3, 0)),
    question(kind="paper"),
    question(delta="1e-6"),
    question(epsilon="inf"),
    question(loss=HuberisedHinge(0.25)),
    question(origin=ExternalModel()),
    *(
        replace(BASE, outcome=outcome)
        for outcome in (
            replace(TRIAL, centre=0.5),
            replace(TRIAL, signed=False),
            replace(TRIAL, propensity=(0.4, 0.4)),
            replace(TRIAL, propensity=(0.4, 0.6)),
            replace(TRIAL, pi_min=0.25),
            replace(TRIAL, labels=True),
            replace(TRIAL, spread=0.5),
            replace(TRIAL, values=2),
            replace(TRIAL, values=5),
            replace(TRIAL, fixed_design=False),
            replace(TRIAL, degree=2),
        )
    ),
    *(question(**one) for one in FIXED),
]


def test_every_change_gives_another_digest() -> None:
    digests = [asked.digest("1") for asked in CHANGED]
    assert len(set(digests)) == len(digests)
    assert {asked.digest("2") for asked in CHANGED}.isdisjoint(digests)


def test_every_field_was_changed() -> None:
    fields = set(Question.__dataclass_fields__) - {"widths"}
    assert set(OTHERS) == fields
    # Of a specification γ and mechanism are not used; what was chosen comes with the answer.
    used = set(Specification.__dataclass_fields__) - {"budget", "gamma", "mechanism", "chosen"}
    assert set(SPECIFIED) == used
    # γ is what is always asked for, and what loose bounds change is a part of the answer.
    asked = set(Hyperparameters.__dataclass_fields__) - {"gamma", "chosen", "loose"}
    assert {name for one in FIXED for name in one} == asked


def test_equal_questions_have_one_digest_whatever_columns_are_called() -> None:
    assert question().digest("1") == BASE.digest("1")
    assert question(epsilon="1.0").digest("1") == BASE.digest("1")
    blocks = [block.model_copy(update={"name": f"z{block.name}"}) for block in BASE.encoding.blocks]
    renamed = replace(BASE, encoding=BASE.encoding.changed(blocks=tuple(blocks)))
    assert renamed.digest("1") == BASE.digest("1")


def test_a_question_is_plain_data_without_names_or_bounds_of_columns() -> None:
    text = json.dumps(question((0, 1, 3)).plain(), allow_nan=False)
    assert "x0" not in text
    assert "l1" not in text


@pytest.mark.parametrize("n", [0, -1, 10**12 + 1])
def test_an_impossible_number_of_people_is_refused(n: int) -> None:
    with pytest.raises(ParameterError, match="number of people"):
        question(n=n)


PLAIN = Hyperparameters()


@pytest.mark.parametrize("relation", list(Relation))
def test_facts_are_those_of_a_release_with_unit_weights(relation: Relation) -> None:
    asked = question((0, 1, 3), relation=relation)
    candidate = Hyperparameters(intercept=0.5, saturation=2.0)
    encoding = asked.encoding.changed(intercept=0.5, saturation=2.0)
    facts = asked.facts(candidate, 7.0)
    assert (facts.weight_bound, facts.gamma, facts.radius) == (1.0, 7.0, encoding.domain.radius)
    assert facts.domain == encoding.domain
    assert facts.n == (60 if relation is Relation.REPLACE_ONE else None)


@pytest.mark.parametrize("relation", list(Relation))
def test_facts_of_a_regression_are_those_of_its_design_loss_and_penalty(
    relation: Relation,
) -> None:
    asked = question((0, 1, 3), relation=relation, weight_bound=7.0)
    encoding = asked.encoding.changed(intercept=0.5)
    shared: dict[str, Any] = {"intercept": 0.5, "width": 0.3}
    designs: list[tuple[Hyperparameters, Weighting, Regularizer]] = [
        (
            Hyperparameters(estimator="contrast", mean=4.0, **shared),
            ContrastRegression(4.0),
            Ridge(),
        ),
        (
            Hyperparameters(estimator="arm-wise", main=0.25, degree=2.0, **shared),
            ArmWiseRegression(2.0),
            ArmPenalty(1.0, 4.0, 2.0, 1.0),
        ),
    ]
    for candidate, weighting, penalty in designs:
        facts = asked.facts(candidate, 9.0)
        assert facts.domain == weighting.domain(encoding)
        assert facts.regularizer == penalty
        assert (facts.weight_bound, facts.gamma) == (1.0, 9.0)
        assert (facts.lipschitz, facts.smoothness, facts.taper) == (0.3, 1.0, 1.0)


def test_the_set_of_the_rows_is_that_of_the_weighting() -> None:
    encoding = encoding_of()
    plain, wider = question(), question(weighting=Sideways())
    assert wider.facts(PLAIN, 7.0).domain == Sideways().domain(encoding)
    assert wider.facts(PLAIN, 7.0).radius > plain.facts(PLAIN, 7.0).radius
    assert floor_of(wider, PLAIN) > floor_of(plain, PLAIN) > 0


@pytest.mark.parametrize(("weight_bound", "most"), [(1.0, 1e12), (3.0, 1e11), (1e12, 1.0)])
def test_gamma_in_units_of_the_weight_bound_stays_below_the_largest(
    weight_bound: float, most: float
) -> None:
    assert question(weight_bound=weight_bound).most_gamma == most
    assert most * weight_bound <= LARGEST


@pytest.mark.parametrize("mechanism", ["objective-l2", "objective-block", "spherical-laplace"])
def test_with_gamma_in_units_of_the_weight_bound_the_noise_is_in_those_units_too(
    mechanism: str,
) -> None:
    """θ(W, γ) = θ(1, γ/W), so one simulation with W = 1 serves every W."""
    facts = question().facts(PLAIN, 9.0)
    calibrations = [
        MECHANISMS[mechanism].calibrate(replace(facts, weight_bound=W, gamma=9.0 * W), Budget.of(1))
        for W in (1.0, 8.0)
    ]
    assert calibrations[0].sensitivity == calibrations[1].sensitivity
    assert calibrations[0].noise == calibrations[1].noise
    if calibrations[0].inside and calibrations[1].inside:
        rates = [
            Fraction(calibration.inside.rate or 0)
            for calibration in calibrations
            if calibration.inside
        ]
        assert float(rates[0] / rates[1]) == pytest.approx(8.0, rel=1e-12)


def test_the_largest_clip_is_the_largest_centred_benefit() -> None:
    for centre in (-1.0, -0.25, 0.0, 0.5):
        ends = (-1.0 - centre, 1.0 - centre)
        signed = replace(TRIAL, centre=centre)
        assert signed.largest_clip == max(map(abs, ends))
        assert replace(signed, signed=False).largest_clip == max(ends)


@pytest.mark.parametrize(
    ("centre", "signed", "around"),
    [(0.0, True, 0.0), (0.5, True, 0.5), (-1.0, True, 0.0), (1.0, True, 0.0), (0.5, False, 0.0)],
)
def test_benefits_are_expected_at_a_centre_that_they_can_lie_around(
    centre: float, signed: bool, around: float
) -> None:
    assert replace(TRIAL, centre=centre, signed=signed).around == around
