"""Intervals: exact, simulated and said to be, or none and why."""

from tests.unit.documents.reported import material, said

from dpwerm.documents.report.compose import compose


def test_output_perturbation_has_exact_intervals() -> None:
    text = said(compose(material("output")), "learned")
    assert "by its exact law" in text
    assert "privacy noise, ±\n" in text
    assert "± is simulated" not in text
    assert "bar, ±: privacy noise and chance" in text


def test_objective_perturbation_has_simulated_intervals_that_say_so() -> None:
    text = said(compose(material("objective")), "learned")
    assert "privacy noise, ±, simulated" in text
    assert "± is simulated" in text
    assert "exact law" not in text


def test_without_noise_the_bar_covers_chance_alone() -> None:
    text = said(compose(material("no noise")), "learned")
    assert "bar, ±: chance\n" in text
    assert "The bar covers chance: on" in text
    assert "privacy noise" not in text


def test_where_nothing_can_be_simulated_the_report_says_why() -> None:
    text = said(compose(material("add_remove")), "learned")
    assert "is not known here, so nothing is said to stand out: under add_remove" in text
    assert "No interval is shown. Nothing is simulated: under add_remove" in text
    assert "±" not in text


def test_coefficients_set_to_zero_are_said_to_be() -> None:
    text = said(compose(material("threshold")), "learned")
    assert "set to 0" in text


def test_a_report_without_intervals_speaks_of_none() -> None:
    text = said(compose(material("add_remove")), "learned")
    assert "each with its interval" not in text
    assert "each with its bar" not in text
    for kind in ("no noise", "add_remove"):
        text = said(compose(material(kind)), "learned")
        assert "half-widths of the privacy noise" not in text
    short = said(compose(material("add_remove")), "short")
    assert "is not known: some of it may be noise" in short
    assert "How many people took part is not published." in short
