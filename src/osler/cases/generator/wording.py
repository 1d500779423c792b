"""The wording of each finding: the patient's words, the plain statement, and the text of a result."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Set
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import Final, NamedTuple, Self

import yaml
from pydantic import BaseModel, ConfigDict, TypeAdapter, model_validator

from osler.cases.model import Sex
from osler.knowledge.coherence import LONG, SOON, Onset
from osler.knowledge.conditions import knowledge
from osler.knowledge.findings import finding, findings
from osler.knowledge.formulary import formulary
from osler.knowledge.vocabulary import Topic

FILE: Final = Path(__file__).with_name("wording.yaml")
CHILD_UNDER_YEARS: Final = 12
_NUMBERS: Final = re.compile(r"\{(\d+(?:\.\d+)?)\.\.(\d+(?:\.\d+)?)\}")
_PRONOUNS: Final = {
    "female": {"{He}": "She", "{he}": "she", "{his}": "her", "{His}": "Her", "{him}": "her"},
    "male": {"{He}": "He", "{he}": "he", "{his}": "his", "{His}": "His", "{him}": "him"},
}


class Wording(BaseModel):
    """One finding in words.

    For one that a patient tells (symptom, history), `text` and `not_text` are plain statements with pronouns
    in braces, `says` and `not_says` the patient's own words; `complaint` names it on the door note if it is
    the reason for coming. For one that is ordered (sign, test), `present` and `absent` are sentences of the
    result, with numbers drawn from `{low..high}`; `child_present` and `child_absent` replace them under
    twelve years, `present_in` in the named conditions, `absent_beside` beside the named findings.
    Of findings that share a `slot`, at most one is present and one sentence is written. `sex` and `ages`
    (half-open range) say in whom it can occur, `excludes` which findings are incompatible with it.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    text: str | None = None
    not_text: str | None = None
    says: str | None = None
    not_says: str | None = None
    complaint: str | None = None
    topic: Topic = "associated"
    present: str | None = None
    absent: str | None = None
    child_present: str | None = None
    child_absent: str | None = None
    present_in: dict[str, str] = {}
    absent_beside: dict[str, str] = {}
    slot: str | None = None
    sex: Sex | None = None
    ages: tuple[float, float] = (0, 131)
    excludes: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _tells_or_results(self) -> Self:
        told = (self.text, self.not_text, self.says, self.not_says)
        if all(told) == bool(self.present and self.absent) or any(told) != all(told):
            raise ValueError("needs text, not_text, says and not_says, or else present and absent")
        return self

    def can_occur(self, age_years: float, sex: Sex) -> bool:
        """Whether it can occur at this age and sex."""
        return self.sex in (None, sex) and self.ages[0] <= age_years < self.ages[1]


class Biography(NamedTuple):
    """A biographical statement that anyone of these ages might make, with its wording as in `Wording`."""

    topic: Topic
    text: str
    says: str
    ages: tuple[float, float] = (0, 131)


class _File(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    findings: dict[str, Wording]
    biography: tuple[Biography, ...]
    reports: dict[str, str]
    began: dict[Onset, str]
    began_of: dict[str, dict[Onset, str]]
    began_in: dict[str, dict[Onset, str]]
    not_soon: str
    not_long: str
    visible: dict[str, tuple[str, str]]


@lru_cache(maxsize=1)
def _file() -> _File:
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    file = TypeAdapter(_File).validate_python(yaml.load(FILE.read_text("utf-8"), Loader=loader))  # noqa: S506 - both are the safe loaders
    missing = {item.id for item in findings()} ^ file.findings.keys()
    if missing:
        raise ValueError(
            f"{FILE.name}: findings without words, or words without a finding: {sorted(missing)}"
        )
    diseases = {item.id for item in knowledge().conditions}
    if strange := {name for words in file.findings.values() for name in words.present_in} - diseases:
        raise ValueError(f"{FILE.name}: no condition has the id: {sorted(strange)}")
    for name in file.findings:
        told = finding(name).kind in ("symptom", "history")
        if told != (file.findings[name].text is not None):
            raise ValueError(f"{FILE.name}: {name} has the words of another kind of finding")
    return file


def wording(id: str) -> Wording:
    """The wording of a finding. Raises KeyError for an unknown id."""
    return _file().findings[id]


def biography() -> tuple[Biography, ...]:
    """The biographical statements, several for each topic."""
    return _file().biography


def normal_report(order: str, age_years: float, sex: Sex) -> str:
    """The report of an examination or a test that shows nothing."""
    if order in _file().reports:
        return _file().reports[order]
    entry = formulary().find(order)
    return (formulary().normal(entry, age_years, sex) if entry else None) or ""


def visible() -> Mapping[str, tuple[str, str]]:
    """The order and report, by finding, that show a complaint at an examination without a sign of its own."""
    return _file().visible


def onset_words(began: Onset, disease: str, complaint: str, denied: Set[str]) -> str:
    """The sentence that says how long ago it began, with numbers to be drawn, in this disease and complaint.

    It also says what is denied: that it began within hours (`SOON`) or weeks and more ago (`LONG`).
    """
    own = _file().began_in.get(disease, {}).get(began) or _file().began_of.get(complaint, {}).get(began)
    words = own or _file().began[began]
    for onset, denial in ((SOON, _file().not_soon), (LONG, _file().not_long)):
        if onset in denied:
            return words.rstrip(".") + denial
    return words


def writer(sex: Sex, rng: Random) -> Callable[[str], str]:
    """Return a function that fills in a sentence's pronouns and samples its numbers.

    Numbers get as many decimals as their bounds have.
    """
    pronouns = _PRONOUNS[sex]

    def number(match: re.Match[str]) -> str:
        decimals = max(len(bound.partition(".")[2]) for bound in match.groups())
        return f"{rng.uniform(float(match[1]), float(match[2])):.{decimals}f}"

    def write(sentence: str) -> str:
        for place, word in pronouns.items():
            sentence = sentence.replace(place, word)
        return _NUMBERS.sub(number, sentence)

    return write


def result_words(words: Wording, age_years: float, *, there: bool) -> str:
    """The sentence of a result that says a sign or a test finding is present, or is absent."""
    child = words.child_present if there else words.child_absent
    if child and age_years < CHILD_UNDER_YEARS:
        return child
    return (words.present if there else words.absent) or ""
