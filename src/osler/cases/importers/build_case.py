"""Building a case from an importer's sorted parts: limits, numbered facts and findings, withheld rest."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple

from pydantic import ValidationError

from osler.cases.importers.demographics import Age
from osler.cases.importers.findings import SourceResult
from osler.cases.importers.json_paths import Leaf, as_written, leaves_of
from osler.cases.importers.leaks import leaks_in
from osler.cases.model import Case, Fact, Finding, Opening, Sex, Withheld
from osler.errors import BadCase
from osler.knowledge.conditions import knowledge
from osler.knowledge.vocabulary import NOBODY, Topic
from osler.text.carers_words import (
    as_anothers_complaint,
    as_childs_complaint,
    in_carers_words,
    in_companions_words,
)
from osler.text.first_person import as_complaint, in_first_person
from osler.text.languages import ENGLISH, shown
from osler.text.records.speech_ability import CREW, knows
from osler.text.records.written_in import written_in

# Far above any real record; anything larger is not one and would only cost time.
MAX_LEAVES: Final = 5000
MAX_CHARACTERS: Final = 200_000
MAX_PIECES: Final = 2000


class TopicStatement(NamedTuple):
    """A statement by the speaker, with its topic and the path of its leaf.

    `spoken` is set where the source has it in the speaker's own words. What is `recorded` stands in the notes
    alone: the speaker does not tell it.
    """

    text: str
    topic: Topic
    path: str
    absent: bool = False
    key: bool = False
    spoken: str | None = None
    recorded: bool = False


def bounded(record: Mapping[str, object]) -> tuple[Leaf, ...]:
    """The leaves of a record. Raises BadCase where there are too many, or too much text in them."""
    leaves: list[Leaf] = []
    size = 0
    for leaf in leaves_of(record):
        leaves.append(leaf)
        size += len(leaf.value) if isinstance(leaf.value, str) else 1
        if len(leaves) > MAX_LEAVES or size > MAX_CHARACTERS:
            raise BadCase(f"more than {MAX_LEAVES} values or {MAX_CHARACTERS} characters")
    return tuple(leaves)


def facts_of(said: Iterable[TopicStatement], speaker: str) -> tuple[Fact, ...]:
    """Numbered facts; their knower is whoever speaks, as far as such a person can know them; else the record.

    A fact is key only if its words can be the speaker's own: nobody can be asked for a note's words.
    """
    told = [one if _knows(speaker, one) else one._replace(recorded=True) for one in said]
    return tuple(
        Fact(
            id=f"f{n}",
            topic=one.topic,
            text=one.text,
            spoken=one.spoken,
            known_by="record" if one.recorded else _KNOWERS.get(speaker, "carer"),
            absent=one.absent,
            key=one.key
            and not (one.absent or one.recorded)
            and (one.spoken is not None or _sayable(speaker, one.text)),
            source=one.path,
        )
        for n, one in enumerate(told, start=1)
    )


_KNOWERS: Final[dict[str, Literal["patient", "parent"]]] = {"patient": "patient", "parent": "parent"}


def _knows(speaker: str, said: TopicStatement) -> bool:
    # A parent was with the child; what stands in the speaker's own words is the speaker's.
    return speaker in _KNOWERS or said.spoken is not None or knows(speaker, said.topic, said.text)


def _sayable(speaker: str, text: str) -> bool:
    if speaker == "patient":
        return in_first_person(text) is not None
    return (in_carers_words(text) if speaker == "parent" else in_companions_words(text, speaker)) is not None


def findings_of(found: Iterable[SourceResult]) -> tuple[Finding, ...]:
    """Numbered findings."""
    return tuple(
        Finding(
            id=f"e{n}",
            kind=f.kind,
            name=f.name,
            aliases=f.aliases,
            result=f.result,
            picture=f.picture,
            source=f.path,
        )
        for n, f in enumerate(found, start=1)
    )


def left_over(leaves: Iterable[Leaf], held: Iterable[str]) -> tuple[Withheld, ...]:
    """Withhold every leaf that is not at or below one of the `held` paths."""
    paths = frozenset(held)
    return tuple(
        Withheld(text=as_written(leaf.value), source=leaf.path)
        for leaf in leaves
        if not any(above in paths for above in _with_those_above(leaf.path))
    )


def _with_those_above(path: str) -> Iterator[str]:
    yield path
    yield from (path[: cut.start()] for cut in re.finditer(r"[.\[]", path))


def cut_short(complaint: str, spoken: str) -> bool:
    """Whether the opening words lack a telling word of the complaint as it is written ("on palpation")."""
    text = spoken.lower()
    return any(len(word) > 4 and word.lower() not in text for word in re.findall(r"\w+", complaint))


def leaks_seen(
    answer: str, opening: Opening, facts: tuple[Fact, ...], findings: tuple[Finding, ...]
) -> tuple[str, ...]:
    """Flags for each place where a seat may read the answer; withheld text does not count."""
    leaves = [Leaf(path, f"{opening.door_note} {opening.words}") for path in opening.sources]
    leaves += [Leaf(fact.source or "", fact.text) for fact in facts]
    leaves += [Leaf(finding.source or "", f"{finding.name}: {finding.result}") for finding in findings]
    return tuple(dict.fromkeys(leaks_in(answer, leaves, opening, facts, findings)))


def valid_case(**fields: Any) -> Case:
    """Build a case. Raises BadCase where the fields break the case model.

    Where the source states no specialty, it is that of the diagnosis, if Osler knows the disease by its name.
    """
    if fields.get("language") is None:
        fields |= _in_its_language(fields)
    if not fields.get("specialty") and fields.get("diagnosis"):
        condition = knowledge().condition(fields["diagnosis"].name)
        fields["specialty"] = condition.specialty if condition else None
    if len(fields["facts"]) + len(fields["findings"]) > MAX_PIECES:
        raise BadCase(f"more than {MAX_PIECES} facts and findings")
    try:
        return Case(**fields)
    except ValidationError as error:
        raise BadCase(f"breaks the case model: {error.errors()[0]['msg']}") from None


def _in_its_language(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields that are other for a record in another language than English, empty for one in English.

    Its words are left as they are, and its answer needs a judge: rules that read English read none of it.
    """
    opening, provenance, task = fields["opening"], fields["provenance"], fields["task"]
    own = " ".join((opening.door_note, opening.words, *(fact.text for fact in fields["facts"])))
    language = written_in(own)
    if language == ENGLISH:
        language = written_in(" ".join((own, *(found.result for found in fields["findings"]), task.question)))
    if language == ENGLISH:
        return {}
    told = opening.words.partition(_BECAUSE)[2]
    words = told[:1].upper() + told[1:] if told else opening.words
    flags = [
        *provenance.flags,
        f"note: it is written in {shown(language)}: built-in players and rules refuse it, models play it",
    ]
    if task.kind == "diagnosis":
        task = task.model_copy(update={"kind": "open"})
        flags.append("note: an answer in other words than the record's needs a judge")
    return {
        "language": language,
        "task": task,
        "opening": opening.model_copy(update={"words": words}),
        "provenance": provenance.model_copy(update={"flags": tuple(flags)}),
    }


