"""Spoken forms of Nigerian and Indian English and of second-language speakers, in standard words.

"Abeg make we give am oxygen" is "please let's give her oxygen"; "tell to the consultant" is "tell the
consultant". Only forms that mean nothing else in British or American speech are rewritten, and only for
reading: the words as said are kept elsewhere.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

_NIGERIAN: Final = (
    (r"\b(?:abeg+|biko|jare|ejoo?r?o?|i (?:dey )?beg(?: you)?)\b", "please"),
    (r"\b(?:oya|shebi|abi|sef|jor|ehn|haba|wallahi|sha)\b[\s,]*", ""),
    (r"\b(?:sharp[\s-]*sharp|now[\s-]now|quick[\s-]quick|fast[\s-]fast|sharply|kia[\s-]?kia)\b", "now"),
    (r"\b(call|fetch|bring|ask|tell|invite) madam\b", r"\1 the wife"),
    (r"\b(call|ask|tell|bring) ((?:\w+ ){1,3}?)(?:make (?:she|he|they|them|am) )?come\b", r"\1 \2to come"),
    (r"\bmake (?=(?:nobody|no one)\b)", "so that "),
    (r"\bmake (?:she|he|they|them)\b", "so they can"),
    (r"\bmake (?:i|me)\b", "let me"),
    (r"\bmake (?:we|us)\b", "let's"),
    (r"\bmake (?:you|una)\b", "please"),
    (r"\bmake (?=(?:somebody|someone|anybody|one of you|the nurse|nurse|sister|midwife)\b)", "let "),
    (r"\b(?:una|you) fit\b", "can you"),
    (r"\buna\b", "you"),
    (r"\bwetin\b", "what"),
    (r"\bwey\b", "that"),
    (r"\b(?:i|we) for (?:like|want)\b", "i would have liked"),
    (r"\b(i|we|you|she|he|they|it) no (?:go|fit|dey|gree)\b", r"\1 will not"),
    (r"\bno (?:dey|go) (?=\w)", "don't "),
    (r"\b(i|we|she|he|they) (?:dey )?wan (?:go )?", r"\1 want to "),
    (
        r"\b(i|we|she|he|they|you) go (?=(?!to\b|and\b|for\b|in\b|out\b|into\b|home\b|back\b|on\b|down\b"
        r"|across\b|ahead\b|through\b|over\b|with\b|now\b)[a-z])",
        r"\1 will ",
    ),
    (r"\bi dey (?=\w)", "i am now going to "),
    (r"\bwe dey (?=\w)", "we are now going to "),
    (r"\b(she|he|it|they) dey\b", r"\1 is"),
    (r"\b(i|we|you|they|nurse|somebody) don (?=\w)", r"\1 have already "),
    (r"\bdon (?=\w)", "has "),
    (r"(?<=[a-z])(?<!\bi)(?: for)? am\b(?! i\b)", " her"),
    (r"\bpikin\b", "child"),
    (r"\bbelle\b", "belly"),
    (r"\b(?:comot|komot)\b", "remove"),
    (r"\bno (?=(?:leave|let|give|touch|allow|stop|carry|put|remove|forget|waste)\b)", "don't "),
    (r"\bput (?:eye|ear|hand) (?:for|on|to)\b", "look at"),
    (r"(?:^|(?<=\band ))(?:please )?off (?=(?:that|the|this|her|his|your|my)\b)", "switch off "),
    (r"^(?:please )?on (?=(?:the|that|her|his) (?:oxygen|monitor|o2|drip|pump)\b)", "switch on "),
    (r"\bserve (?=(?:her|him|the patient)\b)", "give "),
    (r"(?<=[a-z])\W+(?:o|oo|na|ya|yaar|ji|wo)(?=\W*(?:,|$))", ""),
)
_INDIAN: Final = (
    (r"^do one thing\W+", ""),
    (r"\b(?:kar ?do|karo|kar dena|kar lo|lagao|laga do|de ?do|dena|jaldi(?: se)?)\b", "please"),
    (
        r"\b(let's|let us|(?:we|i|you|she|he)(?: will|'ll)|(?:will|can|could|would) (?:you"
        r"|we)) be (?=\w+ing\b)",
        r"\1 ",
    ),
    (
        r"\b(tell|inform|ask|request|call|ring|phone|page|intimate|give|show|explain|alert|contact) to "
        r"(?=(?:the|her|him|them|me|us|my|your|our|mr|mrs|ms|dr|this|that|consultant|icu|gp|police"
        r"|security)\b)",
        r"\1 ",
    ),
    (r"\bintimate (?=(?:the|her|his|dr|my|our|your|consultant|icu|senior|gp)\b)", "inform "),
    (r"\binj\.?\s", "injection "),
    (r"\btab\.?\s(?=[a-z]{5,})", "tablet "),
    (r"\b(?:i|we) (?:am|are) (?:needing|requiring|wanting)\b", "we need"),
    (r"\b(she|he|patient) is (?:needing|requiring)\b", r"\1 needs"),
)
_SECOND_LANGUAGE: Final = (
    (r"\bplease to (?=[a-z])", "please "),
    (r"\bairway,? breathing,? (?:and )?circulation\b", "a to e"),
    (r"\b(?:we are|we're) agree(?:d)?(?: that)?\b", "we agreed that"),
    (r"\b(must|should|can|could|will|would|shall) to (?=[a-z])", r"\1 "),
    (r"\bfor to (?=[a-z])", "to "),
    (
        r"\b(i would like|i'd like|i want|i need) (?:that )?you (?!to\b|all\b|guys\b|both\b)(?=[a-z])",
        r"\1 you to ",
    ),
    (r"\b(?:i would like|i'd like|i want) that (?:we|i) (?=[a-z])", "i want to "),
    (r"\b(?:is|it is|it's) (?:necessary|needed|important) (?:that (?:we|you) |to )(?=[a-z])", "we need to "),
    (r"\b(i|we) have now to (?=[a-z])", r"\1 have to "),
)
_FORMS: Final = tuple((re.compile(form), meant) for form, meant in (*_NIGERIAN, *_INDIAN, *_SECOND_LANGUAGE))


@lru_cache(maxsize=8192)
def in_standard_words(text: str) -> str:
    """A text in lower case with the forms of other Englishes in standard words."""
    for form, meant in _FORMS:
        text = form.sub(meant, text)
    return text.strip()
