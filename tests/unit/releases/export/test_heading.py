import pytest
from tests.unit.releases.export.rules import HOSTILE, category, make_rule, random_rule

from dpwerm.releases.export.terms import digest, heading
from dpwerm.releases.rule_file import content_of, notice
from dpwerm.text import one_line
from dpwerm.version import __version__


def test_it_says_what_the_rule_is_and_what_cells_mean() -> None:
    rule = make_rule([category("c", "xy")], [1, 2], name="Two arms", default=1)
    lines = heading(rule, ["height", "weight"])
    assert lines[:2] == ["Two arms", notice(rule)]
    assert lines[2] == f"Rule file {content_of(rule)['digest']}."
    assert lines[3] == f"Learned with dpwerm {__version__}, written by dpwerm {__version__}."
    assert lines[4] == "Score above 0: b. Below 0: a. Exactly 0: b."
    assert lines[-1] == "Not read, because they change nothing: height, weight."
    assert heading(rule) == lines[:-1]


def test_another_rule_has_another_digest() -> None:
    assert digest(random_rule(1)) != digest(random_rule(2))
    assert digest(random_rule(1)) == digest(random_rule(1))


@pytest.mark.parametrize("name", HOSTILE)
def test_a_name_stays_in_its_line(name: str) -> None:
    rule = make_rule([category("c", "xy")], [1, 2], name=name, arms=(name, "other"))
    for line in heading(rule, [name]):
        assert line.isprintable()
        assert line == one_line(line)
