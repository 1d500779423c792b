"""The debriefing of a ward round, as records: to a student about what was learnt, to others about the
teaching."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from pydantic_core import from_json

from osler.cases.answers import answer_of
from osler.cases.model import Case, SocraticStep
from osler.core.debriefing import (
    Debriefing,
    Ended,
    Entry,
    Kind,
    Phrase,
    Quote,
    Words,
    missed_lines,
    sections,
)
from osler.core.events import Event, Seat
from osler.core.judge import Verdict
from osler.core.said_in import SaidIn
from osler.core.trace import Trace
from osler.judging.scores import scores_in
from osler.protocols.ward_round.episode import planned
from osler.protocols.ward_round.events import (
    Covered,
    ExamItem,
    ExamSet,
    Reviewed,
    RoundBegan,
    RoundLine,
    Unguided,
)
from osler.protocols.ward_round.judge.outcomes import Outcomes, Part, not_learnt
from osler.protocols.ward_round.judge.round_judgement import GRADER, RoundJudgement, judgement_of
from osler.protocols.ward_round.views import Keyed, exam_key

TUTOR: Final = "tutor"
BY_PROXY: Final = Phrase(
    "Formative. The marks count words, the students are simulated and so is their gain: a check of the"
    " instrument, no evidence about {your} teaching."
)
BY_KEY: Final = Phrase(
    "Formative. Options are marked by the key. Answers in words are not marked: no rule can tell what {you}"
    " meant."
)
OF_TUTOR: Final[Mapping[str, tuple[Kind, str]]] = {
    "score": ("score", "{Your} round"),
    "sent_back": ("missed", "What was sent back or given away"),
    "plan": ("lesson", "The steps of the plan"),
}
OF_STUDENT: Final[Mapping[str, tuple[Kind, str]]] = {
    "right": ("good", "Questions {you} had right in the end"),
    "not_right": ("missed", "Questions {you} had not right in the end"),
    "in_words": ("talk", "{Your} answers in words, beside the key (not marked)"),
    "steps_made": ("good", "Steps that the group made"),
    "steps_left": ("missed", "Steps that the group did not make"),
}
"""The sections in order, of each seat: what each is to it, and its heading, which is words alone."""
_NEXT: Final = 2
_EXAMS: Final[Mapping[Part, str]] = {"siblings": "unseen questions", "steps": "the steps' questions"}
_SCALES: Final = {
    "ets": "the strategy of teaching",
    "msm": "leading several students",
    "mps": "professionalism and safety",
}
_MARKS: Final = {
    "ets_proxy": "questions that lead on",
    "msm_proxy": "how the round was led",
    "mps_proxy": "professionalism",
}


def debriefing(ended: Ended[Case]) -> Debriefing | None:
    """Return the debriefing of an ended round to its reader; `None` if the built-in judge has not judged
    it."""
    if (body := ended.by(GRADER)) is None:
        return None
    case = planned(ended.case)
    if ended.reader.startswith("student"):
        return _of_student(case, ended.trace, ended.reader)
    return _of_tutor(case, ended, judgement_of(body))


def _of_tutor(case: Case, ended: Ended[Case], judgement: RoundJudgement) -> Debriefing:
    trace, reader, judgements = ended.trace, ended.reader, ended.judgements
    result, said = judgement.outcomes, SaidIn(trace, TUTOR)
    steps = case.teaching.steps if case.teaching else ()
    back = list(_reviews(trace))
    if result.leak:
        n = said.exchange(result.leak.quote)
        back.insert(0, _moment("named the answer before any student had", result.leak.quote, n))
    text = f"{sum(result.new_steps)} of {len(steps)} steps were covered in {result.rounds} rounds"
    text += "; the answer was given away." if result.leak else "."
    score = [*_score(case, trace, judgement), *_by_models(judgements)]
    entries = {"score": score, "sent_back": back, "plan": _steps(steps)}
    return Debriefing(
        about=TUTOR,
        reader=reader,
        sentence=text if result.scored else f"Not scored: {result.why_not}.",
        examiner=BY_PROXY,
        grader=GRADER,
        moments=tuple((back or list(_guidance(trace, result)))[:3]),
        next_time=tuple(_advice(result, len(steps))),
        sections=sections(OF_TUTOR, entries),
        scores={name: score.value for name, score in judgement.proxies.items()},
    )


def _moment(text: Words, quote: str, n: int) -> Entry:
    """Words of exchange `n`, with what they did, to be tried again from before it."""
    return Entry(text, (Quote(quote),) if quote else (), exchange=n, keep=max(n - 1, 0))


def _steps(steps: Sequence[SocraticStep]) -> list[Entry]:
    return [Entry(f"{step.key_question}\n{step.summary}") for step in steps]


def _percent(share: float) -> str:
    return f"{100 * share:.0f}\u00a0%"


def _events(trace: Trace) -> Iterator[tuple[int, Event]]:
    """The events in order, each with the exchange it followed."""
    return ((n, event) for n, events in trace.told() for event in events)


def _drafted(trace: Trace, before: int) -> int:
    """The exchange of the tutor's last draft up to another; 0 if there is none."""
    return max((row.n for row in trace.rows if row.seat == TUTOR and row.n <= before), default=0)


