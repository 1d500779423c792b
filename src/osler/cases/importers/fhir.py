"""Importer of FHIR bundles of one patient each (DSTU2, STU3, R4, R5), as Synthea writes them.

The diagnosis is the condition seen at the last encounter that has one; without such an encounter, the latest
active condition. What was known before is history; of repeated observations, prescriptions and procedures
up to then, the last is kept. Anything prescribed, done or found after is withheld, and so is what is not so,
not known or not understood, with the reason. Each resource has one holder. Names, numbers, addresses and the
birth date are removed (de-identification), and the case says so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from osler.cases.door_note import person_words
from osler.cases.importers.build_case import TopicStatement, facts_of, first_words, leaks_seen, valid_case
from osler.cases.importers.demographics import OLDEST, voice
from osler.cases.importers.fhir_absences import wording_of
from osler.cases.importers.fhir_diagnosis import DiagnosisChoice, chosen_of, is_social
from osler.cases.importers.fhir_identity import Identity
from osler.cases.importers.fhir_observations import observations_of
from osler.cases.importers.fhir_record import ADMINISTRATIVE, Record, Resource, without_kind
from osler.cases.importers.fhir_statements import Statement, Unsaid, statement_of
from osler.cases.importers.fhir_values import (
    age_between,
    concept,
    concept_names,
    listed,
    prose_within,
    words_within,
)
from osler.cases.importers.json_paths import words_of
from osler.cases.importers.leaks import plain
from osler.cases.importers.reading import each_record, open_bytes
from osler.cases.importers.report import UNSURE, Rejected
from osler.cases.model import Case, Diagnosis, Fact, Finding, Opening, Provenance, Sex, Task, Withheld
from osler.knowledge.vocabulary import Topic
from osler.text.records.speech_ability import speaks_for
from osler.text.topics import topic_of_statement

NAME: Final = "fhir"
LOOKS_LIKE: Final = re.compile(
    rb'"resourceType"\s*:\s*"Bundle"|<\w+[^>]{0,200}xmlns\s*=\s*["\']http://hl7\.org/fhir["\']'
)
AS_XML: Final = "this is FHIR as XML, and only FHIR as JSON is read: convert it, or ask its source for JSON"
QUESTION: Final = "What is the most likely diagnosis?"
# Synthea writes tens of megabytes for a long life; a whole bundle is held in memory.
MAX_BUNDLE_BYTES: Final = 64_000_000
LEFT_OUT: Final = "left out: it says who the patient is"
_LONGEST: Final = 100_000
_MOST_DOUBTS: Final = 20
_PEEKED: Final = 1000
_DATED: Final = re.compile(r" \(\d{4}[-\d]{0,6}\)$")
_SEXES: Final[dict[str, Sex]] = {"male": "male", "female": "female"}


class Holders:
    """The resources sorted by holder; `hidden` keeps the path and the words of those that no seat gets."""

    def __init__(self, answer: tuple[str, ...], identity: Identity) -> None:
        self.complaint: list[tuple[str, str]] = []
        self._told: dict[str, tuple[TopicStatement, Resource]] = {}
        self.hidden: list[Withheld] = []
        self.doubts: list[str] = []
        self._names = tuple(f" {plain(name)} " for name in answer if plain(name))
        self._identity = identity

    @property
    def told(self) -> list[TopicStatement]:
        """The patient's statements, in order."""
        return [said for said, _ in self._told.values()]

    def names_the_answer(self, text: str) -> bool:
        told = f" {plain(text)} "
        return any(name in told for name in self._names)

    def is_private(self, text: str) -> bool:
        return self._identity.is_in_term(text)

    def tell(self, text: str, topic: Topic, resource: Resource, *, absent: bool = False) -> None:
        """Add a statement unless it is private or names the answer; keep only the last of repeated ones."""
        if self.is_private(text) or self.names_the_answer(text):
            self.hide(resource, "it names the answer" if self.names_the_answer(text) else "")
            return
        undated = _DATED.sub("", text)
        said = (TopicStatement(f"{text}.", topic, resource.path, absent), resource)
        before = self._told.get(undated, said)
        older, self._told[undated] = sorted((before, said), key=lambda one: one[1].day)
        if before is not said:
            self.hide(older[1], "a later one like it is told")

    def leave_out(self, resource: Resource, unsaid: Unsaid) -> None:
        """Withhold a resource for a reason; where it may be so, the report names it."""
        self.hide(resource, unsaid.why)
        if unsaid.is_doubtful:
            self.doubts.append(
                f"{words_of(resource.data.get('resourceType'))} in {resource.path}: {unsaid.why}"
            )

    def hide(self, resource: Resource, why: str = "") -> None:
        """Withhold a resource, with the reason and all its words, unless they say who the patient is."""
        text = "; ".join(
            (
                words_of(resource.data.get("resourceType")) or resource.kind,
                *dict.fromkeys(words_within(resource.data)),
            )
        )
        names = self.is_private(text) or any(map(self._identity.is_in_prose, prose_within(resource.data)))
        self.withhold(resource.path, LEFT_OUT if names else f"{text} (not told: {why})" if why else text)

    def withhold(self, path: str, text: str) -> None:
        """Withhold a text. What is too long to keep is cut, and says so."""
        cut = len(text) - _LONGEST
        kept = f"{text[:_LONGEST]} ({cut} more characters are not kept)" if cut > 0 else text
        self.hidden.append(Withheld(text=kept, source=path))

    def hide_unread(self, resource: Resource, heard: str) -> None:
        """Withhold the words of a resource that are not in what is heard of it."""
        spoken = f" {plain(heard)} "
        words = dict.fromkeys(words_within(resource.data))
        unread = [word for word in words if f" {plain(without_kind(word))} " not in spoken]
        if unread:
            text = "; ".join(unread)
            names = self.is_private(text) or any(map(self._identity.is_in_prose, prose_within(resource.data)))
            self.withhold(f"{resource.path}[unread]", LEFT_OUT if names else text)


