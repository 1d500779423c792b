"""Answers to questions about harm: to oneself, by others, to a child. From the facts that hold it, or none.

Never from another topic, and never a reassurance that no fact gives: where the facts are silent, the patient
would rather not say.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from osler.protocols.shared.patient import PatientFact, PatientView
from osler.protocols.shared.players import voice
from osler.protocols.shared.players.fact_answers import AnswerPart
from osler.text.speech_acts import Risk, holds_risk

_OF_ONESELF: Final = frozenset[Risk](
    {"suicide_past", "suicide_plan", "suicide_means", "suicide_safe", "suicide_protect", "suicide_thoughts"}
)
# What somebody else did, and what the patient fears or believes, is no answer.
_NEVER: Final = frozenset({"family", "ideas", "expectations", "occupation", "travel", "tobacco", "allergies"})
# A pain that came "as if somebody hit me" is no answer to who hurts whom.
_BODILY: Final = frozenset({"complaint", "course", "character", "modifiers", "associated", "systems"})
_WEAPONS: Final = re.compile(r"\b(weapon|gun|firearm|kni(?:fe|ve)|rope|blade|razor|poison|pesticide)")
# What is asked of the family is no question about oneself.
_RELATIVES: Final = re.compile(
    r"\b(?:in|of|by|run in) (?:the|your|his|her) family\b"
    r"|\b(?:any|some)(?:one|body) in (?:the|your)\b|\brelatives?\b"
)
_PROMISE: Final = re.compile(r"\b(?:promise|assure|swear|guarantee|pledge|give me your word)\b")
_MOST: Final = 2


def risk_answer(
    risk: Risk, text: str, view: PatientView, may: Sequence[PatientFact], *, spoken_of: bool
) -> AnswerPart | None:
    """The answer to a question about a harm; `None` if the case holds nothing of the kind and another reading
    is as likely ("have you any tablets at home?").

    `may` are the facts that may be told; `spoken_of` says whether harm to oneself was spoken of before.
    """
    if risk in _OF_ONESELF and _RELATIVES.search(text.lower()):
        return None
    fitting = [fact for fact in view.facts if _holds(risk, fact)]
    if risk == "suicide_safe" and not fitting and _PROMISE.search(text.lower()):
        # Asked to promise, they say what holds them, if anything does.
        fitting = [fact for fact in view.facts if _holds("suicide_protect", fact)]
    facts = [fact for fact in fitting if fact in may]
    if risk == "overdose" and not fitting:
        return None
    if facts and not (risk == "suicide_means" and _asks_for_others(text, facts)):
        return AnswerPart(tuple(facts[:_MOST]))
    if facts:
        return AnswerPart(line=voice.WITHHELD, reason="not_in_patient_view")
    if fitting:
        return _declined(fitting[0], view)
    if risk not in _OF_ONESELF:
        return _not_known(risk)
    matter = [fact for fact in view.facts if any(_holds(each, fact) for each in _OF_ONESELF)]
    if matter:
        shut = [fact for fact in matter if fact not in may]
        if risk == "suicide_safe" and len(shut) < len(matter):
            return AnswerPart(line=voice.UNSURE, reason="not_in_patient_view")
        return (
            _declined(shut[0], view)
            if shut
            else AnswerPart(line=voice.WITHHELD, reason="not_in_patient_view")
        )
    if risk in ("suicide_thoughts", "suicide_past"):
        return _denied(view)
    if risk in ("suicide_plan", "suicide_means") and not spoken_of:
        return None
    return AnswerPart(line=voice.UNSURE, reason="not_in_patient_view")


def _denied(view: PatientView) -> AnswerPart:
    """The run's policy for a symptom that the case does not mention."""
    if view.unknown == "withhold":
        line = voice.WITHHELD
    elif view.unknown != "normal" and "suicidal" in view.unsure_of:
        line = voice.UNSURE
    else:
        line = voice.DENIED
    return AnswerPart(line=line, reason="not_in_patient_view")


def _not_known(risk: Risk) -> AnswerPart:
    line = voice.HARD_TO_SAY if risk == "coping" else voice.NOTHING_TO_SAY
    return AnswerPart(line=line, reason="not_in_patient_view")


def _asks_for_others(text: str, facts: Sequence[PatientFact]) -> bool:
    """Whether a question is for weapons of which the facts on means do not speak."""
    named = set(_WEAPONS.findall(text.lower()))
    return bool(named) and not any(named & set(_WEAPONS.findall(fact.text.lower())) for fact in facts)


def _declined(fact: PatientFact, view: PatientView) -> AnswerPart:
    return AnswerPart(line=voice.declined(fact.told, view), reason="not_in_patient_view", kind="decline")


def _holds(risk: Risk, fact: PatientFact) -> bool:
    if fact.topic in _NEVER or (risk == "coping" and fact.topic not in ("mood", "home")):
        return False
    if risk in ("abuse", "harm_others") and fact.topic in _BODILY:
        return False
    return holds_risk(risk, f"{fact.text} {fact.spoken or ''}")
