"""Kinds of releases, by the ``format`` of their files: all that the library asks of a release.

    release → content → digest → file → release → findings → ledger, summary, report

A kind says how its releases become plain content and how content becomes a release again; reading,
writing, digest and verification are the same for all and stand here. One class and one call of
``register_kind`` make a new kind known to ``dpwerm verify``, ``report`` and ``ledger attach``.
"""

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from pydantic import BaseModel, ValidationError

from dpwerm.errors import DpwermError, Fault, ParameterError, RuleFileError
from dpwerm.faults import faults_of
from dpwerm.parameters import check_unused
from dpwerm.privacy.budget import AnyBudget
from dpwerm.privacy.ledger.entry import WHAT
from dpwerm.privacy.randomness import Receipt
from dpwerm.releases.files import digest_of, read_json, refuse_broken_lines, write_json

if TYPE_CHECKING:
    from dpwerm.privacy.ledger.account import Account
    from dpwerm.privacy.ledger.book import Book

ABSENT = "(absent)"
NO_ENTRY, EDITED = "(no such entry)", "(edited)"
NOT_ATTACHED = "(none; dpwerm ledger attach records it)"
BY_HAND = ", attached by hand"
CHARGE = "ledger, "
"""How the checks against a ledger begin."""

PAID_FOR = (f"{CHARGE}what was charged", f"{CHARGE}cost")
"""The checks that must hold before a release is attached to a charge."""

R = TypeVar("R")
M = TypeVar("M", bound=BaseModel)


@dataclass(frozen=True)
class Finding:
    """One check of a release: what was checked, what is recorded, what follows."""

    what: str
    recorded: object
    derived: object

    @property
    def holds(self) -> bool:
        """Whether the recorded value is the derived one."""
        return type(self.recorded) is type(self.derived) and self.recorded == self.derived


@dataclass(frozen=True)
class Released:
    """What a release says of its charge.

    what : as a ledger calls it, such as "rule"; study : its id, empty if the release names none
    budget : what all of it cost; receipt : of the charge that paid, None if no ledger knows of it
    relation : the neighbours that its claim is about, empty if the release names none
    """

    what: str
    private: bool
    study: str
    digest: str
    budget: AnyBudget
    receipt: Receipt | None
    relation: str = ""


@dataclass(frozen=True)
class Beside:
    """What a report may say beside a release: its files by name, its value, its account.

    checks : how many checks of the files held; where : names the ledger for a reader
    """

    file: str = "rule.json"
    checks: int = 0
    study_file: str = "study.toml"
    value_file: str = "value.json"
    value: Any = None
    account: "Account | None" = None
    where: str = ""


@dataclass(frozen=True)
class Checked(Generic[R]):
    """A file as it was read once: its kind, the release that it describes, and every check."""

    kind: "Kind[R]"
    release: R
    findings: tuple[Finding, ...]

    @property
    def wrong(self) -> list[Finding]:
        """The checks that do not hold."""
        return [finding for finding in self.findings if not finding.holds]

    def sound(self, where: str) -> R:
        """Return the release, or raise with every check that does not hold."""
        if self.wrong:
            raise RuleFileError(where, self.kind.refusal([finding.what for finding in self.wrong]))
        return self.release


