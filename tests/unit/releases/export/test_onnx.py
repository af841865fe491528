import builtins
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx
import onnxruntime  # type: ignore[import-untyped]
import pytest
from tests.unit.releases.export.rules import (
    HOSTILE,
    NUMBER_SPELLINGS,
    Row,
    agree,
    category,
    columns_of,
    expected,
    hostile_rule,
    make_rule,
    number,
    random_rows,
    random_rule,
)

from dpwerm.errors import ParameterError
from dpwerm.features.blocks import NumberBlock
from dpwerm.releases.export.onnx import onnx_model
from dpwerm.releases.export.terms import digest
from dpwerm.releases.release import Rule
from dpwerm.releases.rule_file import notice


def run(rule: Rule, rows: Sequence[Row]) -> tuple[list[str], list[float]]:
    """Return what onnxruntime answers, fed as docs/export.md says."""
    model = onnx_model(rule)
    onnx.checker.check_model(model, full_check=True)
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    inputs = {}
    for block in rule.release.encoding.blocks:
        values = columns_of(rule, rows)[block.column]
        if isinstance(block, NumberBlock):
            column = np.array(values, dtype=np.float64)
        else:
            column = np.array(["" if one is None else one for one in values], dtype=object)
        inputs[block.column] = column.reshape(-1, 1)
    arms, scores = session.run(["recommended_arm", "score"], inputs)
    assert arms.shape == scores.shape == (len(rows), 1)
    assert scores.dtype == np.float64
    return arms[:, 0].tolist(), scores[:, 0].tolist()


def check(rule: Rule, rows: Sequence[Row]) -> None:
    arms, scores = run(rule, rows)
    agree(rule, scores, arms, expected(rule, rows))


@pytest.mark.parametrize("seed", range(16))
def test_it_agrees_with_recommend(seed: int) -> None:
    rule = random_rule(seed)
    blanks = ("", "", " ", "\t", "\r\n", "\u00a0\u3000", "\x1c\x85")
    check(rule, random_rows(rule, 200, seed, blanks=blanks, spellings=NUMBER_SPELLINGS))


@pytest.mark.parametrize("default", [0, 1])
def test_a_score_of_zero_is_the_default_arm(default: int) -> None:
    rule = make_rule([number("x", 0, 1), category("c", "ab")], [0, 0, 0], default=default)
    check(rule, [{"x": 0.1, "c": "a"}, {"x": None, "c": None}])


def test_no_rows_give_no_rows() -> None:
    assert run(random_rule(1), []) == ([], [])


def test_precision_is_double() -> None:
    rule = make_rule([number("x", 0, 1)], [1, 2**37])
    rows: list[Row] = [{"x": 0.5 + 2.0**-40}, {"x": 0.5 - 2.0**-40}]
    _, scores = run(rule, rows)
    assert scores == expected(rule, rows).tolist()
    assert len(set(scores)) == 2


def test_many_cells_in_one_level() -> None:
    rule = make_rule([category("c", [f"site {i}" for i in range(350)])], [1, *range(2, 352)])
    check(rule, [{"c": f" site {i} "} for i in range(0, 400, 7)])


def test_it_carries_notice_digest_and_library() -> None:
    for seed in range(3):  # private, from a seed, without noise
        rule = random_rule(seed)
        model = onnx_model(rule)
        found = {one.key: one.value for one in model.metadata_props}
        library = rule.release.certificate.library
        assert found == {"notice": notice(rule), "digest": digest(rule), "library": library}
        assert notice(rule) in model.doc_string.splitlines()
        assert [one.name for one in model.graph.input] == list(rule.release.encoding.columns)


@pytest.mark.parametrize("name", [*HOSTILE, "a\0b", "rule/1"])
def test_hostile_names_stay_text(name: str) -> None:
    rule, shown = hostile_rule(name), name.strip()
    check(rule, [{name: x, name + "2": c} for x in (0.0, 1.0) for c in (shown, "b", "x")])


def test_names_that_a_model_cannot_have_are_refused() -> None:
    for name in ("score", "recommended_arm"):
        with pytest.raises(ParameterError, match=f"a column is called {name}"):
            onnx_model(make_rule([number(name, 0, 1)], [1, 1]))
    twice = [number("x", 0, 1), category("x", "ab").model_copy(update={"name": "other"})]
    with pytest.raises(ParameterError, match="share a column"):
        onnx_model(make_rule(twice, [1, 1, 1]))


def test_without_the_package_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *rest: Any) -> Any:
        if name.partition(".")[0] == "onnx":
            raise ImportError(name)
        return real(name, *rest)

    for name in [name for name in sys.modules if name.partition(".")[0] == "onnx"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ParameterError, match="with its extra onnx"):
        onnx_model(random_rule(1))
