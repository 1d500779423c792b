"""The conditions that built-in players know: prevalence, findings and names."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Final, Literal, NamedTuple

import numpy as np
import numpy.typing as npt
import yaml
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, field_validator

from osler.errors import BadInput
from osler.knowledge.findings import Finding, Kind, findings

_BRACKETS: Final = re.compile(r"[(\[][^()\[\]]{0,200}[)\]]")

_SURENESS: Final = re.compile(
    r"^\W*(?:(?:most|very|highly|the|a|an|likely|probabl[ey]|possibl[ey]|presumed|suspected|provisional|working"
    r"|diagnosis|is|of|:)\W+)+",
    re.IGNORECASE,
)


@lru_cache(maxsize=8192)
def diagnosis_key(name: str) -> str:
    """A key shared by names that mean the same diagnosis. It is an equivalence, so votes can be counted.

    The names and synonyms of a known condition share a key; any other name is compared by its words in order.
    """
    readings = [name, _SURENESS.sub("", name)]
    readings += [_BRACKETS.sub(" ", text) for text in readings]
    for text in readings:
        row = knowledge().find(text)
        if row is not None:
            return f"condition {knowledge().conditions[row].id}"
    return f"words {name_key(readings[-1]) or readings[-1].strip().casefold()}"


Vector = npt.NDArray[np.float64]

FILE: Final = Path(__file__).with_name("conditions.yaml")

_LEAST: Final = 0.002

_OUTSIDE: Final = 0.02


class AgeBand(NamedTuple):
    """A half-open age range [`low`, `high`) in years, and its factor on the prior."""

    low: float
    high: float
    factor: float


_ANY_AGE: Final = AgeBand(-1, 1000, 1)

_NO_AGE: Final = AgeBand(-1, -1, 0)


class Condition(BaseModel):
    """One disease. `prior` is a relative weight; `findings` maps a finding's id to P(present | condition)."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    name: str
    synonyms: tuple[str, ...] = ()
    specialty: str
    prior: float = Field(gt=0)
    ages: tuple[AgeBand, ...] = ()
    sex: dict[Literal["female", "male"], float] = {}
    must_not_miss: bool = False
    findings: dict[str, float]
    plan: tuple[str, ...] = Field(min_length=1)
    followup: str

    @field_validator("findings")
    @classmethod
    def _are_probabilities(cls, found: dict[str, float]) -> dict[str, float]:
        wrong = [name for name, p in found.items() if not 0 < p < 1]
        if wrong or not found:
            raise ValueError(f"needs findings with probabilities between 0 and 1; wrong: {', '.join(wrong)}")
        return found


class _Leak(BaseModel):
    model_config = ConfigDict(extra="allow", frozen=True)

    default: dict[Kind, float]
    __pydantic_extra__: dict[str, float]


