"""Building a case from the pieces of a vignette, flagging leaks of its answer."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from osler.cases.importers.build_case import (
    TopicStatement,
    facts_of,
    findings_of,
    first_words,
    left_over,
    no_evidence,
    no_person,
    valid_case,
)
from osler.cases.importers.demographics import FIRST_PERSON_FROM_YEARS, Age, age_of, person_of, sex_of, voice
from osler.cases.importers.findings import SourceResult, kind_of
from osler.cases.importers.images import FIGURE, IMAGE, image_words
from osler.cases.importers.json_paths import Leaf, clean
from osler.cases.importers.leaks import leaks_in
from osler.cases.importers.report import Rejected
from osler.cases.importers.sentences import ended, is_negative, says_nothing, statements
from osler.cases.importers.vignette.orderable import gives_result
from osler.cases.importers.vignette.pieces import Image, Piece, UnitRole, Vignette, by_rules, names, pieces_of
from osler.cases.importers.vignette.question import Question
from osler.cases.importers.vignette.roles import first_measured
from osler.cases.model import Case, Diagnosis, Finding, Opening, Provenance, Sex, TeachingPlan
from osler.errors import BadCase
from osler.knowledge.formulary import formulary
from osler.knowledge.vocabulary import Topic
from osler.text.records.speech_ability import Voice, cannot_speak, speaks_for
from osler.text.topics import topic_of_statement

_KEY_TOPICS: Final[frozenset[Topic]] = frozenset(
    ("complaint", "course", "character", "modifiers", "associated")
)
_CONNECTIVE: Final = re.compile(
    r"^[\s,;:|*•-]*(?:(?:and|but|while|whereas|although|though|which|who)\b[\s,]*)?", re.IGNORECASE
)
_LASTING: Final = (
    r"(?!(?:the )?(?:past|last|about|approximately|several|many|a few|\d+|two|three|four|five|six)? ?"
    r"(?:minutes?|hours?|days?|weeks?|months?|years?)\b)"
)
_WHAT: Final = r"\s+(?P<what>(?:[^.]|\.(?=\d)){3,400})"
# The phrases that introduce a complaint; the first match counts.
_COMPLAINTS: Final = tuple(
    re.compile(rf"\b(?:{words}){_WHAT}", re.IGNORECASE)
    for words in (
        r"because of|because(?= (?:s?he|they)\b)|due to|complain(?:s|ing|ed)? (?:of|about)|complaints? of|"
        r"c/o|presenting with|reports?(?: that)?|reporting|develop(?:s|ed|ing)?|(?:noted|found) to have|"
        r"present(?:s|ed)?\b[^.]{0,60}?\b(?:with|for|due to)|"
        r"(?:comes|brought|brings|seen|evaluated|admitted|visits|referred|is)\b[^.]{0,80}?"
        rf"\b(?:because of|because(?= (?:s?he|they|the)\b)|due to|complaining of|for(?= {_LASTING})|with)",
        r"(?:present(?:s|ed)?|comes|brought|seen|evaluated|admitted|visits|referred|is)\b[^.]{0,80}?\bafter",
        r"(?:has had|has|had)(?! (?:never|not|been|no)\b)|\d ?(?:yo )?[mf] with",
    )
)
# The words that lead up to a number and join it to the rest.
_UP_TO: Final = re.compile(
    r"(?:(?:^|[\s,(]+)(?:of|to|at|is|was|up|around|about|and|with|a|in))*[\s,(]*$", re.IGNORECASE
)
_BEFORE_IT: Final = re.compile(
    r"^(?:an? )?(?:\w+ )?(?:evaluation|treatment|management|concerns?|complaints?|help|follow-up|"
    r"assessment)\b(?: \w+)? (?:of|for|with|about)\s+",
    re.IGNORECASE,
)
# "His mother reports that ..." is about what she reports, not about the family.
_REPORTER: Final = re.compile(
    r"^(?:(?:the|his|her|their|a)\s+)?(?:patient['’]s\s+)?"
    r"(?:mother|father|parents?|wife|husband|daughter|son|partner|family)\s+(?:also\s+|has\s+|have\s+)?"
    r"(?:report(?:s|ed)?|stated?|states|says?|said|note[sd]?|noticed|den(?:y|ies|ied)|mentions?|describes?|adds)\b",
    re.IGNORECASE,
)
_LINK: Final = re.compile(
    r"\W*(?:however|then|also|additionally|furthermore|moreover|therefore|thus)\W*", re.IGNORECASE
)
_DONE: Final = (
    r"(?:drugs?|medications?|agents?|treatments?|therap(?:y|ies)|procedures?|surgery|intervention|antibiotics?|"
    r"vaccine|operation|substance|compound)"
)
_POINTS_BACK: Final = re.compile(
    rf"\b(?:this|that|these|those) (?:\w+ ){{0,2}}{_DONE}\b"
    rf"|\bthe {_DONE} (?:that (?:is|was) )?(?:given|prescribed|administered|used|started|performed)\b",
    re.IGNORECASE,
)
_SCRIPT_OF_A_PARENT: Final = re.compile(
    r"\b(?:my|our|the) (?:\w+ )?(?:son|daughter|child|baby|boy|girl|little|newborn|infant)\b", re.IGNORECASE
)
_TELL_WHO_SPEAKS: Final = frozenset(("opening", "history", "examination", "management"))
_CHOICES: Final = re.compile(r"\b(?:answer )?choices:", re.IGNORECASE)
NOBODY: Final = "I have nothing to tell beyond what you have been given."


def cases(vignettes: Iterable[Vignette | Rejected], origin: str, prefix: str) -> Iterator[Case | Rejected]:
    """Each vignette as a case, split by the rules, or rejected with a reason."""
    for item in vignettes:
        if isinstance(item, Rejected):
            yield item
            continue
        try:
            yield case_of(item, by_rules(item), origin, prefix)
        except BadCase as error:
            yield Rejected(item.record, error.what)


def _leaks(question: Question, door: str, within: tuple[str, ...]) -> tuple[str, ...]:
    """The leaks of the answer: those `within` single clauses, and one that only the whole door note makes."""
    if names(question, door) and not any(flag.startswith("given") for flag in within):
        return ("given: diagnosis named across the clauses of the opening", *within)
    return within


def case_of(vignette: Vignette, roles: Sequence[UnitRole], origin: str, prefix: str) -> Case:
    """The case of a vignette, with each unit `roles` to its holder. Raises BadCase where it is not one."""
    pieces = pieces_of(vignette, roles)
    question = vignette.asked
    opened = [piece for piece in pieces if piece.given.role == "opening"]
    door = " ".join(_sentence(piece.text) for piece in opened) or "A patient is waiting to be seen."
    age, sex = _person(door, vignette.about)
    speaks = _voice(vignette, age, pieces)
    speaker = speaks.speaker
    words, complained = _first_words(vignette, opened, speaker, sex)
    opening = Opening(
        door_note=door,
        words=words,
        sources=(
            *(piece.path for piece in opened),
            *([vignette.words_source] if vignette.words and _follows_script(vignette, speaker) else []),
        ),
    )
    told, result = list(_told(vignette, pieces, speaker)), list(_found(vignette, pieces))
    facts, findings = facts_of(told, speaker), findings_of(result)
    held = {*opening.sources, *(said.path for said in told), *(one.path for one in result)}
    leaves = [Leaf(piece.path, piece.text) for piece in pieces]
    cut = {leaf.path for leaf in vignette.prose}
    rest = [leaf for leaf in vignette.leaves if leaf.path not in cut]
    task = question._replace(question=_question(pieces, vignette)).task()
    leaks = _leaks(question, door, leaks_in(question.words, (*leaves, *rest), opening, facts, findings))
    remarks = [*speaks_for(speaks), *no_person(age, sex), *no_evidence(facts, findings), *vignette.remarks]
    if not complained:
        remarks.append("note: no complaint is said in the opening")
    if any(p.given.role == "withheld" and names(question, p.text) for p in pieces):
        remarks.append("note: what names the answer is withheld")
    return valid_case(
        id=f"{prefix}-{vignette.record:04d}",
        title=vignette.title,
        specialty=vignette.specialty,
        persona_tags=vignette.persona_tags,
        task=task,
        age_years=age.years,
        sex=sex,
        speaker=speaker,
        opening=opening,
        facts=facts,
        findings=findings,
        diagnosis=Diagnosis(name=question.words) if question.for_diagnosis else None,
        teaching=_taught(vignette, findings),
        withheld=left_over((*leaves, *rest), held),
        provenance=Provenance(
            origin=origin,
            record=str(vignette.record),
            flags=(*leaks, *remarks),
            prose=vignette.whole,
        ),
    )


def _person(door: str, about: str) -> tuple[Age, Sex | None]:
    """Age and sex from the vignette's opening, else from the record's own fields."""
    age, sex = person_of(door)
    if age.years is None or (age.guessed and age_of(about).years is not None):
        age = age_of(about)
    return age, sex or sex_of(about)


def _voice(vignette: Vignette, age: Age, pieces: Sequence[Piece]) -> Voice:
    """Return the speaker: the patient if the source has their own words and they can speak, else by age."""
    told = " ".join(said.text for said in vignette.spoken)
    # A management that is asked about may be what takes the speech away; it is told after all else.
    history = " ".join(piece.text for piece in pieces if piece.given.role in _TELL_WHO_SPEAKS)
    if told and not _SCRIPT_OF_A_PARENT.search(told):
        young = age.years is not None and age.years < FIRST_PERSON_FROM_YEARS
        if not young and not cannot_speak(history):
            return Voice("patient")
    return voice(age.years, history)


def _follows_script(vignette: Vignette, speaker: str) -> bool:
    """Whether the one who speaks says what the source has in the patient's own words."""
    told = " ".join(said.text for said in vignette.spoken)
    return speaker == "patient" or (speaker == "parent" and _SCRIPT_OF_A_PARENT.search(told) is not None)


