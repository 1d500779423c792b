"""The feedback to a person after a ward round, as data: to the tutor about the teaching, to a student about
what was learnt."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from pydantic_core import from_json

from osler.cases.answers import answer_of
from osler.cases.model import Case
from osler.core.events import Seat
from osler.core.role import PERSON
from osler.core.said_in import SaidIn
from osler.core.summary import Feedback, Kind, Part, Remark
from osler.core.trace import Trace
from osler.errors import BadInput
from osler.judging.contests import contests_in
from osler.protocols.ward_round.config import RoundConfig
from osler.protocols.ward_round.events import Covered, ExamItem, ExamSet, Line, Reviewed, RoundBegan, Unguided
from osler.protocols.ward_round.judge.outcomes import Outcomes
from osler.protocols.ward_round.judge.round_judgement import GRADER, RoundJudgement, judgement_of
from osler.protocols.ward_round.views import Keyed, exam_key
from osler.runs.run import config_as
from osler.runs.stored_case import stored_cases
from osler.store.records import RunInfo
from osler.store.store import Store
from osler.text.hostile import safe

BY_PROXY: Final = (
    "Formative. The marks count words, the students are simulated and so is their gain: a check of the"
    " instrument, no evidence about your teaching."
)
BY_KEY: Final = (
    "Formative. Options are marked by the key. Answers in words are not marked: no rule can tell what you"
    " meant."
)
_NEXT: Final = 2
_MARKS: Final = {
    "ets_proxy": "questions that lead on",
    "msm_proxy": "how the round was led",
    "mps_proxy": "professionalism",
}


def feedback(run: RunInfo, store: Store, ordinal: int | None = None, seat: Seat | None = None) -> Feedback:
    """Return the feedback on one episode, the first if none is given, to this `seat`; by default to the one
    that a person took, to the tutor if none did.

    Raises BadInput if the episode has not been played to its end and judged.
    """
    at = next((row.ordinal for row in store.episodes(run.id) if ordinal in (None, row.ordinal)), None)
    if at is None:
        raise BadInput("no such episode has been played to its end", where=run.name)
    row, trace, judgements = store.record(run.id, at)
    made = next((one for one in judgements if one.grader == GRADER), None)
    if made is None:
        raise BadInput("no such episode has been judged", where=run.name)
    config = config_as(run, RoundConfig)
    case = config.ready(stored_cases(store)(row.case_hash))
    seat = seat or next((one for one, name in config.insides().items() if name == PERSON), "tutor")
    judgement = judgement_of(made.body)
    contests = contests_in(one.body for one in judgements)
    if seat == "tutor":
        return _to_tutor(case, trace, judgement)._replace(contests=contests)
    return _to_student(case, trace, seat)._replace(contests=contests)


def _to_tutor(case: Case, trace: Trace, judgement: RoundJudgement) -> Feedback:
    found, said = judgement.outcomes, SaidIn(trace, "tutor")
    steps = len(case.teaching.steps) if case.teaching else 0
    covered = sum(found.new_steps)
    moments = list(_reviews(trace))
    if found.leak:
        n = said.exchange(found.leak.quote)
        leak = Remark("named the answer before any student had", found.leak.quote, n, keep=max(n - 1, 0))
        moments.insert(0, leak)
    guided = [] if moments else list(_guidance(trace, found))
    told = f"{covered} of {steps} steps were covered in {found.rounds} rounds"
    told += "; the answer was given away." if found.leak else "."
    return Feedback(
        sentence=told if found.scored else f"Not scored: {found.why_not}.",
        examiner=BY_PROXY,
        moments=tuple((moments or guided)[:3]),
        next_time=tuple(_advice(found, steps)),
        parts=tuple(_tutors_parts(case, found, judgement, moments)),
        scores={name: score.value for name, score in judgement.proxies.items()},
    )


def _percent(share: float) -> str:
    return f"{100 * share:.0f}\u00a0%"


def _reviews(trace: Trace) -> Iterator[Remark]:
    """The drafts that a reviewer sent back, each with the tutor's words."""
    for n, events in trace.told():
        for event in events:
            if isinstance(event, Reviewed) and not event.approved:
                draft = max((row.n for row in trace.rows if row.seat == "tutor" and row.n <= n), default=0)
                words = next((from_json(row.reply) for row in trace.rows if row.n == draft), None) or {}
                why = f"sent back by the {event.by} ({event.issue}): {event.feedback}"
                yield Remark(safe(why), str(words.get("guidance", "")), draft, keep=max(draft - 1, 0))


def _guidance(trace: Trace, found: Outcomes) -> Iterator[Remark]:
    """The tutor's words of each round, with the steps that were newly covered in it."""
    number = 0
    for n, events in trace.told():
        for event in events:
            if isinstance(event, RoundBegan):
                number = event.round
            elif isinstance(event, Line) and event.part == "guidance":
                draft = max((row.n for row in trace.rows if row.seat == "tutor" and row.n <= n), default=0)
                new = found.new_steps[number - 1] if 0 < number <= len(found.new_steps) else 0
                steps = f"{new or 'no'} new step{'' if new == 1 else 's'}"
                yield Remark(f"round {number}: {steps} covered", event.text, draft, keep=max(draft - 1, 0))


