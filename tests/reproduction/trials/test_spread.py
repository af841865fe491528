from pathlib import Path

import numpy as np
from tests.reproduction.trials.trial_files import invented_cyp_guides

from reproduction.trials.source import source_of
from reproduction.trials.spread import AskSpread, spread_words, spreads
from reproduction.trials.table import EPSILONS


def test_every_attempt_has_a_number_for_each_epsilon(tmp_path: Path) -> None:
    source = source_of("cyp_guides", invented_cyp_guides(tmp_path / "copy.csv"))
    found = spreads(AskSpread(source, "one-propensity", 75.0, 30, 0))
    assert all(len(deviations) == len(EPSILONS) for deviations in found.values())
    everybody = np.array(found["Eqn 14 on everybody"])
    again = np.array(found["on a bootstrap sample of n, new in each repeat"])
    assert again[-1] > everybody[-1]
    noise = found["rules that are noise alone"]
    assert len(set(noise)) == 1
    words = spread_words("cyp_guides", "A trial", found)
    assert "published 0.205, 0.209, 0.261, 0.162, 0.119; over noise alone" in words
    most = max(deviations[0] for deviations in found.values())
    assert f"the largest of 8 ways that were tried {most:.3f}, " in words
