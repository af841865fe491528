"""In short: only what stands out, in plain words."""

from dataclasses import replace

from tests.unit.documents.reported import material, said

from dpwerm.documents.report.compose import _helps, compose


def test_the_promise_stands_in_plain_words_at_the_top() -> None:
    text = said(compose(material("objective")), "short")
    assert "the probability of any rule by at most a factor 2.72 (epsilon = 1)." in text


def test_the_short_answer_leaves_out_what_may_be_noise_or_chance() -> None:
    for kind in ("objective", "output", "no noise"):
        one = material(kind)
        assert one.bar is not None
        names, sizes = one.rule.release.encoding.coefficient_names, abs(one.rule.release.effects)
        clear = {
            name for name, size, t in zip(names, sizes, one.bar.sizes, strict=True) if size > t
        }
        text = said(compose(one), "short")
        for name in ("age", "severity"):
            assert (f"a higher {name}" in text) is (name in clear)
            assert (f"a lower {name}" in text) is (name in clear)


def test_a_gain_in_what_is_better_small_is_less_of_it() -> None:
    one = material("no noise", valued=True)
    assert "less of" not in said(compose(one), "short")
    assert one.value is not None
    turned = one.value.declaration.benefit.model_copy(update={"direction": "smaller"})
    declaration = replace(one.value.declaration, benefit=turned)
    value = replace(one.value, declaration=declaration)
    assert "a gain of 1 is 1 less of 'improvement'" in _helps(one, value)
