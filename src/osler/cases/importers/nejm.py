"""Importer of AgentClinic's NEJM records: an image question with five answers, and the patient in prose.

The case's own question is asked, whatever it asks for. What the patient knows becomes facts, the examination
becomes findings by body system, the picture a finding with its file, and the answers are options.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from string import ascii_uppercase
from typing import Final, NamedTuple

from osler.cases.door_note import person_words
from osler.cases.importers.agentclinic_keys import Field, field_of
from osler.cases.importers.build_case import (
    TopicStatement,
    bounded,
    facts_of,
    findings_of,
    first_words,
    leaks_seen,
    left_over,
    no_person,
    valid_case,
)
from osler.cases.importers.demographics import Age, person_of, voice
from osler.cases.importers.findings import SourceResult, findings_in
from osler.cases.importers.images import Images, SourceImage, image_words, neutral, texts_in
from osler.cases.importers.json_paths import below, children, label, last_key, leaves_of, readable, words_of
from osler.cases.importers.leaks import nearly, plain
from osler.cases.importers.reading import each_record
from osler.cases.importers.report import Rejected
from osler.cases.importers.role_card import Card, is_role_card, read_card
from osler.cases.importers.sentences import ended, says_nothing, sentences, statements
from osler.cases.importers.vignette.orderable import ResultName, examination_in, result_named
from osler.cases.importers.vignette.question import asks_for_diagnosis
from osler.cases.importers.vignette.roles import result_role
from osler.cases.model import CARD, Case, Diagnosis, Opening, Provenance, Sex, Task, Withheld
from osler.errors import BadCase
from osler.knowledge.vocabulary import Topic
from osler.text.records.speech_ability import Voice, speaks_for
from osler.text.topics import topic_of_statement

NAME: Final = "agentclinic-nejm"
LOOKS_LIKE: Final = re.compile(rb'"physical_exams"')
_YES: Final = frozenset(("true", "yes", "1", "1.0"))
_NO: Final = frozenset(("false", "no", "0", "0.0", "", "none", "null"))
_SPECIALTIES: Final = ("dermatology", "ophthalmology")
"""The kinds of a record that are specialties; the others say what its picture is."""
PHYSICAL: Final = "Physical examination"
_PICTURE: Final = ("Image", "Images", "Photograph", "Clinical image", "Picture")
_COMES: Final = re.compile(
    r"\b(?:presented|presents|presenting|(?:was|is) (?:brought|referred|admitted|seen|evaluated)|"
    r"came|comes|visited|sought|reported|reports|noticed|had|has)\b",
    re.IGNORECASE,
)
_BECAUSE: Final = re.compile(
    r"\b(?:with|for (?:the )?evaluation of|for|because of|complaining of|reporting|after|"
    r"(?:reported|reports|noticed|had|has)(?: that)?)\s+(?P<what>.+)",
    re.IGNORECASE | re.DOTALL,
)


_A_PARENTS_AGE: Final = re.compile(
    r"\b\d{1,2}[- ]year[- ]old (?:mother|father)|\b(?:mother|father) is \d{1,2} years? old\b|"
    r"\bat \d{1,2} weeks\b",
    re.IGNORECASE,
)
STEM: Final = "question[stem]"
STEM_WITHHELD: Final = "note: what the question tells before it asks is withheld; the patient tells it"
_IN_A_SENTENCE: Final = re.compile(r"\b(?:I|my|he|she|they)\b", re.IGNORECASE)


class _Speaks(NamedTuple):
    who: str
    sex: Sex | None


class Answers(NamedTuple):
    """The options by their letters, and the letter of the right one."""

    options: dict[str, str]
    right: str

    @property
    def text(self) -> str:
        return self.options[self.right]


class PatientStatements(NamedTuple):
    """The patient's statements, those withheld because they name the answer, and the paths of age and sex."""

    told: list[TopicStatement]
    hidden: list[Withheld]
    about: list[str]
    cards: list[Card]


