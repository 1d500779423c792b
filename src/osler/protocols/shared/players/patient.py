"""The built-in patient (or carer), without a generative model.

It hears an utterance sentence by sentence (`sentences`), finds which of its facts each question means
(`osler.reading`), tells those that its gates let through (`fact_answers`), and says them in its own voice
(`voice`). It reveals nothing but its facts, abstains rather than guesses, and answers by the run's policy for
unknowns if its facts do not hold an answer. An answer that no fact supports has
`unanswered_reason="not_in_patient_view"`; courtesies and answers about age and sex have "none".
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from osler.core.contract import OwnReply, Request
from osler.core.events import Event, Said
from osler.knowledge.vocabulary import NO_ANSWER, NOBODY, Topic
from osler.protocols.shared.patient import (
    AnswerKind,
    PatientFact,
    PatientReply,
    PatientTurn,
    PatientView,
)
from osler.protocols.shared.players import voice
from osler.protocols.shared.players.fact_answers import (
    MOST,
    AnswerPart,
    answer_to,
    carries_on,
    meant_by,
    of_topics,
)
from osler.protocols.shared.players.risk_answers import risk_answer
from osler.protocols.shared.players.sentences import COURTESIES, Step, asks, questions_in, steps_of
from osler.protocols.shared.players.speech_act_answers import ConversationSoFar, act_answer
from osler.protocols.shared.players.summaries import corrected, is_bare, summary_answer
from osler.reading.questions import hear, in_context, plain_questions, telling
from osler.text.speech_acts import Risk, risk_of
from osler.text.tokens import fluent, sentences, unmarked
from osler.text.topics import QUALIFIERS, Clause, as_one, clauses, conditions_met, is_canonical
from osler.text.utterance_kind import classified, greets, parts

_FEW: Final = 12
_ALWAYS_TOLD: Final = frozenset({"volunteered", "asked"})
_LATELY: Final = 12
# The longest statement, within the limit of a reply; a fact grows when it is put into the first person.
_LONGEST_STATEMENT: Final = 7600
_MORE_THAN_A_FACT: Final = 8
# What asks for a fact with this probability is never merely acknowledged.
_PROBABLY_ASKS: Final = 0.6
# Facts about harm by others that are less likely the answer than this only share a word with the question.
_HARDLY_OF_HARM: Final = 0.05
_BY_OTHERS: Final = frozenset[Risk]({"abuse", "harm_others", "child_harm"})


class Answer(NamedTuple):
    """A reply of the built-in patient, and its kind."""

    kind: AnswerKind
    reply: PatientReply


@dataclass(slots=True)
class _Past:
    """The encounter so far: the doctor's words, the facts revealed, and the previous answer to the same
    words, if any."""

    said: list[str] = field(default_factory=list)
    told: set[str] = field(default_factory=set)
    last: str = ""
    again: PatientReply | None = None
    again_at: int = 0
    # The doctor's words, the facts they were answered with, and whether that was a repetition.
    answers: list[tuple[str, frozenset[str], bool]] = field(default_factory=list)


class BaselinePatient:
    """The built-in patient. Stateless."""

    name: Final = "baseline"
    durable: Final = False

    async def reply(self, request: PatientTurn) -> PatientReply:
        """Answer the doctor's latest words from the view and the conversation so far."""
        return answer(request)


def answer(request: PatientTurn) -> PatientReply:
    """Reply to the doctor's latest words: a pure function of the request."""
    return answer_of_kind(request).reply


def replayed(view: PatientView, before: Sequence[str], say: str) -> Answer:
    """The answer to `say` in a new consultation, after the doctor's earlier lines in order."""
    feed: list[Event | OwnReply] = []
    for line in before:
        feed.append(Said(minute=0, by="doctor", text=line))
        feed.append(OwnReply(answer(Request(view, tuple(feed), "ask"))))
    return answer_of_kind(Request(view, (*feed, Said(minute=0, by="doctor", text=say)), "ask"))


