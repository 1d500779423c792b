"""A person in a seat: what is new is shown, a line is read, and the line becomes a reply.

The person sees exactly what any other player in that seat would see. Everything is derived from the request,
so a person may get up and come back: whoever resumes sees the whole conversation again.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Sequence
from typing import Any, Protocol

from pydantic import BaseModel

from osler.knowledge.bedside import order_meant, sounds_like_an_order
from osler.knowledge.topics import conditions_met
from osler.pictures import draw
from osler.players.free_text import facts_told
from osler.seats.consultation_events import Advised, VisitBegan, WorkingDiagnosis
from osler.seats.contract import Own, Request
from osler.seats.doctor import Ask, CallMdt, DoctorView, Finalize, RequestTest, Wait
from osler.seats.events import Event, Noticed, Said, TurnBegan
from osler.seats.order_events import Resulted, Taken
from osler.seats.patient import PatientFact, PatientReply, PatientView

DOCTOR_HELP = """\
Type what you say to the patient, or one of:
  /test NAME         order a test or image, or examine ("/test abdominal examination");
                     "ECG please" or "can I feel your tummy?" will do as well
  /consult QUESTION  ask the consultant, if there is one
  /wait              wait for the next result, or see the patient again later
  /ddx A 60; B 30    note your working diagnoses, with confidence in per cent
  /done DIAGNOSIS    conclude; you are then asked for evidence, plan and follow-up
  /history           everything so far      /left   what is left      /help   this
  /quit              stop here; the run can be resumed"""
PATIENT_HELP = """\
Answer in your own words as this patient. You know only the facts above.
  /facts   show them again      /history   everything so far      /help   this
  /quit    stop here; the run can be resumed"""
_NUMBER = re.compile(r"[+-]?\d+(?:[.,]\d+)?")
_SHARES = "A share is a number from 0 to 100, in per cent."


class Channel(Protocol):
    """How a person is reached: a terminal, a browser, a test."""

    async def read(self, prompt: str) -> str:
        """The next line, without its end. Raises EOFError when there will be no more."""
        ...

    def write(self, text: str) -> None:
        """Show something. The text is hostile: a channel neutralizes control characters."""
        ...

    def picture(self, name: str, png: bytes) -> None:
        """Show a picture, under the name it was ordered by."""
        ...


class Person:
    """A person at a channel, in the doctor's or the patient's seat."""

    name = "person"
    durable = True

    def __init__(self, channel: Channel) -> None:
        self._channel = channel

    async def reply(self, request: Request[Any]) -> BaseModel:
        """Show what is new since this seat's last reply and read the answer."""
        view, first = request.view, not any(isinstance(item, Own) for item in request.feed)
        if first:
            self._show(_briefing(view))
        new = _new_in(request.feed)
        self._show(told(new))
        for item in new:
            if isinstance(item, Resulted) and item.picture:
                self._channel.picture(item.name, draw(item.picture))
        if isinstance(view, DoctorView):
            return await self._as_doctor(request, view)
        if isinstance(view, PatientView):
            return await self._as_patient(request, view)
        raise TypeError("a person can sit as doctor or as patient")

    async def _as_doctor(self, request: Request[Any], view: DoctorView) -> BaseModel:
        working: tuple[WorkingDiagnosis, ...] = ()
        turn = next((i for i in reversed(request.feed) if isinstance(i, TurnBegan)), None)
        if turn and turn.differential_wanted:
            self._show(["What do you think so far? Note it with /ddx, then go on."])
        while True:
            line = (await self._read("doctor> ")).strip()
            command, _, rest = line.partition(" ")
            rest = rest.strip()
            match command:
                case "":
                    continue
                case "/help" | "/?":
                    self._show([DOCTOR_HELP])
                case "/history":
                    self._show(told(request.feed))
                case "/left":
                    self._show([_left(turn)])
                case "/quit":
                    raise asyncio.CancelledError
                case "/ddx":
                    noted, unclear = _differential(rest)
                    if unclear:
                        self._show([f"Not understood, so nothing is noted: {'; '.join(unclear)}. {_SHARES}"])
                    else:
                        working = noted
                        self._show([f"Noted: {', '.join(d.name for d in working) or 'nothing'}."])
                case "/test" | "/order" | "/examine" if rest:
                    return RequestTest(test_name=rest[:300], working_diagnoses=working)
                case "/consult":
                    return CallMdt(question=rest, working_diagnoses=working)
                case "/wait" if await self._means_to_wait(request):
                    return Wait(working_diagnoses=working)
                case "/done" if rest:
                    return await self._conclude(rest, view, working)
                case "/wait":
                    self._show(["Then go on: the patient is still here."])
                case _ if command.startswith("/"):
                    self._show([f"{command} is not complete, or not a command. /help lists them."])
                case _ if name := await self._order_in(line):
                    return RequestTest(test_name=name, working_diagnoses=working)
                case _:
                    return Ask(question=line[:4000], working_diagnoses=working)

    async def _conclude(
        self, diagnosis: str, view: DoctorView, working: tuple[WorkingDiagnosis, ...]
    ) -> Finalize:
        answer = None
        while view.task.options and answer not in view.task.options:
            self._show([f"  {key}: {text}" for key, text in view.task.options.items()])
            answer = (await self._read("option> ")).strip().upper()
        confidence = await self._confidence()
        evidence = await self._read("evidence, separated by ;> ")
        plan = await self._read("plan, separated by ;> ")
        followup = await self._read("follow-up and safety net> ")
        return Finalize(
            diagnosis=diagnosis[:4000],
            answer=answer,
            confidence=confidence,
            evidence=tuple(_items(evidence)),
            plan=tuple(_items(plan)),
            followup=followup.strip(),
            working_diagnoses=working or (WorkingDiagnosis(name=diagnosis[:300], confidence=confidence),),
        )

    async def _confidence(self) -> float | None:
        while sure := (await self._read("how sure, in per cent> ")).strip():
            if (share := _share(sure.rstrip("% "))) is not None:
                return share
            self._show([f"Not understood. {_SHARES} Leave it empty to give none."])
        return None

    async def _means_to_wait(self, request: Request[Any]) -> bool:
        """Whether a result is due, no further visit is left to lose, or the person says yes to one."""
        if _due(request.feed) or _visit(request.feed) >= request.view.max_visits:
            return True
        asked = "Nothing is due. Send the patient home and see them in a week? y/n> "
        return (await self._read(asked)).strip().lower() in ("y", "yes")

    async def _order_in(self, line: str) -> str | None:
        """What a line said to the patient would order, where the person says that it is meant so."""
        name = order_meant(line) if sounds_like_an_order(line) else None
        if name is None:
            return None
        asked = f"Order {name!r}? y, or n to say it to the patient> "
        return name if (await self._read(asked)).strip().lower() in ("y", "yes") else None

    async def _as_patient(self, request: Request[Any], view: PatientView) -> BaseModel:
        while True:
            line = (await self._read("patient> ")).strip()
            match line:
                case "":
                    continue
                case "/help" | "/?":
                    self._show([PATIENT_HELP])
                case "/facts":
                    self._show(_briefing(view))
                case "/history":
                    self._show(told(request.feed))
                case "/quit":
                    raise asyncio.CancelledError
                case _ if line.startswith("/"):
                    self._show([f"{line.split()[0]} is not a command. /help lists them."])
                case _:
                    tells = facts_told(line, view)
                    early = [fact for fact in view.facts if fact.id in tells and not _may_tell(fact, request)]
                    if not early:
                        return PatientReply(answer=line[:8000], revealed_facts=tells)
                    self._show(
                        [f"Not yet: {fact.spoken or fact.text}{_condition(fact.told)}" for fact in early]
                    )
                    self._show(["The doctor has not heard that line. Say something else for now."])

    async def _read(self, prompt: str) -> str:
        try:
            return await self._channel.read(prompt)
        except EOFError:
            raise asyncio.CancelledError from None

    def _show(self, lines: Sequence[str]) -> None:
        if lines:
            self._channel.write("\n".join(lines))


