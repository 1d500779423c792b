"""Importer of AgentClinic's OSCE records: every leaf of the source goes to exactly one holder.

The objective, the demographics and the primary symptom are the opening; what the patient actor knows becomes
facts, one statement each; examinations and tests become findings; the diagnosis, management and anything
unrecognized are withheld. A record without a diagnosis cannot be scored and is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from osler.cases.importers.agentclinic_keys import Field, field_of, topic_under
from osler.cases.importers.build_case import (
    TopicStatement,
    bounded,
    cut_short,
    facts_of,
    findings_of,
    first_words,
    left_over,
    no_evidence,
    no_person,
    valid_case,
)
from osler.cases.importers.demographics import person_of, voice
from osler.cases.importers.findings import SourceResult, findings_in
from osler.cases.importers.json_paths import Leaf, below, clean, label, last_key, leaves_of, words_of
from osler.cases.importers.leaks import leaks_in
from osler.cases.importers.reading import each_record
from osler.cases.importers.report import Rejected
from osler.cases.importers.sentences import (
    Statement,
    ended,
    is_negative,
    says_nothing,
    statements,
    unlike_items,
)
from osler.cases.model import Case, Diagnosis, Opening, Provenance, Task
from osler.errors import BadCase
from osler.knowledge.vocabulary import Topic
from osler.text.records.speech_ability import speaks_for
from osler.text.topics import topic_of_statement

NAME: Final = "agentclinic"
LOOKS_LIKE: Final = re.compile(rb'"(?:OSCE_Examination|Patient_Actor)"')
QUESTION: Final = "What is the most likely diagnosis?"
WRAPPER: Final = "OSCE_Examination"
_ACTOR: Final = "Patient_Actor"
_DIAGNOSIS_KEYS: Final = ("diagnosis", "name", "primary", "final", "main", "principal")
_ACRONYM: Final = re.compile(r"\s*\(([A-Z][A-Za-z]{0,3}[A-Z][A-Z0-9]{0,4})\)")
_REPORTER: Final = re.compile(
    r"\b(?:his|her|their|the|\w+['’]s)\s+(?:mother|father|parents?|wife|husband|daughter|son|brother|"
    r"sister|family(?: members?)?|partner|caregiver)\s+(?:(?:has|have|also|further)\s+)?(?:reports?|notes|"
    r"noticed|states|mentions|adds|describes|says|found|observed|witnessed|recalls|believes|"
    r"(?:is|are) concerned)\b(?:\s+that\b)?",
    re.IGNORECASE,
)
# Headings under which "None" is an absence, and no missing value.
_MAY_BE_NONE: Final[frozenset[Topic]] = frozenset(
    ("allergies", "medications", "past_medical", "past_surgical", "family", "tobacco", "alcohol", "drugs",
     "travel", "exposure")
)  # fmt: skip
_NONE: Final = re.compile(r"\W*(?:none|nil)\W*", re.IGNORECASE)
_SPEAKS_FOR_ITSELF: Final = ("systems", "course", "complaint", "associated")
_ABSTAINED: Final[Topic] = "other"


class Parts:
    """A record sorted by holder, filled while its keys are read."""

    def __init__(self) -> None:
        self.note: list[Leaf] = []
        self.about: list[Leaf] = []
        self.first: list[Leaf] = []
        self.told: list[TopicStatement] = []
        self.found: list[SourceResult] = []
        self.diagnosis: list[Leaf] = []
        self.remarks: list[str] = []


def read(path: Path, prefix: str) -> Iterator[Case | Rejected]:
    """Read each record of a file as a case, or reject it with a reason."""
    return each_record(path, lambda record: import_record(record.value, record.number, path.name, prefix))


def import_record(
    record: Mapping[str, object], number: int, origin: str, prefix: str = "agentclinic"
) -> Case:
    """One record as a case with the id `<prefix>-<number>`. Raises BadCase, saying why, if it is not one."""
    leaves = bounded(record)
    body, path = _body(record)
    parts = Parts()
    for key, value in body.items():
        if key == _ACTOR:
            _actor(value, below(path, key), parts)
        else:
            _place(value, below(path, key), field_of(key, within_patient=False), parts)
    ident = f"{prefix}-{number:04d}"
    return _case(parts, leaves, _answer(parts), ident, Provenance(origin=origin, record=str(number)))


def _body(record: Mapping[str, object]) -> tuple[Mapping[str, object], str]:
    inner = record.get(WRAPPER)
    if isinstance(inner, Mapping):
        return inner, WRAPPER
    if WRAPPER in record:
        raise BadCase(f"{WRAPPER} must be an object")
    if _ACTOR in record or "Correct_Diagnosis" in record:
        return record, ""
    raise BadCase(f"it has no {WRAPPER}")


def _actor(actor: object, path: str, parts: Parts) -> None:
    if not isinstance(actor, Mapping):
        _tell(actor, path, Field("patient", "course"), parts, main=True)
        return
    for key, value in actor.items():
        _place(value, below(path, key), field_of(key, within_patient=True), parts)


def _place(value: object, path: str, field: Field, parts: Parts) -> None:
    leaves = [leaf for leaf in leaves_of(value, path) if words_of(leaf.value)]
    if field.part == "objective":
        parts.note += leaves
    elif field.part == "demographics":
        parts.about += leaves
    elif field.part == "diagnosis":
        parts.diagnosis += leaves
    elif field.part == "symptoms":
        _symptoms(value, path, parts)
    elif field.part == "patient":
        _tell(value, path, field, parts, main=field.topic == "course")
    elif field.part in ("examination", "tests"):
        parts.found += findings_in(value, path, "examination" if field.part == "examination" else "test")
    elif leaves:
        parts.remarks.append(f"note: withheld, not for any seat: {path}")


def _symptoms(value: object, path: str, parts: Parts) -> None:
    """Sort the symptoms: the primary one is volunteered first, the others are told when asked."""
    if not isinstance(value, Mapping):
        _tell(value, path, Field("patient", "associated"), parts, main=True)
        return
    for key, child in value.items():
        place = below(path, key)
        if "primary" in key.lower() and not parts.first:
            parts.first += [leaf for leaf in leaves_of(child, place) if words_of(leaf.value)]
        else:
            _tell(child, place, Field("patient", "associated"), parts, main=True)


def _tell(value: object, path: str, field: Field, parts: Parts, *, main: bool) -> None:
    """Add every leaf of a patient's section as statements."""
    nothing = True
    for leaf in leaves_of(value, path):
        text = words_of(leaf.value)
        if field.topic in _MAY_BE_NONE and leaf.path == path and _NONE.fullmatch(text):
            nothing = False
            name = label(last_key(path, ""))
            parts.told.append(TopicStatement(f"{name}: none.", field.topic, path, absent=True))
            continue
        if says_nothing(text):
            continue
        nothing = False
        heading = label(key) if (key := last_key(leaf.path, path)) else ""
        inner = field
        if heading and field.topic != "systems":
            named = field_of(heading.replace(" ", "_"), within_patient=True)
            inner = named if named.part == "patient" and named.topic != "other" else field
        parts.told += (
            TopicStatement(said.text, topic, leaf.path, said.absent, key=main)
            for said, topic in _statements(text, heading, inner, parts, leaf.path)
        )
    if nothing:
        parts.remarks.append(f"note: nothing is said in {path}")


