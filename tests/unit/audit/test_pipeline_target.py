"""Neighbouring data sets are told apart by files, and pipelines that look at the sample are caught.

The noise is the operating system's; see ``test_pipeline`` for how often a sound library fails.
"""

import numpy as np
import pytest
from tests.unit.audit.faulty_pipelines import BiasedCoin, ClippedBySample, ScaledBySample
from tests.unit.audit.made_up import made_up

from dpwerm.audit.canaries import in_turn, scaled, tipped, worst_pairs
from dpwerm.audit.pipeline_target import (
    Pipeline,
    PipelineTarget,
    StudyPipeline,
    learned,
    tell_apart,
)
from dpwerm.audit.target import Pair, Scored
from dpwerm.errors import ParameterError
from dpwerm.privacy.budget import Budget
from dpwerm.study.study import Study

STUDY = made_up(1, gamma=8000.0)
ONE = StudyPipeline(STUDY, Budget.of(1))
SURE = 1 - 1e-8
RECORDED = """arms = ["pill", "therapy"]
propensity = "chance"
propensity_floor = "1/3"
origin = "design"
"""
COIN = made_up(1, gamma=8000.0, arms=RECORDED)
BY_COIN = StudyPipeline(COIN, Budget.of(1))

Faulty = ScaledBySample | ClippedBySample | BiasedCoin


def target(pipeline: Pipeline, *pairs: Pair, study: Study = STUDY) -> PipelineTarget:
    return PipelineTarget("made up", study, pipeline, pairs, workers=1)


def test_neighbours_are_told_apart_where_nearly_nothing_is_hidden() -> None:
    loud = target(StudyPipeline(STUDY, Budget.of(60)), *worst_pairs(STUDY)[:2])
    found = tell_apart(loud, runs=80, confidence=0.99)
    assert found.holds
    assert found.lower > 1.0
    assert found.exact_runs == 80
    assert found.dimension == 2
    assert isinstance(loud, Scored)


@pytest.mark.parametrize(
    ("pair", "pipeline"),
    [
        (scaled(STUDY), ScaledBySample(ONE, "x0", middle=2.0, half=2.0)),
        (tipped(STUDY, 0.5), ClippedBySample(ONE, "gain", 0.5)),
        (in_turn(COIN), BiasedCoin(BY_COIN, "chance")),
    ],
    ids=["scaled by the largest value", "clipped at a quantile", "adaptive allocation"],
)
def test_a_pipeline_that_looks_at_the_sample_is_caught(pair: Pair, pipeline: Faulty) -> None:
    study = pipeline.right.study
    found = tell_apart(target(pipeline, pair, study=study), runs=120, confidence=1 - 1e-6)
    assert found.claim == Budget.of(1)
    assert not found.holds
    # The same tables through the pipeline alone show nothing.
    healthy = tell_apart(target(pipeline.right, pair, study=study), runs=24, confidence=SURE)
    assert healthy.holds


def test_the_score_is_the_log_likelihood_ratio_of_laplace_noise() -> None:
    rng = np.random.default_rng(2)
    first, second = (rng.laplace(centre, 2.0, (4000, 1)) for centre in (3.0, -1.0))
    part = learned(slice(0, 1), 1, first, second)
    x = np.linspace(-6, 6, 25)[:, None]
    exact = (np.abs(x + 1.0) - np.abs(x - 3.0)) / 2.0
    np.testing.assert_allclose(part(x), exact[:, 0], atol=0.25)


def test_too_few_runs_are_refused() -> None:
    with pytest.raises(ParameterError, match="runs"):
        tell_apart(target(ONE, *worst_pairs(STUDY)), runs=7)