def read(path: Path, prefix: str) -> Iterator[Case | Rejected]:
    """Read each bundle of a file as a case, or reject it with a reason."""
    with open_bytes(path) as file:
        start = file.read(_PEEKED)
    if start.lstrip()[:1] == b"<" and LOOKS_LIKE.search(start):
        yield Rejected(1, AS_XML)
        return
    yield from each_record(
        path,
        lambda record: import_bundle(record.value, record.number, path.name, prefix),
        MAX_BUNDLE_BYTES,
    )


def import_bundle(bundle: Mapping[str, object], number: int, origin: str, prefix: str = NAME) -> Case:
    """One bundle as a case with the id `<prefix>-<number>`. Raises BadCase, saying why, if it is not one."""
    record = Record.of(bundle)
    choice = chosen_of(record)
    names = concept_names(choice.condition.data.get("code"))
    answer = without_kind(names[0])
    synonyms = tuple(
        dict.fromkeys(name for full in names for name in (without_kind(full), full) if name != answer)
    )
    holders = Holders((answer, *synonyms), record.identity)
    findings = _sort(record, choice, holders)
    age, sex = _age(record, choice), _SEXES.get(words_of(record.patient.data.get("gender")).lower())
    now = (said.text for said in holders.told if "(active" in said.text)  # no illness that has passed
    speaks = voice(age, ". ".join((*(text for text, _ in holders.complaint), answer, *now)))
    speaker = speaks.speaker
    opening = Opening(
        door_note=person_words(age, sex),
        words=first_words("; ".join(_small(text) for text, _ in holders.complaint), speaker, sex),
        sources=(
            *([f"{record.patient.path}.gender"] if sex else []),
            *(path for _, path in holders.complaint),
        ),
    )
    facts = facts_of(holders.told, speaker)
    _hide_unread(record, opening, facts, findings, holders)
    doubts = [f"the answer, {choice.condition.path}: {choice.doubt}"] if choice.doubt else []
    notes = [
        *speaks_for(speaks),
        *_doubts([*doubts, *holders.doubts]),
        *([f"note: read as FHIR {record.version}"] if record.version != "R4" else []),
        *(["note: the source gives no age"] if age is None else []),
        *(["note: the source gives no sex"] if sex is None else []),
        *(["note: no primary symptom"] if not holders.complaint else []),
        *(["note: no examination or test findings"] if not findings else []),
        f"note: {len(holders.hidden)} resources and identifying fields are withheld",
    ]
    return valid_case(
        id=f"{prefix}-{number:04d}",
        task=Task(kind="diagnosis", question=QUESTION, answer=answer, accepts=synonyms),
        age_years=age,
        sex=sex,
        speaker=speaker,
        opening=opening,
        facts=facts,
        findings=findings,
        diagnosis=Diagnosis(name=answer, synonyms=synonyms),
        withheld=tuple(holders.hidden),
        provenance=Provenance(
            origin=origin, record=str(number), flags=(*leaks_seen(answer, opening, facts, findings), *notes)
        ),
    )


def _age(record: Record, choice: DiagnosisChoice) -> float | None:
    age = age_between(record.born, choice.day)
    return age if age is not None and age <= OLDEST else None


