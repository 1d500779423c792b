"""The terminal forms of a person as tutor or student of a ward round: display, and parsing of lines."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from pydantic import BaseModel

from osler.core.contract import OwnReply
from osler.core.events import Event
from osler.core.order_events import Resulted
from osler.core.pictures import Picture
from osler.players.external import Pending
from osler.players.person import Form, Forms, Talk, common_lines
from osler.protocols.ward_round.events import (
    Covered,
    ExamItem,
    ExamSet,
    Reviewed,
    RoundBegan,
    RoundLine,
    Unguided,
)
from osler.protocols.ward_round.monologue import Thought, inert, render_thought
from osler.protocols.ward_round.seats import (
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
  /history  everything so far      /help   this
  /pause    step out for a while; never scored      /quit   stop here; the run can be resumed"""
STUDENT_HELP: Final = """\
Type what is asked for. Leave a question empty to ask nothing.
  /chart    the chart      /history  everything so far      /help   this
  /pause    step out for a while; never scored
  /quit     stop here; the run can be resumed"""
THOUGHTS: Final = "your thoughts, for the tutor alone> "
ANSWER: Final = "your answer to the tutor, and what you think now; the tutor alone hears it> "
ASK_EXPERT: Final = "ask the expert, who knows medicine in general and not this patient{} (empty: nothing)> "
HEARD_BY_ALL: Final = "; the group hears it"
_UNSAID: Final = "This was not written down."
_LONGEST: Final = 4000


async def _guide(pending: Pending, talk: Talk) -> Guidance:
    view: Any = pending.view
    words = ""
    while not words:
        words = inert(await talk.said("to the group> "))
    covered: list[int] | None = None
    while covered is None:
        line = await talk.said(f"steps covered so far, of {len(view.steps)} (empty: none)> ")
        covered = _numbers(line, len(view.steps))
        if covered is None:
            talk.show([f"Numbers from 1 to {len(view.steps)}, separated by spaces."])
    said = {"guidance": words[:_LONGEST], "covered_steps": tuple(covered)}
    return Guidance.model_validate(_with_thought(pending, said))


def _with_thought(pending: Pending, fields: Mapping[str, Any]) -> dict[str, Any]:
    """A tutor's guidance with the private thought that a person is not asked to write down."""
    view = _view(pending)
    words = {**fields, "guidance": inert(str(fields.get("guidance", "")))}
    if not view.private_thought or fields.get("internal_monologue"):
        return words
    thought = Thought(
        history=_UNSAID,
        question=_UNSAID,
        students=tuple((name, _UNSAID) for name in view.students),
        group=_UNSAID,
        image=_UNSAID if view.images else None,
    )
    return {**words, "internal_monologue": render_thought(thought)}


async def _study(pending: Pending, talk: Talk) -> BaseModel:
    view: Any = pending.view
    match wanted(pending.request):
        case "exam":
            answers = {item.id: await _answer(item, talk) for item in exam_now(pending.request).items}
            return ExamReply(answers=answers)
        case "act":
            patient = await talk.said("ask the patient (empty: nothing)> ") if view.has_patient else ""
            heard = HEARD_BY_ALL if view.all_hear_expert else ""
            expert = await talk.said(ASK_EXPERT.format(heard)) if view.has_expert else ""
            return Action(
                query_for_patient=patient[:_LONGEST] or None, query_for_expert=expert[:_LONGEST] or None
            )
    guided = any(isinstance(item, RoundLine) and item.part == "guidance" for item in pending.feed)
    words = await talk.said(ANSWER if guided else THOUGHTS, needed=True)
    return Analysis(analysis_for_teacher=words[:_LONGEST])


async def _answer(item: ExamItem, talk: Talk) -> str:
    talk.show([item.question, *(f"  {key}: {text}" for key, text in (item.options or {}).items())])
    while True:
        said = await talk.said("your answer> ")
        keys = {key.casefold(): key for key in item.options or {}}
        if not item.options:
            return said[:_LONGEST]
        if said.casefold() in keys:
            return keys[said.casefold()]
        talk.show([f"One of: {', '.join(item.options)}."])


