"""In short: only what stands out, in plain words."""

from tests.unit.documents.reported import material, said

from dpwerm.documents.report.compose import compose


def test_the_promise_stands_in_plain_words_at_the_top() -> None:
    text = said(compose(material("objective")), "short")
    assert "the probability of any rule by at most a factor 2.72 (epsilon = 1)." in text


def test_the_short_answer_leaves_out_what_may_be_noise() -> None:
    drowned, clear = material("objective"), material("output")
    assert drowned.reach is not None
    names, together = drowned.rule.release.encoding.coefficient_names, drowned.reach.together
    sizes = abs(drowned.rule.release.effects)
    assert drowned.drowned == tuple(
        name for name, size, reach in zip(names, sizes, together, strict=True) if size <= reach
    )
    for one in (drowned, clear):
        text = said(compose(one), "short")
        for name in ("age", "severity"):
            assert (f"a higher {name}" in text) is (name not in one.drowned)
            assert (f"a lower {name}" in text) is (name not in one.drowned)
    assert material("no noise").drowned == ()
