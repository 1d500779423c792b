"""The built-in patient (or carer), without a model: recalls facts by topic, then by single symptoms.

It reveals nothing but its facts, abstains rather than guesses, and answers by the run's policy for unknowns
if its facts do not hold an answer. An answer that no fact supports has
`unanswered_reason="not_in_patient_view"`; courtesies and answers about age and sex have "none".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, NamedTuple

from osler.core.contract import OwnReply
from osler.core.events import Said
from osler.knowledge.vocabulary import Topic
from osler.protocols.shared.patient import PatientFact, PatientReply, PatientTurn, PatientView, question_of
from osler.protocols.shared.players import voice
from osler.protocols.shared.players.compound import answered
from osler.protocols.shared.players.recall import (
    asks_if_in_pain,
    by_words,
    fresh,
    of_pain,
    of_topics,
    partly,
    plain_question,
    recall,
    to_the_point,
)
from osler.protocols.shared.players.weighing import BODILY, SELF_HARM, SUICIDAL, SYMPTOMS, Heard, hear
from osler.text.anaphora import asks_if_so, carried_over, carries_on, last_topics
from osler.text.findings_in_text import mentions
from osler.text.off_topic import outside
from osler.text.topics import Clause, assurances, clauses, conditions_met
from osler.text.utterance_kind import after_hail, asks_for_results, asks_leave, greets, parts

_STORY: Final[tuple[Topic, ...]] = ("complaint", "course", "character", "associated")
_AGE: Final = re.compile(r"\b(?:old|age|born|birth\w*|dob)\b")


class _Part(NamedTuple):
    """The answer to one question: the facts it reveals, and a line said besides or instead."""

    facts: tuple[PatientFact, ...] = ()
    line: str = ""
    reason: Literal["none", "not_in_patient_view", "unclear_question"] = "none"


@dataclass(slots=True)
class _Past:
    """The encounter so far: the doctor's words, the facts revealed, and the previous answer to the same
    words, if any."""

    said: list[str] = field(default_factory=list)
    told: set[str] = field(default_factory=set)
    again: PatientReply | None = None
    again_at: int = 0


class BaselinePatient:
    """The built-in patient. Stateless."""

    name: Final = "baseline"
    durable: Final = False

    async def reply(self, request: PatientTurn) -> PatientReply:
        """Answer the doctor's latest words from the view and the conversation so far."""
        return answer(request)


def answer(request: PatientTurn) -> PatientReply:
    """Reply to the doctor's latest words: a pure function of the request."""
    view, question = request.view, question_of(request)
    past = _past(request, question)
    may = _may_tell(view.facts, past.said)
    if past.again is not None and not carries_on(question):
        before = _may_tell(view.facts, past.said[: past.again_at])
        # In a scenario a fact told then may no longer hold.
        still = {fact.id for fact in may}.issuperset(past.again.revealed_facts)
        if len(before) == len(may) and still:
            return past.again
    if outside(question):
        return PatientReply(answer=voice.TURNED_BACK, unanswered_reason="not_in_patient_view")
    asked = _questions(question)
    if not asked:
        polite = voice.courtesy(view.persona.name, greeting=greets(question), parting=parts(question))
        return PatientReply(answer=polite)
    found = [_part(hear(clause), view, may, past, _before(clause, past)) for clause in asked]
    # A remark next to a question that was understood is no reason to ask for clarification.
    understood = [part for part in found if part.reason != "unclear_question"] or found[:1]
    return _composed(understood, request, past)


def _past(request: PatientTurn, question: str) -> _Past:
    past = _Past()
    for item in request.feed:
        # A failing `isinstance` on a pydantic model takes five times as long.
        if type(item) is Said:
            if item.by == "doctor":
                past.said.append(item.text)
        elif type(item) is OwnReply and type(item.reply) is PatientReply:
            past.told.update(item.reply.revealed_facts)
            if past.said and past.said[-1] == question:
                past.again, past.again_at = item.reply, len(past.said)
    return past


def _may_tell(facts: Sequence[PatientFact], said: Sequence[str]) -> list[PatientFact]:
    met = conditions_met(said)
    return [fact for fact in facts if fact.told in met]


def _questions(said: str) -> list[Clause]:
    """The questions in an utterance; a few words that name a topic count as one."""
    plain = plain_question(said)
    if plain:
        return [plain]
    found = [clause for clause in clauses(after_hail(said)) if not _only_assures(clause)]
    asked = [clause for clause in _told_first(found, said) if clause.asks and not greets(clause.text)]
    if asked:
        return asked
    return [
        clause
        for clause in found
        if carries_on(clause.text)
        or (clause.topics and len(clause.text.split()) <= 4 and not greets(clause.text))
    ]


def _told_first(found: Sequence[Clause], said: str) -> list[Clause]:
    """The clauses, with "anything like that?" resolved: it turns the statement before it into a question."""
    return [
        before._replace(asks=True)
        if asks_if_so(clause.text) and before and before.topics and f"{before.text}?" not in said.lower()
        else clause
        for before, clause in zip((None, *found), found, strict=False)
    ]


def _only_assures(clause: Clause) -> bool:
    """Whether a clause is a mere assurance ("may I see you alone?"), which opens gates but asks nothing."""
    return bool(assurances(clause.text)) and not clause.sure


def _before(clause: Clause, past: _Past) -> list[str]:
    """Everything the doctor said before a question, in the same utterance or earlier."""
    same_breath = [other.text for other in clauses(past.said[-1])]
    here = same_breath.index(clause.text) if clause.text in same_breath else 0
    return past.said[:-1] + same_breath[:here]