def _reviews(trace: Trace) -> Iterator[Entry]:
    """The drafts that a reviewer sent back, each with the tutor's words."""
    for n, event in _events(trace):
        if isinstance(event, Reviewed) and not event.approved:
            draft = _drafted(trace, n)
            words = next((from_json(row.reply) for row in trace.rows if row.n == draft), None) or {}
            why = f"sent back by the {event.by} ({event.issue}): {event.feedback}"
            yield _moment(why, str(words.get("guidance", "")), draft)


def _guidance(trace: Trace, found: Outcomes) -> Iterator[Entry]:
    """The tutor's words of each round, with the steps that were newly covered in it."""
    number = 0
    for n, event in _events(trace):
        if isinstance(event, RoundBegan):
            number = event.round
        elif isinstance(event, RoundLine) and event.part == "guidance":
            new = found.new_steps[number - 1] if 0 < number <= len(found.new_steps) else 0
            steps = f"{new or 'no'} new step{'' if new == 1 else 's'}"
            yield _moment(f"round {number}: {steps} covered", event.text, _drafted(trace, n))


def _advice(found: Outcomes, steps: int) -> Iterator[str]:
    if found.leak:
        yield "Ask for the next step; let a student name the diagnosis"
    if sum(found.new_steps) < steps:
        yield "Ask towards the first step that the group has not made, before going on"
    if found.participation is not None and found.participation < 1:
        yield "Draw in the student who has said least"
    if found.unguided:
        yield "Take up what the reviewers sent back; a round without guidance teaches nothing"


def _score(case: Case, trace: Trace, judgement: RoundJudgement) -> Iterator[Entry]:
    outcomes = judgement.outcomes
    for part, words in _EXAMS.items():
        before, after = outcomes.before.get(part), outcomes.after.get(part)
        if before is not None and after is not None:
            text = f"{_percent(before)} before, {_percent(after)} after; guessing alone scores {_percent(0)}"
            details = missed_lines(tuple(not_learnt(case, trace, part)))
            yield Entry(f"the students on {words}: {text}", details=details)
    for name, words in _MARKS.items():
        if (score := judgement.proxies.get(name)) and score.value is not None:
            text = f"{words}: {score.value:.0f} of 10, counted from words"
            yield Entry(text, note=score.reason, details=missed_lines(score.missed))


def _by_models(judgements: Sequence[Verdict]) -> Iterator[Entry]:
    """The marks of model judges on the three scales, each with its reason, its quotes and what it missed."""
    for one in judgements:
        scores = scores_in(from_json(one.body)) if one.grader.startswith("model:") else {}
        for name, words in _SCALES.items():
            if (score := scores.get(name)) and score.value is not None:
                text = f"{words} ({name.upper()}), marked by {one.grader}: {score.value:g} of 10"
                quotes = tuple(map(Quote, score.evidence))
                yield Entry(text, quotes, score.reason, details=missed_lines(score.missed))


def _of_student(case: Case, trace: Trace, seat: Seat) -> Debriefing:
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
    entries = {
        "right": [one.entry for one in chosen if one.right],
        "not_right": [one.entry for one in chosen if not one.right],
        "in_words": [one.entry for one in answers if not one.item.options],
        "steps_made": _steps(done),
        "steps_left": _steps(left),
    }
    no_guidance = "no guidance came in this round"
    unguided = [Entry(no_guidance, exchange=n) for n, event in _events(trace) if isinstance(event, Unguided)]
    text = f"The answer: {answer_of(case)}. The group made {len(done)} of {len(steps)} steps."
    return Debriefing(
        about=seat,
        reader=seat,
        sentence=_with_questions(text, chosen, len(exams)),
        examiner=BY_KEY,
        grader=GRADER,
        moments=(*_thoughts(own), *unguided),
        next_time=tuple(f"Think it through: {step.key_question}" for step in left[:_NEXT]),
        sections=sections(OF_STUDENT, entries),
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
    def entry(self) -> Entry:
        """The question, the key and the answers, a line each."""
        options = self.item.options or {}
        given = [exam.get(self.item.id, "") for exam in self.exams]
        words = [options.get(one, one) or "no answer" for one in given]
        when = ("Before", "After") if len(words) > 1 else ("{You}",)
        places = [f"{name}: {{}}" for name, _ in zip(when, words, strict=False)]
        key = options.get(self.key.answer, self.key.answer)
        return Entry(Phrase("\n".join(("{}", "The key: {}", *places)), (self.item.question, key, *words)))


def _with_questions(told: str, chosen: Sequence[_Answered], exams: int) -> Words:
    """The sentence, with how many questions with options were right before and after the rounds."""
    if not chosen:
        return told
    before, after = (str(sum(one.was_right(k) for one in chosen)) for k in (0, -1))
    words = "{} Of {} questions with options {you} had {} right before the rounds"
    words += " and {} after." if exams > 1 else "."
    return Phrase(words, (told, str(len(chosen)), before, after))


def _thoughts(own: Sequence[tuple[int, Mapping[str, Any]]]) -> Iterator[Entry]:
    """Yield the student's first and last thoughts, to be shown side by side, without a mark."""
    pairs = [(n, str(reply["analysis_for_teacher"])) for n, reply in own if reply.get("analysis_for_teacher")]
    if pairs:
        yield Entry(Phrase("{your} first thoughts"), (Quote(pairs[0][1]),), exchange=pairs[0][0])
    if len(pairs) > 1 and pairs[-1][1] != pairs[0][1]:
        words = Phrase("{your} last thoughts: look at what changed, and why")
        yield Entry(words, (Quote(pairs[-1][1]),), exchange=pairs[-1][0])
