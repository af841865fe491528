"""``dpwerm verify``: no number can be edited unseen.

Whatever follows from something else is found even under a new digest. What follows from nothing
else is listed here, value by value: against such an edit only the digest protects.
"""

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.bad_input.base import ADD_REMOVE, PROPENSITY_COLUMN, STUDY
from tests.cli.conftest import Trial
from tests.said import Run

from dpwerm.errors import RuleFileError
from dpwerm.releases.files import digest_of
from dpwerm.releases.rule_file import verify_rule, write_rule
from dpwerm.study.study import Study
from dpwerm.tune.private import fit_tuned

CHOICES = (
    ("identity", "log"),
    ("larger", "smaller"),
    ("signed", "nonnegative"),
    ("replace_one", "add_remove"),
    ("design", "external", "worst_case"),
    ("operating system", "seeded"),
    ("centred", "paper"),
    ("spherical-laplace", "product-laplace", "gaussian", "none"),
    ("huberised-hinge", "logistic"),
    ("pill", "therapy"),
    ("F", "M"),
    ("number", "category"),
)

FREE = {
    "study.id",
    "study.name",
    "treatment.column",
    "treatment.arms[1]",
    "treatment.default",
    "benefit.column",
    "benefit.bounds[0]",
    "benefit.bounds[1]",
    "benefit.direction",
    "benefit.weights",
    "benefit.centre",
    "sources.age",
    "encoding.blocks[0].column",
    "encoding.blocks[0].default",
    "encoding.blocks[1].column",
    "encoding.blocks[1].levels[0].cells[0]",
    "encoding.blocks[1].levels[1].cells[0]",
    "encoding.blocks[1].default",
    "coefficients.threshold",
    "certificate.n",
    "certificate.library",
}
"""What follows from nothing else in the file."""

PROTOCOL = STUDY.replace("bounds = [-10, 10]", "bounds = [-10, 10]\nclip = 5").replace(
    "bounds = [18, 80]", 'bounds = [18, 80]\nsource = "protocol"'
)

Content = dict[str, Any]


def places(value: Any, path: str = "") -> Iterator[tuple[str, Any, Any, Any]]:
    """Yield (path, container, key, value) of every leaf."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in items:
        where = f"{path}[{key}]" if isinstance(value, list) else f"{path}.{key}".lstrip(".")
        if isinstance(inner, (dict, list)):
            yield from places(inner, where)
        else:
            yield where, value, key, inner


def others(value: Any) -> list[Any]:
    """Return what a forger might write instead."""
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int):
        return [value + 1, -value or 2, value + 0.5]
    if isinstance(value, float):
        tiny = [5e-324] if value == 0 else []
        return [value * 1.01 + 0.01, -value or 1.0, int(value) + 1, *tiny]
    if value is None:
        return [24]
    named = next((set(choice) - {value} for choice in CHOICES if value in choice), set())
    texts = [*sorted(named), f"{value}x", f"{value}0", "1/3", "0.25", ""]
    return [text for text in texts if text != value]


def edits(content: Content) -> Iterator[tuple[str, Any, Content]]:
    """Yield (path, new value, edited content) for every leaf and every other value."""
    for path, _, _, value in list(places(content)):
        for other in others(value):
            edited = copy.deepcopy(content)
            container, key = next((c, k) for p, c, k, _ in places(edited) if p == path)
            container[key] = other
            yield path, other, edited


def write(path: Path, content: Content) -> None:
    path.write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")


def survives(path: Path) -> bool:
    """Return whether a rule file is accepted; an error that is not the library's own is a bug."""
    try:
        return all(finding.holds for finding in verify_rule(path))
    except RuleFileError:
        return False


def forged(content: Content, trial: Trial) -> set[str]:
    """Return the values that a forger can change who also writes a new digest."""
    found = set()
    for path, _, edited in edits(content):
        if path != "digest":
            edited["digest"] = digest_of(edited)
            write(trial.rule, edited)
            if survives(trial.rule):
                found.add(path)
    return found


@pytest.fixture
def content(fit: Run, trial: Trial) -> Content:
    trial.study.write_text(PROTOCOL, encoding="utf-8")
    assert fit().code == 0
    read: Content = json.loads(trial.rule.read_text(encoding="utf-8"))
    return read


