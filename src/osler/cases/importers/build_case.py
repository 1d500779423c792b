"""Building a case from an importer's sorted parts: limits, numbered facts and findings, withheld rest."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from pydantic import ValidationError

from osler.cases.importers.demographics import Age
from osler.cases.importers.findings import Found
from osler.cases.importers.json_paths import Leaf, as_written, leaves_of
from osler.cases.importers.leaks import leaks_in
from osler.cases.model import Case, Fact, Finding, Opening, Sex, Withheld
from osler.errors import BadCase
from osler.knowledge.conditions import knowledge
from osler.knowledge.vocabulary import Topic
from osler.text.carers_words import as_childs_complaint, in_carers_words
from osler.text.first_person import as_complaint, in_first_person

# Far above any real record; anything larger is not one and would only cost time.
MAX_LEAVES: Final = 5000
MAX_CHARACTERS: Final = 200_000
MAX_PIECES: Final = 2000


class Said(NamedTuple):
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
    kept: list[Leaf] = []
    size = 0
    for leaf in leaves_of(record):
        kept.append(leaf)
        size += len(leaf.value) if isinstance(leaf.value, str) else 1
        if len(kept) > MAX_LEAVES or size > MAX_CHARACTERS:
            raise BadCase(f"more than {MAX_LEAVES} values or {MAX_CHARACTERS} characters")
    return tuple(kept)


def facts_of(said: Iterable[Said], speaker: str) -> tuple[Fact, ...]:
    """Numbered facts; their knower is the parent where the parent speaks.

    A fact is key only if its words can be the speaker's own: nobody can be asked for a note's words.
    """
    by_parent = speaker == "parent"
    sayable = in_carers_words if by_parent else in_first_person
    return tuple(
        Fact(
            id=f"f{n}",
            topic=one.topic,
            text=one.text,
            spoken=one.spoken,
            known_by="record" if one.recorded else "parent" if by_parent else "patient",
            absent=one.absent,
            key=one.key
            and not (one.absent or one.recorded)
            and (one.spoken is not None or sayable(one.text) is not None),
            source=one.path,
        )
        for n, one in enumerate(said, start=1)
    )


def findings_of(found: Iterable[Found]) -> tuple[Finding, ...]:
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
    said = spoken.lower()
    return any(len(word) > 4 and word.lower() not in said for word in re.findall(r"\w+", complaint))


def leaks_seen(
    answer: str, opening: Opening, facts: tuple[Fact, ...], findings: tuple[Finding, ...]
) -> tuple[str, ...]:
    """Flags for each place where a seat may read the answer; withheld text does not count."""
    seen = [Leaf(path, f"{opening.door_note} {opening.words}") for path in opening.sources]
    seen += [Leaf(fact.source or "", fact.text) for fact in facts]
    seen += [Leaf(found.source or "", f"{found.name}: {found.result}") for found in findings]
    return tuple(dict.fromkeys(leaks_in(answer, seen, opening, facts, findings)))


def valid_case(**fields: Any) -> Case:
    """Build a case. Raises BadCase where the fields break the case model.

    Where the source states no specialty, it is that of the diagnosis, if Osler knows the disease by its name.
    """
    if not fields.get("specialty") and fields.get("diagnosis"):
        known = knowledge().condition(fields["diagnosis"].name)
        fields["specialty"] = known.specialty if known else None
    if len(fields["facts"]) + len(fields["findings"]) > MAX_PIECES:
        raise BadCase(f"more than {MAX_PIECES} facts and findings")
    try:
        return Case(**fields)
    except ValidationError as error:
        raise BadCase(f"breaks the case model: {error.errors()[0]['msg']}") from None


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


def first_words(complaint: str, speaker: str) -> str:
    """The speaker's opening words; `complaint` is empty where the source gives none."""
    if not complaint:
        child = "My child is not well" if speaker == "parent" else "I have not been feeling right"
        return f"{child}, and I would like somebody to take a look, please."
    begin = "I have brought my child" if speaker == "parent" else "I have come"
    told = complaint.rstrip(". ")
    told = as_childs_complaint(told) if speaker == "parent" else as_complaint(told)
    if not told:
        return first_words("", speaker)
    told = told[:1].lower() + told[1:] if told[1:2].islower() or told[1:2] == " " else told
    return f"{begin} because of this: {told}."
