"""Which of two people in a description is the patient: "a woman brings her 6-week-old son".

The rules read the first sentences of a record. Where one brings, asks about or tells of another, the other is
the patient; where a patient is brought, bears a child's name or has kin with an age, the kin's age is struck.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

_COUNT: Final = r"(?:\d{1,3}(?:\.\d{1,2})?|[a-z]+(?:[- ][a-z]+)?)"
_AGE: Final = rf"{_COUNT}[\s-](?:year|month|week|day|hour)s?[\s-]old"
_CHILD: Final = (
    r"(?:(?:twin|step|god|foster|adopted|newborn|infant|baby)[\s-]?)?(?:son|daughter|infant|baby|newborn|neonate|child|boy|girl|toddler|twins?|"
    r"grandson|granddaughter|grandchild|nephew|niece)"
)
_ADULT: Final = (
    r"(?:(?:foster|step|grand|adoptive|birth|god)[\s-]?)?(?:mother|father|parents?|mom|mum|dad)|husband|wife|brother|sister|"
    r"partner|girlfriend|boyfriend|fianc[eé]e?|spouse|uncle|aunt|cousin|friend|roommate|neighbou?r"
)
_ANYBODY: Final = rf"{_CHILD}|{_ADULT}|man|woman|gentleman|lady|patient"
_WORDS: Final = r"(?:(?!and\b|with\b|who\b|to\b|by\b|of\b|for\b|because\b|that\b)[\w'’-]+\s){0,4}?"
_AFTER: Final = (
    r"(?:,?\s\(?(?:who\sis\s|now\s|is\s|who\sturned\s)?(?:aged?\s)?(?:of\s)?\d{1,3}(?:\s(?:years?|months?|weeks?|days?|hours?)"
    r"(?:\s(?:old|of\sage))?)?\)?(?=[,.;)\s]))?"
)


def _person(noun: str, whose: str = r"(?:his|her|their|the|a|an|my)") -> str:
    return rf"(?P<who>{whose}\s{_WORDS}(?:{noun})\b(?!['’]){_AFTER})"


_OWN: Final = r"(?:his|her|their|my|one of (?:his|her|their))"
_SAYS: Final = r"(?:says?|said|reports?|reported|states?|stated|notes?|noted|noticed|notices|tells|complains)"
# Of these the object is the patient, whoever it is; the passive ("is brought") is none of them.
_BRINGS: Final = (
    r"(?<!is )(?<!was )(?<!are )(?<!were )(?<!been )(?<!being )(?<!and )\b(?:brings?(?:\sin)?|"
    r"brought(?:\sin)?|takes|took|carries|carried|rushes|rushed|"
    r"bring|escorts|accompanies)\s"
)
_ASKS: Final = (
    r"\b(?:(?:is|are|was|were)\s(?:\w+\s)?(?:worried|concerned|anxious)\s(?:about|for|because|that)|worr(?:ies|ied)\s(?:about|that)|"
    r"asks?\s[^.;]{0,30}?about|(?:seeks?|requests?)\s(?:advice|help|care|treatment|evaluation)\s(?:about|for|because)|"
    r"inquires\sabout|calls?\s[^.;]{0,60}?(?:because|about|that|regarding)|consults?\s[^.;]{0,40}?(?:about|because|regarding))\s"
)
_OBJECTS: Final = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"{_BRINGS}{_person(_ANYBODY)}",
        rf"{_ASKS}{_person(_ANYBODY, _OWN)}",
        rf"\b{_SAYS}\sthat\s(?={_OWN}[^,.;]{{0,40}}(?:old|newborn|infant|,\s(?:aged|who is)))"
        rf"{_person(_ANYBODY, _OWN)}",
        rf"\b(?:presents?|presented|comes?|came|arrives?|visits?|"
        rf"returns)\b[^.;]{{0,60}}?\bwith\s{_person(_CHILD, _OWN)}(?!\s(?:and\s(?:his|her)|at\shome))",
        rf"\bdonate[sd]?\b[^.;]{{0,60}}?\bto\s{_person(_ANYBODY, _OWN)}(?=,?\s(?:who|which)\b)",
        rf"\b(?:wife|husband|mother|father|parents?|son|daughter|brother|sister|partner|"
        rf"caregiver)\sof\s{_person(_ANYBODY, '(?:a|an|the)')}(?=\s(?:\w+ly\s)?{_SAYS}\b)",
    )
)
_ITS_OWN: Final = re.compile(
    rf"\b(?:a|an|the)\s{_WORDS}(?:man|woman|mother|father|couple|patient)(?:['’]s|s['’])\s(?P<who>{_WORDS}(?:{_CHILD})\b{_AFTER})"
    rf"(?!,?\s(?:also\s)?{_SAYS}\b)",
    re.IGNORECASE,
)
_BIRTH: Final = re.compile(
    r"\b(?:gave|gives|has\sgiven)\sbirth\sto\s(?P<who>(?:an?|her|the)\s(?:[\w.-]+\s){0,6}?(?:boy|girl|son|daughter|infant|newborn|baby|child|neonate))\b"
    r"|\b(?<!is )(?<!was )(?:delivers|delivered)\s(?P<which>(?:an?|her|the)\s(?:[\w.-]+\s){0,6}?(?:boy|"
    r"girl|son|daughter|infant|newborn|baby|child|neonate))\b",
    re.IGNORECASE,
)
_OF_THE_NEWBORN: Final = re.compile(
    r"\b(?:the|her)\s(?:newborn|infant|neonate|baby|boy|girl)(?:['’]s\s\w+(?:\s\w+)?)?\s(?:is|has|was|appears|develops|cries|does)\b",
    re.IGNORECASE,
)
_COMES_HERSELF: Final = re.compile(
    r"\b(?:woman|she|mother|patient)\b[^.;]{0,80}\b(?:presents|comes|complains|is brought|reports|has had)\b",
    re.IGNORECASE,
)
_PERSONS_AGE: Final = rf"(?:{_AGE}|\b\d{{1,2}}[\s-]?(?:y/?o|yo|yr)\b)"
_COMPANIONS: Final = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"\b(?:his|her|their|whose|the patient['’]s|"
        rf"\w+['’]s)\s(?:[\w'’-]+\s)?{_PERSONS_AGE}\s(?:[\w'’-]+\s){{0,2}}?(?:{_ADULT}|{_CHILD})\b",
        rf"\b(?:his|her|their|whose)\s(?:[\w'’-]+\s){{0,2}}?(?:{_ADULT}|{_CHILD}),?\s(?:who\sis\s|is\s)?(?:aged?\s)?\d{{1,3}}(?:\syears?)?(?:\sold)?,?(?=\s|$|[.;)])",
        rf"\b(?:born|delivered)\s(?:\w+\s){{0,6}}?(?:to|by)\s(?:an?|his|her)\s(?:healthy\s)?{_PERSONS_AGE}[^,.;]{{0,40}}?(?:woman|mother|primigravid\w*|multigravid\w*|primipar\w*|g\d\s?p\d)\b",
        rf"\b(?:brought|accompanied|taken|carried|referred)\b[^.;]{{0,60}}?\bby\s(?:his|her|their|an?|the)\s(?:[\w'’-]+\s)?{_PERSONS_AGE}\s(?:[\w'’-]+\s){{0,2}}?\w+",
        rf"\bof\san?\s{_PERSONS_AGE}\s(?:[\w'’-]+\s)?\w+",
        rf"\b(?:with|and)\san?\s{_PERSONS_AGE}\s(?:{_ADULT})\b",
    )
)
_SENTENCES: Final = 3
_END: Final = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")
_LATER_AGE: Final = re.compile(
    rf"\b(?:he|she|(?:the|her|his|their)\s(?:boy|girl|child|infant|baby|son|daughter|patient|newborn))\sis\s(?:now\s|currently\s)?"
    rf"(?P<age>{_COUNT}\s(?:years?|months?|weeks?|days?|hours?)\s(?:old|of\sage))",
    re.IGNORECASE,
)
_HE: Final = re.compile(r"\b(?:he|him|his|himself)\b", re.IGNORECASE)
_SHE: Final = re.compile(r"\b(?:she|her|hers|herself)\b", re.IGNORECASE)
_WOMAN: Final = re.compile(r"\b(?:woman|mother|mom|mum|grandmother|aunt|she|lady)\b", re.IGNORECASE)
_MAN: Final = re.compile(r"\b(?:man|father|dad|grandfather|uncle|gentleman)\b", re.IGNORECASE)
_MALE_KIN: Final = re.compile(
    r"\b(?:\w*[\s-]?)?(?:son|grandson|nephew|brother|husband|father|dad|grandfather|uncle|boyfriend|boy)\b",
    re.IGNORECASE,
)
_FEMALE_KIN: Final = re.compile(
    r"\b(?:\w*[\s-]?)?(?:daughter|granddaughter|niece|sister|wife|mother|mom|mum|grandmother|aunt|girlfriend|girl)\b",
    re.IGNORECASE,
)


class Described(NamedTuple):
    """The words of a record that describe its patient. `age` and `sex` are the texts that tell them;
    `brought` is whether another person comes first and tells of them."""

    age: str
    sex: str
    brought: bool = False


def patient_described(text: str) -> Described:
    """The parts of a description that tell the patient's age and sex, other people left out."""
    first = " ".join(_END.split(text)[:_SENTENCES])
    match = next((found for pattern in (*_OBJECTS, _ITS_OWN) if (found := pattern.search(first))), None)
    who, rest = (match["who"], text[match.end() :]) if match else _newborn(text)
    if not who or not _is_other(first, who):
        alone = text
        for companion in _COMPANIONS:
            alone = companion.sub(" ", alone)
        return Described(alone, f"{alone} {_sex_word(alone) if len(alone) != len(text) else ''}")
    later = _LATER_AGE.search(rest)
    age = who if not later or re.search(r"\bold\b|\baged?\b|\d", who) else f"{who}, {later['age']}"
    return Described(age, _sex_word(who) or _by_pronoun(text[: text.find(who)], rest), brought=True)


