import json
from decimal import Decimal

import pytest
from tests.unit.releases.test_tuning import tuning

from dpwerm.errors import ParameterError
from dpwerm.privacy.budget import Budget
from dpwerm.releases.tuning import RETIRED, WAYS, Tuning, TuningRecord, plain_tuning


def read(content: dict[str, object]) -> Tuning:
    return TuningRecord.model_validate(json.loads(json.dumps(content))).tuning()


@pytest.mark.parametrize("how", [*WAYS, *RETIRED])
@pytest.mark.parametrize("epsilon", ["1", "0.1", "inf"])
def test_a_record_holds_all_of_a_tuning(how: str, epsilon: str) -> None:
    found = tuning(how, Budget.of(epsilon))
    assert read(plain_tuning(found)) == found


def test_a_split_of_an_earlier_version_is_told_by_its_claim() -> None:
    before, now = tuning("split", flipped=True), tuning("split")
    assert read(plain_tuning(before)) == before
    assert read(plain_tuning(now)) == now
    assert "permute-and-flip" in plain_tuning(before)["claim"]
    assert before.cost == now.cost


def test_numbers_that_are_equal_are_written_alike() -> None:
    first, second = (tuning("split", share=Decimal(share)) for share in ("0.3", "0.30"))
    assert plain_tuning(first) == plain_tuning(second)


@pytest.mark.parametrize("share", ["much", "", "NaN", "-1", "1", "1e-999999999", "9" * 150])
def test_a_share_that_cannot_be_is_refused(share: str) -> None:
    content = plain_tuning(tuning("split"))
    with pytest.raises(ParameterError, match="share"):
        read(content | {"share": share})
