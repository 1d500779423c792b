"""The tutor as a trained seat: it plays in text, a private thought in tags and one guiding statement."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from types import MappingProxyType
from typing import Any, Final

from pydantic import BaseModel, JsonValue, ValidationError

from osler.cases.answers import answer_of, answers_of
from osler.cases.case_lines import case_lines
from osler.cases.model import Case
from osler.cases.pictures import images_of
from osler.core.contract import OwnReply, Request
from osler.core.events import Event, Seat
from osler.core.lazy import Lazy
from osler.errors import BadInput
from osler.protocols.ward_round.events import Covered, Reviewed, RoundBegan, RoundLine, Unguided
from osler.protocols.ward_round.model.prompts import TUTOR
from osler.protocols.ward_round.monologue import Breach as MonologueBreach
from osler.protocols.ward_round.monologue import parse, parse_statement, render_thought
from osler.protocols.ward_round.seats import Guidance, TutorView
from osler.protocols.ward_round.training.checks import FILTERS, NAMED
from osler.text.key_points import told as points_in
from osler.training.moment import state_at
from osler.training.state import Keep, State
from osler.training.task import Breach, Filter, FirstRequest, Refusal, RefusedDraft, Replayed, Turn

_HEARD: Final = ("statement", "analysis", "guidance", "question", "explanation")
_HERE: Final = "osler.protocols.ward_round.training"
_REWARDS: Final[Mapping[str, Lazy[object]]] = MappingProxyType(
    {
        "rubric": Lazy(f"{_HERE}.rubric:Rubric"),
        "rule": Lazy(f"{_HERE}.rubric:Rule"),
        "vanilla": Lazy(f"{_HERE}.rubric:Vanilla"),
        "no-thinking": Lazy(f"{_HERE}.rubric:NoThinking"),
        "gain": Lazy(f"{_HERE}.gain:Gain"),
        "outcome": Lazy(f"{_HERE}.outcome:outcome"),
    }
)
_PUBLISHED: Final = MappingProxyType({"single": 31_438, "multi": 17_046})


@dataclass(frozen=True)
class TrainedTutor:
    """The tutor's seat. Without `thinking`, prompts ask for the statement alone and targets hold no other."""

    thinking: bool = True
    protocol: str = "ward_round"
    seat: Seat = "tutor"

    @property
    def filters(self) -> Mapping[str, Filter]:
        """The hard filters of a tutor's turn."""
        return FILTERS

    @property
    def rewards(self) -> Mapping[str, Any]:
        """The rewards of a tutor's turn, the usual one first, and of a whole round."""
        return _REWARDS

    @property
    def published(self) -> Mapping[str, int]:
        """The sizes of the published data set of tutor turns."""
        return _PUBLISHED

    @property
    def prompt(self) -> str:
        """The hash of the tutor's prompt."""
        return TUTOR.prompt("text").hash

    @property
    def reviewed(self) -> bool:
        """Specialist and supervisor read every draft."""
        return True

    def without_thinking(self) -> TrainedTutor:
        """The same seat, its turns without a private thought."""
        return replace(self, thinking=False)

    def turns(self, played: Replayed) -> Iterator[Turn]:
        """The last draft of every round: what was said, or what was not approved."""
        rounds = _rounds(played)
        done = 0
        for number in sorted({rounds.of[put.row.n] for put in played.asked}):
            drafts = [put for put in played.asked if rounds.of[put.row.n] == number]
            last = drafts[-1]
            reply = _guidance(last)
            if reply is None:
                continue
            why = rounds.without.get(number, "")
            accepted = number in rounds.guided and not why
            yield Turn(
                played,
                done,
                last,
                reply,
                accepted,
                why if accepted or why else "the round ended without guidance",
                tuple(self._refused(drafts)),
                _about(played, number, len(drafts)),
            )
            done += accepted

    def state(self, turn: Turn, keep: Keep | None = None) -> State:
        """The moment at which a turn was asked for; `keep` is handed the bytes of its images."""
        request = self._request(turn.put.request)
        context = {**context_of(turn), "thinking": self.thinking and request.view.private_thought}
        return state_at(turn, self, request, TUTOR, "text", context, keep)

    def target(self, turn: Turn) -> str:
        """The text of a turn, as the seat is shown it later."""
        assert isinstance(turn.reply, Guidance)
        return self._text(turn.put, turn.reply)

    def _text(self, put: FirstRequest, reply: Guidance) -> str:
        """A draft as the seat is shown it later."""
        request = self._request(put.request)
        if not self.thinking:
            reply = reply.model_copy(update={"internal_monologue": ""})
        try:
            return TUTOR.own(reply, "text", request.view, request.feed)
        except KeyError:  # a thought without its parts: shown as it is, so that its filter can say so
            return f"{reply.internal_monologue}\n\n{reply.guidance}"

    def _refused(self, drafts: Sequence[FirstRequest]) -> Iterator[RefusedDraft]:
        """The drafts of a round before its last, with what the tutor was told of each before the next."""
        for put, following in pairwise(drafts):
            if (reply := _guidance(put)) is not None:
                new = following.request.feed[len(put.request.feed) :]
                reviews = (item for item in new if isinstance(item, Reviewed) and not item.approved)
                yield RefusedDraft(
                    text=self._text(put, reply),
                    refusals=tuple(
                        Refusal(by=one.by, issue=one.issue, reason=one.feedback) for one in reviews
                    ),
                )

    def words(self, text: str) -> str:
        """A guiding statement. Raises BadInput for a seat that thinks: a transcript holds no thought."""
        if self.thinking:
            raise BadInput("words hold no private thought", where=self.protocol, hint="add --no-thinking")
        return text

    def spoken(self, turn: Turn) -> str:
        """The guiding statement."""
        assert isinstance(turn.reply, Guidance)
        return turn.reply.guidance

    def case_texts(self, case: Any) -> Sequence[str]:
        """The question, and the case in its own lines."""
        return (case.task.question, *prose_of(case))

    def read(self, state: State, text: str) -> BaseModel | Breach:
        """Parse a tutor's text by the one parser of its format."""
        names = [str(name) for name in _list(state.context.get("students"))]
        try:
            if not state.context.get("thinking", self.thinking):
                return Guidance(guidance=parse_statement(text))
            turn = parse(text.strip(), names, has_images=bool(state.context.get("has_images")))
            return Guidance(internal_monologue=render_thought(turn.thought), guidance=turn.guidance)
        except MonologueBreach as breach:
            strangers = set(NAMED.findall(text)) - set(names)
            return Breach(breach.position, breach.expected, breach.found, "names" if strangers else "parse")
        except ValidationError:
            return Breach(0, "a statement of at most 4,000 characters", f"{len(text)} characters")

    def _request(self, request: Request[TutorView]) -> Request[TutorView]:
        """A request as the seat is given it: without private thought if it has none."""
        if self.thinking or not request.view.private_thought:
            return request
        view = request.view.model_copy(update={"private_thought": False})
        return request._replace(view=view, feed=tuple(map(_aloud, request.feed)))


