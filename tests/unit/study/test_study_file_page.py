"""The page about the study file says what the code does."""

import re
from pathlib import Path

import pytest

from dpwerm.study.study import Study, known_keys

PAGE = Path(__file__).parents[3] / "docs" / "study-file.md"


def test_the_example_is_a_study() -> None:
    example = re.findall(r"```toml\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    study = Study.parse(example[0])
    assert study.benefit.range == pytest.approx((-5.90, 0), abs=5e-3)
    assert study.benefit.centre == pytest.approx(-2.95, abs=5e-3)
    assert study.benefit.clip == pytest.approx(2.95, abs=5e-3)


def test_every_key_is_on_the_page() -> None:
    text = PAGE.read_text(encoding="utf-8")
    sections = {"study", "features", "treatment", "benefit", "budget", "method"}
    for keys in known_keys().values():
        for key in keys:
            assert f"`[{key}" in text if key in sections else f"`{key}`" in text, key
