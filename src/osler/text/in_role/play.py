"""Talk about the play instead of playing: thought about the role and the answer, and lines of the other side."""

from __future__ import annotations

import re
from typing import Final

from osler.text.tokens import any_of

_OF_A_PLAY: Final = re.compile(
    any_of(
        r"\b(?:role-?play\w*|persona|prompt(?! care| to|ly)|json|fact list|list of facts|(?:in|of|out of|my|this|the|break|stay|into) character\b(?! (?:for|of))|simulation|scenario|in[- ]role|my facts"
        r"|(?:the|these|those|given|any|no) facts? (?:\w+ ){0,3}?(?:says?|states?|mentions?|mention|given|about|covers?|only|do|does|list|include|provided|above)"
        r"|step by step)\b",
        r"\b(?:what|how|as) (?:\w+ )?(?:would|does|should|the|this)? ?(?:this |the )?patient (?:\w+ )?(?:say|says|know|knows|answer|think|feel|react|respond)\b"
        r"|\bas (?:the |a )?patient\s*[:,]|\bpatient's (?:point of view|perspective|voice|words)\b|\bthe (?:examiner|interviewer|interlocutor|character|role) (?:wants?|asks?|is|expects?|has|says?|would)\b",
        r"\b(?:the|their|this|his|her|doctor's) question (?:is (?:about|whether|asking|on)|asks|concerns|touches)\b|\b(?:to )?answer (?:the|this|that) question\b(?=.*[:.])(?<!not answer the question)(?<!not answer that question)(?<!not answer this question)"
        r"|\banswer in (?:one|two|a|short|plain|simple|the)\b|\b(?:keep|make) (?:it|my answers?|this|the answer) (?:vague|short|brief|natural|realistic|in role)\b|\bplay it \w+",
        r"\bi (?:should|must|need to|will|have to|am going to|want to) (?:sound|appear|seem|act|come across as|show)(?: (?:a bit|very|quite|more|some))? (?:worried|anxious|scared|shy|vague|reluctant|frightened|angry|upset|confused"
        r"|tired|natural|realistic|nervous|hesitant|emotion)\b",
        r"\bi (?:will not|should not|must not|am not (?:going|supposed|meant|allowed) to|can not|do not) (?:\w+ )?(?:disclose|reveal|volunteer|give away|mention|say|tell|know|bring up)\b.{0,50}\b(?:yet|diagnosis|until|unless|facts?|asked)\b",
        r"\b(?:in|on|from|within|outside|beyond|by) (?:my|the|these|those) (?:\w+ )?(?:facts|notes|list|brief|information|profile|background|details)\b.{0,30}\b(?:so|i will|i would|say|answer|deny)\b|\b(?:within|beyond|outside) (?:the|my) facts\b"
        r"|\bmy facts\b|\bthe brief\b|[(*]thinks\b|\bi only (?:tell|say|reveal|mention)\b.{0,20}\bif asked\b|\bmy job (?:here )?is to\b|\bit is my job (?:here )?to\b|\bthe instructions (?:tell|ask|want|require)\b",
        r"\bi am the patient\b(?!')|\bthis fact\b|\b(?:in|into|to) (?:my|the|this) role\b(?! (?:at|as|in|of))|\b(?:correct|right|best|appropriate|natural|realistic) (?:response|answer|reply)\b"
        r"|\binstructions that i\b|\b(?:act|speak|sound|talk|answer|respond) like (?:a|the) patient\b|\bthe doctor has (?:not )?(?:yet )?asked (?:about|for|me)\b.*\bi (?:will|should|would)\b",
        r"\bthe user\b(?! (?:manual|guide))|\bthe assistant (?:should|would|must|will)\b|\bas instructed\b|\bstays? in role\b|\bthe (?:patient|character)'s (?:answer|response|reply|line)\b",
        r"\b(?:playing|portraying|acting as|speaking as|answering as|respond(?:ing)? as|answer as|reply as|role of|voice of|(?:would|will|respond|answer) as)"
        r" (?:mrs?|ms|the|a|an|this)\b(?! (?:family|team|doctor|whole|game|musical|football))",
        r"\bas (?:the|a) patient,? i\b|\bas (?:mrs?|ms) \w+[,):]|^\W*as (?:mrs?|ms) \w+\b",
        r"\bthe patient (?:would|should|might|may|could|will|replies|responds|answers)(?: \w+)? ?(?:say|reply|respond|answer|that|be|feel|replies)\b|\bthe patient (?:replies|responds|answers)\b",
        r"\b(?:not |without )(?:to )?(?:reveal\w*|giv\w+ away|disclos\w+|volunteer\w*|mention\w*) (?:the (?:diagnosis|facts?|answer|smoking|condition|real)|it until|that until|this until)",
        r"\b(?:reveal\w*|volunteer\w*|disclos\w+|withhold\w*)\b.{0,40}\b(?:until|unless|when) (?:i am |the doctor |directly |he |she )?ask",
        r"\b(?:the|my|all|given) (?:\w+ )?(?:information|profile|role|script|case(?: file| notes?)?|rules|guidelines|background|brief|vignette|details)"
        r" ?(?:that )?(?:i (?:have been|was|am) (?:given|told)|provided|given|(?:says?|states?|does not (?:say|mention)|mentions?|tells? me|asks? me))\b(?! (?:on|in) the)",
        r"\b(?:my|given|system) (?:\w+ )?instructions (?:say|are|tell|were|do)\b|\bmy role (?:here )?is to (?:play|portray|be|act|pretend)\b",
        r"\b(?:according to|based on|per|given|following|sticking to|stick to) (?:the|my) (?:script|prompt|instructions|persona|facts|rules|case|profile|brief|information|vignette|notes on)\b"
        r"(?! (?:on the|of the (?:diet|game|road)|my|from my|from the))",
        r"^(?:\W|okay|ok|so|now|hmm|alright|right|first|well)*the doctor (?:is (?:asking|trying)|wants|asks|has asked|just asked|asked (?:about|me about|if|whether))\b",
        r"\bthe doctor (?:wants to know|is asking)\b",
        r"\bi (?:should|need to|must|have to|will|am going to|am supposed to|am meant to|want to|ought to)(?: (?:now|not|only|also|just|then|be careful to|be careful not to))*"
        r" (?:respond|reveal|withhold|role-?play|portray|improvise|make (?:something|it) up|invent|keep (?:my|the|this) (?:answers?|replies|response)|be vague|deny (?:it|this|that|any))\b",
        r"\bi (?:should|need to|must|will|am going to|am supposed to|am meant to)(?: (?:now|only|also|just|then))* (?:answer|reply)(?: (?:as|in|with|this|naturally|briefly|truthfully|based|from|it|accordingly|:)|:)",
        r"\b(?:note to self|thinking|thoughts?|reasoning|internal monologue|(?:patient |my |final )?(?:response|answer|output|reply))\s*:",
        r"\bhere is (?:how|what|my|the|a)\b.{0,30}\b(?:patient|character|response|reply)\b|\bper the rules\b|\bwe (?:need|have|should|must)\b.{0,12}\b(?:answer|respond|produce|output) (?:as|in|the)\b"
        r"|\bso i (?:would|should|will) (?:deny|answer)\b",
        r"\bi am (?:acting|playing|portraying|role-?playing)(?: as)? (?:a|an|the|mrs?|ms)\b(?! (?:game|match|musical|guitar))|^(?:playing|acting as) ",
    )
)
_PEOPLE: Final = (
    r"(?:(?:the|medical|student|junior|senior|on-call) )?(?:doctor(?: [A-Z][\w'-]+)?|physician|clinician|practitioner|consultant|attending|gp|examiner|examinee|dr\.?(?: [A-Z][\w'-]+)?|patient|nurse|user|human"
    r"|assistant|ai|system|interviewer|model|me|you|student|tutor)"
)
_LABEL: Final = re.compile(
    rf"(?:^|[.!?…)\"*]\s+|\n)\W{{0,4}}(?P<who>{_PEOPLE}|[dpq])(?:\W{{0,3}}(?: says| asks)?[:>]|[\])])(?=\W{{0,4}}\s\W{{0,4}}[\w\"'])",
    re.IGNORECASE | re.MULTILINE,
)
_DASHED: Final = re.compile(
    rf"(?:^|[.!?]\s+|\n)(?P<who>{_PEOPLE}) [-–—] (?=\w)", re.IGNORECASE | re.MULTILINE
)
_TOLD: Final = re.compile(
    r"\bthe doctor (?:(?:then|now) \w+s|nods|smiles|leans|pauses)\b|\*the doctor\b"
    r"|\bthe doctor (?:says|asks|looks|replies|writes|takes|listens|examines)\b(?:[^.]{0,60}[,:] ?[\"“]|[^.]* and nods|.*\bi (?:say|nod|answer|point|shake)\b)"
    r"|\bi (?:say|nod|answer|point|shake)\b.*\bthe doctor (?:says|asks|looks|replies|writes|takes|listens|examines)\b"
    r"|[\"”] (?:he|she|they|the doctor) (?:asks?|says?|repl(?:y|ies))\b|\bi (?:say|tell (?:her|him|the doctor)|answer|reply)[,:.] ?[\"“]",
    re.IGNORECASE,
)
_TEMPLATE: Final = frozenset({"user", "human", "assistant", "ai", "system", "model"})


def is_thought(text: str) -> bool:
    """Whether a text, in lower case and written out, speaks about the play."""
    return _OF_A_PLAY.search(text) is not None


def speaks_for_others(said: str, own: frozenset[str] | None) -> bool:
    """Whether a text has lines of somebody else than `own`, or tells what the doctor does; `None`: whether it
    has lines of a chat."""
    if own is not None and "p" in own and _TOLD.search(said):
        return True
    who = {one["who"].lower().removeprefix("the ").split()[0].strip(".") for one in _LABEL.finditer(said)}
    dashed = {one["who"].lower().split()[0].strip(".") for one in _DASHED.finditer(said)}
    if len(dashed) > 1:
        who |= dashed
    return bool(who & _TEMPLATE) if own is None else bool(who - own)
