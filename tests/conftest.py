"""What every test stands on: a folder of its own for automatic settings, and a browser."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings
from playwright.sync_api import Browser
from tests.browser import running_browser

TESTS = Path(__file__).parent
settings.register_profile("on a busy machine", settings(), deadline=None)
settings.load_profile("on a busy machine")
LONGEST = (
    "docs/test_readme.py",
    "docs/test_site.py",
    "ledger/test_crash.py",
    "bad_input/test_bad_input.py",
    "unit/solve/test_newton.py",
    "reference/goldens/test_stored.py",
    "faults/test_catalogue.py",
    "docs/test_r.py",
    "reference/goldens/test_goldens.py",
    "ledger/test_together.py",
    "unit/documents/report/test_compose.py",
    "cli/test_demo.py",
    "cli/test_process.py",
    "docs/test_choosing.py",
)
"""Files that take longest, longest first: begun first, no worker is left alone with one."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the longest files first; a worker takes one file after another in this order."""
    place = {TESTS / name: number for number, name in enumerate(LONGEST)}
    items.sort(key=lambda item: place.get(item.path, len(place)))


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep the user's cache out of the tests; parallel workers of one run share a folder."""
    base = tmp_path_factory.getbasetemp()
    run = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DPWERM_CACHE", str(run / "settings"))
        yield


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Give the browser of this worker, started when the first test asks."""
    with running_browser() as running:
        yield running