def _first_words(
    vignette: Vignette, opened: Sequence[Piece], speaker: str, sex: Sex | None
) -> tuple[str, bool]:
    """The first words of the patient, or of whoever speaks, and whether they contain a complaint."""
    own = vignette.words if _follows_script(vignette, speaker) else ""
    if own and not (vignette.asked.for_diagnosis and names(vignette.asked, own)):
        return own, True
    text = clean(" ".join(piece.text for piece in opened))
    nobody = age_of(text).years is None and sex_of(text) is None and not vignette.spoken
    introduced = _COMPLAINTS[:2] if nobody else _COMPLAINTS
    told = next((match["what"] for ways in introduced if (match := ways.search(text))), "")
    if complaint := _without_figures(_BEFORE_IT.sub("", told.rstrip(" .,;"))):
        return first_words(complaint, speaker, sex), True
    if nobody:
        return NOBODY, False
    return first_words("", speaker, sex), False


def _without_figures(complaint: str) -> str:
    """A complaint cut before its first vital sign or laboratory value; empty where it is about a result."""
    result = first_measured(complaint)
    if result is None:
        return complaint
    before = _UP_TO.sub("", complaint[:result])
    return "" if before.endswith((" had", " has")) or gives_result(complaint) else before


def _told(vignette: Vignette, pieces: Sequence[Piece], speaker: str) -> Iterator[TopicStatement]:
    """The statements the source gives in the patient's words, then those of the history.

    A patient with a script knows the script: the history is then the record's.
    """
    question, follows = vignette.asked, _follows_script(vignette, speaker)
    scripted = follows and bool(vignette.words or vignette.spoken)
    for spoken in vignette.spoken:
        own = _said(spoken.text, spoken.topic, spoken.path, question, spoken=spoken.text)
        yield own._replace(recorded=not follows)
    for piece in pieces:
        if piece.given.role != "history":
            continue
        result = list(statements(_CONNECTIVE.sub("", clean(piece.text))))
        if all(says_nothing(said.text) for said in result):
            continue
        for said in result:
            if _LINK.fullmatch(said.text):
                continue
            text = _ended(_CONNECTIVE.sub("", said.text))
            about = _REPORTER.sub("", text)
            topic = piece.given.topic or topic_of_statement(about, "systems" if said.absent else "associated")
            yield _said(text, topic, piece.path, question)._replace(recorded=scripted)


