"""AgentClinic's OSCE records as cases: every leaf of the source goes to exactly one holder.

The objective, the demographics and the primary symptom are the opening; what the patient actor knows becomes
facts, one statement each; examinations and tests become findings; the diagnosis, management and whatever is
not recognised are withheld. A record without a diagnosis cannot be scored and is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple

from pydantic import ValidationError

from osler.cases.importers.fields import Field, field_of, topic_under
from osler.cases.importers.findings import Found, findings_in
from osler.cases.importers.leaks import leaks_in
from osler.cases.importers.leaves import Leaf, below, clean, label, leaves_of, readable, words_of
from osler.cases.importers.people import Age, age_of, sex_of, speaker_of
from osler.cases.importers.reading import each_record
from osler.cases.importers.report import Rejected
from osler.cases.importers.sentences import Statement, is_negative, says_nothing, statements, unlike_items
from osler.cases.model import Case, Diagnosis, Fact, Finding, Opening, Provenance, Task, Withheld
from osler.errors import BadCase
from osler.knowledge.topics import topic_of_statement
from osler.seats.topics import Topic

NAME: Final = "agentclinic"
LOOKS_LIKE: Final = re.compile(rb'"(?:OSCE_Examination|Patient_Actor)"')
QUESTION: Final = "What is the most likely diagnosis?"
WRAPPER: Final = "OSCE_Examination"
# Far above any real case; what is larger is not one and would only cost time.
MAX_LEAVES: Final = 5000
MAX_CHARACTERS: Final = 200_000
MAX_PIECES: Final = 2000
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
_SPEAKS_FOR_ITSELF: Final = ("systems", "course", "complaint", "associated")
_ABSTAINED: Final[Topic] = "other"


class Told(NamedTuple):
    """A statement of the patient's with its topic and place. `main` belongs to the history or symptoms."""

    statement: Statement
    topic: Topic
    path: str
    main: bool


class Parts:
    """A record sorted by holder, filled while its keys are read."""

    def __init__(self) -> None:
        self.note: list[Leaf] = []
        self.about: list[Leaf] = []
        self.first: list[Leaf] = []
        self.told: list[Told] = []
        self.found: list[Found] = []
        self.diagnosis: list[Leaf] = []
        self.remarks: list[str] = []


def read(path: Path, prefix: str) -> Iterator[Case | Rejected]:
    """Each record of a file as a case, or rejected with a reason."""
    return each_record(path, lambda record: import_record(record.value, record.number, path.name, prefix))


def import_record(
    record: Mapping[str, object], number: int, origin: str, prefix: str = "agentclinic"
) -> Case:
    """One record as a case with the id `<prefix>-<number>`. Raises BadCase with the reason it is none."""
    leaves = _bounded(leaves_of(record))
    body, path = _body(record)
    parts = Parts()
    for key, value in body.items():
        if key == _ACTOR:
            _actor(value, below(path, key), parts)
        else:
            _place(value, below(path, key), field_of(key, within_patient=False), parts)
    if len(parts.told) + len(parts.found) > MAX_PIECES:
        raise BadCase(f"more than {MAX_PIECES} facts and findings")
    answer = _answer(parts)
    try:
        return _case(
            parts, leaves, answer, f"{prefix}-{number:04d}", Provenance(origin=origin, record=str(number))
        )
    except ValidationError as error:
        raise BadCase(f"breaks the case model: {error.errors()[0]['msg']}") from None


def _bounded(leaves: Iterator[Leaf]) -> tuple[Leaf, ...]:
    kept: list[Leaf] = []
    size = 0
    for leaf in leaves:
        kept.append(leaf)
        size += len(leaf.value) if isinstance(leaf.value, str) else 1
        if len(kept) > MAX_LEAVES or size > MAX_CHARACTERS:
            raise BadCase(f"more than {MAX_LEAVES} values or {MAX_CHARACTERS} characters")
    return tuple(kept)


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
    said = [leaf for leaf in leaves_of(value, path) if words_of(leaf.value)]
    if field.part == "objective":
        parts.note += said
    elif field.part == "demographics":
        parts.about += said
    elif field.part == "diagnosis":
        parts.diagnosis += said
    elif field.part == "symptoms":
        _symptoms(value, path, parts)
    elif field.part == "patient":
        _tell(value, path, field, parts, main=field.topic == "course")
    elif field.part in ("examination", "tests"):
        parts.found += findings_in(value, path, "examination" if field.part == "examination" else "test")
    elif said:
        parts.remarks.append(f"note: withheld, not for any seat: {path}")