def test_a_rule_as_it_was_written(fit: Run, run: Run, trial: Trial) -> None:
    assert fit().code == 0
    result = run("verify", trial.rule)
    assert (result.code, result.err) == (0, "")
    for line in ("  given  certificate.epsilon = 1\n", "  ok     weight bound V/pi_min = 20.0\n"):
        assert line in result.out
    assert "checks hold." in result.out
    assert "cannot be seen from a file" in result.out


@pytest.mark.parametrize(
    ("study", "options"),
    [
        (ADD_REMOVE(STUDY), ()),
        (PROPENSITY_COLUMN(STUDY), ()),
        (PROPENSITY_COLUMN(STUDY).replace("external", "worst_case"), ()),
        (STUDY.replace("gamma = 50", 'gamma = 50\nloss = "logistic"'), ()),
        (STUDY.replace("gamma = 50", 'gamma = 50\nencoding = "paper"'), ()),
        (STUDY.replace("gamma = 50", "gamma = 50\nintercept_scale = 0"), ()),
        (STUDY, ("--mechanism", "product-laplace")),
        (
            STUDY.replace("[budget]\nepsilon = 2\n", ""),
            ("--mechanism", "gaussian", "--delta", "1e-6", "--ledger", "none"),
        ),
        (STUDY.replace("epsilon = 2", "rho = 0.3"), ("--rho", "0.3")),
        (STUDY.replace("[budget]\nepsilon = 2\n", ""), ("--mu", "0.3", "--seed", "4")),
        (STUDY, ("--epsilon", "inf")),
        (STUDY, ("--seed", "4")),
    ],
)
def test_rules_of_every_kind_verify(
    fit: Run, run: Run, trial: Trial, study: str, options: tuple[str, ...]
) -> None:
    trial.study.write_text(study, encoding="utf-8")
    assert fit(*options).code == 0
    result = run("verify", trial.rule)
    assert (result.code, result.err) == (0, "")


OBJECTIVE = ("kappa", "epsilon_inside", "epsilon_outside", "jacobian")


@pytest.mark.parametrize(
    ("options", "shown", "silent"),
    [
        (
            ("--mechanism", "objective-block"),
            [f"perturbation.{key}" for key in (*OBJECTIVE, "rate")],
            ["perturbation.sigma", "sensitivity.minimiser", "rho", "mu"],
        ),
        (
            ("--mechanism", "objective-gaussian", "--delta", "1e-6"),
            [f"perturbation.{key}" for key in (*OBJECTIVE, "sigma")],
            ["perturbation.rate"],
        ),
        (("--rho", "0.3"), ["rho", "gaussian.rho", "gaussian.mu"], ["epsilon", "delta", "mu"]),
        (("--mu", "0.3"), ["mu", "gaussian.rho", "gaussian.mu"], ["epsilon", "delta", "rho"]),
    ],
    ids=["objective", "gaussian objective", "rho", "mu"],
)
def test_every_number_of_the_promise_and_of_its_noise_is_listed(
    fit: Run,
    run: Run,
    trial: Trial,
    options: tuple[str, ...],
    shown: list[str],
    silent: list[str],
) -> None:
    study = STUDY.replace("[budget]\nepsilon = 2\n", "").replace("gamma = 50", "gamma = 500")
    trial.study.write_text(study, encoding="utf-8")
    assert fit(*options, "--ledger", "none").code == 0
    out = run("verify", trial.rule).out
    for key in (*shown, "noise.scale"):
        mark = "given" if key in ("epsilon", "delta", "rho", "mu") else "ok"
        assert f"  {mark:<5}  certificate.{key} = " in out, key
    for key in silent:
        assert f"certificate.{key} = " not in out, key