def _may_tell(fact: PatientFact, request: Request[Any]) -> bool:
    """Whether the doctor has said what makes the patient willing to tell a fact."""
    return fact.told in conditions_met(
        [item.text for item in request.feed if isinstance(item, Said) and item.by == "doctor"]
    )


def told(feed: Sequence[Event | Own]) -> list[str]:
    """What a seat was told, a line each; its own replies stand there as what they caused."""
    return [line for item in feed for line in _lines(item)]


def _lines(item: Event | Own) -> Iterator[str]:
    match item:
        case Said():
            yield f"{item.by.capitalize()}: {item.text}"
        case Own(reply=Ask(question=question)):
            yield f"Doctor: {question}"
        case Own(reply=PatientReply(answer=answer)):
            yield f"Patient: {answer}"
        case Own(reply=RequestTest(test_name=name)):
            yield f"[ordered: {name}]"
        case Taken():
            yield f"[{item.name}: result in {item.ready_minute - item.minute} min; /wait for it or go on]"
        case Resulted():
            yield f"[{item.name}] {item.text}"
        case Advised():
            yield f"Consultant: {item.note}"
            if item.next_question:
                yield f"Consultant: you might ask: {item.next_question}"
        case Noticed():
            yield f"! {item.text}"
        case VisitBegan() if item.visit > 1:
            yield f"--- visit {item.visit}, {item.minute // 60} h after the first began ---"
        case _:
            return