class _Patient(NamedTuple):
    """The patient of a record: age, sex, the voice that tells the history, and its statements."""

    age: Age
    sex: Sex | None
    speaks: Voice
    heard: PatientStatements


def read(path: Path, prefix: str, images: Images | None = None) -> Iterator[Case | Rejected]:
    """Read each record of a file as a case, or reject it with a reason."""
    source = images or Images(without=True)
    return each_record(
        path, lambda record: import_record(record.value, record.number, path.name, prefix, source)
    )


def import_record(
    record: Mapping[str, object],
    number: int,
    origin: str,
    prefix: str = NAME,
    images: Images | None = None,
) -> Case:
    """One record as a case with the id `<prefix>-<number>`. Raises BadCase, saying why, if it is not one."""
    listed = tuple(texts_in(record.get("image_url")))
    source = images or Images(without=True)
    source_images, unseen = source.named(listed, also=f"{prefix}-{number:04d}")
    record = neutral(dict(record), source.labels(listed, source_images))
    leaves = bounded(record)
    whole = _text(record.get("question"))
    if says_nothing(whole):
        raise BadCase("it has no question")
    answers = _answers(record.get("answers"))
    stem, question = _asked(whole)
    diagnosis = asks_for_diagnosis(question)
    age, sex, speaks, patient_statements = _patient(
        record.get("patient_info"), stem, answers.text if diagnosis else ""
    )
    speaker = speaks.speaker
    if not (patient_statements.told or patient_statements.cards):
        raise BadCase("it says nothing of the patient")
    result, notes = _found(record, source_images)
    facts, findings = facts_of(patient_statements.told, speaker), findings_of(result)
    opening = Opening(
        door_note=person_words(age.years, sex),
        words=_opening_words(patient_statements, speaker, sex),
        sources=tuple(patient_statements.about),
    )
    remarks = [
        *(["given: the question names its answer"] if _names_answer(question, answers.text) else []),
        *([STEM_WITHHELD] if any(one.source == STEM for one in patient_statements.hidden) else []),
        *(*speaks_for(speaks), *unseen, *notes, *no_person(age, sex)),
        *_withheld_notes(patient_statements),
    ]
    held = {
        *patient_statements.about,
        *(fact.source or "" for fact in facts),
        *(finding.source or "" for finding in findings),
    }
    return valid_case(
        id=f"{prefix}-{number:04d}",
        specialty=next((kind for kind in _kinds(record) if kind in _SPECIALTIES), None),
        task=_task(question, answers, diagnosis),
        age_years=age.years,
        sex=sex,
        speaker=speaker,
        opening=opening,
        facts=facts,
        findings=findings,
        diagnosis=Diagnosis(name=answers.text) if diagnosis else None,
        withheld=(*patient_statements.hidden, *left_over(leaves, held)),
        provenance=Provenance(
            origin=origin,
            record=str(number),
            flags=(*leaks_seen(answers.text, opening, facts, findings), *remarks),
        ),
    )


def _patient(info: object, stem: str, answer: str) -> _Patient:
    """The patient of a record: as its own part tells, or else as what the question tells before it asks.

    Where both tell, the question's part is withheld: the patient tells it.
    """
    if not any(words_of(leaf.value) for leaf in leaves_of(info)):
        age, sex = person_of(stem)
        speaks = voice(age.years, stem)
        patient_statements = (
            _heard(stem, "question", answer, _Speaks(speaks.speaker, sex))
            if stem
            else PatientStatements([], [], [], [])
        )
        return _Patient(age, sex, speaks, patient_statements)
    about = _A_PARENTS_AGE.sub(" ", _prose(info))
    (age, sex), (age_asked, sex_asked) = person_of(about), person_of(_A_PARENTS_AGE.sub(" ", stem))
    age, sex = (age_asked if age.years is None else age), sex or sex_asked
    speaks = voice(age.years, f"{about} {stem}")
    patient_statements = _heard(info, "patient_info", answer, _Speaks(speaks.speaker, sex))
    if stem:
        patient_statements.hidden.append(Withheld(text=stem, source=STEM))
    return _Patient(age, sex, speaks, patient_statements)


