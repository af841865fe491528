"""Conditions of a plan: options and the study file, spoilt or asking for what cannot be."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tests.bad_input.base import replaced
from tests.bad_input.fitting import as_it_is


@dataclass(frozen=True)
class Planned:
    """One plan: the options of the command, and an edit of the study file."""

    options: tuple[str, ...]
    study: Callable[[str], str] = as_it_is


def _n(*options: str) -> Planned:
    return Planned(("--n", "50", *options))


def _study(edit: Callable[[str], str], *options: str) -> Planned:
    return Planned(("--n", "50", *options), edit)


ARMS = "arms = { pill = 0.5, therapy = 0.5 }"
BOUNDS = "bounds = [-10, 10]"
EXPECTED_SD = replaced(BOUNDS, f"{BOUNDS}\nexpected_sd = 4")
NOTHING_TO_LEARN = replaced(BOUNDS, f"{BOUNDS}\nexpected_sd = 4\nexpected_effect_sd = 0")
METHOD = replaced("[method]", '[method]\ngamma = 30\nmechanism = "objective-block"')


def _propensity(model: str, line: str = "") -> Callable[[str], str]:
    listed = 'arms = ["pill", "therapy"]\npropensity_floor = 0.1\n'
    edit = replaced(ARMS, f'{listed}propensity = {{ model = "{model}" }}')
    return lambda text: edit(text).replace('"replace_one"', line or '"replace_one"')


CONDITIONS: Mapping[str, Planned] = {
    "n missing": Planned(()),
    "n missing, planned_n declared": Planned(
        ("--epsilon", "1"), replaced('id = "small-trial"', 'id = "small-trial"\nplanned_n = 40')
    ),
    "n zero": Planned(("--n", "0")),
    "n negative": Planned(("--n", "-4")),
    "n above 10^12": Planned(("--n", "1000000000001")),
    "n no whole number": Planned(("--n", "2.5")),
    "n no number": Planned(("--n", "many")),
    "n one": Planned(("--n", "1", "--epsilon", "1")),
    "epsilon zero": _n("--epsilon", "0"),
    "epsilon negative": _n("--epsilon", "-1"),
    "epsilon NaN": _n("--epsilon", "nan"),
    "epsilon no number": _n("--epsilon", "much"),
    "epsilon infinite": _n("--epsilon", "inf"),
    "epsilon above the study's total": _n("--epsilon", "5"),
    "delta one": _n("--delta", "1"),
    "delta no number": _n("--delta", "small"),
    "mechanism gaussian without a delta": _study(
        replaced("[method]", '[method]\nmechanism = "gaussian"'), "--epsilon", "1"
    ),
    "gamma below the floor of objective perturbation": _study(METHOD, "--epsilon", "0.1"),
    "gamma below that floor at some epsilon": _study(METHOD),
    "target one half": _n("--target", "0.5"),
    "target one": _n("--target", "1"),
    "target in percent": _n("--target", "90"),
    "target NaN": _n("--target", "nan"),
    "target no number": _n("--target", "most"),
    "target with both n and epsilon": _n("--epsilon", "1", "--target", "0.9"),
    "target with neither n nor epsilon": Planned(("--target", "0.9")),
    "target with a figure": _n("--target", "0.9", "--figure", "plan.png"),
    "target that no n reaches": Planned(("--epsilon", "0.1", "--target", "0.9999")),
    "target that no epsilon reaches": Planned(("--n", "20", "--target", "0.9999")),
    "target and worth": _n("--target", "0.9", "--worth"),
    "worth with both n and epsilon": _n("--epsilon", "1", "--worth"),
    "worth with neither n nor epsilon": Planned(("--worth",)),
    "worth that no epsilon reaches": Planned(("--n", "20", "--worth"), NOTHING_TO_LEARN),
    "sd zero": _n("--sd", "0"),
    "sd NaN": _n("--sd", "nan"),
    "sd no number": _n("--sd", "wide"),
    "sd beyond the bounds": _n("--sd", "11"),
    "sd declared, effect sd zero": _study(EXPECTED_SD, "--epsilon", "1", "--effect-sd", "0"),
    "sd in the place of the declared one": _study(EXPECTED_SD, "--epsilon", "1", "--sd", "2"),
    "effect sd negative": _study(EXPECTED_SD, "--effect-sd", "-1"),
    "effect sd without an sd": _n("--effect-sd", "1"),
    "effect sd of more than two sds": _study(EXPECTED_SD, "--effect-sd", "9"),
    "figure with another ending": _n("--figure", "plan.xyz"),
    "figure without an ending": _n("--figure", "plan"),
    "figure in no folder": _n("--figure", "none/plan.png"),
    "figure over the study file": _n("--figure", "study.toml"),
    "a study file with faults": _study(replaced("bounds = [-10, 10]", "bounds = [10, -10]")),
    "a study file that is no TOML": _study(lambda text: "age,arm\n1,2\n"),
    "a private model whose split leaves nothing": _study(
        _propensity("private"), "--epsilon", "0.000001"
    ),
    "a private model under add_remove": _study(
        _propensity("private", '"add_remove"'), "--epsilon", "1"
    ),
    "a ridge model": _study(_propensity("ridge"), "--epsilon", "1"),
    "a ridge model under add_remove": _study(
        _propensity("ridge", '"add_remove"'), "--epsilon", "1"
    ),
}
