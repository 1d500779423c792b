"""The terminal forms of a person as doctor or patient of a consultation: display, and parsing of lines."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from pydantic import BaseModel

from osler.core.contract import OwnReply
from osler.core.events import Event, Said, TurnBegan
from osler.core.order_events import Resulted, Taken
from osler.knowledge.vocabulary import NOBODY
from osler.players.external import Pending
from osler.players.person import Concern, Form, Forms, Talk, common_lines
from osler.protocols.consultation.events import Advised, Presented, WorkingDiagnosis
from osler.protocols.consultation.seats import (
    Ask,
    CallMdt,
    DoctorView,
    Finalize,
    RequestTest,
    ToldView,
    Wait,
)
from osler.protocols.shared.claimed_facts import told_by_words
from osler.protocols.shared.patient import PatientFact, PatientReply, PatientView, VisitBegan, contradicted_by
from osler.reading.ordering import order_meant
from osler.text.topics import clauses, conditions_met

_LONGEST_ORDER: Final = 120  # a longer line, in characters, is no order
_BARE: Final = 4  # a line of up to this many words may be just a name

DOCTOR_HELP = """\
Type what you say to the patient, or one of:
  /test NAME         order a test or image, or examine ("/test abdominal examination");
                     "ECG please" or "can I feel your tummy?" will do as well
  /consult QUESTION  ask the consultant, if there is one
  /wait              wait for the next result, or see the patient again later
  /ddx A 60; B 30    note your working diagnoses, with confidence in per cent
  /done DIAGNOSIS    conclude; you are then asked for evidence, plan and follow-up
  /history           everything so far      /left   what is left      /help   this
  /pause             step out for a while; it is never scored
  /quit              stop here; the run can be resumed"""

TOLD_HELP = """\
You are told of this patient instead of seeing them: there is nobody to ask, and nothing to order.
  /ddx A 60; B 30    note your differential, with confidence in per cent
  /done DIAGNOSIS    conclude; you are then asked for evidence, plan and follow-up
  /history           what you were told      /help   this
  /pause             step out for a while; it is never scored
  /quit              stop here; the run can be resumed"""

PATIENT_HELP = """\
Answer in your own words as this patient. You know only the facts above.
  /facts   show them again      /history   everything so far      /help   this
  /pause   step out for a while; it is never scored
  /quit    stop here; the run can be resumed"""

LAST_TURN: Final = "This is your last turn: /done DIAGNOSIS concludes, or type the diagnosis alone."

_NUMBER = re.compile(r"[+-]?\d+(?:[.,]\d+)?")

_ENDS_THE_VISIT: Final = "Nothing is due. Send the patient home and see them in a week?"

_SHARES = "A share is a number from 0 to 100, in per cent."


async def _as_doctor(pending: Pending, talk: Talk) -> BaseModel:
    view: Any = pending.view
    working: tuple[WorkingDiagnosis, ...] = ()
    turn = _turn(pending)
    if turn and turn.differential_wanted:
        talk.show(["What do you think so far? Note it with /ddx, then go on."])
    last = turn is not None and turn.last_chance
    if last:
        talk.show([LAST_TURN])
    prompt = f"doctor ({_in_view(turn)})> " if turn else "doctor> "
    while True:
        line = await talk.line(prompt)
        command, _, rest = line.partition(" ")
        rest = rest.strip()
        match command:
            case "":
                continue
            case "/ddx":
                noted, unclear = _differential(rest)
                if unclear:
                    talk.show([f"Not understood, so nothing is noted: {'; '.join(unclear)}. {_SHARES}"])
                else:
                    working = noted
                    talk.show([f"Noted: {', '.join(d.name for d in working) or 'nothing'}."])
            case "/done" if rest:
                return await _conclude(rest, view, working, talk)
            case _ if last:
                if not line.startswith("/") and await talk.yes(f"Is this your diagnosis: {line[:300]}?"):
                    return await _conclude(line, view, working, talk)
                talk.show([LAST_TURN])
            case "/test" | "/order" | "/examine" if rest:
                return RequestTest(test_name=rest[:300], working_diagnoses=working)
            case "/consult":
                return CallMdt(question=rest, working_diagnoses=working)
            case "/wait" if await _means_to_wait(pending, talk):
                return Wait(working_diagnoses=working)
            case "/wait":
                talk.show(["Then go on: the patient is still here."])
            case _ if command.startswith("/"):
                talk.show([f"{command} is not complete, or not a command. /help lists them."])
            case _ if name := await _order_in(line, talk):
                return RequestTest(test_name=name, working_diagnoses=working)
            case _:
                return Ask(question=line[:4000], working_diagnoses=working)


async def _conclude(
    diagnosis: str, view: DoctorView, working: tuple[WorkingDiagnosis, ...], talk: Talk
) -> Finalize:
    answer = None
    while view.task.options and answer not in view.task.options:
        talk.show([f"  {key}: {text}" for key, text in view.task.options.items()])
        answer = (await talk.raw("option> ")).strip().upper()
    confidence = await _confidence(talk)
    evidence = await talk.raw("evidence, separated by ;> ")
    plan = await talk.raw("plan, separated by ;> ")
    followup = await talk.raw("follow-up and safety net> ")
    return Finalize(
        diagnosis=diagnosis[:4000],
        answer=answer,
        confidence=confidence,
        evidence=tuple(_items(evidence)),
        plan=tuple(_items(plan)),
        followup=followup.strip(),
        working_diagnoses=working or (WorkingDiagnosis(name=diagnosis[:300], confidence=confidence),),
    )


async def _confidence(talk: Talk) -> float | None:
    while sure := (await talk.raw("how sure, in per cent> ")).strip():
        if (share := _share(sure.rstrip("% "))) is not None:
            return share
        talk.show([f"Not understood. {_SHARES} Leave it empty to give none."])
    return None


async def _means_to_wait(pending: Pending, talk: Talk) -> bool:
    """Whether waiting is meant: a result is due, no further visit can be used up, or the person confirms."""
    return not _ends_the_visit(pending) or await talk.yes(_ENDS_THE_VISIT)


def _ends_the_visit(pending: Pending) -> bool:
    view: Any = pending.view
    return not _due(pending.feed) and _visit(pending.feed) < view.max_visits


async def _order_in(line: str, talk: Talk) -> str | None:
    """The order implied by a line said to the patient, if the person confirms that it is meant as one."""
    name = _order_implied(line)
    if name is None:
        return None
    return name if await talk.yes(f"Order {name!r}? With n it is said to the patient.") else None


def _order_implied(line: str) -> str | None:
    """Return the tests ordered by a line to the patient, unless it is long, or one bare word of the history:
    "pregnancy" asks, "pregnancy test" orders."""
    if len(line) > _LONGEST_ORDER:
        return None
    if len(line.split()) <= _BARE:
        heard = clauses(line)
        if any(clause.asks for clause in heard) or (len(line.split()) == 1 and heard and heard[0].sure):
            return None
    return order_meant(line)


def _doctors_concerns(pending: Pending, reply: Any) -> Iterator[Concern]:
    match reply:
        case Ask() if name := _order_implied(reply.question):
            order = RequestTest(test_name=name, working_diagnoses=reply.working_diagnoses)
            yield Concern("order", f"Do you want to order {name}?", order)
        case Wait() if _ends_the_visit(pending):
            yield Concern("wait", _ENDS_THE_VISIT)


def _not_open(pending: Pending) -> list[str]:
    """The actions that are no moves now: there is no consultant, nothing to wait for in the last visit, or
    only a conclusion is left."""
    view, turn = pending.view, _turn(pending)
    if turn and turn.last_chance:
        return ["ASK", "REQUEST_TEST", "WAIT", "CALL_MDT"]
    last = isinstance(view, DoctorView) and _visit(pending.feed) >= view.max_visits
    shut = ["WAIT"] if last and not _due(pending.feed) else []
    return shut if getattr(view, "has_consultant", False) else [*shut, "CALL_MDT"]


async def _as_patient(pending: Pending, talk: Talk) -> BaseModel:
    view: Any = pending.view
    while True:
        line = await talk.said("patient> ", needed=True)
        reply = PatientReply.model_validate(_patients_reply(pending, {"answer": line[:8000]}))
        early = _too_early(pending, reply)
        if not early:
            if against := contradicted_by(line, view.facts):
                talk.show([f"Kept as you said it. The case has it otherwise: {_words_of(view, against)}"])
            return reply
        talk.show([f"Not yet: {fact.spoken or fact.text}{_condition(fact.told)}" for fact in early])
        talk.show(["The doctor has not heard that line. Say something else for now."])


def _patients_reply(pending: Pending, fields: Mapping[str, Any]) -> dict[str, Any]:
    """A patient's answer with the facts that it tells. What tells no fact that can be recognized is booked as
    none."""
    texts = [item.text for item in pending.feed if isinstance(item, Said) and item.by == "doctor"]
    tells = told_by_words(str(fields.get("answer", "")), texts[-1] if texts else "", _view(pending).facts)
    reason = "none" if tells else "not_in_patient_view"
    return {**fields, "revealed_facts": tells, "unanswered_reason": reason}


def _too_early(pending: Pending, reply: PatientReply) -> list[PatientFact]:
    facts = _view(pending).facts
    return [fact for fact in facts if fact.id in reply.revealed_facts and not _may_tell(fact, pending.feed)]


def _patients_concerns(pending: Pending, reply: Any) -> Iterator[Concern]:
    for fact in _too_early(pending, reply):
        words = f"Not yet: {fact.spoken or fact.text}{_condition(fact.told)}"
        yield Concern("early", words, blocks=True)
    if against := contradicted_by(reply.answer, _view(pending).facts):
        words = f"The case has it otherwise: {_words_of(_view(pending), against)}"
        yield Concern("contradicts", words)


def _view(pending: Pending) -> Any:  # Any: the view of one of two seats
    return pending.view


def _words_of(view: PatientView, ids: Sequence[str]) -> str:
    return " ".join(fact.spoken or fact.text for fact in view.facts if fact.id in ids)


def _may_tell(fact: PatientFact, feed: Sequence[Event | OwnReply]) -> bool:
    """Whether the doctor's words so far meet the disclosure condition of a fact."""
    return fact.told in conditions_met(
        [item.text for item in feed if isinstance(item, Said) and item.by == "doctor"]
    )


