"""Importer of DDXPlus's synthetic patients: a table of millions of rows, read one at a time.

Every evidence of a row becomes a fact; a yes-or-no evidence that the row does not list was answered no, and
becomes an explicit negative. The initial evidence is the opening. The facts of an answer are built once and
shared between rows. DDXPlus holds no examinations or tests, so neither do its cases.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Final

from osler.cases.door_note import person_words
from osler.cases.importers.build_case import first_words, valid_case
from osler.cases.importers.ddxplus_evidence import COMPANIONS as COMPANIONS
from osler.cases.importers.ddxplus_evidence import (
    Condition,
    Evidence,
    SpokenAnswer,
    conditions_beside,
    evidences_beside,
    said_values,
    said_yes_or_no,
)
from osler.cases.importers.demographics import OLDEST, PARENT_SPEAKS_UNDER_YEARS
from osler.cases.importers.json_paths import clean, words_of
from osler.cases.importers.reading import read_rows
from osler.cases.importers.report import Rejected
from osler.cases.model import Case, Diagnosis, Fact, Opening, Provenance, Sex, Task, Withheld
from osler.errors import BadCase
from osler.knowledge.vocabulary import Topic
from osler.text.topics import topic_of_statement

NAME: Final = "ddxplus"
LOOKS_LIKE: Final = re.compile(rb"\bINITIAL_EVIDENCE\b")
QUESTION: Final = "What is the most likely diagnosis?"
_NEEDED: Final = ("PATHOLOGY", "EVIDENCES")
_READ: Final = ("AGE", "SEX", "PATHOLOGY", "EVIDENCES", "INITIAL_EVIDENCE")
_SEXES: Final[dict[str, Sex]] = {"m": "male", "male": "male", "f": "female", "female": "female"}
_VALUE: Final = "_@_"
_MOST_EVIDENCES: Final = 1000
_MOST_KEPT: Final = 10_000
_NOTES: Final = ("note: no examination findings", "note: no test results")


def read(path: Path, prefix: str) -> Iterator[Case | Rejected]:
    """Read each row of a table as a case, or reject it by its number (from 1, below the header), saying why.

    Raises BadInput where the header, or a companion file that must be beside it, is missing.
    """
    answers = Answers(evidences_beside(path))
    conditions = conditions_beside(path)
    for number, row in read_rows(path, _NEEDED, lambda cell: clean(cell).upper()):
        if isinstance(row, str):
            yield Rejected(number, row)
            continue
        try:
            yield _case(row, answers, conditions, f"{prefix}-{number:04d}", path.name, number)
        except BadCase as error:
            yield Rejected(number, error.what)


class Answers:
    """The cache of facts, built once and shared by all rows that give the same answer."""

    def __init__(self, evidences: dict[str, Evidence]) -> None:
        self.evidences = evidences
        self._fact = lru_cache(maxsize=_MOST_KEPT)(self._new_fact)
        self._absent = {
            by_parent: {
                code: _fact(evidence, said_yes_or_no(evidence.question, False), by_parent)
                for code, evidence in evidences.items()
                if evidence.kind == "B"
            }
            for by_parent in (False, True)
        }

    def facts(self, given: dict[str, tuple[str, ...]], by_parent: bool) -> tuple[Fact, ...]:
        """The facts of a row: the evidences it lists, in its order, then the negatives. Raises BadCase."""
        told = [self._fact(code, values, by_parent) for code, values in given.items()]
        denied = (fact for code, fact in self._absent[by_parent].items() if code not in given)
        return (*told, *denied)

    def _new_fact(self, code: str, values: tuple[str, ...], by_parent: bool) -> Fact:
        return _fact(self.evidences[code], self.stated(code, values), by_parent)

    def stated(self, code: str, values: tuple[str, ...]) -> SpokenAnswer:
        """The statement of one evidence with its values. Raises BadCase for an invalid value."""
        evidence = self.evidences[code]
        if evidence.kind == "B":
            if values:
                raise BadCase(f"evidence {code} is yes or no and has no value {values[0][:40]}")
            return said_yes_or_no(evidence.question, True)
        for value in values:
            if value not in evidence.meanings and value not in evidence.values:
                raise BadCase(f"evidence {code} has no value {value[:40]}")
        if not values:
            raise BadCase(f"evidence {code} needs a value")
        return said_values(evidence, values)


def _fact(evidence: Evidence, answer: SpokenAnswer, by_parent: bool) -> Fact:
    heading: Topic = "systems" if answer.absent else "associated"
    if evidence.antecedent:
        heading = "past_medical"
    elif evidence.kind != "B":
        heading = "character"
    return Fact(
        id=evidence.code,
        topic=topic_of_statement(answer.text, heading),
        text=answer.text,
        spoken=None if by_parent else answer.spoken,
        known_by="parent" if by_parent else "patient",
        absent=answer.absent,
        key=not (answer.absent or evidence.antecedent),
        source="EVIDENCES",
    )


def _case(
    row: dict[str, str],
    answers: Answers,
    conditions: dict[str, Condition],
    ident: str,
    origin: str,
    number: int,
) -> Case:
    pathology = words_of(row["PATHOLOGY"])
    condition = conditions.get(pathology.casefold())
    if condition is None:
        raise BadCase(
            f"the conditions do not hold {pathology[:80]!r}" if pathology else "it has no PATHOLOGY"
        )
    age, sex = _age(words_of(row.get("AGE"))), _SEXES.get(words_of(row.get("SEX")).lower())
    by_parent = age is not None and age < PARENT_SPEAKS_UNDER_YEARS
    given = _given(row["EVIDENCES"], answers)
    speaker = "parent" if by_parent else "patient"
    initial = words_of(row.get("INITIAL_EVIDENCE"))
    missing = [
        f"note: the source gives no {what}"
        for what, value in (("age", age), ("sex", sex), ("initial evidence", initial or None))
        if value is None
    ]
    opening = Opening(
        door_note=person_words(age, sex),
        words=_first_words(initial, given, answers, speaker),
        sources=tuple(name for name in ("AGE", "SEX", "INITIAL_EVIDENCE") if words_of(row.get(name))),
    )
    return valid_case(
        id=ident,
        task=Task(kind="diagnosis", question=QUESTION, answer=condition.name),
        age_years=age,
        sex=sex,
        speaker=speaker,
        opening=opening,
        facts=answers.facts(given, by_parent),
        findings=(),
        diagnosis=Diagnosis(name=condition.name, icd10=condition.icd10),
        withheld=tuple(
            Withheld(text=clean(text), source=name)
            for name, text in row.items()
            if name not in _READ
            or name == "PATHOLOGY"
            or (name not in opening.sources and name != "EVIDENCES")
        ),
        provenance=Provenance(origin=origin, record=str(number), flags=(*missing, *_NOTES)),
    )


def _age(text: str) -> float | None:
    if not text:
        return None
    try:
        age = float(text)
    except ValueError:
        raise BadCase(f"AGE is not a number: {text[:40]!r}") from None
    if not 0 <= age <= OLDEST:
        raise BadCase(f"AGE is not between 0 and {OLDEST}: {text[:40]}")
    return age


def _given(text: str, answers: Answers) -> dict[str, tuple[str, ...]]:
    """The evidences of a row by code, each with its values in order; no values for yes-or-no."""
    pairs: dict[str, tuple[str, ...]] = {}
    for item in _listed(text):
        code, _, value = item.strip().partition(_VALUE)
        if code not in answers.evidences:
            raise BadCase(f"the evidences do not hold {code[:40]!r}")
        before = pairs.get(code, ())
        pairs[code] = (*before, value) if value and value not in before else before
    if not pairs:
        raise BadCase("it has no evidence")
    return pairs


def _listed(text: str) -> list[str]:
    """Parse a list as Python or JSON writes it; nothing in it is ever evaluated."""
    if not words_of(text):
        raise BadCase("it has no evidence")
    try:
        value = json.loads(text if '"' in text else text.replace("'", '"'))
    except (ValueError, RecursionError):
        try:
            value = ast.literal_eval(text.strip())
        except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
            raise BadCase("EVIDENCES is not a list") from None
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise BadCase("EVIDENCES is not a list of codes")
    if len(value) > _MOST_EVIDENCES:
        raise BadCase(f"it lists more than {_MOST_EVIDENCES} evidences")
    return value


def _first_words(initial: str, given: dict[str, tuple[str, ...]], answers: Answers, speaker: str) -> str:
    """The initial evidence in the speaker's words."""
    if not initial:
        return first_words("", speaker)
    code, _, value = initial.partition(_VALUE)
    if code not in answers.evidences:
        raise BadCase(f"the evidences do not hold the initial evidence {code[:40]!r}")
    answer = answers.stated(code, (value,) if value else given.get(code, ()))
    return answer.spoken if speaker == "patient" else first_words(answer.text, speaker)
