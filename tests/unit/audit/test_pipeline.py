"""The whole way from a table to files is audited, ours and others'.

The noise is the operating system's, so these tests could fail although all is well. Sizes are such
that this has a probability far below 1e-8: claims that hold are far above what so few runs can
show, and what must be seen is seen in nearly every run.
"""

from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest
from tests.unit.audit.made_up import made_up

from dpwerm.audit.attack import Audited
from dpwerm.audit.canaries import canaries_for
from dpwerm.audit.pipeline import (
    OneRun,
    StudyAudit,
    audit_study,
    best_share,
    guess_coins,
    hatched,
    learned_evidence,
)
from dpwerm.audit.pipeline_target import StudyPipeline
from dpwerm.documents.audit import pipeline_document
from dpwerm.documents.render import as_text
from dpwerm.errors import ParameterError
from dpwerm.privacy.budget import Budget
from dpwerm.text import WIDTH

STUDY = made_up(3, gamma=2000.0)


def pipeline(budget: Budget) -> StudyPipeline:
    return StudyPipeline(STUDY, budget)


def test_coins_are_guessed_where_nearly_nothing_is_hidden() -> None:
    loud = Budget.of(60)
    # Simulated others do not hide the canaries.
    for people in (0, 5):
        from_files = guess_coins(
            pipeline(loud), STUDY, canaries=4, people=people, runs=6, practice=16, workers=1
        )
        assert from_files.claim == loud
        assert from_files.holds
        assert from_files.lower > 0.5
        assert from_files.right <= from_files.guesses <= 24


def test_coins_are_not_guessed_where_all_is_hidden() -> None:
    quiet = guess_coins(
        pipeline(Budget.of("0.001")),
        STUDY,
        canaries=4,
        runs=4,
        practice=16,
        confidence=1 - 1e-9,
        workers=1,
    )
    assert quiet.lower == 0.0
    assert quiet.holds


def test_practice_teaches_which_numbers_speak() -> None:
    rng = np.random.default_rng(1)
    coins = rng.integers(0, 2, (300, 2)).astype(bool)
    looks = rng.normal(size=(300, 2, 3))
    looks[:, 0, 1] += np.where(coins[:, 0], 4.0, -4.0)
    looks[:, 1, 2] += np.where(coins[:, 1], -4.0, 4.0)
    evidence = learned_evidence(looks, coins[:100])
    assert ((evidence > 0) == coins).mean() > 0.99
    # The coins of the audited runs are not looked at.
    assert np.array_equal(evidence, learned_evidence(looks, coins[:100]))


def test_few_runs_need_many_guesses() -> None:
    rng = np.random.default_rng(3)
    coins = rng.integers(0, 2, (400, 16)).astype(bool)
    # All canaries speak, some of them louder.
    loudness = np.linspace(1.0, 3.0, 16)
    evidence = np.where(coins, loudness, -loudness) + rng.normal(size=coins.shape)
    assert best_share(evidence, coins, 1, 0.95) == 16
    assert best_share(evidence, coins, 400, 0.95) < 16


def test_a_coin_that_always_fell_alike_teaches_nothing() -> None:
    evidence = learned_evidence(np.ones((10, 1, 2)), np.ones((10, 1), dtype=bool))
    assert np.array_equal(evidence, np.zeros((10, 1)))


def test_canaries_have_the_record_of_their_coin() -> None:
    birds = canaries_for(STUDY, 2)
    assert hatched(birds, np.array([True, False])) == [birds[0].first, birds[1].second]
    there = canaries_for(made_up(1, relation="add_remove"), 2)
    assert hatched(there, np.array([False, True])) == [there[1].first]


@pytest.mark.parametrize("wrong", [{"canaries": 0}, {"runs": 0}, {"practice": 7}, {"people": -1}])
def test_impossible_sizes_are_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(ParameterError, match="canaries"):
        guess_coins(pipeline(Budget.of(1)), STUDY, **wrong)  # type: ignore[arg-type]


def test_a_study_file_is_audited_both_ways(tmp_path: Path) -> None:
    found = audit_study(
        made_up(1),
        budget=Budget.of(40),
        canaries=2,
        one_runs=2,
        practice=8,
        runs=16,
        confidence=0.9,
        workers=1,
    )
    assert found.holds
    assert found.neighbours.exact_runs == 16
    # The two bounds share the error.
    assert found.neighbours.confidence == found.one_run.confidence == pytest.approx(0.95)
    assert found.neighbours.claim == found.one_run.claim == Budget.of(40)
    missing = tmp_path / "nothing.toml"
    with pytest.raises(Exception, match="nothing"):
        audit_study(missing, budget=Budget.of(1))


def lines(found: StudyAudit) -> list[str]:
    return as_text(pipeline_document(found)).splitlines()


def test_words_say_what_was_claimed_and_found() -> None:
    one = OneRun(Budget.of(1), 0.25, 7, 8, 8, 20, 1, 200, 0.95)
    two = Audited("study x", Budget.of(1), 2, 0.5, 0.5, 0, 1000, "a pair", "a statistic", 0.95)
    text = "\n".join(lines(StudyAudit("x", one, two)))
    for part in ("epsilon = 1", "0.25", "7 of 8", "one run", "20 simulated", "0.50", "a pair"):
        assert part in text
    assert "holds" in text
    assert "prove nothing" not in text
    few = lines(StudyAudit("x", replace(one, right=8, lower=0.0, confidence=0.999), two))
    assert "So few guesses prove nothing at this confidence." in " ".join(few)
    assert all(len(line) <= WIDTH for line in few)
    broken = OneRun(Budget.of(1), 1.25, 80, 80, 8, 0, 10, 200, 0.95)
    told = lines(StudyAudit("x", broken, two))
    assert told[-1].startswith("BROKEN")
    assert "10 runs" in " ".join(told)
    assert Decimal(1) == broken.claim.epsilon
