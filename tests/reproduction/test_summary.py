import math

import numpy as np
import pytest

from reproduction.summary import Summary, rounded, standard_errors_apart


def test_the_interval_is_students() -> None:
    repeats = np.array([1.0, 2.0, 3.0])
    summary = Summary.of(repeats)
    assert summary.mean == 2.0
    assert summary.half == pytest.approx(4.302653 / math.sqrt(3))
    assert summary.text(1) == "2.0 ± 2.5"


def test_intervals_that_hold_together_are_wider() -> None:
    repeats = np.arange(30.0)
    assert Summary.of(repeats, alarms=20).half > 1.3 * Summary.of(repeats).half


def test_z_is_the_difference_in_standard_errors() -> None:
    repeats = 9.0 + np.array([-1.0, 1.0] * 50)
    own = repeats.std(ddof=1) / 10
    assert standard_errors_apart(repeats, 8.0, 1.0) == pytest.approx(1.0 / math.hypot(own, 1.0))


def test_files_hold_seven_digits() -> None:
    assert rounded(98.235614567) == 98.23561