def _doubts(doubts: list[str]) -> Iterator[str]:
    """Flags of what may be so and is not told, the answer's first."""
    yield from (f"{UNSURE}: {doubt}" for doubt in doubts[:_MOST_DOUBTS])
    if len(doubts) > _MOST_DOUBTS:
        yield f"{UNSURE}: {len(doubts) - _MOST_DOUBTS} more resources"


def _sort(record: Record, choice: DiagnosisChoice, holders: Holders) -> tuple[Finding, ...]:
    """Give each resource to its one holder; return the findings."""
    _patient(record.patient, holders)
    holders.hide(choice.condition)
    observed = observations_of(record, choice)
    for text, resource in observed.habits:
        holders.tell(text, _habit(text), resource)
    for resource, unsaid in observed.unused:
        holders.leave_out(resource, unsaid)
    placed = {record.patient.path, choice.condition.path, *(one.source for one in observed.findings)}
    placed |= {resource.path for _, resource in observed.habits}
    placed |= {resource.path for resource, _ in observed.unused}
    statements: list[tuple[Resource, Statement | Unsaid]] = []
    for resource in record.resources:
        if resource.path in placed:
            continue
        if resource.kind in ADMINISTRATIVE:
            holders.withhold(resource.path, f"{resource.kind}: left out, it is administrative")
        elif reason := _reason(resource, record, choice, holders):
            holders.complaint.append((reason, resource.path))
        else:
            statements.append((resource, statement_of(resource, record, choice)))
    _tell(statements, record, holders)
    return observed.findings


def _tell(statements: list[tuple[Resource, Statement | Unsaid]], record: Record, holders: Holders) -> None:
    """Tell what can be told. "No known allergies" is not, where the record holds an allergy after all."""
    present = {"Condition"} | {
        _group(resource)
        for resource, one in statements
        if (one.is_doubtful if isinstance(one, Unsaid) else not one.absent)
        and not (_group(resource) == "medicines" and record.verdict(resource).asserts == "past")
    }
    for resource, one in statements:
        if isinstance(one, Unsaid):
            holders.leave_out(resource, one)
        elif one.denies in present:
            holders.leave_out(resource, Unsaid("the record holds what it denies", one.denies != "Condition"))
        else:
            holders.tell(one.text, one.topic, resource, absent=one.absent)


def _group(resource: Resource) -> str:
    return "medicines" if resource.kind.startswith("Medication") else resource.kind


def _patient(patient: Resource, holders: Holders) -> None:
    """Sort the patient's own fields: all but sex and marital status are left out, the age is kept."""
    married = concept(patient.data.get("maritalStatus"))
    for key, value in patient.data.items():
        field = patient._replace(path=f"{patient.path}.{key}", data={key: value})
        if key == "maritalStatus" and len(married) > 1 and wording_of("Patient", value).presence != "unknown":
            holders.tell(f"Marital status: {married}", "home", field)
        elif key == "gender" and words_of(value).lower() in _SEXES:
            continue
        elif key in ("resourceType", "gender", "maritalStatus"):
            holders.withhold(field.path, "; ".join((key, *words_within({key: value}), words_of(value))))
        else:
            holders.withhold(field.path, LEFT_OUT)


def _reason(resource: Resource, record: Record, choice: DiagnosisChoice, holders: Holders) -> str:
    """The reason for the visit: the encounter's, or a symptom recorded at it; never the answer."""
    if choice.encounter is None or not record.verdict(resource).is_told:
        return ""
    code: object = None
    if resource.path == choice.encounter.path:
        reasons = listed(resource.data.get("reasonCode"))
        code = next((one for one in reasons if concept(one)), None)
    elif resource.kind == "Condition" and record.seen_at(resource, choice.encounter):
        code = None if resource.is_disorder or is_social(resource) else resource.data.get("code")
    text = concept(code)
    if not text or holders.names_the_answer(text) or holders.is_private(text):
        return ""
    return without_kind(text) if wording_of("Condition", code).presence == "stated" else ""


def _small(text: str) -> str:
    return text[:1].lower() + text[1:] if text[1:2].islower() else text


def _habit(text: str) -> Topic:
    if re.search(r"tobacco|smok", text, re.IGNORECASE):
        return "tobacco"
    return topic_of_statement(text, "home")


def _hide_unread(
    record: Record, opening: Opening, facts: tuple[Fact, ...], findings: tuple[Finding, ...], holders: Holders
) -> None:
    """Withhold the words of a resource that did not make it into its holder's text."""
    heard = dict.fromkeys(opening.sources, opening.words)
    heard |= {fact.source or "": fact.text for fact in facts}
    heard |= {one.source or "": " ".join((one.name, *one.aliases, one.result)) for one in findings}
    for resource in record.resources:
        if text := heard.get(resource.path):
            holders.hide_unread(resource, text)