def _symptoms(value: object, path: str, parts: Parts) -> None:
    """The primary symptom is said first; every other one is told when asked."""
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
    """Every leaf of a patient's section as statements."""
    nothing = True
    for leaf in leaves_of(value, path):
        text = words_of(leaf.value)
        if says_nothing(text):
            continue
        nothing = False
        heading = _heading(path, leaf.path)
        inner = field
        if heading and field.topic != "systems":
            named = field_of(heading.replace(" ", "_"), within_patient=True)
            inner = named if named.part == "patient" and named.topic != "other" else field
        parts.told += (
            Told(*said, leaf.path, main) for said in _statements(text, heading, inner, parts, leaf.path)
        )
    if nothing:
        parts.remarks.append(f"note: nothing is said in {path}")


def _heading(path: str, leaf: str) -> str:
    """The last key between a section and its leaf, as words; empty where there is none."""
    keys = [key for key in re.split(r"[.\[\]\"]+", leaf[len(path) :]) if key and not key.isdigit()]
    return label(keys[-1]) if keys else ""


def _statements(
    text: str, heading: str, field: Field, parts: Parts, path: str
) -> Iterator[tuple[Statement, Topic]]:
    topic: Topic = "complaint" if field.topic == "course" and not parts.told else field.topic
    for said in statements(text):
        if says_nothing(said.text) and not heading:
            # The leaf has other statements; this one is kept where a reader of the case can see it.
            parts.remarks.append(f"note: said of {path}, but it tells nothing: {said.text}")
            continue
        for piece, about in _by_topic(said, topic, field):
            yield _sentence(piece, heading if _needs_heading(piece.text, field) else ""), about
        topic = field.topic


def _needs_heading(text: str, field: Field) -> bool:
    if field.topic not in _SPEAKS_FOR_ITSELF:
        return True
    return len(text.split()) < 3 and not text.lower().startswith(("denies ", "no "))


def _sentence(said: Statement, heading: str) -> Statement:
    text = f"{heading}: {said.text}" if heading else said.text[:1].upper() + said.text[1:]
    return said._replace(text=text if text.endswith((".", "!", "?")) else f"{text}.")


def _by_topic(said: Statement, topic: Topic, field: Field) -> Iterator[tuple[Statement, Topic]]:
    """A statement, or where unlike things are listed in it, one for each topic."""
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
    """The words of the diagnosis. Of several, the one a key calls the diagnosis, else the first."""
    told = [leaf for leaf in parts.diagnosis if not says_nothing(words_of(leaf.value))]
    if not told:
        raise BadCase("it has no diagnosis")
    if len(told) > 1:
        parts.remarks.append("note: the diagnosis has several parts; one is taken as the answer")
    for name in _DIAGNOSIS_KEYS:
        for leaf in told:
            if name in leaf.path.rpartition(".")[2].lower():
                return words_of(leaf.value)
    return words_of(told[0].value)


