import pytest

from dpwerm.errors import ParameterError
from dpwerm.objective.losses import HuberisedHinge, Logistic, get_loss


def test_losses_are_found_by_name() -> None:
    assert get_loss("huberised-hinge", h=0.1) == HuberisedHinge(0.1)
    assert get_loss("logistic") == Logistic()


def test_unknown_names_and_parameters_are_refused_with_what_exists() -> None:
    with pytest.raises(ParameterError, match="one of exp-huber, huber, huberised-hinge, logistic"):
        get_loss("hinge")
    with pytest.raises(ParameterError, match=r"no parameter width; it has: h"):
        get_loss("huberised-hinge", width=1.0)
    with pytest.raises(ParameterError, match="it has: none"):
        get_loss("logistic", h=1.0)
    with pytest.raises(ParameterError, match=r"^h must be between"):
        get_loss("huberised-hinge", h=-1.0)
