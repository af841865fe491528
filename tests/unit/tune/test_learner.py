"""What is learned from the training sets: the engine's answer, and one optimum for every ε."""

import numpy as np
import pyarrow as pa
import pytest
from tests.unit.tune.people_at_hand import fixed_study, pilot

from dpwerm.estimators.treatment_rule import PrivateTreatmentRule
from dpwerm.plan.expected import settle
from dpwerm.privacy.budget import Budget
from dpwerm.simulate.engine import released as engine
from dpwerm.solve.batch import minimise_path
from dpwerm.tune.algorithm2 import Planned

GAMMAS = (5.0, 50.0, 500.0)


def planned(*epsilons: str, mechanism: str = "spherical-laplace") -> Planned:
    study = fixed_study(mechanism=mechanism)
    settled = tuple(settle(study, Budget.of(one), 30) for one in epsilons)
    return Planned(settled, (GAMMAS,) * len(epsilons))


def test_without_noise_it_is_an_ordinary_fit() -> None:
    source = pilot(60, 3)
    repeats = source.repeats(30, 30, 2, np.random.default_rng(0))
    second = planned("inf").second(repeats, (1, 2))
    assert second.shape == (3, 2, 1, 30)
    for place, gamma in enumerate(GAMMAS):
        for one in range(2):
            part = source.portion(repeats.splits.training[one])
            people = source.portion(repeats.splits.validation[one])
            rule = PrivateTreatmentRule.from_study(source.study, "inf", gamma=gamma)
            rule.fit(pa.table(dict(part.table.columns)))
            given = rule.predict(pa.table(dict(people.table.columns)))
            np.testing.assert_array_equal(second[place, one, 0], given == "B")


def test_several_epsilons_share_optima_and_random_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    repeats = pilot(60, 3).repeats(30, 30, 2, np.random.default_rng(0))
    alone = [planned(one).second(repeats, (1, 2)) for one in ("0.5", "20")]
    calls = []

    def counted(*given: object, **named: object) -> object:
        calls.append(given)
        return minimise_path(*given, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(engine, "minimise_path", counted)
    together = planned("0.5", "20").second(repeats, (1, 2))
    np.testing.assert_array_equal(together, np.concatenate(alone))
    assert len(calls) == 1


def test_noise_differs_by_key_and_grows_with_smaller_epsilon() -> None:
    repeats = pilot(60, 3).repeats(30, 30, 40, np.random.default_rng(0))
    calm, loud = np.split(planned("1000", "0.01").second(repeats, (1, 2)), 2)
    bare = planned("inf").second(repeats, (1, 2))
    assert (calm == bare).mean() > 0.97
    assert (loud == bare).mean() < 0.7
    assert (loud != planned("0.01").second(repeats, (1, 3))).any()


def test_noise_inside_the_objective_goes_the_same_way() -> None:
    repeats = pilot(60, 3).repeats(30, 30, 3, np.random.default_rng(0))
    many = (400.0, 4000.0)
    study = fixed_study(mechanism="objective-block")
    settled = tuple(settle(study, Budget.of(one), 30) for one in ("1", "2"))
    together = Planned(settled, (many, many)).second(repeats, (1, 2))
    alone = [Planned((one,), (many,)).second(repeats, (1, 2)) for one in settled]
    assert (together == np.concatenate(alone)).mean() > 0.99
