"""From open hyperparameters to settled ones: by synthetic trials, reading no row.

Only the *number* of rows is asked of the data, and under add/remove not even that. The answer to a
question is remembered, kept on disk, or found by simulation.

Very wide studies are answered by analogy: with d columns and n people as for 32 of the columns and
n·32/d people, since the noise of a fit grows with d/n; γ, which stands against a sum over people,
is scaled back with n.
"""

import json
import os
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from tempfile import NamedTemporaryFile

from pydantic import TypeAdapter, ValidationError

from dpwerm.choose.grid import ABOVE_FLOOR, floor_of, mechanisms
from dpwerm.choose.hyperparameters import Hyperparameters
from dpwerm.choose.question import FIXED, Choice, Outcome, Question, may_have_forms
from dpwerm.choose.search import REVISION, Progress, search
from dpwerm.errors import ParameterError
from dpwerm.features.blocks import Block, CategoryBlock
from dpwerm.features.encoding import Encoding
from dpwerm.mechanisms import get_mechanism
from dpwerm.mechanisms.contract import Stage, no_progress
from dpwerm.privacy.budget import AnyBudget
from dpwerm.privacy.sensitivity import LARGEST_N
from dpwerm.releases.certificate import Chosen, Specification
from dpwerm.releases.files import file_bytes
from dpwerm.simulate.judged import HARM, HARMFUL, MOST_LOST, PRECISE
from dpwerm.study.treatment import Declaration
from dpwerm.text import stays_in_line
from dpwerm.version import __version__


def settle(
    given: Hyperparameters,
    spec: Specification,
    encoding: Encoding,
    outcome: Outcome,
    people: int | None,
    on_stage: Stage,
    *,
    open_method: bool = True,
) -> Hyperparameters:
    """Return the hyperparameters of a fit, none open but the clip of labels.

    people: the public or planned number of people, None where γ is given and nothing is chosen;
    open_method: whether the estimator is chosen too
    """
    if given.mechanism is not None:
        get_mechanism(given.mechanism).check_notion(spec.budget)
    check_tightness(given, spec.budget)
    if given.gamma is not None:
        return given.or_plain(spec.budget)
    if spec.weighting.options is None:
        raise ParameterError(
            f"there are no synthetic trials for the weighting {spec.weighting.name}: "
            "set gamma and mechanism"
        )
    # Without privacy there is one mechanism, whatever was named.
    fixed = given if spec.budget.is_private else replace(given, mechanism=None)
    question = Question(spec, encoding, people or 1, outcome, fixed, open_method)
    stage = "choosing hyperparameters on synthetic trials"
    on_stage(stage)
    choice = answer(question, lambda share: on_stage(f"{stage}: {share:.0%}"))
    first, *loose = (_told(one, given, question) for one in choice.both)
    return replace(first, loose=loose[0] if loose else None)


def _told(choice: Choice, given: Hyperparameters, question: Question) -> Hyperparameters:
    """Return what was chosen, with the evidence and the names of what was open."""
    found = choice.hyperparameters
    own = {
        name: getattr(given, name) is None and getattr(found, name) is not None
        for name in ("width", "main", "mean")
    }
    clipped = found.clip is not None and not question.outcome.labels
    open_ones = {
        "gamma": True,
        "estimator": len(question.estimators) > 1,
        "mechanism": given.mechanism is None and len(mechanisms(question)) > 1,
        "clip": given.clip is None and clipped,
        **own,
        "intercept_scale": given.intercept is None,
        "saturation": given.saturation is None,
        "threshold": given.threshold is None,
        **{name: getattr(given, name) is None for name in found.shares},
    }
    return replace(found, chosen=told_of(choice, [name for name, one in open_ones.items() if one]))


def check_tightness(given: Hyperparameters, budget: AnyBudget) -> None:
    """Raise if a tightness is asked for that could not decide between two answers."""
    if given.tightness and given.gamma is not None:
        raise ParameterError("tightness decides between two answers, and gamma fixes one")
    if given.tightness and not may_have_forms(budget):
        raise ParameterError("tightness decides between two answers, which need delta = 0")


def public_people(
    planned_n: int | None,
    spec: Specification,
    rows: int | None = None,
    *,
    whose: str = "gamma = auto",
) -> int:
    """Return the planned number of people; without one that of the rows, refused under add/remove.

    whose: what depends on that number.
    """
    if planned_n is not None:
        return planned_n
    if not spec.relation.publishes_n:
        way_out = ". Or set gamma" if whose == "gamma = auto" else ""
        raise ParameterError(
            f"{whose} under add_remove needs planned_n, the number of people the study plans for: "
            f"the number of rows is itself sensitive there{way_out}"
        )
    return max(1, rows or 1)


# -- what a declaration says of arms and benefit, in the units of hyperparameters --------

SPREAD = 0.5
"""How far from the middle of their range the benefits of observational data may lie as a whole.

In a trial an arm's bad or good luck is even, so a benefit far from the centre costs accuracy alone.
Where arms were not drawn by lot it also decides the rule, and a small V would hide it.
"""


