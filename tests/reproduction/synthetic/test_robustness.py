from pathlib import Path

import pytest
from tests.reproduction.trials.stand_in_trials import like_the_papers

from reproduction.artefact import Bench
from reproduction.synthetic import robustness, variants
from reproduction.synthetic.robustness import ARTEFACT
from reproduction.synthetic.robustness_cells import CHANGED
from reproduction.synthetic.variants import VARIANTS


def test_a_quick_version_has_every_variant(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(robustness, "QUICK_REPEATS", 3)
    monkeypatch.setattr(variants, "our_rules", like_the_papers)
    made = ARTEFACT.make(Bench("robustness", tmp_path, quick=True, workers=1))
    assert len(made.rows) == 2 * 2 * len(VARIANTS)
    assert len(made.verdicts) == len(CHANGED)
    assert made.verdicts[0].agrees
    (picture,) = made.pictures.values()
    assert len(picture.axes) == 2
