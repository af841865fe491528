"""γ chosen on the same rows: the held-out person decides."""

import numpy as np
import pytest

from dpwerm.audit.faults.tuned_on_rows import GAMMAS, TunedOnRows


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