def _statements(
    text: str, heading: str, field: Field, parts: Parts, path: str
) -> Iterator[tuple[Statement, Topic]]:
    topic: Topic = "complaint" if field.topic == "course" and not parts.told else field.topic
    for statement in statements(text):
        if says_nothing(statement.text) and not heading:
            # The leaf has other statements; this one is kept where a reader of the case can see it.
            parts.remarks.append(f"note: said of {path}, but it tells nothing: {statement.text}")
            continue
        for piece, about in _by_topic(statement, topic, field):
            yield _sentence(piece, heading if _needs_heading(piece.text, field) else ""), about
        topic = field.topic


def _needs_heading(text: str, field: Field) -> bool:
    if field.topic not in _SPEAKS_FOR_ITSELF:
        return True
    return len(text.split()) < 3 and not text.lower().startswith(("denies ", "no "))


def _sentence(said: Statement, heading: str) -> Statement:
    text = f"{heading}: {said.text}" if heading else said.text[:1].upper() + said.text[1:]
    return said._replace(text=ended(text))


def _by_topic(said: Statement, topic: Topic, field: Field) -> Iterator[tuple[Statement, Topic]]:
    """Split a statement that lists unlike things into one statement for each topic."""
    items = unlike_items(said.text) if field.listed else [said.text]
    if len(items) == 1:
        yield said, _about(said.text, topic)
        return
    groups: list[tuple[list[str], Topic]] = []
    for item in items:
        about = _about(item, _ABSTAINED)
        if groups and about in (groups[-1][1], _ABSTAINED):
            groups[-1][0].append(item)
        else:
            groups.append(([item], topic_under(topic, topic if about == _ABSTAINED else about)))
    for together, about in groups:
        text = ", ".join(together)
        yield Statement(text, is_negative(text)), about