def _new_in(feed: Sequence[Event | Own]) -> Sequence[Event | Own]:
    last = max((i for i, item in enumerate(feed) if isinstance(item, Own)), default=-1)
    return feed[last + 1 :]


def _briefing(view: object) -> list[str]:
    if isinstance(view, DoctorView):
        options = [f"  {key}: {text}" for key, text in (view.task.options or {}).items()]
        return [view.door_note, f"Your task: {view.task.question}", *options, "", DOCTOR_HELP, ""]
    if isinstance(view, PatientView):
        facts = [f"  - {fact.spoken or fact.text}{_condition(fact.told)}" for fact in view.facts]
        who = "You are the patient." if view.speaker == "patient" else f"You are the {view.speaker}."
        return [who, f"You have said: {view.opening}", "You know:", *facts, "", PATIENT_HELP, ""]
    return []


def _condition(told_when: str) -> str:
    reasons = {
        "in_private": "  (tell this only in private)",
        "normalized": "  (tell this only once the question is made ordinary)",
        "confidential": "  (tell this only once confidentiality is assured)",
    }
    return reasons.get(told_when, "")


def _kept_back(facts: Sequence[PatientFact]) -> list[str]:
    kept = [f"Not yet: {fact.spoken or fact.text}{_condition(fact.told)}" for fact in facts]
    return [*kept, "The doctor has not heard that line. Say something else for now."]


def _left(turn: TurnBegan | None) -> str:
    if turn is None:
        return ""
    parts = [f"{turn.turns_left} more turns", f"{turn.minutes_left} minutes of this visit"]
    if turn.tests_left is not None:
        parts.append(f"{turn.tests_left} tests")
    if turn.cost_left is not None:
        parts.append(f"{turn.cost_left} points")
    return f"Left: {', '.join(parts)}."


def _due(feed: Sequence[Event | Own]) -> bool:
    """Whether a result is still to come."""
    came = [item.order for item in feed if isinstance(item, Resulted)]
    return any(isinstance(item, Taken) and item.order not in came for item in feed)


def _visit(feed: Sequence[Event | Own]) -> int:
    return max((item.visit for item in feed if isinstance(item, VisitBegan)), default=1)


def _items(text: str) -> Iterator[str]:
    return (part.strip()[:4000] for part in text.split(";") if part.strip())


def _differential(text: str) -> tuple[tuple[WorkingDiagnosis, ...], list[str]]:
    """The diagnoses in "A 60; B 30", and the parts of it whose share or name cannot be used."""
    found, unclear = [], []
    for part in _items(text):
        name, _, last = part.rstrip("% ").rpartition(" ")
        if not _NUMBER.fullmatch(last):
            found.append(WorkingDiagnosis(name=part[:300]))
        elif name.strip() and (share := _share(last)) is not None:
            found.append(WorkingDiagnosis(name=name.strip()[:300], confidence=share))
        else:
            unclear.append(part)
    return tuple(found), unclear


def _share(per_cent: str) -> float | None:
    """A share from 0 to 1 out of "70" or "12,5", or `None` where it is no percentage."""
    if not _NUMBER.fullmatch(per_cent):
        return None
    value = float(per_cent.replace(",", ".")) / 100
    return value if 0 <= value <= 1 else None
