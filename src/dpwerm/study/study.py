"""A study: everything public that is known before any row is read, in one frozen object.

Its total, [budget], says how much may be released in all, and where that is recorded: everything
released is an (ε, δ)-private part, a ρ-zCDP part and a μ-GDP part, one after another. The columns
it declares are read once, and refused only for the form of the table.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Literal, Self
from urllib.parse import parse_qsl, urlsplit

import numpy as np
from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    PlainValidator,
    PrivateAttr,
    ValidationError,
    field_validator,
    model_validator,
)

from dpwerm.data.table import Table, read_table
from dpwerm.errors import Fault, ParameterError, StudyError, TableError
from dpwerm.faults import faults_of, shown, with_open_places, wrong
from dpwerm.features.blocks import Frozen, ReadOnly
from dpwerm.features.encoding import MAX_COLUMNS, MAX_FEATURES, Encoding
from dpwerm.study import values
from dpwerm.study.propensity import PROPENSITIES, ExternalPropensity
from dpwerm.study.treatment import Declaration, Treatment
from dpwerm.study.values import PLACEHOLDER, AutoPositive, FeatureName, Line, Positive, Text
from dpwerm.study.variables import Benefit, CategoryFeature, Feature, NumberFeature

MAX_PARTITIONS = 1_000
SECRETS = ("password", "sslpassword")
"""What the query of an address may not hold in a study file."""

_WHERE = 'such as "sqlite:///ledger.db" or "postgresql://host/database"'


def partition_names(value: object) -> tuple[str, ...]:
    """Return the names of partitions: 1 to 1,000 distinct ones, written like the id of a study."""
    if not isinstance(value, (list, tuple)) or not 1 <= len(value) <= MAX_PARTITIONS:
        raise wrong(f"must be a list of 1 to {MAX_PARTITIONS:,} names")
    names = tuple(values.identifier(name) for name in value)
    if len(set(names)) < len(names):
        raise wrong("names a partition twice")
    return names


def ledger_url(value: object) -> str:
    """Return the address of a ledger, which holds no password; no error quotes it."""
    if not isinstance(value, str) or not value.startswith(("sqlite:///", "postgresql://")):
        raise wrong("is no address of a ledger", _WHERE)
    try:
        parts = urlsplit(value)
        keys = {key.lower() for key, _ in parse_qsl(parts.query, keep_blank_values=True)}
        secret = parts.password is not None or not keys.isdisjoint(SECRETS)
    except ValueError:
        raise wrong("is no address of a ledger", _WHERE) from None
    if secret:
        raise wrong("holds a password", "use PGPASSWORD, ~/.pgpass or DPWERM_LEDGER")
    return value


class DeclaredBudget(Frozen):
    """The study's total privacy budget, as exact decimals; a currency left out is 0."""

    epsilon: Annotated[Decimal, PlainValidator(values.epsilon_of)] = Decimal(0)
    delta: Annotated[Decimal, PlainValidator(values.delta_of)] = Decimal(0)
    rho: Annotated[Decimal, PlainValidator(values.decimal_within("1e-16", "1e12"))] = Decimal(0)
    mu: Annotated[Decimal, PlainValidator(values.decimal_within("1e-8", "1e6"))] = Decimal(0)
    partitions: Annotated[tuple[str, ...], PlainValidator(partition_names)] = ()
    ledger: Annotated[str, PlainValidator(ledger_url)] | None = None

    @model_validator(mode="before")
    @classmethod
    def _by_its_earlier_name(cls, written: object) -> object:
        """Read slots, as partitions were called, where there are no partitions."""
        if not isinstance(written, dict) or "slots" not in written or "partitions" in written:
            return written
        return {"partitions" if key == "slots" else key: one for key, one in written.items()}

    @model_validator(mode="after")
    def _is_a_total(self) -> Self:
        if not (self.epsilon or self.rho or self.mu):
            raise wrong("declares no total", "such as epsilon = 2; or rho or mu")
        if self.delta and not self.epsilon:
            raise wrong("has a delta but no epsilon", "delta belongs to epsilon")
        return self


