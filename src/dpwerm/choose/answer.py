"""From a question to its answer: remembered, kept on disk, or found by simulation.

Answers are kept in the user's cache folder: public hyperparameters under the digest of a public
question. A file that cannot be read is as good as none, and a folder that cannot be written is no
fault: the answer is then found again. ``DPWERM_CACHE`` names another folder.

Very wide studies are answered by analogy: with d columns and n people as for 32 of the columns and
n·32/d people, since the noise of a fit grows with d/n; γ, which stands against a sum over people,
is scaled back with n.
"""

import json
import os
import sys
from dataclasses import replace
from pathlib import Path
from tempfile import NamedTemporaryFile

from pydantic import TypeAdapter

from dpwerm.choose.question import Choice, Question
from dpwerm.choose.search import (
    ABOVE_FLOOR,
    REVISION,
    Progress,
    floor_of,
    mechanisms,
    search,
)
from dpwerm.errors import ParameterError
from dpwerm.features.blocks import Block, CategoryBlock
from dpwerm.features.encoding import Encoding
from dpwerm.mechanisms import get_mechanism
from dpwerm.mechanisms.contract import Calibration, no_progress, spent
from dpwerm.version import __version__

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
        base = Path(os.environ.get("XDG_CACHE_HOME", str(Path.home() / ".cache")))
    return base / "dpwerm"


def kept(key: str) -> Choice | None:
    """Return the answer kept under a key, None if there is none of the right form."""
    try:
        path = folder() / f"{key}.json"
        if path.stat().st_size > _LARGEST_FILE:
            return None
        return _CHOICE.validate_json(path.read_bytes(), strict=True)
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


# -- answers ---------------------------------------------------------------------------------


MOST_COLUMNS = 32
_FEWEST_PEOPLE = 20
_FEWEST_LEVELS = 3
"""Of a category with a column for each level."""

_MEMORY: dict[str, Choice] = {}


def answer(question: Question, on_progress: Progress = no_progress) -> Choice:
    """Return the settings for a question; the same question always has the same answer."""
    key = key_of(question)
    known = _MEMORY.get(key) or kept(key)
    if known is None or not answers(known, question):
        known = _found(question, on_progress)
        keep(key, known)
    _MEMORY[key] = known
    return known


def key_of(question: Question) -> str:
    """Return the key of an answer: another version or revision of the search has another."""
    return question.digest(f"{__version__}, revision {REVISION}")


def answers(choice: Choice, question: Question) -> bool:
    """Whether a choice leaves alone what the question fixes, and can be planned for it."""
    found, fixed = choice.hyperparameters, question.fixed
    names = ("clip", "intercept", "saturation", "threshold")
    pairs = [(getattr(fixed, name), getattr(found, name)) for name in names]
    if any(one is not None and one != chosen for one, chosen in pairs):
        return False
    if choice.mechanism not in mechanisms(question):
        return False
    if not (0 < (found.clip or 0) <= 1 and (found.threshold or 0) < 1):
        return False
    try:
        encoding = choice.hyperparameters.encoding(question.encoding)
        calibration_of(question, encoding, choice.mechanism, choice.gamma)
    except ParameterError:
        return False
    return True


def calibration_of(
    question: Question, encoding: Encoding, mechanism: str, gamma: float
) -> Calibration:
    """Return the calibration for W = 1, or raise if the mechanism claims nothing for it."""
    chosen = get_mechanism(mechanism)
    return chosen.calibrate(question.facts(encoding, gamma), spent(chosen, question.budget))


def _found(question: Question, on_progress: Progress) -> Choice:
    narrow = narrowed(question)
    if narrow is None:
        return _searched(question, on_progress)
    choice = _searched(narrow, on_progress)
    floor = floor_of(question, choice.hyperparameters.encoding(question.encoding))
    scaled = choice.gamma * question.n / narrow.n
    return choice.with_gamma(min(max(scaled, ABOVE_FLOOR[0] * floor), question.most_gamma))


def _searched(question: Question, on_progress: Progress) -> Choice:
    """Return the best of what can be planned at all.

    The search follows its first mechanism. Where that makes no claim (weights of unknown origin,
    another regulariser, a tiny ε), each of the others leads a search of its own.
    """
    names = mechanisms(question)
    able = [name for name in names if _is_able(question, name)]
    if not able:
        calibration_of(question, question.encoding, names[0], question.most_gamma)
    if not able or able[0] == names[0]:
        return search(question, on_progress)
    found = [
        search(_led_by(question, name), _part(on_progress, index, len(able)))
        for index, name in enumerate(able)
    ]
    winner = max(found, key=lambda choice: choice.accuracy)
    rivals = {one.mechanism: one.accuracy for one in found if one is not winner}
    return replace(winner, rivals=rivals)


def _led_by(question: Question, mechanism: str) -> Question:
    """Return the question with its mechanism fixed."""
    return replace(question, fixed=replace(question.fixed, mechanism=mechanism))


def _part(on_progress: Progress, index: int, count: int) -> Progress:
    """Return the progress of one of several searches within them all."""
    return lambda share: on_progress((index + share) / count)


def _is_able(question: Question, mechanism: str) -> bool:
    """Whether the mechanism makes a claim for the question at the largest γ it can use."""
    try:
        calibration_of(question, question.encoding, mechanism, question.most_gamma)
    except ParameterError:
        return False
    return True


def narrowed(question: Question) -> Question | None:
    """Return the question about 32 of the columns and fewer people, None if it has no more."""
    columns = sum(max(width, 1) for width in question.widths)
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
