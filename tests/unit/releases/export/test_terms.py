import math

import numpy as np
import pytest
from tests.unit.releases.export.rules import (
    agree,
    category,
    expected,
    make_rule,
    number,
    random_rows,
    random_rule,
)

from dpwerm.data.table import MISSING, normalise
from dpwerm.errors import ParameterError
from dpwerm.releases.export.terms import CategoryTerm, NumberTerm, terms_of


@pytest.mark.parametrize("seed", range(8))
def test_the_terms_sum_to_the_score(seed: int) -> None:
    rule = random_rule(seed)
    terms = terms_of(rule)
    rows = random_rows(rule, 50, seed, blanks=("", " "))
    scores = []
    for row in rows:
        score = terms.constant
        for term in terms.columns:
            value = row[term.column]
            if isinstance(term, NumberTerm):
                known = isinstance(value, float) and math.isfinite(value)
                score += term.at(float(str(value)) if known else term.default)
            else:
                text = normalise(str(value or ""))
                score += term.missing if text is None else term.cells.get(text, term.otherwise)
        scores.append(score)
    agree(rule, scores, list(rule.arms_for(expected(rule, rows))), expected(rule, rows))


def test_saturation_and_threshold_are_inside() -> None:
    blocks = [number("x", 0, 10), number("little", 0, 1), category("c", "ab")]
    rule = make_rule(blocks, [2, 2**30, 2**28, 2**30], saturation=3.0, threshold=0.5)
    plain = make_rule(blocks, [2, 2**30, 0, 2**30])
    phi = 1.5 - 0.5 / 9
    found, other = terms_of(rule), terms_of(plain)
    assert found.unused == ("little",)
    assert [term.column for term in found.used] == ["x", "c"]
    assert isinstance(found.columns[0], NumberTerm)
    assert isinstance(other.columns[0], NumberTerm)
    assert found.columns[0].coefficient == pytest.approx(phi * other.columns[0].coefficient)
    assert found.columns[2] == other.columns[2]
    assert found.columns[0].at(5.0) == 0
    assert math.copysign(1, found.columns[0].at(5.0)) == 1


def test_words_for_missing_are_listed_only_where_they_matter() -> None:
    first, star = (
        terms_of(make_rule([category("c", ["a", " NA ", "01"], star=star)], integers)).columns[0]
        for star, integers in ((False, [1, 2, 3, 4]), (True, [1, 2, 3, 4, 5]))
    )
    assert isinstance(first, CategoryTerm)
    assert isinstance(star, CategoryTerm)
    assert first.missing == first.otherwise
    assert set(first.cells) == {"a", "NA", "1"}
    assert first.spellings == {"a": "a", "NA": "NA", "1": "01"}
    assert star.missing != star.otherwise
    assert set(star.cells) == {"a", "NA", "1"} | MISSING
    assert star.cells["nan"] == star.missing != star.cells["NA"]


def test_a_coefficient_beyond_doubles_is_refused() -> None:
    rule = make_rule([number("x", -1, 1)], [1, 2], saturation=100.0)
    huge = 3 * 2 ** (1022 - rule.release.exponent)
    large = make_rule([number("x", -1, 1)], [1, huge], saturation=100.0)
    with np.errstate(over="ignore"), pytest.raises(ParameterError, match="too large"):
        terms_of(large)
