"""An assistant's refusals: that it will not, and what it will not do, which are an assistant's acts alone.

A patient who can't lift an arm, or would rather not say, refuses within the role.
"""

from __future__ import annotations

import re
from typing import Final

from osler.text.tokens import any_of

_WILL_NOT: Final = re.compile(
    any_of(
        r"\b(?:not|never|unable|refus\w+|declin\w+|refrain|prohibited|forbidden|impossible|unfortunately|regret\w*|against|beyond|outside|prevents?"
        r"|breach\w*|violat\w+|conflicts?|cannot|inappropriate)\b",
        r"\b(?:pass on|turn down|say no|step away|steer clear|stop here|end (?:this|the|our)|rather)\b",
    )
)
_I_WILL_NOT: Final = re.compile(
    r"\b(?:i|this|that|it)\b (?:\w+ ){0,4}?(?:not|never|unable|refuse|decline|refrain|prohibited|forbidden|against|outside|beyond)\b|^\W*(?:unable|sorry|apologies)\b"
)
_MEDICAL: Final = r"(?:medical|health|healthcare|health care|clinical|diagnostic|medicine)"
_ASKED_FOR: Final = any_of(
    r"(?:requests?|prompts?|quer(?:y|ies)|tasks?|role-?(?: ?play\w*)|simulat\w+|scenarios?|dialogue|impersonat\w+|(?:\w+ )?polic(?:y|ies)"
    r"|guidelines|patient information|programming|instructed|remit|scope|capabilit(?:y|ies))\b(?! (?:at|for) (?:work|home|the|my))",
    rf"{_MEDICAL}(?:-related)? (?:\w+ )?(?:advice|opinions?|information|guidance|recommendations?|assistance|questions?|quer(?:y|ies)|topics?"
    r"|matters?|subjects?|consultations?|services?)",
    r"(?:generat|creat|produc)\w+ (?:\w+ ){0,3}?(?:content|response|text|answer|material)",
    r"(?:conversation|topic|subject|question|request|task|not something|not one) (?:that )?(?:i|we) (?:can|could|am|will|do)\b"
    r"|something (?:that )?i (?:can not|am not|am unable|will not)\b|what i (?:can|am able to) (?:help|do|offer|provide)\b",
)
# A clinician may well not treat; a patient never says so.
_TREATMENT: Final = any_of(
    rf"(?:discuss\w*|talk\w* about|advis\w+ on|diagnos\w+|treat\w*|about|on|regarding) (?:\w+ ){{0,3}}?{_MEDICAL} (?:conditions?|issues?|concerns?)",
    rf"(?:questions?|advice|opinions?) (?:of a|about|on|related to|regarding) {_MEDICAL}",
    r"(?:provide|provid\w+|offer\w*|giv\w+|make|recommend\w*) (?:you )?(?:with )?(?:any |a |an |specific |you )*(?:\w+ )?(?:diagnos\w+"
    r"|treatments?\b|medical|such information|that information|personali[sz]ed)",
    r"diagnos\w+ (?:or|and|conditions?|illness\w*|disease\w*|medical|health)",
    r"(?:play\w*|act\w*|pos\w+|pretend\w*|speak\w*|respond\w*|answer\w*|fulfil\w*|tak\w+ on|portray\w*)(?: to be| as| like| the (?:role|part|character)"
    r"(?: of)?| a (?:role|part|character))* (?:a |an |the |someone|somebody|ill|sick)\b.{0,20}?(?:patient|ill|sick|person|character|role|part)\b",
)
_REQUESTED: Final = re.compile(rf"\b{_ASKED_FOR}")
_UNTREATED: Final = re.compile(rf"\b{_TREATMENT}")
# What only an assistant fails to do with "that", of which a person would say what it is.
_DECLINES_THAT: Final = re.compile(
    r"\b(?:i|we|this|that)\b(?: \w+){0,3}? (?:not|unable|refuse|decline)\b(?: \w+){0,4}? (?:"
    + any_of(
        r"(?:assist|help)(?:ing)?(?: you)?(?: (?:with|on|in))? (?:this|that|your|any|these|those|such)\b(?! time)",
        r"assist(?:ing|ance)?(?: you)?\b|be of (?:assistance|help)\b|provide an answer\b|act\w* (?:like|as if|as though) i\b|engage with you\b|(?:comply|accommodate)\b",
        r"help you(?: (?:with|further|here|today))?\s*(?:$|[.!,;])",
        r"(?:engag\w+|proceed\w*|participat\w+|tak\w+ part|go along|advis\w+|comment\w*) (?:with|on|in) (?:this|that|these|those|such|any)\b"
        r"(?! (?:trial|study|treatment|programme|program|class))",
        r"(?:continu\w+|proceed|go on with|be part of|have|carry on) (?:with )?(?:this|the|our|that) (?:conversation|dialogue|discussion|chat"
        r"|interaction|consultation)",
        r"do (?:what you are asking|as you ask|this one|that for you)|be (?:your|a|the) patient\b|(?:go on |keep )?pretend\w*|act\w* out\b|participat\w+ (?:any )?further"
        r"|(?:continu\w+|tak\w+ on|accept\w*|perform\w*|play\w*) (?:with |in )?(?:the|this|that|such a) (?:role|part|character)"
        r"|(?:respond|reply) to (?:that|this|your)\b|provide (?:you with )?(?:that|this|such)\b"
        r"|get into\b|(?:continue|answer) as (?:a|the)\b",
        r"(?:discuss|talk about|address|answer) (?:any |such )?(?:health|medical|medicine)",
    )
    + r")"
    r"|\bi (?:must|have to|need to|will have to|am going to have to|shall have to) (?:\w+ly )?(?:decline|refuse)(?! (?:the|it|them|my|a)\b)"
    r"|\b(?:must|will have to|going to have to|going to|am) (?:\w+ly )?(?:pass on|decline|declining)(?! (?:the|it|them|my|a|slowly)\b)"
)
_OFFERS_ELSE: Final = re.compile(
    any_of(
        r"\b(?:can|could|may|happy to|glad to|else i can|here to) (?:i |we )?(?:only )?(?:help|assist|offer|provide)\b.{0,40}\b(?:something else"
        r"|anything else|another|general|instead|other (?:topics|questions))\b",
        r"\b(?:something|anything|how) else (?:that )?(?:i|we)? ?(?:can|could|may)(?: i| we)? (?:help|assist)\b",
        r"\b(?:is|are|as|be|constitute) (?:not |never )?(?:a )?(?:medical advice|substitute for (?:professional|medical))"
        r"|\b(?:replace|substitute for) (?:a |an )?(?:professional|medical|qualified)(?: medical)? ?(?:advice|consultation|care|help|diagnosis)?",
        r"\binformational purposes\b|\bprovide (?:general|basic) (?:\w+ )?(?:information|guidance|tips|advice)\b",
        r"\byour local emergency (?:number|services)\b|\bif (?:you are|this is|you have) (?:\w+ )?(?:a |an )?(?:medical )?emergency\b",
    )
)
_PROFESSIONAL: Final = (
    r"(?:(?:a|an|your|the|any|another|some)(?: (?:qualified|licensed|trained|registered|certified|real|local|own|medical|health|healthcare"
    r"|appropriate|primary|gp or))*"
    r" )?(?:(?:health ?-?care|medical|health|care|qualified|licensed) (?:professional|provider|practitioner|expert|worker|team)s?"
    r"|professionals?(?= |[.,!]|$)|(?:real|qualified|licensed|trained|medical) (?:clinician|doctor|physician)|doctor or (?:other |another |pharmacist)(?:\w+ ){0,2}(?:professional|provider)?)"
)
_SEE_SOMEBODY: Final = re.compile(
    rf"\b(?:consult|see|seek|contact|speak|talk|reach out|get in touch|direct|bring|take|raise|turn|visit|go|ask|get|call|discuss|check)\w*(?: \w+){{0,5}}? {_PROFESSIONAL}"
)
_MINE: Final = re.compile(r"\b(?:i|he|she|they|we|my|her|his) (?:\w+ ){0,4}?(?:saw|seen|went|consulted|contacted|called|spoke|asked"
    r"|told|came|come|been|have to|had to|needed?|was|were|should|want(?:ed)? to|tried|get|got|can)\b")  # fmt: skip