REMEDIES = {
    "format": "write format = 1",
    "study": 'write [study] with id = "my-trial"',
    "study.id": "1 to 64 of a-z, 0-9, dot, dash, underscore, beginning with a letter or digit",
    "features": "declare at least one feature, such as [features.age]",
    "features.*": 'kind = "number" or kind = "category"',
    "features.*.bounds": "bounds = [lower, upper], finite, lower below upper",
    "features.*.levels": 'levels = ["F", "M"] or levels = { W = ["W"], other = "*" }',
    "features.*.default": "what a missing value becomes",
    "treatment": "write [treatment] with column and arms",
    "treatment.column": 'column = "name of the column that holds the arm"',
    "treatment.arms": 'arms = { S = "1/3", G = "2/3" }, or arms = ["S", "G"] with a propensity',
    "treatment.propensity": (
        'a column, or a model: { model = "private" }, "external", "ridge", or "outcome" for none'
    ),
    "treatment.propensity_floor": "a number above 0 and at most 0.5",
    "treatment.propensity.arm": "the arm whose log-odds the coefficients give",
    "treatment.propensity.share": '"auto", or a number above 0 and below 1',
    "treatment.propensity.gamma": '"auto", or a number between 1e-12 and 1e+12',
    "benefit": "write [benefit] with column and bounds",
    "benefit.column": 'column = "name of the column that holds the benefit"',
    "benefit.bounds": "bounds = [lower, upper] in the column's units, finite, lower below upper",
    "benefit.expected_sd": "the sd within an arm, after transform, such as expected_sd = 7",
    "benefit.expected_effect_sd": "how much the arms' difference varies between people, 0 for not",
    "budget.epsilon": "the study's total, such as epsilon = 2",
    "budget.rho": "the total in rho, for releases in zCDP, such as rho = 0.5",
    "budget.mu": "the total in mu, for releases in Gaussian DP, such as mu = 1",
    "budget.partitions": 'partitions = ["north", "south"], each written like the id of a study',
    "study.planned_n": "how many people the study plans for, such as planned_n = 1000",
    "method.estimator": '"auto", "outcome-weighted", "contrast" or "arm-wise"',
    "method.width": '"auto", or a number between 1e-12 and 1e+12, 1 for half the benefit\'s range',
    "method.main_penalty": '"auto", or a number between 1e-12 and 1e+12',
    "method.mean_scale": '"auto", 0 (no mean), or a number between 1e-12 and 1e+12',
    "method.gamma": '"auto", or a number between 1e-12 and 1e+12',
    "method.h": "a number between 1e-12 and 1e+12",
    "method.intercept_scale": '"auto", 0 (no intercept), or a number between 1e-12 and 1e+12',
    "method.saturation": '"auto", or a number between 1 and 100',
    **dict.fromkeys(
        ("method.tightness", "method.ranges", "method.feature_ranges", "method.guard"),
        '"auto", or a number from 0 to 0.5',
    ),
    "method.threshold": '"auto", or a number from 0 to below 1',
}


def _format(value: object) -> int:
    if isinstance(value, bool) or value != 1:
        raise wrong(f"is {shown(value)}; this version reads format 1", "write format = 1")
    return 1


def _features(value: object) -> object:
    if not isinstance(value, dict) or not 1 <= len(value) <= MAX_FEATURES:
        raise wrong(f"must be 1 to {MAX_FEATURES:,} features", "such as [features.age]")
    return value


class About(Frozen):
    """Who the study is and what one row stands for."""

    id: Annotated[str, PlainValidator(values.identifier)]
    name: Line | None = None
    relation: Literal["replace_one", "add_remove"] = "replace_one"
    person: Text | None = None
    planned_n: values.People | None = None


class Method(Frozen):
    """Choices of method; None where the command line may give them."""

    estimator: Line | None = None
    gamma: AutoPositive | None = None
    mechanism: Line | None = None
    loss: Line | None = None
    h: Positive | None = None
    encoding: Literal["centred", "paper"] = "centred"
    intercept_scale: values.AutoScale = "auto"
    saturation: values.AutoSaturation | None = None
    threshold: values.AutoThreshold | None = None
    width: AutoPositive | None = None
    main_penalty: AutoPositive | None = None
    mean_scale: values.AutoScale | None = None
    main_effect: Literal["linear", "squares", "cubes"] | None = None
    tightness: values.Share | None = None
    ranges: values.Share | None = None
    feature_ranges: values.Share | None = None
    guard: values.Share | None = None


@dataclass(frozen=True)
class _Place:
    """Where a study file stands; all places are equal, so that a study is what its text says."""

    folder: Path | None = field(default=None, compare=False, repr=False)