TUTOR_SEAT: Final = TrainedTutor()


def _aloud(item: Event | OwnReply) -> Event | OwnReply:
    """An item of the feed, an own reply without its private thought."""
    if isinstance(item, OwnReply) and isinstance(item.reply, Guidance):
        return OwnReply(item.reply.model_copy(update={"internal_monologue": ""}))
    return item


@dataclass(frozen=True)
class _Rounds:
    """The round of each exchange, the rounds in which something was said, and why nothing was in others."""

    of: Mapping[int, int]
    guided: frozenset[int]
    without: Mapping[int, str]


def _rounds(played: Replayed) -> _Rounds:
    of, guided, without = dict[int, int](), set[int](), dict[int, str]()
    now = 0
    for n, told in played.trace.told():
        for event in told:
            if isinstance(event, RoundBegan):
                now = event.round
            elif isinstance(event, RoundLine) and event.part == "guidance":
                guided.add(now)
            elif isinstance(event, Unguided):
                without[now] = event.reason
        of[n + 1] = now
    return _Rounds(of, frozenset(guided), without)


def _guidance(put: FirstRequest) -> Guidance | None:
    if put.row.reply == "null":
        return None
    return Guidance.model_validate_json(put.row.reply)


def _about(played: Replayed, number: int, drafts: int) -> dict[str, JsonValue]:
    episode, case = played.episode, played.case
    return {
        "round": number,
        "most_rounds": episode.settings.max_rounds,
        "drafts": drafts,
        "students": [student.name for student in episode.cohort],  # type: ignore[attr-defined]  # a RoundEpisode
        "persona": episode.persona.name,  # type: ignore[attr-defined]
        "specialty": case.specialty or "",
        "body_system": withheld(case, "body_system"),
        "task": withheld(case, "medical_task") or case.task.kind,
        "question_type": withheld(case, "question_type"),
        "reviewers": [seat for seat in ("specialist", "supervisor") if seat in played.config.players()],
        "expert_heard_by": episode.settings.expert_heard_by,
        "order": episode.settings.order,
    }