def _advice(found: Outcomes, steps: int) -> Iterator[str]:
    if found.leak:
        yield "Ask for the next step; let a student name the diagnosis"
    if sum(found.new_steps) < steps:
        yield "Ask towards the first step that the group has not made, before you go on"
    if found.participation is not None and found.participation < 1:
        yield "Draw in the student who has said least"
    if found.unguided:
        yield "Take up what the reviewers sent back; a round without guidance teaches nothing"


def _tutors_parts(
    case: Case, found: Outcomes, judgement: RoundJudgement, moments: list[Remark]
) -> Iterator[Part]:
    lines = []
    for part, words in (("siblings", "unseen questions"), ("steps", "the steps' questions")):
        before, after = found.before.get(part), found.after.get(part)  # type: ignore[call-overload]
        if before is not None and after is not None:
            told = f"{_percent(before)} before, {_percent(after)} after; guessing alone scores {_percent(0)}"
            lines.append(Remark(f"the students on {words}: {told}"))
    for name, words in _MARKS.items():
        if (score := judgement.proxies.get(name)) and score.value is not None:
            lines.append(Remark(f"{words}: {score.value:.0f} of 10, counted from words"))
    yield Part("Your round", "score", tuple(lines))
    if moments:
        yield Part("What was sent back or given away", "missed", tuple(moments))
    if case.teaching:
        steps = (Remark(safe(f"{step.key_question}\n{step.summary}")) for step in case.teaching.steps)
        yield Part("The steps of the plan", "lesson", tuple(steps))


def _to_student(case: Case, trace: Trace, seat: Seat) -> Feedback:
    asked = {item.id: item for exam in trace.of(ExamSet) if seat in exam.to for item in exam.items}
    own = [(row.n, from_json(row.reply)) for row in trace.rows if row.seat == seat and row.reply != "null"]
    exams = [reply["answers"] for _, reply in own if "answers" in reply]
    answers = [_Answered(item, exam_key(case)[id], exams) for id, item in asked.items()]
    chosen = [one for one in answers if one.item.options]
    covered = trace.of(Covered)
    steps = case.teaching.steps if case.teaching else ()
    made = set(covered[-1].steps) if covered else set()
    left = [step for number, step in enumerate(steps, 1) if number not in made]
    done = [step for number, step in enumerate(steps, 1) if number in made]
    groups: list[tuple[str, Kind, list[str]]] = [
        ("Questions you had right in the end", "good", [one.told for one in chosen if one.right]),
        ("Questions you had not right in the end", "missed", [one.told for one in chosen if not one.right]),
        (
            "Your answers in words, beside the key (not marked)",
            "talk",
            [one.told for one in answers if not one.item.options],
        ),
        ("Steps that the group made", "good", [f"{s.key_question}\n{s.summary}" for s in done]),
        ("Steps that the group did not make", "missed", [f"{s.key_question}\n{s.summary}" for s in left]),
    ]
    told = f"The answer: {answer_of(case)}. The group made {len(done)} of {len(steps)} steps."
    if chosen:
        before, after = (sum(one.was_right(k) for one in chosen) for k in (0, -1))
        told += f" Of {len(chosen)} questions with options you had {before} right before the rounds"
        told += f" and {after} after." if len(exams) > 1 else "."
    return Feedback(
        sentence=safe(told),
        examiner=BY_KEY,
        moments=(*_thoughts(own), *_unguided(trace)),
        next_time=tuple(safe(f"Think it through: {step.key_question}") for step in left[:_NEXT]),
        parts=tuple(
            Part(heading, kind, tuple(Remark(safe(line)) for line in lines))
            for heading, kind, lines in groups
            if lines
        ),
    )


class _Answered(NamedTuple):
    """A question with its key, and one student's answers in the exams, in order."""

    item: ExamItem
    key: Keyed
    exams: Sequence[Mapping[str, str]]

    def was_right(self, exam: int) -> bool:
        """Whether the option chosen in an exam was the key's."""
        return bool(self.exams) and self.exams[exam].get(self.item.id) == self.key.answer

    @property
    def right(self) -> bool:
        """Whether it was right the last time."""
        return self.was_right(-1)

    @property
    def told(self) -> str:
        """The question, the key and the answers, a line each."""
        options = self.item.options or {}
        given = [exam.get(self.item.id, "") for exam in self.exams]
        words = [options.get(one, one) or "no answer" for one in given]
        when = ("Before", "After") if len(words) > 1 else ("You",)
        said = [f"{name}: {one}" for name, one in zip(when, words, strict=False)]
        return "\n".join(
            (self.item.question, f"The key: {options.get(self.key.answer, self.key.answer)}", *said)
        )


def _thoughts(own: Sequence[tuple[int, Mapping[str, Any]]]) -> Iterator[Remark]:
    """What the student thought first and last: to be laid side by side, without a mark."""
    said = [(n, str(reply["analysis_for_teacher"])) for n, reply in own if reply.get("analysis_for_teacher")]
    if said:
        yield Remark("your first thoughts", said[0][1], said[0][0])
    if len(said) > 1 and said[-1][1] != said[0][1]:
        yield Remark("your last thoughts: look at what changed, and why", said[-1][1], said[-1][0])


def _unguided(trace: Trace) -> Iterator[Remark]:
    for n, events in trace.told():
        for event in events:
            if isinstance(event, Unguided):
                yield Remark("no guidance came in this round", "", n)
