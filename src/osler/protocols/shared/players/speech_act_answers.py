"""Answers to speech acts: who they are, what they consent to, how they take what they are told.

Consent to what touches others or changes treatment is given only by the facts; an examination is allowed.
Nothing here tells of a symptom.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Final, NamedTuple

from osler.protocols.shared.patient import AnswerKind, PatientFact, PatientView
from osler.protocols.shared.players import voice
from osler.protocols.shared.players.fact_answers import AnswerPart
from osler.text.speech_acts import Act, plain
from osler.text.utterance_kind import BEGINS_A_QUESTION, classified, parts

_DOB: Final = re.compile(
    r"\b(?:d\.?o\.?b\b|dates? of birth|birth ?dates?|born|birthdays?|age\b|how old|identity|identification"
    r"|identifiers|details|particulars|bio ?data|demographics|right (?:person|patient)|confirm who)"
)
_NUMBER: Final = re.compile(
    r"\b(?:numbers?|num|no|id|mrn|uhid|medical record|hosp\w* (?:num\w*|no)|wrist ?band|identity"
    r"|identifiers)\b"
)
_NAME: Final = re.compile(
    r"\b(?:(?:sur)?names?|call(?:ed)?|address(?:ed)?|go by|who|identi\w+|introduce|details|particulars"
    r"|bio ?data"
    r"|demographics|right (?:person|patient))\b"
)
_OF_CHILD: Final = re.compile(
    r"\b(?:his|her|their|baby|child|son|daughter|little one|patient|boy|girl)(?:'s)?\b"
)
_OF_SPEAKER: Final = re.compile(
    r"\b(?:your|yours|you|i speaking|i talking)\b(?! (?:son|daughter|baby|child|little|boy|girl))"
)
_AGE: Final = re.compile(r"\b(?:age|how old)\b")
# What a relative may be told, in the speaker's own words.
_LEAVE_TO_TELL: Final = re.compile(
    r"\b(?:could|can|may) tell (?:him|her|them)\b|\blet (?:him|her|them) be told\b|\bwant (?:him|her"
    r"|them) (?:in|with|to (?:know|hear))\b"
    r"|\bdon't tell\b|\bmustn't know\b|\bcan't know\b|\bwants? no ?one told\b|\bnot to be told\b"
)
_KEEP_IN: Final = re.compile(r"\bkeep (?:me|him|her|us) in\b|\bstay(?:ing)? in hospital\b|\bnot going home\b")
_ADMISSION: Final = re.compile(r"\b(?:stay|admit\w*|keep you|keep (?:him|her)|overnight|hospital|ward)\b")
_KIN: Final[tuple[frozenset[str], ...]] = tuple(
    frozenset(line.split())
    for line in (
        "mother mum mom mummy mommy mam parents parent folks family",
        "father dad daddy dad's parents parent folks family",
        "brother brothers family",
        "sister sisters family",
        "husband partner spouse",
        "wife partner spouse",
        "partner boyfriend girlfriend",
        "son sons kids children family",
        "daughter daughters girl kids children family",
    )
)
# Asked with no news before, this is a question about the complaint.
_GENERAL: Final = re.compile(
    r"\bhow (?:do|are|r|did) (?:you|u) (?:feel|feeling|felt|doing|coping)\b(?!.{0,9}\b(?:about|hearing)\b)"
)
_NO_DRUG: Final = re.compile(r"\b(?:transfusion|blood|operation|surgery|procedure|oxygen|fluids?|drip)\b")
_NEWS: Final = frozenset({"bad_news", "good_news"})
_PLAN: Final = re.compile(
    r"\b(?:we'll|we will|i'll|i will|i'm going to|we're going to|you(?:'ll)? need|you should|you must"
    r"|you have to"
    r"|come back|call|the plan|we need to|going to|take|start|stop|if you)\b"
)
_ON_UNDERSTANDING: Final = re.compile(
    r"\b(?:sense|underst\w+|follow\w*|clear\w*|with me|explain\w*|explanation|point|entering"
    r"|enter(?:ed)?|gist|message"
    r"|grasp\w*|sunk in|sink\w* in|go(?:ne|ing)? in|tak(?:e|en|ing) (?:it |that |all )*in|too (?:fast"
    r"|quick\w*|technical)"
    r"|lost you|losing you|confus\w+|get(?:ting)? (?:me|it|that|what|everything)|got (?:me|it|that|what"
    r"|everything)"
    r"|what (?:i|we)(?:'m|'ve| am| have)? ?(?:said|say\w*|told|tell\w*|mean\w*|explain\w*|talk\w*))\b"
)
# "What's been going on, in your own words?" asks for the story, not for what was taught.
_OPENS: Final = re.compile(
    r"\bwhat(?:'s| is| has|'ve| have)? (?:you )?(?:been )?(?:going on|happening|bothering|troubling|wrong"
    r"|the (?:problem|matter|trouble))\b|\bwhat (?:brought|brings|happened)\b"
    r"|\bhow (?:it|this) (?:all )?(?:started|began)\b"
)
_STATEMENT: Final = re.compile(r"[^.?!\n]+[.!\n]|[^.?!\n]+$")


class ConversationSoFar(NamedTuple):
    """The conversation so far, as far as an answer to a speech act depends on it.

    `here` is everything said in this utterance, `last` the patient's previous answer.
    """

    told: Collection[str]
    said: Sequence[str]
    here: str
    turn: int
    last: str = ""


def act_answer(
    act: Act, text: str, view: PatientView, may: Sequence[PatientFact], past: ConversationSoFar
) -> AnswerPart | None:
    """The answer to a speech act; `None` where the words must be read as a question for a fact."""
    match act:
        case "identity":
            return _identity(plain(text), view)
        case "relatives":
            return _of_relatives(plain(text), view, may)
        case "repeat":
            return AnswerPart(line=past.last, kind="acknowledge") if past.last else None
        case "during_exam":
            if past.here.rstrip().endswith("?"):
                return AnswerPart(
                    line=voice.FEEL_FOR_YOURSELF, reason="not_in_patient_view", kind="dont_know"
                )
            return AnswerPart(line=_line(voice.OBEYS, past), kind="acknowledge")
        case "treat":
            # An allergy is named before any drug is agreed to.
            facts = tuple(fact for fact in may if fact.topic == "allergies" and not fact.absent)
            return (
                AnswerPart(facts[:2])
                if facts and not _NO_DRUG.search(plain(text))
                else AnswerPart(line=voice.AGREES, kind="permission")
            )
        case "plan_ok":
            return _plan_ok(plain(text), may)
        case "any_questions":
            return _own_questions(may, past.told)
        case "teach_back":
            return _taught_back(text, past)
        case "how_feel":
            news = any(classified(said).name in _NEWS for said in (*past.said, past.here))
            if _GENERAL.search(plain(text)) and not news:
                return None
            return AnswerPart(line=_line(voice.FEELINGS, past), kind="emotion")
        case "presence" if view.speaker != "patient":
            return AnswerPart(line=voice.LISTENING, kind="acknowledge")
        case "closing" | "greeting" | "thanks":
            leaving = act == "closing" or parts(text)
            line = voice.courtesy(view.persona.name, greeting=act == "greeting", parting=leaving)
            return AnswerPart(line=line, kind="acknowledge")
    if act not in _STOCK:  # an instruction to the player, or what is off the topic
        return AnswerPart(line=voice.TURNED_BACK, reason="not_in_patient_view")
    lines, kind = _STOCK[act]
    return AnswerPart(line=_line(lines, past), kind=kind)


_STOCK: Final[dict[Act, tuple[tuple[str, ...], AnswerKind]]] = {
    "examine": (voice.CONSENTS, "permission"),
    "wants_told": (voice.TELL_ME, "acknowledge"),
    "chaperone": (voice.CHAPERONED, "permission"),
    "notes": (voice.CONSENTS, "permission"),
    "ask_leave": (voice.ASK_AWAY, "permission"),
    "privacy": (voice.IN_PRIVATE, "permission"),
    "confidentiality": (voice.TRUSTS, "acknowledge"),
    "good_news": (voice.RELIEVED, "emotion"),
    "bad_news": (voice.SHOCKED, "emotion"),
    "rudeness": (voice.HURT, "emotion"),
    "empathy": (voice.COMFORTED, "acknowledge"),
    "apology": (voice.FORGIVES, "acknowledge"),
    "offer": (voice.ACCEPTS, "acknowledge"),
    "presence": (voice.PRESENT, "acknowledge"),
}


def _line(lines: Sequence[str], past: ConversationSoFar) -> str:
    """A line that differs from turn to turn."""
    return lines[past.turn % len(lines)]


def _identity(text: str, view: PatientView) -> AnswerPart | None:
    identity = view.identity
    if identity is None:
        age = view.age_years if _AGE.search(text) else None
        return None if age is None else AnswerPart(line=voice.age(age), kind="fact")
    carer = identity.speaker if view.speaker != "patient" else None
    everything = bool(
        re.search(r"\b(?:identity|identif\w+|details|particulars|bio ?data|demographics)\b", text)
    )
    wants_born = bool(_DOB.search(text)) or everything
    wants_number = bool(_NUMBER.search(text))
    wants_name = bool(_NAME.search(text)) or everything or not (wants_born or wants_number)
    said: list[str] = []
    if carer:
        of_child = bool(_OF_CHILD.search(text))
        if wants_name and (not of_child or _OF_SPEAKER.search(text)):
            said.append(f"I'm {carer}." if carer == view.speaker else f"I'm {carer}, the {view.speaker}.")
        if wants_name and (of_child or wants_born or wants_number):
            said.append(f"The patient's name is {identity.name}.")
        whose = "The date of birth is"
    else:
        if wants_name:
            said.append(f"My name is {identity.name}.")
        whose = "I was born on"
    if wants_born:
        said += _born(text, view, f"{whose} {identity.birthday}." if identity.born else "")
    if wants_number:
        said.append(f"The hospital number is {identity.number}.")
    return AnswerPart(line=" ".join(said), kind="fact")


def _born(text: str, view: PatientView, line: str) -> list[str]:
    asks_age = _AGE.search(text) and view.age_years is not None
    if asks_age and not re.search(r"birth|born|dob|d\.o\.b", text):
        return [voice.age(view.age_years or 0)]
    return [line] if line else [voice.IN_THE_NOTES]


def _of_relatives(text: str, view: PatientView, may: Sequence[PatientFact]) -> AnswerPart:
    """Leave to speak to somebody: what the facts say of it, else declined."""
    words = set(re.findall(r"[a-z']+", text))
    kin = {word for group in _KIN if words & group for word in group} or {"anyone", "family", "mum", "wife"}
    allowed = {fact.id for fact in may}
    for fact in view.facts:
        said = f"{fact.text} {fact.spoken or ''}".lower()
        if fact.topic in ("ideas", "family") or not _LEAVE_TO_TELL.search(said):
            continue
        if kin & set(re.findall(r"[a-z]+", said)) or "anyone" in said:
            if fact.id in allowed:
                return AnswerPart((fact,))
            break
    return AnswerPart(line=voice.NOT_TOLD, reason="not_in_patient_view", kind="decline")


def _plan_ok(text: str, may: Sequence[PatientFact]) -> AnswerPart:
    if _ADMISSION.search(text):
        for fact in may:
            if fact.topic == "concerns" and _KEEP_IN.search(f"{fact.text} {fact.spoken or ''}".lower()):
                return AnswerPart((fact,))
    if _ON_UNDERSTANDING.search(text):
        return AnswerPart(line=voice.FOLLOWS, kind="confirm")
    return AnswerPart(line=voice.AGREES, kind="permission")


def _own_questions(may: Sequence[PatientFact], told: Collection[str]) -> AnswerPart:
    """Return the patient's first worry not told yet, as their question; else a line that they have none."""
    for fact in may:
        if fact.topic == "concerns" and fact.id not in told:
            return AnswerPart((fact,))
    return AnswerPart(line=voice.NO_QUESTIONS, kind="denial")


def _taught_back(text: str, past: ConversationSoFar) -> AnswerPart | None:
    """Repeat the plan in the doctor's own words, or say that it was not taken in."""
    if _OPENS.search(plain(text)):
        return None
    for said in reversed([*past.said, past.here]):
        plans = [part.strip() for part in _STATEMENT.findall(said) if _PLAN.search(plain(part))]
        plans = [part for part in plans if classified(part).name != "teach_back" and len(part.split()) > 4]
        plans = [part for part in plans if not BEGINS_A_QUESTION.search(plain(part))]
        if plans:
            return AnswerPart(line=f"You told me: {' '.join(plans[:3])}"[:600], kind="acknowledge")
    return AnswerPart(line=voice.NOT_TAKEN_IN, kind="dont_know")
