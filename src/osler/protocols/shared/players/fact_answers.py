"""The answer to one question: the facts that hold it, else a denial or ignorance by the run's policy."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Final, Literal, NamedTuple

from osler.knowledge.vocabulary import Topic
from osler.protocols.shared.patient import AnswerKind, PatientFact, PatientView
from osler.protocols.shared.players import voice
from osler.protocols.shared.players.compound import answered
from osler.protocols.shared.players.confidence import answers, suspects
from osler.protocols.shared.players.context import in_context, leans
from osler.protocols.shared.players.recall import (
    asks_if_in_pain,
    fresh,
    holds_any,
    of_pain,
    of_topics,
    partly,
    recall,
)
from osler.protocols.shared.players.sought import TOLD_UNDER, story_of
from osler.protocols.shared.players.weighing import BODILY, SELF_HARM, SUICIDAL, SYMPTOMS, Heard, known
from osler.text.anaphora import carries_on, last_topics
from osler.text.findings_in_text import mentions
from osler.text.topics import QUALIFIERS, is_canonical
from osler.text.utterance_kind import asks_for_results, asks_leave

_STORY: Final[tuple[Topic, ...]] = ("complaint", "course", "character", "associated")
_AGE: Final = re.compile(r"\b(?:old|age|born|birth\w*|dob)\b")


_NOT_THAT_I_KNOW: Final = "Not that I know of."


class Part(NamedTuple):
    """The answer to one question: the facts it reveals, and a line said besides or instead.

    `kind` is given where neither the facts nor a stock line tell it; see `of_kind`.
    """

    facts: tuple[PatientFact, ...] = ()
    line: str = ""
    reason: Literal["none", "not_in_patient_view", "unclear_question"] = "none"
    kind: AnswerKind | None = None

    @property
    def of_kind(self) -> AnswerKind:
        """The kind of this answer: as given, else `fact` where it reveals any, else that of its line."""
        return self.kind or ("fact" if self.facts else voice.kind_of(self.line))


def answer_to(
    heard: Heard,
    view: PatientView,
    may: Sequence[PatientFact],
    told: Collection[str],
    before: Sequence[str],
    latest: Collection[str] = (),
) -> Part:
    """The answer to one question: `may` are the facts that may be told, `told` the ids of those told already,
    `before` the doctor's earlier words, `latest` the ids of the facts spoken of just now."""
    if asks_leave(heard.text):
        return Part(line=voice.GO_AHEAD)
    if asks_for_results(heard.text):
        facts = recall(heard, may, told) if heard.things else ()
        return Part(facts) if facts else Part(line=voice.NO_RESULTS, reason="not_in_patient_view")
    if carries_on(heard.text) and not heard.things and heard.topics[:1] in ((), ("complaint",)):
        return _more(last_topics(before) or ("complaint",), may, told)
    alone = heard
    if leans(alone) and latest:
        telling = [fact for fact in view.facts if _tells_side(alone, fact)]
        closest = min((_remote(alone, fact) for fact in telling), default=0)
        spoken_of = frozenset[str]().union(
            *(known(fact).findings for fact in view.facts if fact.id in latest)
        )
        pointed = [
            fact
            for fact in telling
            if _remote(alone, fact) == closest and (fact.id in latest or known(fact).findings & spoken_of)
        ]
        if len(pointed) == 1 and pointed[0] in may:
            return Part(tuple(pointed))
        if pointed and not any(fact.topic in BODILY for fact in pointed):
            return Part(line=voice.UNSURE, reason="not_in_patient_view")
    heard = in_context(heard, before, story_of(tuple([known(fact) for fact in view.facts])))
    if asks_if_in_pain(heard):
        facts = of_pain(may)
        return Part(facts) if facts else _unknown(heard, view)
    listed = answered(heard, view, may, told)
    if listed and (listed.facts or listed.lines):
        return Part(listed.facts, " ".join(listed.lines), "none" if listed.facts else "not_in_patient_view")
    recalled = recall(heard, view.facts, told, may)
    facts = answers(heard, recalled, view.facts, told, leans=heard != alone)
    if recalled and not facts:
        return Part(line=voice.NOT_UNDERSTOOD, reason="unclear_question")
    if facts and facts[0] not in may:
        return Part(line=voice.WITHHELD, reason="not_in_patient_view", kind="decline")
    facts = tuple(fact for fact in facts if fact in may)
    if facts:
        rest = SYMPTOMS.issuperset(heard.topics) and partly(heard, facts)
        return Part(facts, _of_the_rest(view) if rest else "")
    if not (heard.topics or heard.findings or heard.workings or heard.things):
        return Part(line=voice.NOT_UNDERSTOOD, reason="unclear_question")
    if _owns_up(heard, may):
        return Part(line=voice.WITHHELD, reason="not_in_patient_view")
    part = _unknown(heard, view)
    ours = heard.plain or is_canonical(heard.text)
    doubtful = part.of_kind in ("denial", "dont_know") and not ours
    if doubtful and suspects(heard, view.facts, leans=heard != alone):
        return Part(line=voice.NOT_UNDERSTOOD, reason="unclear_question")
    return part