def _lines(item: Event | OwnReply) -> Iterator[str]:
    match item:
        case Said():
            yield f"{item.by.capitalize()}: {item.text}"
        case OwnReply(reply=Ask(question=question)):
            yield f"Doctor: {question}"
        case OwnReply(reply=PatientReply(answer=answer)):
            yield f"Patient: {answer}"
        case OwnReply(reply=RequestTest(test_name=name)):
            yield f"[ordered: {name}]"
        case Taken():
            yield f"[{item.name}: result in {item.ready_minute - item.minute} min; /wait for it or go on]"
        case Advised():
            yield f"Consultant: {item.note}"
            if item.next_question:
                yield f"Consultant: you might ask: {item.next_question}"
        case Presented():
            yield item.text
        case VisitBegan() if item.visit > 1:
            yield f"--- visit {item.visit}, {item.minute // 60} h after the first began ---"
        case _:
            yield from common_lines(item)


def _doctors_briefing(view: DoctorView) -> list[str]:
    options = [f"  {key}: {text}" for key, text in (view.task.options or {}).items()]
    return [*filter(None, [view.door_note]), f"Your task: {view.task.question}", *options]


def _patients_briefing(view: PatientView) -> list[str]:
    facts = [f"  - {fact.spoken or fact.text}{_condition(fact.told)}" for fact in view.facts]
    who = "You are the patient." if view.speaker == "patient" else f"You are the {view.speaker}."
    if view.speaker == NOBODY:
        who = "The patient cannot speak, and nobody is there who speaks for them."
    if view.identity:
        own = f" Your own name is {view.identity.speaker}." if view.identity.speaker else ""
        name = "Your name is" if view.speaker == "patient" else "The patient is"
        who = f"{who} {name} {view.identity.in_words}.{own}"
    return [who, f"You have said: {view.opening}", "You know:", *facts]