def _case(parts: Parts, leaves: tuple[Leaf, ...], answer: str, ident: str, provenance: Provenance) -> Case:
    about = "; ".join(_with_key(leaf, len(parts.about) > 1) for leaf in parts.about)
    age, sex = age_of(about), sex_of(about)
    history = " ".join(said.statement.text for said in parts.told)
    speaker = speaker_of(age.years, f"{about}. {history}")
    opening = Opening(
        door_note=_door_note(about, parts.note),
        words=_first_words(parts.first, speaker),
        sources=tuple(leaf.path for leaf in (*parts.note, *parts.about, *parts.first)),
    )
    facts = tuple(_fact(n, said, speaker) for n, said in enumerate(parts.told, start=1))
    findings = tuple(
        Finding(
            id=f"e{n}",
            kind=found.kind,
            name=found.name,
            aliases=found.aliases,
            result=found.result,
            source=found.path,
        )
        for n, found in enumerate(parts.found, start=1)
    )
    synonyms = _synonyms(answer)
    remarks = (*_missing(parts, age, sex), *parts.remarks)
    return Case(
        id=ident,
        task=Task(kind="diagnosis", question=QUESTION, answer=answer, accepts=synonyms),
        age_years=age.years,
        sex=sex,
        speaker=speaker,
        opening=opening,
        facts=facts,
        findings=findings,
        diagnosis=Diagnosis(name=answer, synonyms=synonyms),
        withheld=_withheld(leaves, opening, facts, findings),
        provenance=provenance.model_copy(
            update={"flags": (*leaks_in(answer, leaves, opening, facts, findings), *remarks)}
        ),
    )


def _with_key(leaf: Leaf, several: bool) -> str:
    key = leaf.path.rpartition(".")[2]
    return f"{label(key)}: {words_of(leaf.value)}" if several else words_of(leaf.value)


def _door_note(about: str, note: list[Leaf]) -> str:
    sentences = [about, *(words_of(leaf.value) for leaf in note)]
    told = [text if text.endswith((".", "!", "?")) else f"{text}." for text in sentences if text]
    return " ".join(told) or "A patient is waiting to be seen."


def _first_words(first: list[Leaf], speaker: str) -> str:
    if not first:
        child = "My child is not well" if speaker == "parent" else "I have not been feeling right"
        return f"{child}, and I would like somebody to take a look, please."
    symptom = "; ".join(words_of(leaf.value).rstrip(". ") for leaf in first)
    if symptom[1:2].islower() or symptom[1:2] == " ":
        symptom = symptom[:1].lower() + symptom[1:]
    begin = (
        "I have brought my child because of this" if speaker == "parent" else "I have come because of this"
    )
    return f"{begin}: {symptom}."


def _fact(n: int, said: Told, speaker: str) -> Fact:
    text, absent = said.statement
    return Fact(
        id=f"f{n}",
        topic=said.topic,
        text=text,
        known_by="parent" if speaker == "parent" else "patient",
        absent=absent,
        key=said.main and not absent,
        source=said.path,
    )


def _synonyms(answer: str) -> tuple[str, ...]:
    """`Benign paroxysmal positional vertigo (BPPV)` may also be given without its bracket, or by it."""
    bracket = _ACRONYM.search(answer)
    return (clean(_ACRONYM.sub("", answer)), bracket[1]) if bracket else ()


def _withheld(
    leaves: Iterable[Leaf], opening: Opening, facts: tuple[Fact, ...], findings: tuple[Finding, ...]
) -> tuple[Withheld, ...]:
    """Every leaf that no seat holds: what is hidden, and what says nothing."""
    held = {*opening.sources, *(f.source for f in facts), *(f.source for f in findings)}

    def is_held(path: str) -> bool:
        return path in held or any(path[: cut.start()] in held for cut in re.finditer(r"[.\[]", path))

    return tuple(
        Withheld(text=words_of(leaf.value) or readable(leaf.value), source=leaf.path)
        for leaf in leaves
        if not is_held(leaf.path)
    )


def _missing(parts: Parts, age: Age, sex: str | None) -> Iterator[str]:
    if age.years is None:
        yield "note: the source gives no age"
    elif age.guessed:
        yield "note: the age is a guess from the word infant"
    if sex is None:
        yield "note: the source gives no sex"
    if not parts.first:
        yield "note: no primary symptom"
    if not parts.told:
        yield "note: the patient knows nothing"
    if not any(found.kind == "examination" for found in parts.found):
        yield "note: no examination findings"
    if all(found.kind == "examination" for found in parts.found):
        yield "note: no test results"
