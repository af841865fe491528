"""Conditions of the study file as a file: cut off, of another version, or hostile."""

from collections.abc import Callable

from tests.bad_input.base import replaced
from tests.bad_input.fitting import Conditions, study_says


def _expecting(keys: str) -> Callable[[str], str]:
    return replaced("bounds = [-10, 10]", f"bounds = [-10, 10]\n{keys}")


CONDITIONS: Conditions = {
    "study file truncated": study_says(lambda text: text[: text.index("[treatment]")]),
    "study file cut off within a line": study_says(lambda text: text[: text.index("therapy")]),
    "study file empty": study_says(lambda text: ""),
    "study file of another version": study_says(replaced("format = 1", "format = 2")),
    "study file without a version": study_says(replaced("format = 1\n", "")),
    "study file not UTF-8": study_says(lambda text: text.encode() + b"# \xff\n"),
    "study file larger than 1 MB": study_says(lambda text: text + "#" * (1 << 20)),
    "study file with a key twice": study_says(replaced("gamma = 50", "gamma = 50\ngamma = 60")),
    "study file with an unknown key": study_says(replaced("gamma = 50", "gama = 50")),
    "study file with a section left out": study_says(
        lambda text: text[: text.index("[benefit]")] + text[text.index("[budget]") :]
    ),
    "study file still to be filled in": study_says(replaced('"gain"', '"<fill in>"')),
    "study file nested deeply (lists)": study_says(
        replaced("gamma = 50", f"gamma = {'[' * 5000}{']' * 5000}")
    ),
    "study file nested deeply (keys)": study_says(replaced("gamma = 50", f"{'a.' * 5000}a = 1")),
    "study file with a huge whole number": study_says(
        replaced("gamma = 50", f"gamma = {'9' * 5000}")
    ),
    "study file with a huge decimal": study_says(replaced("gamma = 50", "gamma = 1e999999999999")),
    "study file with a huge epsilon": study_says(replaced("epsilon = 2", "epsilon = 1e100")),
    "study file with two faults": study_says(
        lambda text: text.replace("[18, 80]", "[80, 18]").replace('"gain"', "7")
    ),
    "study file with one column used twice": study_says(
        replaced("[features.age]", '[features.age]\ncolumn = "gain"')
    ),
    "study file with an impossible id": study_says(replaced('"small-trial"', '"Small trial!"')),
    "study file with one level": study_says(replaced('["F", "M"]', '["F"]')),
    "study file with a level twice": study_says(replaced('["F", "M"]', '["1", "1.0"]')),
    "study file with a name of two lines": study_says(
        replaced('"small-trial"', '"small-trial"\nname = "Trial\\nepsilon 0.01"')
    ),
    "study file with a source of two lines": study_says(
        replaced("[features.age]", '[features.age]\nsource = "a\\u2028b"')
    ),
    "study file with an arm of two lines": study_says(replaced("pill", '"pill\\n===="')),
    "study file with a level of two lines": study_says(replaced('["F", "M"]', '["F", "M\\nX"]')),
    "study file with a pile of combining marks": study_says(
        replaced("[features.age]", '[features.age]\nsource = "e' + "\u0301" * 5 + '"')
    ),
    "study file with an expected sd": study_says(_expecting("expected_sd = 4")),
    "study file with an expected sd beyond its bounds": study_says(_expecting("expected_sd = 11")),
    "study file with an expected sd of zero": study_says(_expecting("expected_sd = 0")),
    "study file with an expected sd that is no number": study_says(_expecting('expected_sd = "a"')),
    "study file with an infinite expected sd": study_says(_expecting("expected_sd = inf")),
    "study file with an expected effect sd alone": study_says(_expecting("expected_effect_sd = 1")),
    "study file with a negative expected effect sd": study_says(
        _expecting("expected_sd = 4\nexpected_effect_sd = -1")
    ),
    "study file with an expected effect sd of more than two sds": study_says(
        _expecting("expected_sd = 4\nexpected_effect_sd = 8.1")
    ),
    "study file without a feature": study_says(
        lambda text: text[: text.index("[features.age]")] + text[text.index("[treatment]") :]
    ),
}