def _condition(told_when: str) -> str:
    reasons = {
        "in_private": "  (tell this only in private)",
        "normalized": "  (tell this only once the question is made ordinary)",
        "confidential": "  (tell this only once confidentiality is assured)",
    }
    return reasons.get(told_when, "")


def _turn(pending: Pending) -> TurnBegan | None:
    return next((item for item in reversed(pending.feed) if isinstance(item, TurnBegan)), None)


def _left(pending: Pending) -> list[str]:
    turn = _turn(pending)
    return [f"Left after this turn: {_in_view(turn)}." if turn else ""]


def _in_view(turn: TurnBegan) -> str:
    """The turns, tests, minutes and points left, for the prompt."""
    parts = ["last turn" if turn.last_chance else f"{turn.turns_left} turns"]
    if turn.tests_left is not None:
        parts.append(f"{turn.tests_left} tests")
    if turn.minutes_left is not None:
        parts.append(f"{turn.minutes_left} min")
    if turn.cost_left is not None:
        parts.append(f"{turn.cost_left} points")
    return ", ".join(parts)


def _due(feed: Sequence[Event | OwnReply]) -> bool:
    """Whether a result is still pending: each test of an order has its own."""
    came = {(item.order, item.name) for item in feed if isinstance(item, Resulted)}
    return any(isinstance(item, Taken) and (item.order, item.name) not in came for item in feed)