class Kind(ABC, Generic[R]):
    """One kind of release.

    format, version : what its files say of themselves; a file of another version is refused
    releases : the class of its releases, which have ``private``, ``budget`` and ``receipt``
    charged_as : what a ledger may call one, such as "rule"
    again : what makes a release anew, as a remedy, such as "fit again"
    shown : the checks that ``dpwerm verify`` lists
    given : of those, what follows from nothing else in the file, so that nothing can show it right
    derived : prefixes of what ``checks`` has compared, so that only faults of writing are told
    report : from a release and what is ``Beside`` it to a ``dpwerm.documents.document.Document``,
        for a kind that brings its own; documents stand above releases and have that of a rule
    audited : gives what an auditor attacks in such releases, each a ``dpwerm.audit.suite.Cell``,
        for a kind that brings its own; the auditor knows rules and values
    """

    format: ClassVar[str]
    version: ClassVar[int]
    releases: ClassVar[type]
    charged_as: ClassVar[Sequence[str]]
    again: ClassVar[str]
    shown: ClassVar[Sequence[str]] = ("digest",)
    given: ClassVar[Sequence[str]] = ()
    derived: ClassVar[tuple[str, ...]] = ()
    report: Callable[..., Any] | None = None
    audited: Callable[[], Iterable[Any]] | None = None

    @abstractmethod
    def plain(self, release: R) -> dict[str, Any]:
        """Return the content of a file without format, version and digest."""

    @abstractmethod
    def parse(self, content: dict[str, Any], where: str) -> R:
        """Return the release that content of this format and version describes, or its faults."""

    @abstractmethod
    def charged(self, release: R) -> tuple[str, str]:
        """Return what a ledger calls the release, and the id of its study, empty without one."""

    def relation(self, release: R) -> str:
        """Return the neighbouring relation of a release's claim, empty if it names none."""
        del release
        return ""

    def checks(self, release: R) -> list[Finding]:
        """Return the checks beyond how the file is written: what follows from its facts."""
        del release
        return []

    def refusal(self, wrong: Sequence[str]) -> list[Fault]:
        """Return why a file is not read, by the checks that do not hold."""
        problem = "does not follow from the rest of the file"
        return [Fault(what, problem, self.again) for what in wrong]

    # -- what is the same for all ----------------------------------------------------------

    @property
    def name(self) -> str:
        """What people call it: "rule" for the format dpwerm-rule."""
        return self.format.removeprefix("dpwerm-")

    def content(self, release: R) -> dict[str, Any]:
        """Return the plain content of a file, digest included."""
        content = {"format": self.format, "version": self.version, **self.plain(release)}
        return {**content, "digest": digest_of(content)}

    def released(self, release: Any) -> Released:
        """Return what the release says of its charge, with the digest of its file."""
        (what, study), digest = self.charged(release), str(self.content(release)["digest"])
        said = (release.budget, release.receipt, self.relation(release))
        return Released(what, release.private, study, digest, *said)

    def ascii(self, release: R) -> str:
        """Return the text of a file of the same digest, in characters that any terminal shows."""
        return json.dumps(self.content(release), indent=2, allow_nan=False)

    def write(self, release: R, path: str | Path, *, replace: bool = True) -> None:
        """Write a file in one step; unless it may ``replace`` one, the name must be free."""
        write_json(self.content(release), Path(path), replace=replace)

    def read(self, path: str | Path) -> R:
        """Return the release in a file; one that ``verify`` would reject is refused."""
        return self.checked(path).sound(Path(path).name)

    def verify(self, path: str | Path) -> list[Finding]:
        """Return every check of a file: digest, what follows from its facts, how it is written."""
        return list(self.checked(path).findings)

    def checked(self, path: str | Path) -> Checked[R]:
        """Return the release in a file with every check."""
        return self.check(read_json(Path(path)), Path(path).name)

    def check(self, content: dict[str, Any], where: str) -> Checked[R]:
        """Return the release that content describes with every check, or the faults of its form."""
        self._refuse_others(content, where)
        refuse_broken_lines(content, where)
        release = self.parse(content, where)
        findings = [Finding("digest", content.get("digest"), digest_of(content))]
        findings += self.checks(release)
        findings += [
            finding
            for finding in compared(self.content(release), content)
            if finding.what != "digest"
            and not (finding.holds and finding.what.startswith(self.derived))
        ]
        return Checked(self, release, tuple(findings))

    def record(self, model: type[M], content: dict[str, Any], where: str) -> M:
        """Return the record that content is, or every fault of its form."""
        try:
            return model.model_validate(content)
        except ValidationError as error:
            raise RuleFileError(where, faults_of(error)) from None

    def _refuse_others(self, content: dict[str, Any], where: str) -> None:
        """Raise unless content says that it is of this format and version."""
        form, found = content.get("format"), content.get("version")
        other = str(form).removeprefix("dpwerm-")
        if form == self.format and found == self.version:
            return
        remedy = f"need {self.format} {self.version}"
        if form == self.format and found in range(1, self.version):
            remedy += "; this one was written by an older version of the library, which can read it"
        problem = f"not a {self.name} file that can be read"
        if other != self.name and form in [*KINDS, *_HOMES, "dpwerm-report"]:
            problem = f"this is a {other} file, where a {self.name} file is needed"
        raise RuleFileError(where, [Fault("format, version", problem, remedy)])


@contextmanager
def refused_at(where: str, place: str) -> Iterator[None]:
    """Make an error of the library the fault of one place in a file."""
    try:
        yield
    except DpwermError as error:
        raise RuleFileError(where, [Fault(place, str(error))]) from None


