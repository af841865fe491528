"""A rule as an ONNX model in double precision, with one input for every column.

Numbers come as doubles and categories as texts, each of shape (N, 1); NaN and the empty text are
missing. The outputs are ``recommended_arm`` and ``score``.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from dpwerm.errors import ParameterError
from dpwerm.releases.export.terms import (
    CategoryTerm,
    Export,
    NumberTerm,
    digest,
    heading,
    re2_pattern,
    terms_of,
)
from dpwerm.releases.release import Rule
from dpwerm.releases.rule_file import notice
from dpwerm.version import __version__

if TYPE_CHECKING:
    from onnx import ModelProto, NodeProto, TensorProto

OPSET, IR_VERSION = 20, 9  # the first with RegexFullMatch
OUTPUTS = ("recommended_arm", "score")
_AT_ONCE = 100  # texts in one pattern


class _Graph:
    """Nodes and constants in the order they were made, with names that are no column's."""

    def __init__(self, columns: Sequence[str], onnx: Any) -> None:
        self.nodes: list[NodeProto] = []
        self.constants: list[TensorProto] = []
        self._onnx, self._prefix = onnx, "rule/"
        while any(column.startswith(self._prefix) for column in columns):
            self._prefix += "/"
        self._made = 0

    def doubles(self, values: Sequence[float], *shape: int) -> str:
        """Return the name of a new constant, by default of shape (1, k)."""
        name, size, double = self._name(), shape or (1, len(values)), self._onnx.TensorProto.DOUBLE
        self.constants.append(self._onnx.helper.make_tensor(name, double, size, values))
        return name

    def text(self, value: str) -> str:
        """Return the name of a new constant of shape (1, 1)."""
        name, texts = self._name(), np.array([[value]], dtype=object)
        self.constants.append(self._onnx.numpy_helper.from_array(texts, name))
        return name

    def add(self, operator: str, *inputs: str, to: str | None = None, **attributes: Any) -> str:
        """Return the name of what an operator gives."""
        name = to or self._name()
        self.nodes.append(self._onnx.helper.make_node(operator, inputs, [name], **attributes))
        return name

    def _name(self) -> str:
        self._made += 1
        return f"{self._prefix}{self._made}"


def onnx_model(rule: Rule) -> "ModelProto":
    """Return the model; it needs the package ``onnx``, which is an extra."""
    try:
        import onnx
        from onnx import TensorProto, checker, helper
    except ImportError:
        raise ParameterError(
            "ONNX needs another package: install dpwerm with its extra onnx"
        ) from None
    terms = terms_of(rule)
    kinds = {
        term.column: TensorProto.DOUBLE if isinstance(term, NumberTerm) else TensorProto.STRING
        for term in terms.columns
    }
    for name in OUTPUTS:
        if name in kinds:
            raise ParameterError(f"a column is called {name}, as an output of the model would be")
    if len(kinds) < len(terms.columns):
        raise ParameterError("two features share a column, which an ONNX model cannot")
    numbers = [term for term in terms.columns if isinstance(term, NumberTerm)]
    categories = [term for term in terms.columns if isinstance(term, CategoryTerm)]
    graph = _Graph(list(kinds), onnx)
    score = graph.doubles([terms.constant])
    if numbers:
        score = graph.add("Add", _numbers(graph, numbers), score)
    for term in categories:
        score = graph.add("Add", score, _category(graph, term))
    _arm(graph, rule, graph.add("Identity", score, to=OUTPUTS[1]))
    given = zip(OUTPUTS, (TensorProto.STRING, TensorProto.DOUBLE), strict=True)
    inputs, outputs = (
        [helper.make_tensor_value_info(name, kind, ["N", 1]) for name, kind in some]
        for some in (kinds.items(), given)
    )
    model = helper.make_model(
        helper.make_graph(graph.nodes, "treatment_rule", inputs, outputs, graph.constants),
        opset_imports=[helper.make_opsetid("", OPSET)],
        ir_version=IR_VERSION,
        producer_name="dpwerm",
        producer_version=__version__,
        doc_string="\n".join(heading(rule)),
    )
    library = rule.release.certificate.library
    properties = {"notice": notice(rule), "digest": digest(rule), "library": library}
    helper.set_model_props(model, properties)
    checker.check_model(model, full_check=True)
    return model


def _numbers(graph: _Graph, terms: Sequence[NumberTerm]) -> str:
    """Add what all numbers add together, shape (N, 1)."""

    def each(name: str) -> str:
        return graph.doubles([getattr(term, name) for term in terms])

    values = graph.add("Concat", *(term.column for term in terms), axis=1)
    missing = graph.add("Or", graph.add("IsNaN", values), graph.add("IsInf", values))
    values = graph.add("Where", missing, each("default"), values)
    values = graph.add("Min", graph.add("Max", values, each("lower")), each("upper"))
    values = graph.add("Div", graph.add("Sub", values, each("zero")), each("unit"))
    values = graph.add("Min", graph.add("Max", values, each("least")), graph.doubles([1.0]))
    slopes = graph.doubles([term.coefficient for term in terms], len(terms), 1)
    return graph.add("MatMul", values, slopes)


def _category(graph: _Graph, term: CategoryTerm) -> str:
    """Add what a category adds, shape (N, 1); texts that add the same share a pattern."""
    together: dict[float, list[str]] = {term.missing: [""]}
    for text, adds in term.cells.items():
        together.setdefault(adds, []).append(text)
    result = graph.doubles([term.otherwise])
    for adds, texts in together.items():
        here = graph.doubles([adds])
        for i in range(0, len(texts), _AT_ONCE):
            some = texts[i : i + _AT_ONCE]
            pattern = re2_pattern(some, [term.spellings.get(text, text) for text in some])
            matches = graph.add("RegexFullMatch", term.column, pattern=pattern)
            result = graph.add("Where", matches, here, result)
    return result


def _arm(graph: _Graph, rule: Rule, score: str) -> None:
    """Add the arm of each score."""
    first, second = (graph.text(arm) for arm in rule.arms)
    zero = graph.doubles([0.0])
    if rule.default == rule.arms[0]:
        graph.add("Where", graph.add("Greater", score, zero), second, first, to=OUTPUTS[0])
    else:
        graph.add("Where", graph.add("Less", score, zero), first, second, to=OUTPUTS[0])


ONNX = Export(
    ".onnx",
    lambda rule: onnx_model(rule).SerializeToString(),
    "one input for each column, outputs recommended_arm and score; NaN or an empty text"
    " is missing.",
)