class Study(Frozen):
    """Everything public about a study, as its TOML file declares it.

    ``Study.load("study.toml")`` reads a file, ``Study.parse(text)`` a text. The keys are those of
    docs/study-file.md.
    """

    format: Annotated[int, PlainValidator(_format)]
    about: About = Field(validation_alias="study")
    features: Annotated[
        dict[FeatureName, Feature], BeforeValidator(_features), AfterValidator(ReadOnly)
    ]
    treatment: Treatment
    benefit: Benefit
    budget: DeclaredBudget | None = None
    method: Method = Method()
    _place: _Place = PrivateAttr(default_factory=_Place)

    @field_validator("features")
    @classmethod
    def _are_not_too_many(cls, features: dict[str, Feature]) -> dict[str, Feature]:
        columns = sum(feature.block(name).width for name, feature in features.items())
        if columns > MAX_COLUMNS:
            raise wrong(f"become {columns:,} columns", f"at most {MAX_COLUMNS:,}: merge levels")
        return features

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Return the study a TOML file declares; all its faults are reported at once.

        A file of propensity coefficients is looked for beside the path, the ledger beside the file
        itself if the path is a link: one file has one ledger.
        """
        label = f"study file {Path(path).name}"
        raw = values.parse_toml(values.read_study_text(path), label)
        study = cls.from_dict(values.with_model_file(raw, Path(path).parent, label), label)
        study._place = _Place(Path(path).resolve().parent)  # noqa: SLF001 - its own class
        return study

    @classmethod
    def parse(cls, text: str, label: str = "study file") -> Self:
        """Return the study a TOML text declares."""
        return cls.from_dict(values.parse_toml(text, label), label)

    @classmethod
    def from_dict(cls, raw: Mapping[str, object], label: str = "study") -> Self:
        """Return the study of plain values, as a TOML reader gives them."""
        shared = values.shared_columns(raw)
        try:
            study = cls.model_validate(raw)
        except ValidationError as error:
            found = faults_of(error, known_keys=known_keys(), remedies=REMEDIES)
            found = with_open_places(found, raw, PLACEHOLDER)
            raise StudyError(label, [*found, *shared]) from None
        model = study.treatment.propensity
        if isinstance(model, ExternalPropensity):
            try:
                model.check(study.encoding())
            except ParameterError as error:
                shared.append(Fault("treatment.propensity.coefficients", str(error)))
        if shared:
            raise StudyError(label, shared)
        return study

    @property
    def folder(self) -> Path | None:
        """The folder of the study file, None for a text; it is no part of what a study says."""
        return self._place.folder

    @property
    def id(self) -> str:
        """The study's id, under which its budget is kept."""
        return self.about.id

    @property
    def name(self) -> str | None:
        """The study's name for people, if declared."""
        return self.about.name

    @property
    def relation(self) -> str:
        """The neighbouring relation, "replace_one" or "add_remove"."""
        return self.about.relation

    @property
    def person(self) -> str | None:
        """The column that identifies a person, if declared."""
        return self.about.person

    @property
    def feature_columns(self) -> tuple[str, ...]:
        """The columns needed to recommend."""
        return tuple(feature.column or name for name, feature in self.features.items())

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns needed to fit."""
        person = (self.person,) if self.person else ()
        return (*self.feature_columns, *self.treatment.columns, self.benefit.column, *person)

    def declaration(self) -> Declaration:
        """Return what a rule keeps of the study."""
        named = {name: feature.source for name, feature in self.features.items()}
        sources = {name: source for name, source in named.items() if source}
        benefit = self.benefit.without_expectations()
        return Declaration(self.treatment, benefit, self.id, self.name or "", sources)

    def encoding(self) -> Encoding:
        """Return the declared encoding; a fit replaces saturation and an intercept of "auto"."""
        scale = self.method.intercept_scale
        intercept = 1.0 if isinstance(scale, str) else scale
        blocks = tuple(feature.block(name) for name, feature in self.features.items())
        return Encoding(kind=self.method.encoding, intercept=intercept, blocks=blocks)


def known_keys() -> dict[str, list[str]]:
    """Return the keys of each section of a study file."""
    sections: dict[str, tuple[type[Frozen], ...]] = {
        "": (Study,),
        "study": (About,),
        "features.*": (NumberFeature, CategoryFeature),
        "treatment": (Treatment,),
        "treatment.propensity": PROPENSITIES,
        "benefit": (Benefit,),
        "budget": (DeclaredBudget,),
        "method": (Method,),
    }
    known = {}
    for section, models in sections.items():
        fields = [pair for model in models for pair in model.model_fields.items()]
        keys = [str(one.validation_alias or name) for name, one in fields]
        known[section] = list(dict.fromkeys(keys))
    return known


def read_trial(study: Study, source: object) -> Table:
    """Return the columns that a study declares.

    A table without rows is refused where n is public. Under add/remove it is a table like any
    other, because a refusal would tell that n is 0.
    """
    table = read_table(source, study.columns)
    refuse_no_rows(table, n_is_public=study.relation == "replace_one")
    return table


def refuse_no_rows(table: Table, *, n_is_public: bool) -> None:
    """Raise if a table has no rows and may say so."""
    if table.n_rows == 0 and n_is_public:
        remedy = "under replace_one the number of rows is public and must be at least 1"
        raise TableError(table.label, [Fault("rows", "there is none", remedy)])


def person_rows(table: Table, column: str) -> dict[str | None, int]:
    """Return how many rows each person has; None stands for rows without a person."""
    counts: dict[str | None, int] = {None: 0}
    for block in table.blocks():
        codes, texts = block.factorised(column)
        rows = np.bincount(codes, minlength=len(texts)).tolist()
        for text, count in zip(texts, rows, strict=True):
            counts[text] = counts.get(text, 0) + count
    return counts


def refuse_repeated_persons(study: Study, table: Table) -> None:
    """Raise if a person has several rows: the privacy claim protects one row."""
    if study.person is None:
        return
    rows = person_rows(table, study.person)
    if any(count > 1 for person, count in rows.items() if person is not None):
        remedy = "one person is one row; see dpwerm check"
        raise TableError(table.label, [Fault(study.person, "a person has several rows", remedy)])
