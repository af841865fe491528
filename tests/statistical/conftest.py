import pytest
from tests.statistical.alarms import ALARMS


@pytest.fixture
def alpha(request: pytest.FixtureRequest) -> float:
    """Return the false-alarm probability that the running test declared."""
    function: str = request.node.originalname
    return ALARMS[f"{request.node.path.stem}.{function}"].per_case
