from pathlib import Path

from tests.reproduction.trials.trial_files import invented_cyp_guides

from reproduction.trials.source import Source, source_of


def test_another_file_at_the_same_place_is_another_source(tmp_path: Path) -> None:
    path = invented_cyp_guides(tmp_path / "copy.csv")
    first = source_of("cyp_guides", path)
    assert source_of("cyp_guides", invented_cyp_guides(path)) == first
    assert source_of("cyp_guides", invented_cyp_guides(path, seed=1)) != first
    assert first.load().n == 108


def test_the_other_trials_have_their_rows() -> None:
    assert source_of("actg175").load().n == 1054
    assert Source("sjcrh", seed=3).load().n == 246