def test_a_private_tuning_is_told_with_its_cost(run: Run, trial: Trial) -> None:
    rule = fit_tuned(Study.load(trial.study), trial.table, epsilon=1, how="split", gammas=(50, 90))
    write_rule(rule, trial.rule)
    result = run("verify", trial.rule)
    assert (result.code, result.err) == (0, "")
    for words in (
        "tuning.claim = Candidate j was fitted on slot j alone, and the exponential mechanism",
        "tuning.fit.epsilon = 0.3",
        "tuning, budget of the released fit = epsilon = 0.7",
        "tuning, cost of all steps = within epsilon = 1",
    ):
        assert f"  ok     {words}" in result.out, words
    for words in ("tuning.how = split", "tuning.rows = 24", "tuning.epsilon = 1"):
        assert f"  given  {words}" in result.out, words


def test_an_edited_epsilon_is_never_called_ok(content: Content, run: Run, trial: Trial) -> None:
    content["certificate"]["epsilon"] = "0.1"
    write(trial.rule, content)
    result = run("verify", trial.rule)
    assert result.code == 4
    assert "  given  certificate.epsilon = 0.1\n" in result.out
    assert "certificate.noise.scale" in result.err
    assert not any(
        line.startswith("  ok") and "epsilon" in line for line in result.out.splitlines()
    )


def test_any_edited_value_is_rejected(content: Content, trial: Trial) -> None:
    for path, other, edited in edits(content):
        write(trial.rule, edited)
        assert not survives(trial.rule), (path, other)


def test_the_order_of_keys_says_nothing_and_the_order_of_arms_is_protected(
    run: Run, trial: Trial, content: Content
) -> None:
    trial.rule.write_text(json.dumps(content, sort_keys=True))
    assert run("verify", trial.rule).code == 0
    for key in ("arms", "probabilities"):
        content["treatment"][key].reverse()
    trial.rule.write_text(json.dumps(content))
    assert run("verify", trial.rule).code == 4


def test_a_forger_with_a_new_digest_gets_only_what_follows_from_nothing(
    content: Content, trial: Trial
) -> None:
    assert forged(content, trial) == FREE | {"certificate.ledger.entry"}


def test_a_forger_gets_no_more_of_automatic_settings_than_their_words(
    fit: Run, trial: Trial
) -> None:
    study = PROTOCOL.replace("gamma = 50", 'mechanism = "objective-block"\nsaturation = 2')
    trial.study.write_text(study, encoding="utf-8")
    assert fit("--seed", 1).code == 0
    read: Content = json.loads(trial.rule.read_text(encoding="utf-8"))
    chosen = read["certificate"]["chosen"]["settings"]
    words = {f"certificate.chosen.settings[{index}]" for index in range(len(chosen))}
    words |= {f"certificate.chosen.{part}" for part in ("reason", "accuracy", "gain", "harm")}
    # Whether another threshold changes the rule depends on the coefficients.
    maybe = {"coefficients.threshold"}
    assert forged(read, trial) - maybe == (FREE - maybe) | words


def test_every_number_edited_ends_with_4(run: Run, content: Content, trial: Trial) -> None:
    numbers = [p for p, _, _, v in places(content) if isinstance(v, (int, float))]
    assert len(numbers) > 25
    for wanted in numbers:
        edited = next(new for path, _, new in edits(content) if path == wanted)
        write(trial.rule, edited)
        result = run("verify", trial.rule)
        assert result.code == 4, wanted
        assert "ok     digest" not in result.out


@pytest.mark.parametrize("forge", [False, True])
def test_no_key_can_be_left_out_or_added(content: Content, trial: Trial, forge: bool) -> None:
    for path, _, _, _ in list(places(content)):
        if path == "digest" and forge:
            continue
        for add in (True, False):
            edited = copy.deepcopy(content)
            container, key = next((c, k) for p, c, k, _ in places(edited) if p == path)
            if add and isinstance(container, list):
                container.append(container[0])
            elif add:
                container["extra"] = 1
            else:
                del container[key]
            if forge:
                edited["digest"] = digest_of(edited)
            write(trial.rule, edited)
            optional = forge and not add and path in {"benefit.source", "sources.age"}
            assert survives(trial.rule) == optional, (path, add)


def test_a_file_that_is_not_there_is_a_wrong_command_line(run: Run, tmp_path: Path) -> None:
    assert run("verify", tmp_path / "rule.json").code == 2
    assert run("verify", tmp_path).code == 2
