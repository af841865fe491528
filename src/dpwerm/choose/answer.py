"""From a question to its answer: remembered, kept on disk, or found by simulation.

Very wide studies are answered by analogy: with d columns and n people as for 32 of the columns and
n·32/d people, since the noise of a fit grows with d/n; γ, which stands against a sum over people,
is scaled back with n.
"""

from dataclasses import replace

from dpwerm.choose.cache import keep, kept
from dpwerm.choose.candidates import ABOVE_FLOOR, Setting, floor_of
from dpwerm.choose.choice import Choice
from dpwerm.choose.question import Question
from dpwerm.choose.search import Progress, no_progress, search
from dpwerm.parameters import LARGEST
from dpwerm.version import __version__

MOST_COLUMNS = 32
_FEWEST_PEOPLE = 20
_MEMORY: dict[str, Choice] = {}


def answer(question: Question, on_progress: Progress = no_progress) -> Choice:
    """Return the settings for a question; the same question always has the same answer."""
    key = question.digest(__version__)
    known = _MEMORY.get(key) or kept(key)
    if known is None:
        known = _found(question, on_progress)
        keep(key, known)
    _MEMORY[key] = known
    return known


def _found(question: Question, on_progress: Progress) -> Choice:
    narrow = narrowed(question)
    if narrow is None:
        return search(question, on_progress)
    choice = search(narrow, on_progress)
    setting = Setting(choice.mechanism, choice.clip, choice.intercept, choice.saturation)
    floor = floor_of(question, setting.encoding(question))
    scaled = choice.gamma * question.n / narrow.n
    gamma = float(f"{max(scaled, ABOVE_FLOOR[0] * floor):.3g}")
    return replace(choice, gamma=min(gamma, LARGEST))


def narrowed(question: Question) -> Question | None:
    """Return the question about the first 32 columns and fewer people, None if it has no more."""
    columns = sum(max(width, 1) for width in question.widths)
    if columns <= MOST_COLUMNS:
        return None
    blocks, used = [], 0
    for block in question.encoding.blocks:
        if used and used + block.width > MOST_COLUMNS:
            break
        blocks.append(block)
        used += block.width
    people = max(_FEWEST_PEOPLE, question.n * used // columns)
    encoding = question.encoding.changed(blocks=tuple(blocks))
    return replace(question, encoding=encoding, n=min(people, question.n))