# A person who receives, or is somebody else, refuses nothing.
_RECEIVED: Final = re.compile(
    r"\b(?:he|she|they|nobody|people|insurance|(?:my|the|our) (?:\w+ )?(?:doctors?|gp|nurse|surgery|mother|father|wife|husband|sister|brother|boss|pharmacist))"
    r" (?:\w+ly )?(?:will|would|can|could|did|does|do|has|have|had|is|was|were|refused|said|says|told)\b"
    r"|\bi (?:\w+ ){0,4}?(?:got|get (?:any|some|the|an?)|find|afford|receive|follow|understand|remember|heard?|read|use|work|need|seek|asking|asked)\b"
    r"|\bi (?:\w+ ){0,3}?(?:have|had|been diagnosed) (?:\w+ )?(?:any|no|other|some)\b|\b(?:him|her|mother|husband|wife) (?:here|in the room|around)\b"
)
_ANY_INABILITY: Final = re.compile(
    r"\bi (?:can not|will not|am (?:not able|unable))(?: to)?(?: \w+){0,3}? (?:assist|help|provide|offer|give|comply|fulfil\w*|engage|continue"
    r"|participate|play|diagnos\w+|role-?play|simulate|do that|answer)\b"
    r"|\bi am (?:sorry|afraid),?(?: but)?(?: that)? i (?:can not|will not|am (?:not able|unable))|\bi must (?:decline|refuse)\b"
)


def is_refusal(sentence: str, *, by_patient: bool) -> bool:
    """Whether a sentence, in lower case and written out, is an assistant's refusal."""
    if by_patient and _OFFERS_ELSE.search(sentence):
        return True
    if _RECEIVED.search(sentence):
        return False
    if _DECLINES_THAT.search(sentence):
        return True
    if not by_patient:
        return bool(_I_WILL_NOT.search(sentence) and _REQUESTED.search(sentence))
    return bool(_WILL_NOT.search(sentence) and (_REQUESTED.search(sentence) or _UNTREATED.search(sentence)))


def sends_away(text: str) -> bool:
    """Whether a text tells somebody to see a professional, as a canned answer does and no patient."""
    match = _SEE_SOMEBODY.search(text)
    return match is not None and _MINE.search(text[max(0, match.start() - 80) : match.end()]) is None


def is_inability(text: str) -> bool:
    """Whether a text, in no part, says that its speaker cannot or will not do something."""
    return _ANY_INABILITY.search(text) is not None
