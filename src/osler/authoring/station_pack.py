"""A printable OSCE station of a case as one HTML file.

It has a cover, the candidate's page, the patient's brief, cards, the mark sheet and the teaching. The file
embeds its pictures and makes no network requests. The pages for the candidate and the simulated patient carry
the case's neutral id only, never its title, and so does the file's own title, which browsers print at the top
of every page.
"""

from __future__ import annotations

import unicodedata
from functools import cache
from importlib import resources
from itertools import groupby
from typing import Final, NamedTuple

from jinja2 import Environment, StrictUndefined, Template

from osler.cases.identity import identity_of
from osler.cases.model import Case, Contraindicated, Fact, Finding
from osler.knowledge.vocabulary import TOPICS, FindingKind, Told, Topic
from osler.pictures import alt, data_uri

READING_MINUTES: Final = 2
STATION_MINUTES: Final = 15
FEEDBACK_MINUTES: Final = 5
_JOINERS: Final = "\u200c\u200d"
_MINDS: Final[tuple[Topic, ...]] = ("ideas", "concerns", "expectations")
_TOPICS: Final[dict[Topic, str]] = {
    "complaint": "What brings them here",
    "course": "How it came and went",
    "character": "What it is like",
    "modifiers": "What makes it better or worse",
    "associated": "What goes with it",
    "systems": "The rest of the body",
    "past_medical": "Earlier illnesses",
    "past_surgical": "Operations",
    "medications": "Medicines",
    "allergies": "Allergies",
    "family": "Illness in the family",
    "tobacco": "Tobacco",
    "alcohol": "Alcohol",
    "drugs": "Other drugs",
    "occupation": "Work",
    "home": "Home and daily life",
    "travel": "Travel",
    "exposure": "Contacts and surroundings",
    "sexual": "Sexual history",
    "gynaecological": "Periods, pregnancies, contraception",
    "birth": "Birth, growth, development, feeding",
    "immunization": "Vaccines",
    "diet": "Food, exercise, weight",
    "mood": "Mood",
    "ideas": "What they think it is",
    "concerns": "What worries them",
    "expectations": "What they hope for",
    "identity": "Who they are",
    "other": "Other",
}
_TOLD: Final[dict[Told, str]] = {
    "volunteered": "Say it without being asked",
    "asked": "",
    "in_private": "Only when nobody else is in the room",
    "normalized": "Only when asked kindly, as something common",
    "confidential": "Only once confidentiality is promised",
}
_KINDS: Final[dict[FindingKind, str]] = {
    "examination": "Examination",
    "test": "Test",
    "image": "Imaging",
}


class _BriefFact(NamedTuple):
    """One fact of the patient's brief."""

    say: str
    plainly: str
    told: str
    guarded: bool
    witnessed: bool
    mistaken: bool


class _Card(NamedTuple):
    """One result to cut out and hand over."""

    id: str
    kind: str
    name: str
    result: str
    picture: str
    caption: str
    minutes: int | None


def station_pack(case: Case) -> str:
    """The pack as HTML: the case's text is escaped, and stripped of characters that hide or reorder text."""
    facts = [fact for fact in case.facts if fact.known_by != "record"]
    kept = [fact for fact in case.facts if fact.known_by == "record"]
    cards = [_card(finding) for finding in case.findings]
    cards += [_Card(fact.id, "Record", "Medical records", fact.text, "", "", None) for fact in kept]
    return _template().render(
        case=case,
        identity=identity_of(case),
        reading=READING_MINUTES,
        station=STATION_MINUTES,
        feedback=FEEDBACK_MINUTES,
        topics=_by_topic([fact for fact in facts if fact.topic not in _MINDS]),
        minds=_by_topic([fact for fact in facts if fact.topic in _MINDS]),
        cards=cards,
        kinds=[(name, sum(card.kind == name for card in cards)) for name in (*_KINDS.values(), "Record")],
        witnessed=any(fact.known_by == "witness" for fact in facts),
        key_facts=[fact for fact in facts if fact.key],
        key_records=[fact for fact in kept if fact.key],
        key_findings=[finding for finding in case.findings if finding.key],
        required=_required(case),
        harmful=_harmful(case),
        answer=_answer(case),
        hash=case.content_hash,
    )


def _by_topic(facts: list[Fact]) -> list[tuple[str, list[_BriefFact]]]:
    ordered = sorted(facts, key=lambda fact: TOPICS.index(fact.topic))
    return [
        (_TOPICS[topic], [_line(fact) for fact in group])
        for topic, group in groupby(ordered, key=lambda fact: fact.topic)
    ]


def _line(fact: Fact) -> _BriefFact:
    return _BriefFact(
        say=fact.spoken or "",
        plainly=fact.text,
        told=_TOLD[fact.told],
        guarded=fact.told not in ("volunteered", "asked"),
        witnessed=fact.known_by == "witness",
        mistaken=not fact.believed_truly,
    )


def _card(finding: Finding) -> _Card:
    picture = finding.picture
    return _Card(
        finding.id,
        _KINDS[finding.kind],
        finding.name,
        finding.result,
        data_uri(picture) if picture else "",
        alt(picture) if picture else "",
        finding.minutes,
    )


def _required(case: Case) -> list[str]:
    """Each group of required results as one line, its names joined as alternatives."""
    names = {item.id: item.name for item in case.findings} | {fact.id: fact.text for fact in case.facts}
    groups = case.workup.required if case.workup else ()
    return [" or ".join(names[ident] for ident in group) for group in groups]


def _harmful(case: Case) -> list[Contraindicated]:
    return [
        *(case.workup.contraindicated if case.workup else ()),
        *(case.management.contraindicated if case.management else ()),
    ]


def _answer(case: Case) -> str:
    """The task's answer in words; for a choice, the key and its text."""
    task = case.task
    return (
        f"{task.answer}: {task.options[task.answer]}"
        if task.kind == "choice" and task.options
        else task.answer
    )


def _shown(value: object) -> object:
    """A printable value without characters that hide or reorder text; our own markup stays as it is."""
    if not isinstance(value, str) or hasattr(value, "__html__"):
        return value
    return "".join(
        c for c in value if unicodedata.category(c) not in ("Cc", "Cf", "Cs") or c in "\n\t" or c in _JOINERS
    )


@cache
def _template() -> Template:
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, finalize=_shown, trim_blocks=True, lstrip_blocks=True
    )
    text = resources.files(__package__).joinpath("station_pack.html.j2").read_text(encoding="utf-8")
    return environment.from_string(text)
