"""γ from the rows and from their number."""

import numpy as np
import pytest
from tests.faults.gamma import GAMMAS, GammaFromN, TunedOnRows


def test_the_held_out_person_chooses_gamma() -> None:
    target = TunedOnRows("tuned", tuned=True)
    (pair,) = target.pairs()
    sizes = [np.abs(target.outputs(data, 2000, (1,))).mean() for data in pair.both]
    assert sizes[0] > 20 * sizes[1]


def test_untuned_it_is_the_first_fit_and_costs_its_claim() -> None:
    target = TunedOnRows("not tuned", tuned=False)
    (pair,) = target.pairs()
    fit = target.fit(GAMMAS[0])
    for data in pair.both:
        assert np.array_equal(target.outputs(data, 50, (1,)), fit.outputs(data, 50, (1,)))
    assert fit.moved == pytest.approx(1.0, abs=1e-5)


@pytest.mark.parametrize(("planned", "ratio"), [(None, 2.0), (2, 1.0)])
def test_the_noise_tells_how_many_there_are_unless_the_number_is_planned(
    planned: int | None, ratio: float
) -> None:
    target = GammaFromN("n", planned)
    (pair,) = target.pairs()
    found = [target.outputs(data, 20_000, (1,)) for data in pair.both]
    one, two = (np.abs(part - np.median(part)).mean() for part in found)
    assert one / two == pytest.approx(ratio, rel=0.05)


def test_a_person_is_added() -> None:
    (pair,) = GammaFromN("n", None).pairs()
    assert [len(people.arm) for people in pair.both] == [1, 2]