def leaves(value: Any, path: str = "") -> Iterator[tuple[str, object]]:
    """Yield every scalar of nested plain data with its dotted path."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from leaves(inner, f"{path}.{key}" if path else str(key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from leaves(inner, f"{path}[{index}]")
    else:
        yield path, value


def compared(
    derived: Any, recorded: Any, absent: object = ABSENT, prefix: str = ""
) -> list[Finding]:
    """Return one finding for every scalar of plain data that is derived or recorded."""
    expected, found = dict(leaves(derived)), dict(leaves(recorded))
    return [
        Finding(f"{prefix}{path}", found.get(path, absent), expected.get(path, absent))
        for path in expected | found
    ]


RULE, VALUE = "dpwerm-rule", "dpwerm-value"
_HOMES = {RULE: "dpwerm.releases.rule_file", VALUE: "dpwerm.releases.value.release"}
"""Where the kinds of the library register themselves when they are first asked for."""

KINDS: dict[str, Kind[Any]] = {}
"""Every kind that was asked for or registered, by its format."""


def register_kind(kind: Kind[R]) -> Kind[R]:
    """Add a kind under its format and let ledgers be charged for it; return the kind."""
    elsewhere = {form for form, home in _HOMES.items() if home != type(kind).__module__}
    check_unused("kind of release", kind.format, {*KINDS, *elsewhere})
    KINDS[kind.format] = kind
    WHAT.extend(name for name in kind.charged_as if name not in WHAT)
    return kind


def get_kind(form: str) -> Kind[Any]:
    """Return the kind of a format."""
    if form not in KINDS and form in _HOMES:
        import_module(_HOMES[form])
    if form not in KINDS:
        known = ", ".join(sorted({*KINDS, *_HOMES}))
        raise ParameterError(f"there is no kind of release with format {form}; known: {known}")
    return KINDS[form]


def every_kind() -> list[Kind[Any]]:
    """Return every kind, those of the library first."""
    return [get_kind(form) for form in dict.fromkeys((*_HOMES, *KINDS))]


def kind_of(release: object) -> Kind[Any]:
    """Return the kind of a release."""
    for kind in every_kind():
        if isinstance(release, kind.releases):
            return kind
    raise ParameterError(f"a {type(release).__name__} is no release of a registered kind")


def kind_in(content: Mapping[str, Any]) -> Kind[Any]:
    """Return the kind that content says it is of; whatever is none is held to be a rule."""
    form = content.get("format", RULE)
    return get_kind(form if form in [*KINDS, *_HOMES] else RULE)


def check_file(path: Path) -> Checked[Any]:
    """Return the release in a file, by what the file says that it is, with every check."""
    content = read_json(path)
    return kind_in(content).check(content, path.name)


def ledger_findings(found: Released, book: "Book", study: str = "") -> list[Finding]:
    """Return the checks of a release against the ledger; what is not private need be in none.

    A file alone shows only that its numbers belong together. The ledger knows what was charged
    before the noise was drawn, and which release came of it: a consistent forgery differs from one.
    book: of the ledger, verified; study: the id that a study file gives, empty to take the
    release's own word
    """
    if found.receipt is None and not found.private:
        return []
    pairs: dict[str, tuple[object, object]] = {
        "charge": ("none", "the entry that paid for the release")
    }
    if found.receipt is not None:
        pairs = _of_charge(found, found.receipt, book, study or found.study)
    if study and found.study not in ("", study):
        pairs["study file"] = (found.study, study)
    return [Finding(f"{CHARGE}{name}", *pair) for name, pair in pairs.items()]


def _of_charge(
    found: Released, receipt: Receipt, book: "Book", study: str
) -> dict[str, tuple[object, object]]:
    """Return what a release says and what the entry that it names says, by what is compared."""
    known = {entry.number: entry for entry in book.entries}
    pairs: dict[str, tuple[object, object]] = {
        "id": (receipt.ledger, known[1].body.get("ledger") if 1 in known else NO_ENTRY),
        "hash of the charge": (receipt.hash, NO_ENTRY),
    }
    charge = known.get(receipt.entry)
    if charge is not None:
        attached = book.digests.get(receipt.entry, NOT_ATTACHED)
        how = BY_HAND if receipt.entry in book.by_hand else ""
        paid = charge.body
        pairs |= {
            "hash of the charge": (receipt.hash, charge.hash if charge.is_sealed else EDITED),
            "kind of the entry": ("charged", paid.get("kind")),
            "what was charged": (found.what, paid.get("what")),
            "cost": (found.budget.plain(), paid.get("cost")),
            f"digest of the release{how}": (found.digest, attached),
        }
        if study:
            pairs["study"] = (study, paid.get("study"))
        if found.relation:
            own = [one.body for one in known.values() if one.body.get("study") == paid.get("study")]
            opened = [one.get("relation") for one in own if one.get("kind") == "opened"]
            pairs["relation"] = (found.relation, opened[0] if opened else NO_ENTRY)
    return pairs