def no_person(age: Age, sex: Sex | None) -> Iterator[str]:
    """Remarks on a missing or guessed age and a missing sex."""
    if age.years is None:
        yield "note: the source gives no age"
    elif age.guessed:
        yield "note: the age is a guess from the word infant"
    if sex is None:
        yield "note: the source gives no sex"


def no_evidence(facts: Sequence[Fact], findings: Sequence[Finding]) -> Iterator[str]:
    """Remarks on missing facts, examination findings or test results."""
    if not facts:
        yield "note: the patient knows nothing"
    if not any(finding.kind == "examination" for finding in findings):
        yield "note: no examination findings"
    if all(finding.kind == "examination" for finding in findings):
        yield "note: no test results"


SILENCE: Final = "(The patient does not answer, and nobody is there who speaks for them.)"
"""The opening of a patient who cannot speak, and for whom nobody does."""
_BECAUSE: Final = " because of this: "


def first_words(complaint: str, speaker: str, sex: Sex | None = None) -> str:
    """The speaker's opening words; `complaint` is empty where the source has none, `sex` is the patient's."""
    if speaker == NOBODY:
        return SILENCE
    told = _complaint(complaint.rstrip(". "), speaker) if complaint else ""
    them = {"female": "her", "male": "him"}.get(sex or "", "them")
    if not told:
        patient = {"her": "She is", "him": "He is", "them": "They are"}[them]
        unwell = {"patient": "I have not been feeling right", "parent": "My child is not well"}
        return (
            f"{unwell.get(speaker, f'{patient} not well')}, and I would like somebody to take a look, please."
        )
    begin = {
        "patient": "I have come",
        "parent": "I have brought my child",
        CREW: f"We have brought {them} in",
        "nurse": f"I look after {them} here, and I called you",
    }.get(speaker, f"I have come with {them}")
    told = told[:1].lower() + told[1:] if told[1:2].islower() or told[1:2] == " " else told
    return f"{begin}{_BECAUSE}{told}."


def _complaint(told: str, speaker: str) -> str:
    if speaker == "patient":
        return as_complaint(told)
    return as_childs_complaint(told) if speaker == "parent" else as_anothers_complaint(told, speaker)