def answer_of_kind(request: PatientTurn) -> Answer:
    """The reply to the doctor's latest words, with its kind: a pure function of the request."""
    view = request.view
    if view.speaker == NOBODY:
        return Answer("dont_know", PatientReply(answer=NO_ANSWER, unanswered_reason="not_in_patient_view"))
    past = _past(request)
    may = _may_tell(view.facts, past.said)
    if view.tells_all:
        return _everything(may, request, past)
    question = past.said[-1]
    steps = steps_of(question)
    if any(step.act == "instruction" for step in steps):
        return _turned_back()
    if past.again and (same := _same_again(past.again, steps, may, view, past)):
        return same
    parts = [part for step in steps if (part := _part(step, view, may, past))]
    if not any(part.facts for part in parts) and (part := _as_one(steps, question, view, may, past)):
        parts = [part]
    if not parts:
        return _polite(request, question)
    # A remark next to a question that was understood is no reason to ask for clarification.
    clear = [part for part in parts if part.reason != "unclear_question"] or parts[:1]
    understood = [part for part in clear if part.line != voice.NOT_SURE_OF_ALL] or clear
    return Answer(understood[0].of_kind, _composed(understood, request, past))


def _same_again(
    again: PatientReply, steps: Sequence[Step], may: Sequence[PatientFact], view: PatientView, past: _Past
) -> Answer | None:
    """The previous answer to the same words; going on, courtesies and our own questions want another."""
    if carries_on(past.said[-1]) or _ours(steps):
        return None
    before = _may_tell(view.facts, past.said[: past.again_at])
    # In a scenario a fact told then may no longer hold.
    still = {fact.id for fact in may}.issuperset(again.revealed_facts)
    if not still or len(before) != len(may) or not any(step.clause for step in steps):
        return None
    return Answer("fact" if again.revealed_facts else voice.kind_of(again.answer), again)


def _as_one(
    steps: Sequence[Step], question: str, view: PatientView, may: Sequence[PatientFact], past: _Past
) -> AnswerPart | None:
    """The answer to an utterance read as one question, where its parts tell nothing: "OK. And the sputum?".

    A question about harm, any act but a courtesy, and what is kept back are never read so.
    """
    kept = any(step.risk or step.act not in {*COURTESIES, None} or _sums_up(step) for step in steps)
    if (
        kept
        or _ours(steps)
        or not (unmarked(question) or asks(question) or classified(question).asks >= _PROBABLY_ASKS)
    ):
        return None
    reading = in_context(hear(as_one(question)), past.said[:-1])
    facts = [view.facts[at] for at in meant_by(reading, view.facts).surely]
    if reading.sure and any(fact.topic == "other" for fact in facts):
        return None  # a question that names its subject is not answered by what has none
    return AnswerPart(tuple(facts)) if facts and all(fact in may for fact in facts) else None


def _sums_up(step: Step) -> bool:
    """Whether a step says back more than one thing; a short one may ask for what it says: "since Monday?"."""
    return step.summary and len(step.text.split()) > _FEW


def likeliest_facts(request: PatientTurn, most: int) -> tuple[PatientFact, ...]:
    """The facts that the doctor's latest words may ask for and that may be told, the likeliest first, at most
    `most`; none where the words ask for nothing, or for a harm that only rules may answer."""
    past = _past(request)
    question = past.said[-1]
    steps = steps_of(question)
    clauses = [step.clause for step in steps if step.clause and not (step.act or step.summary)]
    if any(step.risk for step in steps) or not clauses or not asks(question):
        return ()
    facts = request.view.facts
    chances = [meant_by(hear(clause), facts).chances for clause in clauses]
    best = [max(each) for each in zip(*chances, strict=True)]
    may = {fact.id for fact in _may_tell(facts, past.said)}
    order = sorted(range(len(facts)), key=lambda at: -best[at])
    return tuple([facts[at] for at in order if facts[at].id in may][:most])


def telling_of(fact: PatientFact, request: PatientTurn) -> PatientReply:
    """The answer that tells one fact, as the built-in patient says it."""
    return _composed([AnswerPart((fact,))], request, _past(request))


def _everything(may: Sequence[PatientFact], request: PatientTurn, past: _Past) -> Answer:
    """One statement of all that may be told, in the order of the facts, as far as an answer can hold."""
    facts, length = list[PatientFact](), 0
    for fact in may:
        length += len(fact.spoken or fact.text) + _MORE_THAN_A_FACT
        if length <= _LONGEST_STATEMENT:
            facts.append(fact)
    if not facts:
        return Answer("dont_know", PatientReply(answer=voice.NOTHING_MORE))
    return Answer("fact", _composed([AnswerPart(tuple(facts))], request, past))


