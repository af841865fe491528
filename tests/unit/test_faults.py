import pytest

from dpwerm.faults import nearest, shown


def test_values_are_shown_shortly() -> None:
    assert shown("a\nb") == r"'a\nb'"
    assert len(shown("x" * 1_000)) == 60
    assert shown(10**5_000) == "a huge value"
    deep: list[object] = []
    for _ in range(100_000):
        deep = [deep]
    assert shown(deep) == "a huge value"


@pytest.mark.parametrize(
    ("name", "guess"), [("bound", "bounds"), ("Bounds", "bounds"), ("zzz", None), ("", None)]
)
def test_the_nearest_name(name: str, guess: str | None) -> None:
    assert nearest(name, ["bounds", "default"]) == guess