def withheld(case: Case, path: str) -> str:
    """A leaf of the source that no seat may see, for describing a data set."""
    return next((leaf.text for leaf in case.withheld if leaf.source == path), "")


def prose_of(case: Case) -> list[str]:
    """The case in its own words: what is on the door, the patient's first words, facts and chart."""
    return [
        case.opening.door_note,
        case.opening.words,
        *(fact.text for fact in case.facts),
        *(f"{finding.name}: {finding.result}" for finding in case.findings),
    ]


def context_of(turn: Turn) -> dict[str, JsonValue]:
    """The facts of a turn's moment for rewards and filters, which are in no prompt."""
    request: Request[TutorView] = turn.put.request
    view, case = request.view, turn.played.case
    before, now = _told(turn)
    shown = {ident: f"{finding.name}: {finding.result}" for ident, finding in images_of(case).items()}
    return {
        "question": view.question,
        "case": "\n".join(f"{line.label}: {line.text}" for line in case_lines(case)),
        "answer": answer_of(case),
        "answers": list(answers_of(case)),
        "alternatives": [other.name for other in case.diagnosis.alternatives] if case.diagnosis else [],
        "options": dict(view.options) if view.options else None,
        "steps": [
            {
                "number": step.number,
                "question": step.key_question,
                "summary": step.summary,
                "image": step.image,
                "observation": shown.get(step.image or "", ""),
            }
            for step in view.steps
        ],
        "covered": list(_covered(request)),
        "students": list(view.students),
        "levels": {student.name: student.level for student in turn.played.episode.cohort},  # type: ignore[attr-defined]
        "analyses": {
            line.speaker: line.text
            for line in now
            if line.part == "analysis" and line.speaker in view.students
        },
        "said": [
            line.text for line in (*before, *now) if line.by.startswith("student_") and "tutor" in line.to
        ],
        "stated": _stated(view, (*before, *now)),
        "history": "\n".join(f"{line.speaker}: {line.text}" for line in before),
        "has_images": bool(view.images),
        "images": [image.id for image in view.images],
    }


def _told(turn: Turn) -> tuple[list[RoundLine], list[RoundLine]]:
    """The lines that the tutor knows of, of earlier rounds and of this one before its first draft."""
    before, now = list[RoundLine](), list[RoundLine]()
    for n, told in turn.played.trace.told():
        if n >= turn.put.row.n:
            break
        for event in told:
            if isinstance(event, RoundBegan):
                before, now = before + now, []
            elif isinstance(event, RoundLine) and event.part in _HEARD and "tutor" in (event.by, *event.to):
                now.append(event)
    return before, now


def _stated(view: TutorView, lines: Iterable[RoundLine]) -> dict[str, JsonValue]:
    """The numbers of the steps whose points each student has made, by name."""
    points = [step.summary for step in view.steps]
    result: dict[str, set[int]] = {name: set() for name in view.students}
    for line in lines:
        if line.part == "analysis" and line.speaker in result:
            result[line.speaker].update(view.steps[n].number for n in points_in(line.text, points))
    stated: dict[str, JsonValue] = {}
    for name, numbers in result.items():
        stated[name] = [*sorted(numbers)]
    return stated


def _covered(request: Request[TutorView]) -> tuple[int, ...]:
    result = [item.steps for item in request.feed if isinstance(item, Covered)]
    return result[-1] if result else ()


def _list(value: JsonValue) -> list[JsonValue]:
    return value if isinstance(value, list) else []