def _part(step: Step, view: PatientView, may: Sequence[PatientFact], past: _Past) -> AnswerPart | None:
    """The answer to one step, if it wants one."""
    if step.clause:
        return _to_question(step.clause, view, may, past)
    if step.risk:
        return _to_risk(step.risk, step.text, view, may, past)
    if step.summary:
        return _to_summary(step.text, view, may, past)
    if not step.act:
        return None
    told = ConversationSoFar(past.told, past.said[:-1], past.said[-1], len(past.said), past.last)
    if part := act_answer(step.act, step.text, view, may, told):
        return part
    if step.act == "how_feel" and (facts := of_topics(("complaint",), may)):
        return AnswerPart(tuple(facts[:1]))  # "How are you feeling now?", before any news
    clause = next(iter(clauses(step.text)), None)
    return _to_question(clause, view, may, past) if clause else None


def _to_question(clause: Clause, view: PatientView, may: Sequence[PatientFact], past: _Past) -> AnswerPart:
    """The answer to a question for a fact; our own question asked again wants the rest of its topic."""
    if is_canonical(clause.text) and (rest := _rest_of_topic(clause, may, past)):
        return AnswerPart(rest)
    same_breath = [other.text for other in clauses(past.said[-1])]
    here = same_breath.index(clause.text) if clause.text in same_breath else 0
    return answer_to(clause, view, may, past.told, past.said[:-1] + same_breath[:here])


def _to_risk(risk: Risk, text: str, view: PatientView, may: Sequence[PatientFact], past: _Past) -> AnswerPart:
    """The answer to a question about a harm, by rule where what was learned of questions agrees."""
    asked = clauses(text)
    part = risk_answer(risk, text, view, may, spoken_of=any(map(risk_of, past.said[:-1])))
    if part is None:
        return _to_question(asked[0], view, may, past)
    if not part.facts or risk.startswith("suicide"):
        return part
    meaning = meant_by(hear(asked[0]), view.facts)
    chance = dict(zip([fact.id for fact in view.facts], meaning.chances, strict=True))
    if risk in _BY_OTHERS and all(chance[fact.id] < _HARDLY_OF_HARM for fact in part.facts):
        return AnswerPart(line=voice.NOTHING_TO_SAY, reason="not_in_patient_view", kind="decline")
    likeliest = view.facts[meaning.likeliest[0]]
    if len(asked) == 1 and likeliest not in part.facts and chance[likeliest.id] > 1 / 2:
        instead = _to_question(asked[0], view, may, past)
        return instead if instead.facts else part
    return part


def _ours(steps: Sequence[Step]) -> bool:
    """Whether an utterance is our own question about a topic or a finding, as built-in doctors ask it."""
    return any(
        step.clause and (is_canonical(step.clause.text) or step.clause.text in plain_questions())
        for step in steps
    )


def _rest_of_topic(clause: Clause, may: Sequence[PatientFact], past: _Past) -> tuple[PatientFact, ...]:
    """Return the facts still untold about a topic that was asked for in the same words before."""
    texts = {other.text for said in past.said[:-1] for other in clauses(said)}
    if clause.text not in texts or not clause.topics:
        return ()
    return tuple(fact for fact in may if fact.topic == clause.topics[0] and fact.id not in past.told)[:MOST]


def _to_summary(text: str, view: PatientView, may: Sequence[PatientFact], past: _Past) -> AnswerPart | None:
    if is_bare(text):
        earlier = [said for said in past.said[-3:-1] if "?" not in said]
        text = earlier[-1] if earlier else ""
    checked = summary_answer(text, view, may) if text else None
    if checked and checked.kind != "dont_know":
        return checked
    # What cannot be told true or false may still be a question: "and you're allergic to nothing, right?"
    asked = [clause for clause in clauses(text) if clause.sure and len(clause.text.split()) <= _FEW]
    if "?" in text and len(asked) == 1 and len(sentences(text)) == 1:
        part = _to_question(asked[0], view, may, past)
        return corrected(text, part) if part.facts else checked
    if checked is None or "?" in past.said[-1] or is_bare(past.said[-1]):
        return checked or AnswerPart(
            line=voice.NOT_SURE_OF_ALL, reason="not_in_patient_view", kind="dont_know"
        )
    return None