def _part(
    heard: Heard, view: PatientView, may: Sequence[PatientFact], past: _Past, before: Sequence[str]
) -> _Part:
    if asks_leave(heard.text):
        return _Part(line=voice.GO_AHEAD)
    if asks_for_results(heard.text):
        facts = by_words(heard, may)
        return _Part(facts) if facts else _Part(line=voice.NO_RESULTS, reason="not_in_patient_view")
    if carries_on(heard.text) and heard.topics[:1] in ((), ("complaint",)):
        return _more(last_topics(before) or ("complaint",), may, past)
    over = () if heard.findings or heard.workings else carried_over(heard.text, heard.topics, before)
    if over and not BODILY.issuperset(over):
        facts = fresh(of_topics(over, may), ())
        if facts:
            return _Part(facts)
    if asks_if_in_pain(heard):
        facts = of_pain(may)
        return _Part(facts) if facts else _unknown(heard, view)
    listed = answered(heard, view, may)
    if listed and (listed.facts or listed.lines):
        return _Part(listed.facts, " ".join(listed.lines), "none" if listed.facts else "not_in_patient_view")
    facts = recall(heard, may, past.told) if heard.topics or heard.findings or heard.workings else ()
    facts = to_the_point(heard, facts)
    if not facts and not heard.findings and SYMPTOMS.issuperset(heard.topics):
        facts = by_words(heard, may)
    if facts:
        rest = SYMPTOMS.issuperset(heard.topics) and partly(heard, facts)
        return _Part(facts, _of_the_rest(view) if rest else "")
    if not (heard.topics or heard.findings or heard.workings):
        return _Part(line=voice.NOT_UNDERSTOOD, reason="unclear_question")
    if _owns_up(heard, may):
        return _Part(line=voice.WITHHELD, reason="not_in_patient_view")
    return _unknown(heard, view)


def _owns_up(heard: Heard, may: Sequence[PatientFact]) -> bool:
    """Whether the question is about self-harm and the speaker may reveal such thoughts; the patient then
    declines to say more instead of denying it."""
    return SELF_HARM in heard.workings and any(mentions(fact.text).get(SUICIDAL) for fact in may)


def _more(topics: tuple[Topic, ...], may: Sequence[PatientFact], past: _Past) -> _Part:
    """Tell more about the topics last spoken of."""
    wider = _STORY if "complaint" in topics else topics
    facts = [fact for fact in of_topics(wider, may) if fact.id not in past.told]
    return _Part(fresh(facts, ())) if facts else _Part(line=voice.NOTHING_MORE)


def _of_the_rest(view: PatientView) -> str:
    """The line about the remaining symptoms of a question, if the facts hold only some of them."""
    if view.unknown == "withhold":
        return voice.WITHHELD
    return voice.NOT_THE_REST if not view.unsure_of else voice.UNSURE_OF_THE_REST


def _unknown(heard: Heard, view: PatientView) -> _Part:
    """Answer a question whose answer is not among the facts, by the run's policy."""
    topic = heard.topics[0] if heard.topics else "systems"
    if topic == "identity" and view.age_years is not None:
        asks_age = _AGE.search(heard.text)
        return _Part(line=voice.age(view.age_years) if asks_age else voice.IN_THE_NOTES)
    if topic == "gynaecological" and view.sex == "male":
        return _Part(line=voice.DOES_NOT_APPLY)
    if topic == "complaint" and not heard.findings:
        return _Part(line=view.opening)
    symptom = heard.findings or heard.workings
    if not symptom or (topic not in ("systems", "complaint") and SELF_HARM not in heard.workings):
        line = voice.not_known(topic, view.unknown)
        if view.unknown in ("standard", "synthesize") and set(heard.findings).intersection(view.unsure_of):
            line = voice.UNSURE
    elif view.unknown == "withhold":
        line = voice.WITHHELD
    elif set(heard.findings).intersection(view.noticed):
        return _Part(line=voice.NOTICED)
    elif view.unknown != "normal" and _may_be_unwritten(heard, view.unsure_of):
        line = voice.UNSURE
    else:
        line = voice.DENIED
    return _Part(line=line, reason="not_in_patient_view")


def _may_be_unwritten(heard: Heard, unsure_of: Sequence[str]) -> bool:
    """Whether the case ought to have mentioned a finding in question. For a mere bodily function: whether
    there is any such finding."""
    return bool(set(heard.findings).intersection(unsure_of)) if heard.findings else bool(unsure_of)


def _composed(found: Sequence[_Part], request: PatientTurn, past: _Past) -> PatientReply:
    by_patient = request.view.speaker == "patient"
    facts: dict[str, None] = {}
    said: dict[str, None] = {}
    for part in found:
        for fact in part.facts:
            facts[fact.id] = None
            said[voice.told(fact, by_patient=by_patient)] = None
        if part.line:
            said[part.line] = None
    reasons = [part.reason for part in found if part.reason != "none"]
    words = " ".join(said)
    if facts and past.told.issuperset(facts):
        words = voice.again(words)
    if voice.NOT_UNDERSTOOD not in said:
        words = voice.wrapped(words, request.view.persona.name, request.world, len(past.said))
    return PatientReply(
        answer=words,
        revealed_facts=tuple(facts),
        unanswered_reason=reasons[0] if reasons and not facts else "none",
    )