def _lines(item: Event | OwnReply) -> Iterator[str]:
    match item:
        case ExamSet():
            yield f"--- exam {item.when} the rounds: {len(item.items)} questions, for you alone ---"
        case RoundBegan():
            yield f"--- round {item.round}, {item.rounds_left} more after it ---"
        case RoundLine(part="query"):
            yield f"{item.speaker}, to the expert: {item.text}"
        case RoundLine(part="analysis"):
            yield f"{item.speaker} thinks: {item.text}"
        case RoundLine():
            yield f"{item.speaker}: {item.text}"
        case Reviewed(approved=True):
            yield f"[the {item.by} approves]"
        case Reviewed():
            yield f"[the {item.by} rejects it ({item.issue}): {item.feedback}]"
        case Unguided():
            yield f"[nothing was said to the students: {item.reason}]"
        case Covered():
            yield f"[counted as covered so far: {', '.join(map(str, item.steps))}]"
        case OwnReply(reply=Guidance(guidance=words)):
            yield f"You, to the group: {words}"
        case OwnReply(reply=Analysis(analysis_for_teacher=words)):
            yield f"You, to the tutor: {words}"
        case OwnReply(reply=Action(query_for_patient=patient, query_for_expert=expert)):
            yield from (f"You, to the {who}: {said}" for who, said in _asked(patient, expert))
        case _:
            yield from common_lines(item)


def _asked(patient: str | None, expert: str | None) -> list[tuple[str, str]]:
    return [(who, said) for who, said in (("patient", patient), ("expert", expert)) if said]


def _numbers(line: str, most: int) -> list[int] | None:
    parts = line.replace(",", " ").split()
    if not all(part.isascii() and part.isdigit() and 1 <= int(part) <= most for part in parts):
        return None
    return sorted({int(part) for part in parts})


def _chart(view: TutorView | StudentView) -> list[str]:
    return [f"  {entry.name}: {entry.result}" for entry in view.chart] or ["  (nothing yet)"]


def _chart_so_far(pending: Pending) -> list[str]:
    """The chart of a student: what stood there at the beginning, and the results since."""
    results = [f"  {item.name}: {item.text}" for item in pending.feed if isinstance(item, Resulted)]
    return [*(f"  {e.name}: {e.result}" for e in _view(pending).chart), *results] or ["  (nothing yet)"]


def _view(pending: Pending) -> Any:  # Any: the view of one of two seats
    return pending.view


def _steps(view: TutorView) -> list[str]:
    steps = [f"  {step.number}. {step.key_question}\n     {step.summary}" for step in view.steps]
    return [f"The answer: {view.answer}", *steps]


def _tutors_briefing(view: TutorView) -> list[str]:
    who = f"You are the tutor of {', '.join(view.students)}."
    about = [who, view.door_note, f"The question: {view.question}", *_steps(view)]
    return [*about, "The chart:", *_chart(view)]


def _students_briefing(view: StudentView) -> list[str]:
    peers = f", with {', '.join(view.peers)}" if view.peers else ""
    who = f"You are {view.you.name}, {view.you.level}{peers}."
    about = [who, view.door_note, f"The question: {view.question}"]
    return [*about, "The chart:", *_chart(view)]


def _pictures(view: TutorView | StudentView) -> list[tuple[str, Picture]]:
    return [(image.name, image.picture) for image in view.images if image.picture is not None]


def _shows(of: Callable[[Any], list[str]]) -> Callable[[Pending], list[str]]:
    return lambda pending: of(pending.view)


FORMS: Final[Forms] = {
    TutorView: Form(
        help=TUTOR_HELP,
        briefing=_tutors_briefing,
        words=_lines,
        read=_guide,
        shows={"/chart": _shows(_chart), "/steps": _shows(_steps)},
        pictures=_pictures,
        completed=_with_thought,
    ),
    StudentView: Form(
        help=STUDENT_HELP,
        briefing=_students_briefing,
        words=_lines,
        read=_study,
        shows={"/chart": _chart_so_far},
        pictures=_pictures,
    ),
}