def _polite(request: PatientTurn, question: str) -> Answer:
    """The reply to words that ask nothing; a question is never merely acknowledged."""
    if asks(question) or classified(question).asks >= _PROBABLY_ASKS:
        return Answer("not_understood", _unclear())
    line = voice.courtesy(request.view.persona.name, greeting=greets(question), parting=parts(question))
    return Answer("acknowledge", PatientReply(answer=line))


def _turned_back() -> Answer:
    reply = PatientReply(answer=voice.TURNED_BACK, unanswered_reason="not_in_patient_view")
    return Answer("not_understood", reply)


def _unclear() -> PatientReply:
    return PatientReply(answer=voice.NOT_UNDERSTOOD, unanswered_reason="unclear_question")


def _past(request: PatientTurn) -> _Past:
    past = _Past()
    before: dict[str, tuple[PatientReply, int]] = {}
    for item in request.feed:
        # A failing `isinstance` on a pydantic model takes five times as long.
        if type(item) is Said:
            if item.by == "doctor":
                past.said.append(fluent(item.text))
        elif type(item) is OwnReply and type(item.reply) is PatientReply:
            past.told.update(item.reply.revealed_facts)
            past.last = item.reply.answer
            if not past.said:
                continue
            before[past.said[-1]] = item.reply, len(past.said)
            if item.reply.revealed_facts:
                repeated = item.reply.answer.startswith(voice.again(""))
                past.answers.append((past.said[-1], frozenset(item.reply.revealed_facts), repeated))
    past.again, past.again_at = before.get(past.said[-1], (None, 0))
    return past


def _may_tell(facts: Sequence[PatientFact], said: Sequence[str]) -> list[PatientFact]:
    if all(fact.told in _ALWAYS_TOLD for fact in facts):
        return [*facts]
    met = conditions_met(said)
    return [fact for fact in facts if fact.told in met]


def _composed(answer_parts: Sequence[AnswerPart], request: PatientTurn, past: _Past) -> PatientReply:
    facts: dict[str, None] = {}
    said: dict[str, None] = {}
    for part in answer_parts:
        told: dict[str, None] = {}
        for fact in part.facts:
            facts[fact.id] = None
            told[voice.told(fact, speaker=request.view.speaker)] = None
        lead = [part.line] if part.line and part.kind == "correct" else []
        said.update(dict.fromkeys([*lead, *told, *([part.line] if part.line else [])]))
    reasons = [part.reason for part in answer_parts if part.reason != "none"]
    if voice.UNSURE in said and not facts:
        reasons.append("not_in_patient_view")
    words = " ".join(said)
    if facts and past.told.issuperset(facts) and _asked_again(facts, past):
        words = voice.again(words)
    if facts:
        heavy = any(voice.weighs(fact) for part in answer_parts for fact in part.facts)
        words = voice.wrapped(words, request.view.persona.name, request.world, len(past.said), heavy=heavy)
    return PatientReply(
        answer=words,
        revealed_facts=tuple(facts),
        unanswered_reason=reasons[0] if reasons and not facts else "none",
    )


def _asked_again(facts: Collection[str], past: _Past) -> bool:
    """Whether the same was told in answer to a question much like this one, and not just repeated."""
    now = _subject(past.said[-1])
    return any(
        told.issuperset(facts) and not again and _alike(now, _subject(words))
        for words, told, again in past.answers[-_LATELY:]
    )


def _subject(said: str) -> tuple[tuple[Topic, ...], frozenset[str]]:
    questions = questions_in(said)
    words = frozenset[str]().union(*(telling(clause.text) for clause in questions))
    return tuple(clause.topics[0] for clause in questions if clause.topics), words


def _alike(
    one: tuple[tuple[Topic, ...], frozenset[str]], other: tuple[tuple[Topic, ...], frozenset[str]]
) -> bool:
    shared = set(one[0]).intersection(other[0])
    return bool(shared) and (
        bool(one[1] & other[1]) or not (one[1] and other[1]) or bool(shared & QUALIFIERS)
    )