def _about(text: str, heading: Topic) -> Topic:
    # "His mother reports that ..." is about what she reports, not about the family.
    return topic_under(heading, topic_of_statement(_REPORTER.sub("", text), heading))


def _answer(parts: Parts) -> str:
    """The diagnosis in words. Of several, the one under a key that says diagnosis, else the first."""
    leaves = [leaf for leaf in parts.diagnosis if not says_nothing(words_of(leaf.value))]
    if not leaves:
        raise BadCase("it has no diagnosis")
    if len(leaves) > 1:
        parts.remarks.append("note: the diagnosis has several parts; one is taken as the answer")
    for name in _DIAGNOSIS_KEYS:
        for leaf in leaves:
            if name in leaf.path.rpartition(".")[2].lower():
                return words_of(leaf.value)
    return words_of(leaves[0].value)


def _case(parts: Parts, leaves: tuple[Leaf, ...], answer: str, ident: str, provenance: Provenance) -> Case:
    about = "; ".join(_with_key(leaf, len(parts.about) > 1) for leaf in parts.about)
    age, sex = person_of(about)
    speaks = voice(age.years, _of_the_patient(about, parts))
    speaker = speaks.speaker
    spoken = first_words("; ".join(words_of(leaf.value).rstrip(". ") for leaf in parts.first), speaker, sex)
    # What the opening cannot say in the patient's words stays whole, as a fact.
    cut = [leaf for leaf in parts.first if cut_short(words_of(leaf.value), spoken)]
    opening = Opening(
        door_note=_door_note(about, parts.note),
        words=spoken,
        sources=tuple(leaf.path for leaf in (*parts.note, *parts.about, *parts.first) if leaf not in cut),
    )
    told = (
        *(TopicStatement(f"{words_of(leaf.value).rstrip('. ')}.", "complaint", leaf.path) for leaf in cut),
        *parts.told,
    )
    facts, findings = facts_of(told, speaker), findings_of(parts.found)
    synonyms = _synonyms(answer)
    remarks = (
        *speaks_for(speaks),
        *no_person(age, sex),
        *(() if parts.first else ("note: no primary symptom",)),
        *no_evidence(facts, findings),
        *parts.remarks,
    )
    held = {*opening.sources, *(said.path for said in told), *(found.path for found in parts.found)}
    return valid_case(
        id=ident,
        task=Task(kind="diagnosis", question=QUESTION, answer=answer, accepts=synonyms),
        age_years=age.years,
        sex=sex,
        speaker=speaker,
        opening=opening,
        facts=facts,
        findings=findings,
        diagnosis=Diagnosis(name=answer, synonyms=synonyms),
        withheld=left_over(leaves, held),
        provenance=provenance.model_copy(
            update={"flags": (*leaks_in(answer, leaves, opening, facts, findings), *remarks)}
        ),
    )


def _of_the_patient(about: str, parts: Parts) -> str:
    """Return the text that shows whether the patient speaks: all said of them, and their examination."""
    texts = [said.text for said in parts.told if said.topic != "family"]
    first = [words_of(leaf.value) for leaf in parts.first]
    examined = [f"{found.name}: {found.result}" for found in parts.found if found.kind == "examination"]
    return " ".join(ended(text) for text in (about, *texts, *first, *examined) if text)


def _with_key(leaf: Leaf, several: bool) -> str:
    key = leaf.path.rpartition(".")[2]
    return f"{label(key)}: {words_of(leaf.value)}" if several else words_of(leaf.value)


def _door_note(about: str, note: list[Leaf]) -> str:
    sentences = [about, *(words_of(leaf.value) for leaf in note)]
    return " ".join(ended(text) for text in sentences if text) or "A patient is waiting to be seen."


def _synonyms(answer: str) -> tuple[str, ...]:
    """Synonyms of `Benign paroxysmal positional vertigo (BPPV)`: without the bracket, and its content."""
    bracket = _ACRONYM.search(answer)
    return (clean(_ACRONYM.sub("", answer)), bracket[1]) if bracket else ()
