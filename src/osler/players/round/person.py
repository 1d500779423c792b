"""A person as tutor or student of a ward round: what is new is shown, lines are read, and become a reply.

The person sees exactly what any other player in that seat would see. Everything is derived from the request,
so a person may get up and come back.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from typing import Any, Final

from pydantic import BaseModel

from osler.pictures import draw
from osler.players.person import Channel
from osler.seats.contract import Own, Request
from osler.seats.events import Event, Noticed
from osler.seats.monologue import Thought, inert, render_thought
from osler.seats.round_events import ExamItem, ExamSet, Line, Reviewed, RoundBegan, Unguided
from osler.seats.ward_round import (
    Action,
    Analysis,
    ExamReply,
    Guidance,
    StudentView,
    TutorView,
    exam_now,
    wanted,
)

TUTOR_HELP: Final = """\
Type one guiding statement to the group; it is reviewed before they hear it. Then the steps they have covered.
  /steps    the answer and the steps, for you alone      /chart   the chart
  /history  everything so far      /help   this      /quit   stop here; the run can be resumed"""
STUDENT_HELP: Final = """\
Type what is asked for. Leave a question empty to ask nothing.
  /chart    the chart      /history  everything so far      /help   this
  /quit     stop here; the run can be resumed"""
_UNSAID: Final = "A person taught; this was not written down."
_LONGEST: Final = 4000


class RoundPerson:
    """A person at a channel, in the tutor's or a student's seat."""

    name = "person"
    durable = True

    def __init__(self, channel: Channel) -> None:
        self._channel = channel

    async def reply(self, request: Request[Any]) -> BaseModel:
        """Show what is new since this seat's last reply and read the answer."""
        view = request.view
        last = max((n for n, item in enumerate(request.feed) if isinstance(item, Own)), default=-1)
        if last < 0:
            self._show(_briefing(view))
            for image in view.images:
                if image.picture is not None:
                    self._channel.picture(image.name, draw(image.picture))
        self._show(told(request.feed[last + 1 :]))
        if isinstance(view, TutorView):
            return await self._guide(request, view)
        if isinstance(view, StudentView):
            return await self._as_student(request, view)
        raise TypeError("a person can sit as tutor or as student")

    async def _guide(self, request: Request[Any], view: TutorView) -> Guidance:
        words = ""
        while not words:
            words = inert(await self._said("to the group> ", request))
        covered: list[int] | None = None
        while covered is None:
            line = await self._said(f"steps covered so far, of {len(view.steps)} (empty: none)> ", request)
            covered = _numbers(line, len(view.steps))
            if covered is None:
                self._show([f"Numbers from 1 to {len(view.steps)}, separated by spaces."])
        thought = Thought(
            history=_UNSAID,
            question=_UNSAID,
            students=tuple((name, _UNSAID) for name in view.students),
            group=_UNSAID,
            image=_UNSAID if view.images else None,
        )
        return Guidance(
            internal_monologue=render_thought(thought) if view.private_thought else "",
            guidance=words[:_LONGEST],
            covered_steps=tuple(covered),
        )

    async def _as_student(self, request: Request[Any], view: StudentView) -> BaseModel:
        match wanted(request):
            case "exam":
                answers = {item.id: await self._answer(item, request) for item in exam_now(request).items}
                return ExamReply(answers=answers)
            case "act":
                patient = await self._said("ask the patient> ", request) if view.has_patient else ""
                expert = await self._said("ask the expert> ", request) if view.has_expert else ""
                return Action(
                    query_for_patient=patient[:_LONGEST] or None, query_for_expert=expert[:_LONGEST] or None
                )
        words = ""
        while not words:
            words = await self._said("your analysis, for the tutor alone> ", request)
        return Analysis(analysis_for_teacher=words[:_LONGEST])

    async def _answer(self, item: ExamItem, request: Request[Any]) -> str:
        self._show([item.question, *(f"  {key}: {text}" for key, text in (item.options or {}).items())])
        while True:
            said = await self._said("your answer> ", request)
            keys = {key.casefold(): key for key in item.options or {}}
            if not item.options:
                return said[:_LONGEST]
            if said.casefold() in keys:
                return keys[said.casefold()]
            self._show([f"One of: {', '.join(item.options)}."])

    async def _said(self, prompt: str, request: Request[Any]) -> str:
        """The next line that is no command."""
        view = request.view
        while True:
            try:
                line = (await self._channel.read(prompt)).strip()
            except EOFError:
                raise asyncio.CancelledError from None
            match line:
                case "/quit":
                    raise asyncio.CancelledError
                case "/help" | "/?":
                    self._show([TUTOR_HELP if isinstance(view, TutorView) else STUDENT_HELP])
                case "/history":
                    self._show(told(request.feed))
                case "/chart":
                    self._show(_chart(view))
                case "/steps" if isinstance(view, TutorView):
                    self._show(_steps(view))
                case _ if line.startswith("/"):
                    self._show([f"{line.split()[0]} is not a command. /help lists them."])
                case _:
                    return line

    def _show(self, lines: Sequence[str]) -> None:
        if lines:
            self._channel.write("\n".join(lines))


