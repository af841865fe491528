import pytest

from dpwerm.audit import suite
from dpwerm.audit.suite import Task, audit_cells, audited, chosen, private_mechanisms
from dpwerm.audit.target import claimed
from dpwerm.errors import ParameterError
from dpwerm.mechanisms import MECHANISMS

RUNS, SURE = 4000, 0.99
DESIGNS = ("contrast", "arm-wise")
CELLS, SHIPPED = suite.cells(), private_mechanisms()


def test_every_mechanism_has_its_cells() -> None:
    assert set(SHIPPED) == set(MECHANISMS) - {"none"}
    names = {cell.name for cell in CELLS.values()}
    assert names == {
        *SHIPPED,
        "laplace-sums",
        "exponential",
        "propensity-model",
        "private-ranges",
        "tightness",
        "guard",
        *DESIGNS,
    }
    for name in SHIPPED:
        own = [cell for cell in CELLS.values() if cell.name == name and cell.asked]
        assert len(own) >= 3 * len(suite.EPSILONS)


def test_a_cell_claims_what_its_setting_says() -> None:
    for key, cell in CELLS.items():
        if cell.name in SHIPPED:
            target = cell.make()
            claim = claimed(target)
            assert f"p = {target.dimension}, epsilon = {claim.epsilon}" in key
            assert ("delta" in key) == (claim.delta > 0)


def test_cells_are_found_by_name() -> None:
    assert len(chosen([])) == len(CELLS)
    assert {cell.name for cell in chosen(["gaussian", "exponential"])} == {
        "gaussian",
        "exponential",
    }
    for name in {cell.name for cell in CELLS.values()}:
        assert 0 < len(chosen([name], quick=True)) < len(chosen([name]))
    with pytest.raises(ParameterError, match="there is no laplace to audit; there are: spherical"):
        chosen(["laplace"])


def test_an_audit_is_one_task_and_says_its_cell() -> None:
    found = audited(Task("spherical-laplace, p = 1, epsilon = 4", RUNS, 20, SURE, 1))
    assert (found.name, found.runs, found.exact_runs) == ("spherical-laplace", 4000, 20)
    assert found.exact_lower is not None
    assert 2 < found.lower < 4


def test_cells_are_audited_in_their_order() -> None:
    cells = chosen(["exponential"])[:2]
    steps: list[tuple[int, int]] = []
    found = audit_cells(
        cells,
        runs=RUNS,
        exact_runs=0,
        confidence=SURE,
        workers=1,
        on_done=lambda *step: steps.append(step),
    )
    assert [one.claim for one in found] == [one.make().claim for one in cells]
    assert steps[-1] == (2, 2)