def _task(question: str, answers: Answers, diagnosis: bool) -> Task:
    if len(answers.options) > 1:
        return Task(kind="choice", question=question, options=answers.options, answer=answers.right)
    return Task(kind="diagnosis" if diagnosis else "open", question=question, answer=answers.text)


def _names_answer(question: str, answer: str) -> bool:
    return bool(nearly(answer, question)) or plain(answer) in plain(question)


def _withheld_notes(patient_statements: PatientStatements) -> Iterator[str]:
    """Notes on the sentences that are withheld or not said, in numbers."""
    if patient_statements.hidden:
        yield f"note: {len(patient_statements.hidden)} sentences are withheld"
    for card in patient_statements.cards:
        every = len(card.left_out) + len(card.lines)
        yield f"note: {len(card.left_out)} of {every} sentences of the role card are not said"


def _kinds(record: Mapping[str, object]) -> list[str]:
    return [words_of(leaf.value).strip().lower() for leaf in leaves_of(record.get("type"))]


def _text(value: object) -> str:
    return readable(value) if isinstance(value, (Mapping, list)) else words_of(value)


def _prose(value: object) -> str:
    """The whole value as prose: verbatim if it is text, else with its keys ("Age: 40")."""
    return words_of(value) if isinstance(value, str) else readable(value)


def _asked(text: str) -> tuple[str, str]:
    """Split off the question: the last sentence that asks, else the last one."""
    parts = list(sentences(text)) or [text]
    asking = [n for n, part in enumerate(parts) if part.rstrip("\"'”’)").endswith("?")]
    at = asking[-1] if asking else len(parts) - 1
    return " ".join(parts[:at]), " ".join(parts[at:])


def _answers(value: object) -> Answers:
    if not isinstance(value, list) or not value:
        raise BadCase("answers must be a list of answers, one of them correct")
    options: dict[str, str] = {}
    right: list[str] = []
    for n, item in enumerate(value, start=1):
        if not isinstance(item, Mapping):
            raise BadCase(f"answer {n} must be an object with text and correct")
        text, correct = _text(item.get("text")), words_of(item.get("correct")).lower()
        if correct not in _YES | _NO:
            raise BadCase(f"answer {n}: correct must be true or false")
        if not text:
            if correct in _YES:
                raise BadCase("the correct answer has no text")
            continue
        if len(options) == len(ascii_uppercase):
            raise BadCase(f"more than {len(ascii_uppercase)} answers")
        letter = ascii_uppercase[len(options)]
        options[letter] = text
        if correct in _YES:
            right.append(letter)
    if len(right) != 1:
        raise BadCase(
            f"{len(right) or 'no'} answers are marked correct; one must be" if options else "no answers"
        )
    return Answers(options, right[0])


def _heard(value: object, path: str, answer: str, speaks: _Speaks) -> PatientStatements:
    """The patient's statements. One that names the diagnosis asked for is withheld, unless it is negated.

    Age and sex are in the opening.
    """
    patient_statements = PatientStatements([], [], [], [])
    for leaf in leaves_of(value, path):
        text = words_of(leaf.value)
        key = last_key(leaf.path, path)
        heading = label(key) if key else ""
        field = field_of(key, within_patient=True) if key else Field("patient", "course")
        if field.part == "demographics":
            patient_statements.about.append(leaf.path)
            continue
        if is_role_card(text):
            _from_card(text, leaf.path, answer, speaks, patient_statements)
            continue
        for n, said in enumerate(statements(text), start=1):
            short = heading and len(said.text.split()) < 3
            told = ended(f"{heading}: {said.text}" if short else said.text[:1].upper() + said.text[1:])
            if answer and not said.absent and f" {plain(answer)} " in f" {plain(said.text)} ":
                patient_statements.hidden.append(
                    Withheld(text=said.text, source=f"{leaf.path}[sentence {n}]")
                )
                continue
            about: Topic = (
                "complaint" if not patient_statements.told else topic_of_statement(said.text, field.topic)
            )
            main = about in ("complaint", "course", "character", "associated")
            patient_statements.told.append(TopicStatement(told, about, leaf.path, said.absent, key=main))
    return patient_statements