def outcome_of(declaration: Declaration) -> Outcome:
    """Return the outcome with the benefit in units of half its range, 0 in the middle."""
    benefit, treatment = declaration.benefit, declaration.treatment
    lower, upper = benefit.range
    half = (upper - lower) / 2
    if treatment.probabilities is not None:
        second = float(treatment.probabilities[1])
        propensity = (second, second)
    else:
        propensity = (treatment.pi_min, 1.0 - treatment.pi_min)
    by_design = treatment.probabilities is not None
    unknown = not by_design and benefit.declared_centre is None
    return Outcome(
        centre=(benefit.centre - lower - half) / half,
        signed=benefit.weights == "signed",
        propensity=propensity,
        pi_min=treatment.pi_min,
        spread=SPREAD if unknown and benefit.weights == "signed" else 0.0,
        values=benefit.values,
        fixed_design=by_design,
    )


def fixed_clip(declaration: Declaration) -> float | None:
    """Return the declared V as a share of the largest, None if it is to be chosen."""
    benefit = declaration.benefit
    return None if benefit.clip_is_open else benefit.clip / benefit.largest_clip


# -- answers to questions ------------------------------------------------------------------------

MOST_COLUMNS = 32
_FEWEST_PEOPLE = 20
_FEWEST_LEVELS = 3
"""Of a category with a column for each level."""

_MEMORY: dict[str, Choice] = {}


def answer(question: Question, on_progress: Progress = no_progress) -> Choice:
    """Return the hyperparameters for a question; the same question always has the same answer."""

    def found() -> Choice:
        return by_analogy(question, _searched, on_progress)

    return remembered(question, f"revision {REVISION}", found)


def remembered(
    question: Question, revision: str, found: Callable[[], Choice], *, least: float = 0.0
) -> Choice:
    """Return the answer that is remembered, kept or else found.

    revision: of the search; least: the smallest accuracy that it can find
    """
    key = key_of(question, revision)
    known = _MEMORY.get(key) or kept(key)
    if known is None or not (answers(known, question) and is_told(known, question, least)):
        known = found()
        keep(key, known)
    _MEMORY[key] = known
    return known


def key_of(question: Question, revision: str = f"revision {REVISION}") -> str:
    """Return the key of an answer: another version or revision of the search has another."""
    return question.digest(f"{__version__}, {revision}")


def answers(choice: Choice, question: Question) -> bool:
    """Whether a choice leaves alone what the question fixes, and can be planned for it."""
    found, fixed = choice.hyperparameters, question.fixed
    if found.loose is not None or not _are_two_forms(choice, question):
        return False
    pairs = [(getattr(fixed, name), getattr(found, name)) for name in FIXED]
    kept = all(one is None or one == chosen for one, chosen in pairs)
    sound = 0 < (1 if found.clip is None else found.clip) <= 1 and (found.threshold or 0) < 1
    known = choice.mechanism in mechanisms(question) and found.estimator in question.estimators
    if not (kept and sound and known):
        return False
    return _is_able(question, found, choice.gamma)


def _are_two_forms(choice: Choice, question: Question) -> bool:
    """Whether the answer for loose bounds, if there is one, pays as much for the tightness."""
    other = choice.loose
    if other is None:
        return not choice.hyperparameters.tightness or choice.among != ""
    shares = {one.hyperparameters.tightness or 0.0 for one in choice.both}
    alike = len(shares) == 1 and 0.0 not in shares and question.has_forms
    return alike and other.loose is None and answers(other, question)


def is_told(choice: Choice, question: Question, least: float = 0.0) -> bool:
    """Whether a search can have found the evidence of a choice, and a certificate can say it."""
    if choice.loose is not None and not is_told(choice.loose, question, least):
        return False
    counted = 1 <= choice.problems <= LARGEST_N and 1 <= choice.rows <= LARGEST_N
    names = {*mechanisms(question), *question.estimators}
    if not (counted and set(choice.rivals) <= names - {choice.mechanism, choice.estimator}):
        return False
    try:
        told = told_of(choice, [])
    except ValidationError:
        return False
    labels = question.outcome.labels
    if (choice.gain is None, choice.harm is None) != (labels, labels):
        return False
    scores = (choice.score, *choice.rivals.values())
    # That of labels is their accuracy; that of trials gain, with losses three times, or errors.
    lowest, highest = (least, 1.0) if labels else (-max(HARM * MOST_LOST + HARMFUL, PRECISE), 1.0)
    within = all(lowest <= one <= highest for one in scores) and least <= choice.accuracy <= 1
    return within and stays_in_line(told.reason)


def told_of(choice: Choice, settings: list[str]) -> Chosen:
    """Return what a certificate says of a choice."""
    return Chosen(
        settings=settings,
        accuracy=max(0.0, choice.accuracy),
        reason=choice.reason,
        gain=choice.gain,
        harm=choice.harm,
    )


