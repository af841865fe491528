"""What every test stands on: a folder of its own for automatic settings, and a browser."""

import os
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser
from tests.browser import running_browser


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
