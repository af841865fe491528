"""The bar is silent where there is no terminal."""

import pytest

from dpwerm.simulate.engine.run import bar


def test_it_counts_in_silence(capsys: pytest.CaptureFixture[str]) -> None:
    with bar("Table II") as on_done:
        on_done(0, 3)
        on_done(3, 3)
    assert capsys.readouterr() == ("", "")