def _tells_side(heard: Heard, fact: PatientFact) -> bool:
    """Whether a fact tells of every side that a question asks for."""
    return bool(heard.aspects) and heard.aspects <= known(fact).aspects


def _remote(heard: Heard, fact: PatientFact) -> int:
    """The rank of a fact's topic among those under which the sides asked for are told: a complaint that says
    "an ache" is not what tells what it feels like, where another fact does."""
    under = [TOLD_UNDER.get(side, ()) for side in heard.aspects]
    return max(
        (topics.index(fact.topic) if fact.topic in topics else len(topics) for topics in under), default=0
    )


def _owns_up(heard: Heard, may: Sequence[PatientFact]) -> bool:
    """Whether the question is about self-harm and the speaker may reveal such thoughts; the patient then
    declines to say more instead of denying it."""
    return SELF_HARM in heard.workings and any(mentions(fact.text).get(SUICIDAL) for fact in may)


def _more(topics: tuple[Topic, ...], may: Sequence[PatientFact], told: Collection[str]) -> Part:
    """Tell more about the topics last spoken of."""
    wider = _STORY if "complaint" in topics else topics
    facts = [fact for fact in of_topics(wider, may) if fact.id not in told]
    return Part(fresh(facts, ())) if facts else Part(line=voice.NOTHING_MORE)


def _of_the_rest(view: PatientView) -> str:
    """The line about the remaining symptoms of a question, if the facts hold only some of them."""
    if view.unknown == "withhold":
        return voice.WITHHELD
    return voice.NOT_THE_REST if not view.unsure_of else voice.UNSURE_OF_THE_REST


def _unknown(heard: Heard, view: PatientView) -> Part:
    """Answer a question whose answer is not among the facts, by the run's policy; never with a denial of what
    may be there."""
    part = _by_policy(heard, view)
    if part.of_kind != "denial" or heard.plain:
        return part
    if heard.rest and not heard.findings:
        return Part(line=voice.NOT_UNDERSTOOD, reason="unclear_question")
    if holds_any(heard, view.facts):
        return Part(line=voice.UNSURE, reason="not_in_patient_view")
    topic = heard.topics[0] if heard.topics else "systems"
    if topic not in SYMPTOMS and part.line != voice.DENIED and of_topics((topic,), view.facts):
        line = voice.UNSURE if QUALIFIERS.issuperset(heard.topics) else _NOT_THAT_I_KNOW
        return Part(
            line=line, reason="not_in_patient_view", kind="dont_know" if line == voice.UNSURE else "denial"
        )
    return part


def _by_policy(heard: Heard, view: PatientView) -> Part:
    """What the run's policy says of a question that no fact answers."""
    topic = heard.topics[0] if heard.topics else "systems"
    if topic == "identity" and view.age_years is not None:
        asks_age = _AGE.search(heard.text)
        return (
            Part(line=voice.age(view.age_years), kind="fact") if asks_age else Part(line=voice.IN_THE_NOTES)
        )
    if topic == "gynaecological" and view.sex == "male":
        return Part(line=voice.DOES_NOT_APPLY)
    if topic in view.unsure_topics:
        return Part(line=voice.UNSURE, reason="not_in_patient_view", kind="dont_know")
    if topic == "complaint" and not heard.findings:
        return Part(line=view.opening, kind="fact")
    symptom = heard.findings or heard.workings
    if not symptom or (topic not in ("systems", "complaint") and SELF_HARM not in heard.workings):
        line = voice.not_known(topic, view.unknown)
        if view.unknown in ("standard", "synthesize") and set(heard.findings).intersection(view.unsure_of):
            line = voice.UNSURE
    elif view.unknown == "withhold":
        line = voice.WITHHELD
    elif set(heard.findings).intersection(view.noticed):
        return Part(line=voice.NOTICED)
    elif view.unknown != "normal" and _may_be_unwritten(heard, view.unsure_of):
        line = voice.UNSURE
    else:
        line = voice.DENIED
    return Part(line=line, reason="not_in_patient_view")


def _may_be_unwritten(heard: Heard, unsure_of: Sequence[str]) -> bool:
    """Whether the case ought to have mentioned a finding in question. For a mere bodily function: whether
    there is any such finding."""
    return bool(set(heard.findings).intersection(unsure_of)) if heard.findings else bool(unsure_of)
