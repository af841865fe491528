"""γ that follows the number of rows."""

import numpy as np
import pytest

from dpwerm.audit.faults.gamma_from_n import GammaFromN


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
