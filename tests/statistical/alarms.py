"""Every statistical test declares here how often it may fail although all is well.

The probabilities are upper bounds. They add up (union bound) to the chance that a correct library
fails the suite, and a test keeps that sum below ``TOTAL``.
"""

from dataclasses import dataclass

TOTAL = 1e-6
LARGEST = 1e-8


@dataclass(frozen=True)
class Alarm:
    """The false-alarm probability of one case of a test, and how many cases it has."""

    per_case: float
    cases: int


ALARMS: dict[str, Alarm] = {
    "test_noise_scales.test_the_right_scale_is_accepted_and_others_are_not": Alarm(1e-8, 20),
    "test_noise_shapes.test_coordinates_alone_and_in_pairs_have_their_law": Alarm(1e-8, 6),
    "test_noise_shapes.test_spherical_noise_has_its_radius_and_its_direction": Alarm(1e-8, 2),
    "test_inside_noise.test_the_right_scale_is_accepted_and_others_are_not": Alarm(1e-8, 4),
    "test_inside_noise.test_a_uniform_point_of_the_blocks_has_its_law": Alarm(1e-8, 2),
    "test_inside_noise.test_signs_in_a_block_are_fair_and_independent": Alarm(1e-8, 2),
    "test_value_noise.test_the_right_scale_is_accepted_and_others_are_not": Alarm(1e-8, 4),
    "test_value_coverage.test_intervals_hold_as_often_as_they_say": Alarm(1e-8, 2),
    "test_selection.test_choices_have_their_law_and_no_other_scale": Alarm(1e-9, 6),
    "test_box_noise.test_the_radius_has_its_law_and_no_other_scale": Alarm(2e-9, 2),
    "test_box_noise.test_the_right_scale_is_accepted_and_others_are_not": Alarm(1e-8, 4),
    "test_box_noise.test_a_column_has_its_law_and_no_other": Alarm(1e-8, 1),
    "test_bits.test_bits_are_fair": Alarm(1e-8, 2),
    "test_bits.test_substreams_are_fair_and_independent": Alarm(1e-8, 2),
    "test_audit.test_real_releases_hold_and_a_quarter_of_their_noise_would_not": Alarm(1e-8, 5),
    "test_audit.test_real_releases_hold": Alarm(1e-8, 3),
}
"""By module and function."""
