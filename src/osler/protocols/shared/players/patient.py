"""The built-in patient (or carer), without a model: recalls facts by topic, then by single symptoms.

It reveals nothing but its facts, abstains rather than guesses, and answers by the run's policy for unknowns
if its facts do not hold an answer. An answer that no fact supports has
`unanswered_reason="not_in_patient_view"`; courtesies and answers about age and sex have "none".
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from itertools import chain
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
    question_of,
)
from osler.protocols.shared.players import voice
from osler.protocols.shared.players.compound import apart
from osler.protocols.shared.players.confidence import chances_of, likeliest, surest
from osler.protocols.shared.players.context import in_context, leans
from osler.protocols.shared.players.fact_answers import Part, answer_to
from osler.protocols.shared.players.recall import of_topics
from osler.protocols.shared.players.risk_answers import risk_answer
from osler.protocols.shared.players.sought import story_of
from osler.protocols.shared.players.speech_act_answers import Told, act_answer
from osler.protocols.shared.players.summaries import corrected, is_bare, summary_answer
from osler.protocols.shared.players.utterance_steps import (
    COURTESIES,
    Step,
    asks,
    is_off_topic,
    questions_in,
    steps_of,
)
from osler.protocols.shared.players.weighing import Heard, Known, hear, known, telling
from osler.text.anaphora import carries_on
from osler.text.disfluency import fluent, unmarked
from osler.text.speech_acts import Risk, risk_of
from osler.text.tokens import sentences
from osler.text.topics import QUALIFIERS, Clause, as_one, clauses, conditions_met, is_canonical
from osler.text.utterance_class import chance_of_question
from osler.text.utterance_kind import greets, parts

_FEW: Final = 12
_LATELY: Final = 12
_MOST: Final = 3
# The longest statement, within the limit of a reply; a fact grows when it is put into the first person.
_LONGEST_STATEMENT: Final = 7600
_MORE_THAN_A_FACT: Final = 8
# What an utterance that asks for a fact may be taken for by its first words.
_READ_ON: Final = COURTESIES | {None, "ask_leave"}
# What asks for a fact with this probability is never merely acknowledged.
_PROBABLY_ASKS: Final = 0.6
# Facts about harm by others that are less likely the answer than this only share a word with the question.
_HARDLY_OF_HARM: Final = 0.05
_BY_OTHERS: Final = frozenset[Risk]({"abuse", "harm_others", "child_harm"})
# Topics under which a general question asks for nothing in particular.
_BROAD: Final[frozenset[Topic]] = frozenset(
    {"complaint", "course", "character", "modifiers", "associated", "systems", "identity", "other", "ideas"}
)


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
    # The facts spoken of just now: in answer to the words before, or to an earlier part of these.
    latest: frozenset[str] = frozenset()
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
    view, question = request.view, fluent(question_of(request))
    if view.speaker == NOBODY:
        return Answer("dont_know", PatientReply(answer=NO_ANSWER, unanswered_reason="not_in_patient_view"))
    past = _past(request, question)
    may = _may_tell(view.facts, past.said)
    if view.tells_all:
        return _everything(may, request, past)
    steps = steps_of(question)
    if any(step.act == "instruction" for step in steps):
        return _turned_back()
    if past.again is not None and _same_again(steps, question) and not _canonical(steps):
        before = _may_tell(view.facts, past.said[: past.again_at])
        # In a scenario a fact told then may no longer hold.
        still = {fact.id for fact in may}.issuperset(past.again.revealed_facts)
        if len(before) == len(may) and still:
            return Answer(
                "fact" if past.again.revealed_facts else voice.kind_of(past.again.answer), past.again
            )
    other = not any(step.act or step.risk or step.summary for step in steps)
    if other and is_off_topic(question):
        return _turned_back()
    found: list[Part] = []
    open_ = False
    for step in chain.from_iterable(map(_apart, steps)):
        if open_ and step.clause and leans(hear(step.clause)):
            continue  # "Has it been measured, and what was it?": of what was not understood
        if part := _part(step, view, may, request, past):
            open_ = part.reason == "unclear_question"
            found.append(part)
            if part.facts:
                past.latest = frozenset(fact.id for fact in part.facts)
    if not any(part.facts for part in found) and (part := _as_one(steps, question, view, may, past)):
        found = [part]
    if not found:
        return _polite(request, question)
    # A remark next to a question that was understood is no reason to ask for clarification.
    clear = [part for part in found if part.reason != "unclear_question"] or found[:1]
    sure = [part for part in clear if part.line != voice.NOT_SURE_OF_ALL]
    understood = sure or clear
    return Answer(understood[0].of_kind, _composed(understood, request, past))


def _as_one(
    steps: Sequence[Step], question: str, view: PatientView, may: Sequence[PatientFact], past: _Past
) -> Part | None:
    """The answer to an utterance read as one question, where its parts tell nothing: "OK. And the sputum?".

    A question about harm, any act but a courtesy, and what is kept back are never read so.
    """
    kept = any(step.risk or step.act not in _READ_ON or _sums_up(step) for step in steps)
    if kept or not (unmarked(question) or asks(question) or chance_of_question(question) >= _PROBABLY_ASKS):
        return None
    heard = in_context(hear(as_one(question)), past.said[:-1], story_of(_known(view)))
    best = surest(heard, view.facts, leans=bool(heard.earlier))
    return Part((best,)) if best is not None and best in may else None


def _sums_up(step: Step) -> bool:
    """Whether a step says back more than one thing; a short one may ask for what it says: "since Monday?"."""
    return step.summary and len(step.text.split()) > _FEW


def _known(view: PatientView) -> tuple[Known, ...]:
    return tuple([known(fact) for fact in view.facts])


def likeliest_facts(request: PatientTurn, most: int) -> tuple[PatientFact, ...]:
    """The facts that the doctor's latest words may ask for and that may be told, the likeliest first, at most
    `most`; none where the words ask for nothing, or for a harm that only rules may answer."""
    question = fluent(question_of(request))
    steps = steps_of(question)
    asked = [step.clause for step in steps if step.clause and not (step.act or step.summary)]
    if any(step.risk for step in steps) or not asked or not asks(question):
        return ()
    facts = request.view.facts
    chances = [chances_of(hear(clause), _known(request.view), False) for clause in asked]
    best = [max(each) for each in zip(*chances, strict=True)]
    may = {fact.id for fact in _may_tell(facts, _past(request, question).said)}
    order = sorted(range(len(facts)), key=lambda at: -best[at])
    return tuple([facts[at] for at in order if facts[at].id in may][:most])


def telling_of(fact: PatientFact, request: PatientTurn) -> PatientReply:
    """The answer that tells one fact, as the built-in patient says it."""
    return _composed([Part((fact,))], request, _past(request, fluent(question_of(request))))


def _everything(may: Sequence[PatientFact], request: PatientTurn, past: _Past) -> Answer:
    """One statement of all that may be told, in the order of the facts, as far as an answer can hold."""
    told, length = list[PatientFact](), 0
    for fact in may:
        length += len(fact.spoken or fact.text) + _MORE_THAN_A_FACT
        if length <= _LONGEST_STATEMENT:
            told.append(fact)
    if not told:
        return Answer("dont_know", PatientReply(answer=voice.NOTHING_MORE))
    return Answer("fact", _composed([Part(tuple(told))], request, past))


def _apart(step: Step) -> list[Step]:
    """A question that lists habits as one question for each; any other step as it is."""
    if step.clause is None or step.act or step.risk or step.summary:
        return [step]
    return [step._replace(text=clause.text, clause=clause) for clause in apart(step.clause)]


def _part(
    step: Step, view: PatientView, may: Sequence[PatientFact], request: PatientTurn, past: _Past
) -> Part | None:
    """The answer to one step, if it wants one."""
    if step.risk:
        return _to_risk(step.risk, step.text, view, may, past)
    if step.summary:
        return _to_summary(step.text, view, may, past)
    if step.act:
        told = Told(past.told, past.said[:-1], past.said[-1], len(past.said), past.last)
        part = act_answer(step.act, step.text, view, may, told)
        if part:
            return part
        if step.act == "how_feel" and (facts := of_topics(("complaint",), may)):
            return Part(tuple(facts[:1]))  # "How are you feeling now?", before any news
    clause = step.clause or next(iter(clauses(step.text)), None)
    if clause and _canonical([step]) and (rest := _rest_of_topic(clause, may, past)):
        return Part(rest)
    return _to_question(clause, view, may, past) if clause else None


def _to_risk(risk: Risk, text: str, view: PatientView, may: Sequence[PatientFact], past: _Past) -> Part:
    """The answer to a question about a harm, by rule where what was learned of questions agrees."""
    asked = clauses(text)
    part = risk_answer(risk, text, view, may, spoken_of=any(map(risk_of, past.said[:-1])))
    if part is None:
        return _to_question(asked[0], view, may, past)
    if part.facts and risk in _BY_OTHERS:
        chances = chances_of(hear(asked[0]), _known(view), False)
        likely = [fact for fact, one in zip(view.facts, chances, strict=True) if one >= _HARDLY_OF_HARM]
        if not any(fact in likely for fact in part.facts):
            return Part(line=voice.NOTHING_TO_SAY, reason="not_in_patient_view", kind="decline")
    if part.facts and len(asked) == 1:
        other = likeliest(hear(asked[0]), view.facts)
        if other and other not in part.facts and not risk.startswith("suicide"):
            instead = _to_question(asked[0], view, may, past)
            return instead if instead.facts else part
    return part


def _canonical(steps: Sequence[Step]) -> bool:
    """Whether an utterance is our own question about a topic as a whole, as built-in doctors ask it."""
    return any(step.clause and is_canonical(step.clause.text) for step in steps)


def _rest_of_topic(clause: Clause, may: Sequence[PatientFact], past: _Past) -> tuple[PatientFact, ...]:
    """What was not told yet of a topic that was asked for in the same words before."""
    asked = {other.text for said in past.said[:-1] for other in clauses(said)}
    if clause.text not in asked or not clause.topics:
        return ()
    return tuple(fact for fact in may if fact.topic == clause.topics[0] and fact.id not in past.told)[:_MOST]


def _to_question(clause: Clause, view: PatientView, may: Sequence[PatientFact], past: _Past) -> Part:
    """The answer to a question for a fact; declined where the fact it asks for is kept back."""
    heard, before = hear(clause), _before(clause, past)
    part = answer_to(heard, view, may, past.told, before, past.latest)
    if len(may) == len(view.facts):
        return part
    whole = answer_to(heard, view, view.facts, past.told, before, past.latest)
    allowed = {fact.id for fact in may}
    shut = [fact for fact in whole.facts if fact.id not in allowed]
    if not shut or whole.facts[0] != shut[0] or not _asked_for(shut[0], heard):
        return part
    if set(part.facts).intersection(whole.facts):
        return part
    return Part(line=voice.declined(shut[0].told, view), reason="not_in_patient_view", kind="decline")


def _asked_for(fact: PatientFact, heard: Heard) -> bool:
    """Whether a question asks for a fact directly, not merely for anything of its kind."""
    read = known(fact)
    if read.findings.intersection(heard.findings) or len(read.words & heard.words) > 1:
        return True
    return heard.sure and fact.topic in heard.topics[:1] and fact.topic not in _BROAD


def _to_summary(text: str, view: PatientView, may: Sequence[PatientFact], past: _Past) -> Part | None:
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
        return checked or Part(line=voice.NOT_SURE_OF_ALL, reason="not_in_patient_view", kind="dont_know")
    return None


def _polite(request: PatientTurn, question: str) -> Answer:
    """The reply to words that ask nothing; a question is never merely acknowledged."""
    if asks(question) or chance_of_question(question) >= _PROBABLY_ASKS:
        return Answer("not_understood", _unclear())
    line = voice.courtesy(request.view.persona.name, greeting=greets(question), parting=parts(question))
    return Answer("acknowledge", PatientReply(answer=line))


def _same_again(steps: Sequence[Step], question: str) -> bool:
    """Whether the same words want the same answer; going on and courtesies do not."""
    return not carries_on(question) and any(step.clause for step in steps)


def _turned_back() -> Answer:
    reply = PatientReply(answer=voice.TURNED_BACK, unanswered_reason="not_in_patient_view")
    return Answer("not_understood", reply)


def _unclear() -> PatientReply:
    return PatientReply(answer=voice.NOT_UNDERSTOOD, unanswered_reason="unclear_question")


def _past(request: PatientTurn, question: str) -> _Past:
    past = _Past()
    for item in request.feed:
        # A failing `isinstance` on a pydantic model takes five times as long.
        if type(item) is Said:
            if item.by == "doctor":
                past.said.append(fluent(item.text))
        elif type(item) is OwnReply and type(item.reply) is PatientReply:
            past.told.update(item.reply.revealed_facts)
            past.last = item.reply.answer
            if past.said and item.reply.revealed_facts:
                repeated = item.reply.answer.startswith(voice.again(""))
                past.answers.append((past.said[-1], frozenset(item.reply.revealed_facts), repeated))
            if past.said and past.said[-1] == question:
                past.again, past.again_at = item.reply, len(past.said)
    if past.answers and past.said[-2:-1] == [past.answers[-1][0]]:
        past.latest = past.answers[-1][1]
    return past


def _may_tell(facts: Sequence[PatientFact], said: Sequence[str]) -> list[PatientFact]:
    met = conditions_met(said)
    return [fact for fact in facts if fact.told in met]


def _before(clause: Clause, past: _Past) -> list[str]:
    """Everything the doctor said before a question, in the same utterance or earlier."""
    same_breath = [other.text for other in clauses(past.said[-1])]
    here = same_breath.index(clause.text) if clause.text in same_breath else 0
    return past.said[:-1] + same_breath[:here]


def _composed(found: Sequence[Part], request: PatientTurn, past: _Past) -> PatientReply:
    facts: dict[str, None] = {}
    said: dict[str, None] = {}
    for part in found:
        told: dict[str, None] = {}
        for fact in part.facts:
            facts[fact.id] = None
            told[voice.told(fact, speaker=request.view.speaker)] = None
        lead = [part.line] if part.line and part.kind == "correct" else []
        said.update(dict.fromkeys([*lead, *told, *([part.line] if part.line else [])]))
    reasons = [part.reason for part in found if part.reason != "none"]
    if voice.UNSURE in said and not facts:
        reasons.append("not_in_patient_view")
    words = " ".join(said)
    if facts and past.told.issuperset(facts) and _asked_again(facts, past):
        words = voice.again(words)
    if facts:
        heavy = any(voice.weighs(fact) for part in found for fact in part.facts)
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
    asked = questions_in(said)
    words = frozenset[str]().union(*(telling(clause.text) for clause in asked))
    return tuple(clause.topics[0] for clause in asked if clause.topics), words


def _alike(
    one: tuple[tuple[Topic, ...], frozenset[str]], other: tuple[tuple[Topic, ...], frozenset[str]]
) -> bool:
    shared = set(one[0]).intersection(other[0])
    return bool(shared) and (
        bool(one[1] & other[1]) or not (one[1] and other[1]) or bool(shared & QUALIFIERS)
    )