def _newborn(text: str) -> tuple[str, str]:
    """The child of a birth, where the child is spoken of and the mother does not come herself."""
    match = _BIRTH.search(text)
    if not match or not _OF_THE_NEWBORN.search(text, match.end()) or _COMES_HERSELF.search(text):
        return "", ""
    who = match["who"] or match["which"]
    return (who if re.search(r"\bold\b|newborn", who) else f"{who} (newborn)"), text[match.end() :]


def _is_other(first: str, who: str) -> bool:
    """Whether somebody else is named before the one who is brought or described."""
    at = first.find(who.removesuffix(" (newborn)"))
    return at > 0 and re.search(r"\w", first[:at]) is not None


def _sex_word(who: str) -> str:
    """ "male" or "female" where a person's own noun tells it."""
    male, female = _MALE_KIN.search(who), _FEMALE_KIN.search(who)
    if male and not female:
        return "male"
    if female and not male:
        return "female"
    return (
        "male"
        if re.search(r"\bman\b|\bmale\b", who)
        else "female"
        if re.search(r"\bwoman\b|\bfemale\b", who)
        else ""
    )


def _by_pronoun(before: str, rest: str) -> str:
    """The sex that the pronouns after a child tell, where they cannot be those of the one who brings it."""
    he, she = bool(_HE.search(rest)), bool(_SHE.search(rest))
    woman, man = bool(_WOMAN.search(before)), bool(_MAN.search(before))
    if he and (woman or not she) and not man:
        return "male"
    if she and (man or not he) and not woman:
        return "female"
    return ""