def _visit(feed: Sequence[Event | OwnReply]) -> int:
    return max((item.visit for item in feed if isinstance(item, VisitBegan)), default=1)


def _items(text: str) -> Iterator[str]:
    return (part.strip()[:4000] for part in text.split(";") if part.strip())


def _differential(text: str) -> tuple[tuple[WorkingDiagnosis, ...], list[str]]:
    """Parse a differential such as "A 60; B 30"; return its diagnoses and the parts that cannot be used."""
    result, unclear = [], []
    for part in _items(text):
        name, _, last = part.rstrip("% ").rpartition(" ")
        if not _NUMBER.fullmatch(last):
            result.append(WorkingDiagnosis(name=part[:300]))
        elif name.strip() and (share := _share(last)) is not None:
            result.append(WorkingDiagnosis(name=name.strip()[:300], confidence=share))
        else:
            unclear.append(part)
    return tuple(result), unclear


def _share(per_cent: str) -> float | None:
    """Parse a percentage such as "70" or "12,5" into a share from 0 to 1; `None` if it is not one."""
    if not _NUMBER.fullmatch(per_cent):
        return None
    value = float(per_cent.replace(",", ".")) / 100
    return value if 0 <= value <= 1 else None


_PATIENT: Final = Form(
    help=PATIENT_HELP,
    briefing=_patients_briefing,
    words=_lines,
    read=_as_patient,
    shows={"/facts": lambda pending: FORMS[PatientView].opening(pending.view)},
    completed=_patients_reply,
    concerns=_patients_concerns,
)

_DOCTOR: Final = Form(
    help=DOCTOR_HELP,
    briefing=_doctors_briefing,
    words=_lines,
    read=_as_doctor,
    shows={"/left": _left},
    takes_more=True,
    concerns=_doctors_concerns,
    shut=_not_open,
)

FORMS: Final[Forms] = {
    DoctorView: _DOCTOR,
    ToldView: replace(_DOCTOR, help=TOLD_HELP),
    PatientView: _PATIENT,
}
