"""Introductions: whether words give the speaker's own name, and their role."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

_ROLE: Final = (
    r"(?:doctors?|dr|gps?|general practitioner|physician|clinician|surgeon|registrar|resident|intern"
    r"|consultant|attending|"
    r"fellow|trainee|house (?:officer|surgeon|doctor)|medical officer|duty officer|casualty officer|mo"
    r"|sho|f[12]s?|fy[12]s?|ct[1-3]|st[1-8]|"
    r"medical student|(?:student|staff|charge|specialist|practice|triage) nurse|nurse(?: practitioner)?"
    r"|midwife|student doctor|"
    r"student|(?:nurse|physician) associate|paediatrician|pediatrician|obstetrician|an(?:a)?esthetist"
    r"|psychiatrist|paramedic|"
    r"foundation doctor|emergency doctor|team leader|lead)"
)
_NO_NAME: Final = frozenset(
    """a an the ms mr mrs miss one your here sorry from going just glad so very really not looking afraid
    sure in on with also
    doctor nurse at about now still trying happy pleased only ready worried concerned calling giving taking
    treating putting asking getting coming seeing listening aware hoping wondering writing stopping thinking
    new available back responsible to told that this it well fine ok okay all as by for my his her their our
    working part member starting about been being able obliged grateful unable on-call oncall duty today
    staying stepping sitting keeping leaving letting making holding doing having hearing feeling terribly
    deeply truly sincerely extremely quite pretty too always never almost nearly still certain confident
    anxious scared nervous busy tired confused curious interested going gonna senior junior
    covering""".split()
)
_HAIL: Final = (
    r"(?:hi|hiya|hello|hey|good (?:morning|afternoon|evening|day)|greetings|morning|afternoon"
    r"|evening|namaste|welcome|nice to meet you)"
)
_AM: Final = r"(?:i am|i'm|i’m|im|am|myself)"
_NAMED: Final = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\b(?:my|the) (?:first |full )?name(?:['’]s| is|s| na)\s+(?:dr\.? |doctor |nurse )?([\w'-]{2,})",
        r"\b(?:i am|i'm|im) called\s+([\w'-]{2,})",
        r"\b(?:you can |please |just )call me\s+([\w'-]{2,})",
        rf"\b(?:{_AM}|this is|it's|it is|here is|i will be your|name:?)\s+(?:dr\.?|doctor"
        rf"|prof\w*\.?)\s+([a-z][\w'-]+)",
        rf"\b(?:dr\.?|doctor)\s+([a-z][\w'-]+)(?:\s+(?!(?:and|or|is|was|will|has)\b)[a-z][\w'-]+)?"
        rf"(?: here|,? speaking"
        rf"|,? (?!and |or |is |was |will |has )(?:the |an? |one of the |your )?"
        rf"(?:\w+ ){{0,3}}{_ROLE}\b)",
        rf"\b{_HAIL}\b[\w ,.!'-]{{0,40}}?\b{_AM}\s+([a-z][\w'-]+)(?=\s*(?:[,.;!-]|$|and\b|one of|the\b"
        rf"|an?\b|from\b|your\b"
        rf"|[a-z][\w'-]+\s*(?:[,.;!-]|one of|the\b|an?\b|from\b|$)))",
        rf"\b{_AM}\s+([a-z][\w'-]+)(?:\s+[a-z][\w'-]+)?,?\s+(?:and (?:i am|i'm) )?(?:one of the|the|an?"
        rf"|your|from the)\s+"
        rf"(?:[\w-]+\s+){{0,4}}?(?:{_ROLE}|team)\b",
    )
)
_CAPITAL: Final = re.compile(
    r"\b(?:I am|I'm|I’m|Im|im|i'm|i am|myself|Myself)\s+(?P<name>[A-Z][a-z]{1,}(?:[-'][A-Z][a-z]+)?)\b"
    r"|\b(?P<here>[A-Z][a-z]+) here,"
)
_GIVES_ROLE: Final = re.compile(
    rf"\b{_AM}\b[^.?!]{{0,60}}?\b{_ROLE}\b|\b(?:one of|part of|member of|working (?:with|in|on|as)"
    rf"|from)\b[\w ,'-]{{0,30}}?\b(?:{_ROLE}|team|ward|department|unit|ed|clinic)\b"
    rf"|\b(?:dr\.?|doctor)\s+[a-z][\w'-]+\s+(?:here|speaking)\b|\b(?:my name is|name's|name is|this is"
    rf"|called)\s+(?:dr\.?|doctor|nurse)\b"
    rf"|\b(?:my role|i work (?:here|on|in|as|with)|i will be (?:looking after|taking care of|treating"
    rf"|your)|i am (?:looking after|taking care of|in charge|responsible for)"
    rf"|i'll be (?:looking after|taking care of|treating|your)|i'm (?:looking after|taking care of"
    rf"|in charge)|on duty|on call|in charge (?:here|today|tonight))\b"
    rf"|\bname\b[^.?!]{{2,40}}\b{_ROLE}\b",
    re.IGNORECASE,
)
_TYPED: Final = re.compile(
    r"^\W*(?:i |we |then |and |greet\w* (?:the )?(?:patient|her|him|mother|family|them)\W+(?:and )?"
    r"|say hello\W+(?:and )?)*introduc\w*\s+"
    r"(?:my ?self|(?:him|her)self|self|themselves|me(?! to)|by name|to)\b",
    re.IGNORECASE,
)
_ANSWERED: Final = re.compile(
    r"\b(?:what|who)\b[^.?!]{0,20}\bname\b|\byour name\b|\bcall you\b", re.IGNORECASE
)


@lru_cache(maxsize=8192)
def gives_name(text: str) -> bool:
    """Whether the speaker says who they are by name: "I'm Jo, one of the GPs", "my name is Dr Lane"."""
    if _TYPED.search(text):
        return True
    result = (match[1].lower() for pattern in _NAMED for match in pattern.finditer(text))
    if any(name not in _NO_NAME and name.removesuffix("'s") not in _NO_NAME for name in result):
        return True
    return any(
        (one["name"] or one["here"]).lower() not in _NO_NAME for one in _CAPITAL.finditer(text)
    ) and not (_ANSWERED.search(text) and "my name" not in text.lower())


@lru_cache(maxsize=8192)
def gives_role(text: str) -> bool:
    """Whether the speaker says in what role they are there: "one of the F1s", "the doctor on duty"."""
    return bool(_TYPED.search(text) or _GIVES_ROLE.search(text))