def _from_card(
    text: str, path: str, answer: str, speaks: _Speaks, patient_statements: PatientStatements
) -> None:
    """Add what a role card lets its patient say; the card itself is withheld."""
    card = read_card(text, *speaks)
    patient_statements.cards.append(card)
    patient_statements.hidden.append(Withheld(text=text, source=f"{path}{CARD}"))
    for line in card.lines:
        if answer and not line.absent and f" {plain(answer)} " in f" {plain(line.text)} ":
            continue
        topic: Topic = "complaint" if line == card.complaint else line.topic
        main = topic in ("complaint", "course", "character", "associated")
        patient_statements.told.append(
            TopicStatement(line.text, topic, path, line.absent, key=main, spoken=line.spoken)
        )


def _opening_words(patient_statements: PatientStatements, speaker: str, sex: Sex | None) -> str:
    """The first words: the complaint as the card tells it, else out of the first sentence."""
    said = {told.spoken for told in patient_statements.told if told.spoken}
    for card in patient_statements.cards:
        if card.complaint and card.complaint.spoken in said:
            words = card.complaint.spoken
            return words if _IN_A_SENTENCE.search(words) else first_words(words, speaker, sex)
    first = patient_statements.told[0] if patient_statements.told else None
    return first_words(_complaint(first.text) if first and first.key else "", speaker, sex)


def _complaint(sentence: str) -> str:
    """The complaint in the first sentence; empty where there is none."""
    comes = _COMES.search(sentence)
    because = _BECAUSE.search(sentence, comes.start()) if comes else None
    return because["what"].strip() if because else ""


def _examined(text: str, path: str) -> Iterator[SourceResult]:
    """Split examination prose into findings, each with its sentences.

    A sentence that names nothing examinable or testable joins the one before it.
    """
    told: dict[str, list[str]] = {}
    called: dict[str, ResultName] = {}
    now = ResultName("examination", PHYSICAL, ())
    for sentence in sentences(text):
        tested = result_role(sentence) == "test"
        now = result_named(sentence) if tested else examination_in(sentence) or now
        before = called.get(now.name, now)
        called[now.name] = now._replace(aliases=tuple(dict.fromkeys((*before.aliases, *now.aliases))))
        told.setdefault(now.name, []).append(sentence)
    for name, (kind, _, aliases) in called.items():
        yield SourceResult(path, kind, name, aliases, " ".join(told[name]))


def _found(
    record: Mapping[str, object], images: Sequence[SourceImage]
) -> tuple[list[SourceResult], list[str]]:
    """The findings, and remarks."""
    exams = record.get("physical_exams")
    result: list[SourceResult] = []
    for key, part in children(exams) if isinstance(exams, list) else [(None, exams)]:
        path = "physical_exams" if key is None else below("physical_exams", key)
        if isinstance(part, (Mapping, list)):
            result += findings_in(part, path, "examination")
        elif not says_nothing(words_of(part)):
            result += _examined(words_of(part), path)
    remarks = [] if result else ["note: no examination findings"]
    several = isinstance(record.get("image_url"), list)
    for image in images:
        path = below("image_url", image.place) if several else "image_url"
        result.append(
            SourceResult(path, "image", image.label, _PICTURE, image_words(image.picture), image.picture)
        )
    return result, remarks
