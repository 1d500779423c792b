"""Episodes as material for memory: the doctor's own record of each, and the feedback on it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from typing import Final, NamedTuple

from pydantic_core import from_json

from osler.cases.model import Case
from osler.core.contract import OwnReply
from osler.core.events import Event, Said
from osler.core.order_events import Pictured, Resulted
from osler.core.pictures import Held, ImageFile, Picture
from osler.core.trace import Trace
from osler.errors import Status
from osler.judging.scores import GRADER
from osler.knowledge.conditions import name_key
from osler.memory.buffers import Feedback, told
from osler.memory.record import DOCTORS, Record
from osler.memory.settings import Policy
from osler.protocols.consultation.events import Advised
from osler.protocols.consultation.players.naive import UNKNOWN
from osler.protocols.consultation.seats import DOCTOR
from osler.protocols.consultation.story import conclusion_of
from osler.protocols.consultation.wrappers.memory import MEMORY, cards_given
from osler.runs.stored_case import stored_cases
from osler.store.permitted_store import for_reader
from osler.store.records import EpisodeRow, RunInfo
from osler.store.store import Store

_NOTHING: Final = frozenset({"", UNKNOWN})


class Experience(NamedTuple):
    """An ended episode as its doctor knows it: `told` is the feedback that the policy lets through, `given`
    are the ids of the cards it was given, and `reason` is the doctor's own reason for its conclusion.
    `reflected`: it is a second attempt that thought over the record of the first, and has none of its own.
    """

    episode: EpisodeRow
    case: Case
    record: Record
    told: Feedback
    given: tuple[str, ...]
    reason: str
    reflected: bool = False
    trace: Trace | None = None

    def feed(self) -> tuple[Event | OwnReply, ...]:
        """All that the doctor was told and said, in order."""
        return feed_of(self.trace) if self.trace else ()


def lived(run: RunInfo, store: Store, feedback: Policy) -> Iterator[Experience]:
    """Yield the ended episodes of a run in order, judged by the built-in judge; not those whose words were
    deleted, or whose people do not permit that anything learns from them."""
    store = for_reader(store, "memory")
    case_of = stored_cases(store)
    again = run.manifest["configuration"].get("again") or {}
    for episode, trace, judgements in store.records(run.id):
        if episode.status is Status.DELETED:
            continue
        body = next((from_json(one.body) for one in judgements if one.grader == GRADER), None)
        value = body["scores"]["correct"]["value"] if body else None
        case, final = case_of(episode.case_hash), conclusion_of(trace) or {}
        record = record_of(trace, store.picture)
        if name_key(record.diagnosis or "") in _NOTHING:
            record = record._replace(diagnosis=None)
        correct = None if value is None else value == 1
        yield Experience(
            episode,
            case,
            record,
            told(feedback, correct, gold_of(case)),
            given_in(trace),
            " ".join(final.get("rationale", ())),
            not again.get("anew", True),
            trace,
        )


def feed_of(trace: Trace) -> tuple[Event | OwnReply, ...]:
    """Return the doctor's feed at the end of an episode. Raises BadInput as `Trace.events` does."""
    told = {n: [event for event in events if "doctor" in event.to] for n, events in trace.told()}
    feed: list[Event | OwnReply] = list(told.get(0, ()))
    for row in trace.rows:
        if row.seat == "doctor" and row.reply != "null":
            feed.append(OwnReply(DOCTOR.reply.validate_json(row.reply)))
        feed += told.get(row.n, ())
    return tuple(feed)


def gold_of(case: Case) -> str:
    """Return the right answer in words: the diagnosis if the case asks for it, else the answer's text."""
    task = case.task
    if task.kind == "diagnosis" and case.diagnosis:
        return case.diagnosis.name
    return (task.options or {}).get(task.answer, task.answer)


def given_in(trace: Trace) -> tuple[str, ...]:
    """Return the ids of all cards that an episode was given, in order, from its own record."""
    attempts = [*(row.attempts for row in trace.rows), *(row.attempts for row in trace.inner)]
    lines = [line for line in attempts if f'"{MEMORY}"' in line]
    return tuple(dict.fromkeys(name for line in lines for name in cards_given(json.loads(line))))


def record_of(trace: Trace, held: Held | None = None) -> Record:
    """Read a trace, whose image files are `held` by its store. Raises BadInput as `Trace.events` does."""
    dialogue: list[tuple[str, str]] = []
    results: list[tuple[str, str]] = []
    pictures: list[Picture] = []
    for event in trace.events:
        match event:
            case Said() if event.by == "doctor" or "doctor" in event.to:
                dialogue.append((event.by, event.text))
            case Advised() if "doctor" in event.to:
                dialogue.append(("consultant", event.note))
            case Resulted() if event.returned and "doctor" in event.to:
                results.append((event.name, event.text))
                pictures += [event.picture] if event.picture else []
            case Pictured():
                # The doctor was given it in words, so its look is part of the experience.
                pictures.append(event.picture)
            case _:
                pass
    for picture in pictures:
        if held is not None and isinstance(picture, ImageFile):
            picture.lies_at(partial(held, picture.sha256))
    complaint = next((text for by, text in dialogue if by not in DOCTORS), "")
    final = conclusion_of(trace)
    return Record(
        complaint, tuple(dialogue), tuple(results), tuple(pictures), final["diagnosis"] if final else None
    )