class _File(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    leak: _Leak
    companions: dict[str, dict[str, float]] = {}
    conditions: dict[str, dict[str, object]]


def factor_of_age(condition: Condition, age_years: float) -> float:
    """The factor of the age band that holds this age; the share outside all bands where none does."""
    inside = [band.factor for band in condition.ages if band.low <= age_years < band.high]
    return sum(inside) if inside else 1.0 if not condition.ages else _OUTSIDE


_Conditions: Final = TypeAdapter(tuple[Condition, ...])


class Knowledge:
    """The conditions and their probability matrices. Immutable; compared by identity.

    `present[c, f]` is P(finding f | condition c), with leak probabilities filled in; `log_present` and
    `log_absent` are the logarithms of it and of its complement, `entropy` the entropy of each entry in nats.
    """

    def __init__(self, conditions: tuple[Condition, ...], present: Vector) -> None:
        self.conditions = conditions
        self.findings: tuple[Finding, ...] = findings()
        self.present = present
        self.log_present = np.log(present)
        self.log_absent = np.log1p(-present)
        self.entropy = -(present * self.log_present + (1 - present) * self.log_absent)
        self._by_key = _keys(conditions)
        self._weight = np.array([c.prior for c in conditions])
        self._sex = {sex: np.array([c.sex.get(sex, 1.0) for c in conditions]) for sex in ("female", "male")}
        most = max(len(c.ages) for c in conditions) or 1
        bands = [[*(c.ages or (_ANY_AGE,)), *[_NO_AGE] * most][:most] for c in conditions]
        self._low, self._high, self._factor = np.moveaxis(np.array(bands, dtype=np.float64), 2, 0)

    @cached_property
    def column(self) -> dict[str, int]:
        """The map from a finding's id to its column."""
        return {item.id: i for i, item in enumerate(self.findings)}

    def find(self, name: str) -> int | None:
        """The row of the condition with this name or synonym in any spelling; `None` if unknown."""
        return self._by_key.get(name_key(name))

    def condition(self, name: str) -> Condition | None:
        """The condition with this name or synonym, or `None`."""
        row = self.find(name)
        return None if row is None else self.conditions[row]

    def prior(self, age_years: float | None, sex: Literal["female", "male"] | None) -> Vector:
        """The log prior over conditions, shape (conditions,); its exponentials sum to one."""
        weights = self._weight * self._sex[sex] if sex else self._weight
        if age_years is not None:
            inside = (self._low <= age_years) & (age_years < self._high)
            weights = weights * np.where(inside.any(axis=1), (inside * self._factor).sum(axis=1), _OUTSIDE)
        prior: Vector = np.log(np.maximum(weights / weights.sum(), 1e-9))
        return prior

    def likely_findings(self, name: str, threshold: float = 0.5) -> tuple[Finding, ...]:
        """The findings present in at least `threshold` of those with the condition; none if it is unknown."""
        row = self.find(name)
        if row is None:
            return ()
        return tuple(item for item, p in zip(self.findings, self.present[row], strict=True) if p >= threshold)


@lru_cache(maxsize=8192)
def name_key(name: str) -> str:
    """A spelling-insensitive key of a diagnosis: case, accents, hyphens, possessives, British/American."""
    plain = unicodedata.normalize("NFKD", name[:300].lower())
    plain = "".join(c for c in plain if not unicodedata.combining(c))
    plain = re.sub(r"['’]s?\b", "", plain).replace("ae", "e").replace("oe", "e").replace("our", "or")
    words = re.findall(r"[a-z0-9]+", plain)
    return " ".join(
        word for word in words if word not in ("the", "a", "an", "of", "acute", "disease", "syndrome")
    )


def _keys(conditions: tuple[Condition, ...]) -> dict[str, int]:
    """Rows by key. Names take precedence over synonyms; of two conditions sharing one, the first keeps it."""
    keys: dict[str, int] = {}
    for row, item in enumerate(conditions):
        keys.setdefault(name_key(item.name), row)
    for row, item in enumerate(conditions):
        for name in item.synonyms:
            keys.setdefault(name_key(name), row)
    return keys


def load_knowledge(path: Path) -> Knowledge:
    """Read a conditions file. Raises `BadInput` naming what is invalid."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        file = _File.model_validate(yaml.load(path.read_text("utf-8"), Loader=loader))  # noqa: S506 - both are the safe loaders
        rows = _Conditions.validate_python([{**entry, "id": i} for i, entry in file.conditions.items()])
    except (OSError, UnicodeDecodeError, yaml.YAMLError, ValidationError) as error:
        raise BadInput(f"the conditions cannot be read: {error}", where=str(path)) from error
    if not rows:
        raise BadInput("there are no conditions", where=str(path))
    known = {item.id: item for item in findings()}
    extra = file.leak.__pydantic_extra__
    named = {i for row in rows for i in row.findings}.union(extra, file.companions, *file.companions.values())
    unknown = named - known.keys()
    if unknown:
        raise BadInput(f"no finding has the id: {', '.join(sorted(unknown))}", where=str(path))
    missing = {item.kind for item in known.values()} - file.leak.default.keys()
    if missing:
        raise BadInput(f"`leak.default` lacks: {', '.join(sorted(missing))}", where=str(path))
    leak = np.array([extra.get(item.id, file.leak.default[item.kind]) for item in findings()])
    return Knowledge(rows, _matrix(rows, leak, file.companions))


def _matrix(conditions: Iterable[Condition], leak: Vector, companions: dict[str, dict[str, float]]) -> Vector:
    """The (conditions, findings) matrix: listed, companion and implied probabilities, else the leak."""
    column = {item.id: i for i, item in enumerate(findings())}
    lines = []
    for condition in conditions:
        line = leak.copy()
        for name, p in condition.findings.items():
            line[column[name]] = p
        for name, p in condition.findings.items():
            for other, factor in companions.get(name, {}).items():
                if other not in condition.findings:
                    line[column[other]] = max(line[column[other]], factor * p)
        for name, p in condition.findings.items():
            _raise_implied(line, column, findings()[column[name]], p)
        lines.append(line)
    return np.clip(np.array(lines), _LEAST, 1 - _LEAST)


def _raise_implied(line: Vector, column: dict[str, int], item: Finding, p: float) -> None:
    for name in item.implies:
        line[column[name]] = max(line[column[name]], p)
        _raise_implied(line, column, findings()[column[name]], p)


@lru_cache(maxsize=1)
def knowledge() -> Knowledge:
    """The packaged knowledge base."""
    return load_knowledge(FILE)


def condition(name: str) -> Condition | None:
    """The packaged condition with this name or synonym, or `None`."""
    return knowledge().condition(name)


@lru_cache(maxsize=4096)
def likely_findings(name: str, threshold: float = 0.5) -> tuple[Finding, ...]:
    """The findings likely in the packaged condition with this name or synonym; none if it is unknown."""
    return knowledge().likely_findings(name, threshold)


@lru_cache(maxsize=1)
def specialties() -> tuple[str, ...]:
    """The specialties of the packaged conditions, sorted by name."""
    return tuple(sorted({condition.specialty for condition in knowledge().conditions}))
