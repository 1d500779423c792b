"""Questions that list several symptoms or habits, answered part by part.

"Any trouble swallowing or breathing, or drooping of your eyelids?" has three parts. Each is answered by the
facts that hold it, else by what an examination of the case shows that a patient would notice, else by the
run's policy. A part that is not understood gets no answer: it is never denied.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from osler.knowledge.vocabulary import Topic
from osler.protocols.shared.patient import PatientFact, PatientView
from osler.protocols.shared.players import voice
from osler.protocols.shared.players.confidence import answers
from osler.protocols.shared.players.recall import holds_any, recall
from osler.protocols.shared.players.weighing import SYMPTOMS, Heard, hear
from osler.text.findings_in_text import finding, mentions
from osler.text.lay_terms import workings
from osler.text.topics import Clause, canonical_question, clauses, is_canonical, words_of_topics

_SPLIT: Final = re.compile(r"\s*(?:,\s*(?:and|or)?|\band\b|\bor\b|/)\s*")
_LEAD: Final = re.compile(r"\b(trouble|difficulty|problems?|changes?)\b(?:\s+(?:with|in|of))?")
_OF_SYMPTOMS: Final[frozenset[Topic]] = SYMPTOMS | {"diet", "mood"}


_HABITS: Final[tuple[Topic, ...]] = ("tobacco", "alcohol", "drugs")
"""The habits, what is told most readily first."""
_DRUGS: Final = re.compile(r"\b(?:drugs|substances)\b")


@lru_cache(maxsize=8192)
def apart(clause: Clause) -> tuple[Clause, ...]:
    """A question that lists habits and asks nothing else, such as "do you smoke, drink or take drugs", as a
    plain question for each; any other question as it is."""
    heard = hear(clause)
    if not (clause.sure and len(clause.topics) > 1 and set(_HABITS).issuperset(clause.topics)):
        return (clause,)
    if _says_more(heard):
        return (clause,)
    asked = {*clause.topics, *(("drugs",) if _DRUGS.search(clause.text) else ())}
    return tuple(each for topic in _HABITS if topic in asked for each in clauses(canonical_question(topic)))


def _says_more(heard: Heard) -> bool:
    """Whether a question for habits is also for people, times, sides or anything else."""
    apart_from_names = heard.words - words_of_topics(heard.text)
    return bool(
        heard.people or heard.times or heard.aspects or apart_from_names or "others_smoke" in heard.things
    )


class Part(NamedTuple):
    """One symptom or bodily function asked about: its words, and the findings and functions they name."""

    text: str
    findings: frozenset[str]
    workings: frozenset[str]


class Parts(NamedTuple):
    """The answer to a question in parts: facts to tell, and sentences for what no fact holds."""

    facts: tuple[PatientFact, ...]
    lines: tuple[str, ...]


@lru_cache(maxsize=8192)
def parts_of(question: str) -> tuple[Part, ...]:
    """The understood parts of a question that lists several things; empty if only one is understood."""
    pieces = [piece for piece in _SPLIT.split(question) if piece]
    if len(pieces) < 2:
        return ()
    lead, found = "", list[Part]()
    for piece in pieces:
        own = _LEAD.search(piece)
        lead = own.group() if own else lead
        wordings = (piece, f"{lead} {piece}") if lead and not own else (piece,)
        named = next((names for text in wordings if (names := frozenset(mentions(text)))), frozenset[str]())
        bodily = workings(wordings[-1])
        if named or bodily:
            found.append(Part(wordings[-1], _told_apart(named), bodily))
    return tuple(found) if len(found) > 1 else ()


def _told_apart(named: frozenset[str]) -> frozenset[str]:
    implied = {other for name in named for other in finding(name).implies}
    return named - implied or named


def answered(
    heard: Heard, view: PatientView, may: Sequence[PatientFact], told: Collection[str]
) -> Parts | None:
    """The answer to a question that lists several symptoms, or `None` for any other question."""
    asked = parts_of(heard.text)
    if not asked or heard.plain or heard.aspects or not _OF_SYMPTOMS.issuperset(heard.topics):
        return None
    facts: dict[str, PatientFact] = {}
    shown, denied, unsure = list[str](), list[str](), list[str]()
    for part in asked:
        own = hear(Clause(part.text, heard.topics, heard.sure, asks=True))
        found = recall(own, view.facts, told, may)[:1]
        if not is_canonical(heard.text):
            found = answers(own, found, view.facts, told, leans=False)[:1] if found else ()
        if holding := found:
            facts.update((fact.id, fact) for fact in holding if fact in may)
            continue
        seen = part.findings.intersection(view.noticed)
        if seen:
            shown += _names(seen)
        elif (
            not part.findings
            or holds_any(own, view.facts)
            or (view.unknown != "normal" and part.findings.intersection(view.unsure_of))
        ):
            unsure.append(part.text if not part.findings else "")
        else:
            denied += _names(part.findings)
    # A part that is not understood, beside one that is answered, needs no "I couldn't say".
    open_ = [] if facts and not (shown or denied) else unsure
    return Parts(tuple(facts.values()), tuple(_lines(view, shown, denied, open_)))


def _lines(view: PatientView, shown: list[str], denied: list[str], unsure: list[str]) -> Iterable[str]:
    if shown:
        yield voice.noticed(shown)
    if view.unknown == "withhold":
        if denied or unsure:
            yield voice.WITHHELD
        return
    if denied:
        yield voice.denied(denied)
    if unsure:
        yield voice.UNSURE_OF_THE_REST if shown or denied else voice.UNSURE


def _names(ids: Iterable[str]) -> list[str]:
    return sorted({finding(id).name for id in ids})