def told(feed: Sequence[Event | Own]) -> list[str]:
    """What a seat was told and said itself, a line each. Exams are shown when they are sat."""
    return [line for item in feed for line in _lines(item)]


def _lines(item: Event | Own) -> Iterator[str]:
    match item:
        case ExamSet():
            yield f"--- exam {item.when} the rounds: {len(item.items)} questions, for you alone ---"
        case RoundBegan():
            yield f"--- round {item.round}, {item.rounds_left} more after it ---"
        case Line(part="query"):
            yield f"{item.speaker}, to the expert: {item.text}"
        case Line(part="analysis"):
            yield f"{item.speaker} thinks: {item.text}"
        case Line():
            yield f"{item.speaker}: {item.text}"
        case Reviewed(approved=True):
            yield f"[the {item.by} approves]"
        case Reviewed():
            yield f"[the {item.by} rejects it ({item.issue}): {item.feedback}]"
        case Unguided():
            yield f"[nothing was said to the students: {item.reason}]"
        case Noticed():
            yield f"! {item.text}"
        case Own(reply=Guidance(guidance=words)):
            yield f"You, to the group: {words}"
        case Own(reply=Analysis(analysis_for_teacher=words)):
            yield f"You, to the tutor: {words}"
        case Own(reply=Action(query_for_patient=patient, query_for_expert=expert)):
            yield from (f"You, to the {who}: {said}" for who, said in _asked(patient, expert))
        case _:
            return


def _asked(patient: str | None, expert: str | None) -> list[tuple[str, str]]:
    return [(who, said) for who, said in (("patient", patient), ("expert", expert)) if said]


def _numbers(line: str, most: int) -> list[int] | None:
    parts = line.replace(",", " ").split()
    if not all(part.isascii() and part.isdigit() and 1 <= int(part) <= most for part in parts):
        return None
    return sorted({int(part) for part in parts})


def _chart(view: TutorView | StudentView) -> list[str]:
    return [f"  {entry.name}: {entry.result}" for entry in view.chart] or ["  (nothing)"]


def _steps(view: TutorView) -> list[str]:
    steps = [f"  {step.number}. {step.key_question}\n     {step.summary}" for step in view.steps]
    return [f"The answer: {view.answer}", *steps]


def _briefing(view: object) -> list[str]:
    if isinstance(view, TutorView):
        who = f"You are the tutor of {', '.join(view.students)}."
        about = [who, view.door_note, f"The question: {view.question}", *_steps(view)]
        return [*about, "The chart:", *_chart(view), "", TUTOR_HELP, ""]
    if isinstance(view, StudentView):
        peers = f", with {', '.join(view.peers)}" if view.peers else ""
        who = f"You are {view.you.name}, {view.you.level}{peers}."
        about = [who, view.door_note, f"The question: {view.question}"]
        return [*about, "The chart:", *_chart(view), "", STUDENT_HELP, ""]
    return []