def by_analogy(
    question: Question, searched: Callable[[Question, Progress], Choice], on_progress: Progress
) -> Choice:
    """Return the answer; of many columns, that of 32 and fewer people, γ scaled back with n."""
    fewer = narrowed(question)
    if fewer is None:
        return searched(question, on_progress)
    first, *loose = (_scaled(one, fewer, question) for one in searched(fewer, on_progress).both)
    return replace(first, loose=loose[0] if loose else None)


def _scaled(choice: Choice, asked: Question, question: Question) -> Choice:
    """Return a choice for a question from that for one with fewer people."""
    floor = floor_of(question, choice.hyperparameters)
    scaled = choice.gamma * question.n / asked.n
    return choice.with_gamma(min(max(scaled, ABOVE_FLOOR[0] * floor), question.most_gamma))


def _searched(question: Question, on_progress: Progress) -> Choice:
    """Return the best of what can be planned at all.

    The search follows its first mechanism. Where that makes no claim (weights of unknown origin,
    another regulariser, a tiny ε), each of the others leads a search of its own.
    """
    names = mechanisms(question)
    most = question.most_gamma
    able = [name for name in names if _is_able(question, _first(question, name), most)]
    if not able:
        question.calibration(_first(question, names[0]), most)
    if not able or able[0] == names[0]:
        return search(question, on_progress)
    found = []
    for index, name in enumerate(able):
        led = replace(question, fixed=replace(question.fixed, mechanism=name))
        found.append(search(led, _part(on_progress, index, len(able))))
    winner = max(found, key=lambda choice: choice.score)
    rivals = {one.mechanism: one.score for one in found if one is not winner}
    return replace(winner, rivals=rivals)


def _part(on_progress: Progress, index: int, count: int) -> Progress:
    """Return the progress of one of several searches within them all."""
    return lambda share: on_progress((index + share) / count)


def _first(question: Question, mechanism: str) -> Hyperparameters:
    """Return a candidate with a mechanism, of the first estimator."""
    return Hyperparameters(mechanism, estimator=question.estimators[0], width=1.0)


def _is_able(question: Question, candidate: Hyperparameters, gamma: float) -> bool:
    """Whether the candidate's mechanism makes a claim for the question."""
    try:
        question.calibration(candidate, gamma)
    except ParameterError:
        return False
    return True


def narrowed(question: Question) -> Question | None:
    """Return the question about 32 of the columns and fewer people, None if it has no more."""
    columns = question.encoding.n_columns
    if columns <= MOST_COLUMNS:
        return None
    blocks: list[Block] = []
    used = 0
    for block in question.encoding.blocks:
        part = _cut(block, MOST_COLUMNS - used)
        if part is not None:
            blocks.append(part)
            used += part.width
    people = max(_FEWEST_PEOPLE, question.n * used // columns)
    encoding = question.encoding.changed(blocks=tuple(blocks))
    return replace(question, encoding=encoding, n=min(people, question.n))


def _cut(block: Block, room: int) -> Block | None:
    """Return the block, with fewer levels if there is not room for all; None if for none."""
    if block.width <= room:
        return block
    if not isinstance(block, CategoryBlock) or room < _FEWEST_LEVELS:
        return None
    levels = block.levels[:room]
    return block.model_copy(update={"levels": levels, "default": levels[0].name})


# -- answers kept on disk ------------------------------------------------------------------------
#
# Public hyperparameters under the digest of a public question, in the user's cache folder or the
# one that ``DPWERM_CACHE`` names. A file that cannot be read is as good as none, and a folder that
# cannot be written is no fault: the answer is then found again.

_LARGEST_FILE = 100_000
_CHOICE = TypeAdapter(Choice)


def folder() -> Path:
    """Return the folder of kept answers."""
    if named := os.environ.get("DPWERM_CACHE"):
        return Path(named)
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA", str(Path.home() / "AppData" / "Local")))
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        named = os.environ.get("XDG_CACHE_HOME", "")
        base = Path(named) if Path(named).is_absolute() else Path.home() / ".cache"
    return base / "dpwerm"


def kept(key: str) -> Choice | None:
    """Return the answer kept under a key, None if there is none of the right form."""
    try:
        raw = file_bytes(folder() / f"{key}.json", _LARGEST_FILE)
        return _CHOICE.validate_json(raw, strict=True)
    except (OSError, ValueError, RuntimeError):
        return None


def keep(key: str, choice: Choice) -> None:
    """Keep an answer, in one step so that no half-written file is ever read."""
    try:
        place = folder()
        place.mkdir(parents=True, exist_ok=True)
        with NamedTemporaryFile(
            "w", encoding="utf-8", dir=place, suffix=".part", delete=False
        ) as part:
            part.write(json.dumps(choice.plain(), indent=2))
        _move(Path(part.name), place / f"{key}.json")
    except (OSError, RuntimeError):
        return


def _move(part: Path, path: Path) -> None:
    try:
        part.replace(path)
    except OSError:
        part.unlink(missing_ok=True)