def _said(
    text: str, topic: Topic, path: str, question: Question, spoken: str | None = None
) -> TopicStatement:
    key = topic in _KEY_TOPICS and not names(question, text)
    return TopicStatement(text[:1].upper() + text[1:], topic, path, is_negative(text), key, spoken)


def _found(vignette: Vignette, pieces: Sequence[Piece]) -> Iterator[SourceResult]:
    """The results in the prose, and the images: one that the prose refers to belongs to its words there."""
    images = list(vignette.images)
    for piece in pieces:
        if not piece.named:
            continue
        found = SourceResult(piece.path, *piece.named, _ended(clean(_CONNECTIVE.sub("", piece.text))))
        if images and found.kind == "image" and FIGURE.search(piece.text):
            image = images.pop(0)
            called = dict.fromkeys((*found.aliases, image.name, *_called(image)))
            called.pop(found.name, None)
            missing = "" if image.picture else f" {image_words(None)}"
            found = found._replace(
                aliases=tuple(called), picture=image.picture, result=f"{found.result}{missing}"
            )
        yield found
    for image in images:
        entry = formulary().find(image.name)
        kind = entry.kind if entry else kind_of(image.name, "image")
        name = entry.name if entry else image.name
        yield SourceResult(image.path, kind, name, _called(image), image_words(image.picture), image.picture)


def _called(image: Image) -> tuple[str, ...]:
    return image.label, "Image", "Figure"


def _taught(vignette: Vignette, findings: Sequence[Finding]) -> TeachingPlan | None:
    """The teaching plan, its steps about the findings that show the images they name."""
    if vignette.teaching is None:
        return None
    shown = {
        label: one.id for one in findings for label in (one.name, *one.aliases) if IMAGE.fullmatch(label)
    }
    steps = (
        step.model_copy(update={"image": shown.get(step.image)}) if step.image else step
        for step in vignette.teaching.steps
    )
    return vignette.teaching.model_copy(update={"steps": tuple(steps)})


def _question(pieces: Sequence[Piece], vignette: Vignette) -> str:
    """The question, preceded by what it refers back to ("this drug") among the interventions."""
    prose = " ".join(clean(piece.text) for piece in pieces if piece.given.role == "question")
    asked = vignette.asked.question or _CHOICES.split(prose)[0].strip(" |")
    done = [piece.text for piece in pieces if piece.given.role == "management"]
    told = [_ended(clean(text)) for text in done if not names(vignette.asked, text)]
    return " ".join([*told, asked]) if _POINTS_BACK.search(asked) else asked


def _sentence(text: str) -> str:
    """A piece as a sentence by itself, without its connective."""
    bare = _CONNECTIVE.sub("", clean(text))
    return _ended(bare[:1].upper() + bare[1:] if bare[1:2].islower() else bare)


def _ended(text: str) -> str:
    return ended(text.strip(" ,;"))
