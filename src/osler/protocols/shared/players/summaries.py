"""Summaries checked against the facts: "So it came on suddenly and you've no fever, is that right?".

Confirmed only where the facts hold what was said; corrected only where a fact that may be told contradicts
it; else neither.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final, Literal, NamedTuple

from osler.protocols.shared.patient import PatientFact, PatientView
from osler.protocols.shared.players import voice
from osler.protocols.shared.players.fact_answers import AnswerPart
from osler.protocols.shared.players.summary_elements import elements, judged
from osler.reading.questions import telling
from osler.text.contradiction import DENIES
from osler.text.speech_acts import plain

_BARE: Final = re.compile(
    r"^(?:(?:so|and|ok|okay|right|now)[\s,]+)*(?:is (?:that|it|this|all that) (?:right|correct|true"
    r"|accurate|a fair summary)"
    r"|(?:have|did|do|has) i (?:got|get|understand|understood|heard|hear|summari[sz]ed?|have) (?:that"
    r"|it|you|this|everything|all)\b.{0,20}"
    r"|have i missed anything(?: out)?|did i miss anything(?: out)?|am i (?:right|correct)|(?:does"
    r"|did) that sound (?:right|about right|correct)"
    r"|correct|right|(?:is there )?anything i(?:'ve| have)? (?:missed|left out|got wrong|misunderstood))$"
)
_LEAD: Final = re.compile(
    r"^(?:(?:ok(?:ay)?|right|so|well|now|and|alright|all right|thanks?|thank you|let me see|lovely"
    r"|great)[\s,:]+)*"
    r"(?:(?:just )?(?:to|let me|can i|could i|i'd like to|i just want to|if i (?:could|can|may)|may i"
    r"|i'll|i will|shall i|let's)"
    r"(?: just| quickly| briefly| please)* (?:(?:summari[sz]e|recap|sum up|repeat (?:that|it|back"
    r"|what))\b|(?:check|make sure|see if|clarify|confirm|go over"
    r"|run through|play back)\b (?:that )?(?:(?:if )?i(?:'ve| have|'m| am)?\b|my understanding"
    r"|whether i|this with you|what you))|(?:in summary|to sum up|to recap|so far"
    r"|(?:let me|i(?:'ll| will)?|to|let us) (?:just )?(?:(?:present|play) (?:it|that"
    r"|this)(?: all)?(?: back)?|say it (?:short|back|shortly|in short)|repeat|put it together"
    r"|read (?:it|that) back)\b:?"
    r"|if i(?:'m| am| have|'ve)? (?:hear(?:ing|d)?|understand(?:ing)?|follow(?:ing)?|got"
    r"|get(?:ting)?) (?:you|it|this|that|everything)? ?(?:right|correctly|well)?"
    r"|(?:just )?to (?:be|make) (?:sure|clear|certain)(?: i (?:have|'ve got|got|understand"
    r"|understood) (?:this|it|that|you|everything)(?: straight| right| correctly| clear)?)?"
    r"|from what (?:you(?:'ve| have)? (?:said|told)|i (?:understand|gather|hear))"
    r"|what i(?:'ve| have)? (?:heard|understood|got|hear)|(?:as|if) i(?:'ve| have)? (?:understand"
    r"|understood|heard)"
    r"|you(?:'ve| have)? (?:told me|said|mentioned|are telling me|'re telling me|tell me|say|are saying"
    r"|'re saying)"
    r"|(?:if )?i(?:'ve| have)? (?:understood|understand|hear|heard|gather) (?:that |it )?(?:you|your|it"
    r"|correctly|right)|if i(?:'ve| have)? got|my understanding is|it sounds like|sounds like"
    r"|basically|in short|what you're (?:saying|telling me)))"
)
# The question at the end of a summary, which states nothing.
_TAIL: Final = re.compile(
    r"[\s,.;:?!-]+(?:(?:and|so|ok|okay)[\s,]+)*(?:right|correct|yes|yeah|no|true|am i right"
    r"|am i correct|isn't it|not so|that it"
    r"|it is so|it is correct|(?:is|was|s) (?:that|it|this|all that) (?:right|correct|so|true|accurate"
    r"|about right|it"
    r"|a fair summary|fair|how it is|everything|all)|(?:have|did|do|has) i (?:got|get|understand"
    r"|understood|missed|miss"
    r"|heard|hear|summari[sz]ed?|have)\b.{0,40}|does that sound (?:right|correct|about right)"
    r"|correct me if i'm wrong"
    r"|(?:is there )?anything (?:else )?(?:i(?:'ve| have)? )?(?:missed|left out|got wrong|to (?:add"
    r"|correct)|wrong)\b.{0,20}"
    r"|would that be (?:right|correct|fair)|that(?:'s| is) (?:right|correct|it)|are you|do you|have you"
    r"|did it|does it)"
    r"(?:,? (?:sir|madam|ma|dear|please))?$"
)

Verdict = Literal["right", "wrong", "unknown"]


class Checked(NamedTuple):
    """Whether a statement fits the facts, and the fact that contradicts it."""

    verdict: Verdict
    fact: PatientFact | None = None


@lru_cache(maxsize=20_000)
def is_bare(said: str) -> bool:
    """Whether an utterance only asks if something said before was right."""
    return _BARE.match(plain(said)) is not None


def checked(statement: str, facts: Sequence[PatientFact]) -> Checked:
    """Compare a doctor's summary, repeated back to the patient, with the facts that may be told."""
    text = _LEAD.sub("", _TAIL.sub("", plain(statement)))
    verdicts = [each for part in elements(text) if (each := judged(part, facts, _CHECKING))]
    for each in verdicts:
        if each.verdict == "wrong":
            return Checked("wrong", each.fact)
    kinds = [each.verdict for each in verdicts]
    if "right" not in kinds or "unsupported" in kinds or kinds.count("open") > kinds.count("right"):
        return Checked("unknown")
    return Checked("right")


def corrected(text: str, part: AnswerPart) -> AnswerPart:
    """The facts told in answer to a statement, as a correction where it denies what they affirm, or affirms
    what they deny."""
    denies = DENIES.search(plain(text)) is not None
    if all(fact.absent == denies for fact in part.facts) or any(
        DENIES.search(re.split(r"[,;.]", fact.text.lower())[0]) for fact in part.facts if denies
    ):
        return part
    return part._replace(line=voice.NOT_QUITE, kind="correct")


def summary_answer(statement: str, view: PatientView, may: Sequence[PatientFact]) -> AnswerPart:
    """The answer to a summary: confirmed, corrected by a fact, or left open."""
    verdict, fact = checked(statement, [fact for fact in may if fact.topic not in ("ideas",)])
    if verdict == "wrong" and fact:
        return AnswerPart((fact,), voice.NOT_QUITE, kind="correct")
    if verdict == "right":
        return AnswerPart(line=voice.THAT_IS_RIGHT, kind="confirm")
    return AnswerPart(line=voice.NOT_SURE_OF_ALL, reason="not_in_patient_view", kind="dont_know")


_CHECKING: Final = telling(
    "so just summarise summarize recap check understand understood right correct far sum up make sure"
    " missed told mentioned saying sounds basically short got clear clarify confirm wrong follow hear heard"
    " tell yes"
)
