"""Age, sex and speaker, extracted from a description of a person; `None` where it does not say."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from osler.cases.importers.two_people import patient_described
from osler.cases.model import Sex
from osler.text.records.speech_ability import Voice, voice_of

_YEARS_IN: Final = {"y": 1.0, "m": 1 / 12, "w": 7 / 365.25, "d": 1 / 365.25, "h": 1 / 8766}
_ONES: Final = (
    "zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|"
    "seventeen|eighteen|nineteen"
)
_TENS: Final = "twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety"
_NUMBER: Final = (
    rf"\b(?:(?P<tens>{_TENS})[\s-]?)?"
    rf"(?P<n>\d{{1,3}}(?:\.\d{{1,2}})?|{_ONES}|(?<=ty)|(?<=ty[\s-]))[\s-]{{0,2}}"
)
_UNIT: Final = r"(?P<unit>y/o|yo|yrs?|years?|months?|mos?|weeks?|wks?|days?|hours?)\b"
# The patterns of an age, surest first. A bare "31 weeks" may be a gestational age, so it comes last and
# counts only for a young patient.
_OLD: Final = re.compile(rf"{_NUMBER}{_UNIT}[\s-]{{0,2}}(?:old|of age)\b", re.IGNORECASE)
_FIELD: Final = re.compile(
    rf"\bage(?:d|\s?\(?(?:in )?years\)?)?\s?[:=]?\s?{_NUMBER}(?:{_UNIT})?", re.IGNORECASE
)
_YEARS: Final = re.compile(rf"{_NUMBER}(?P<unit>y/o|yo|yrs?|years?)\b", re.IGNORECASE)
# From 95 on, a number before an F is a temperature.
_AGE_THEN_SEX: Final = re.compile(r"\b(?P<n>\d|[1-8]\d|9[0-4])(?P<unit>)\s?(?P<sex>[fm])\b", re.IGNORECASE)
_BARE: Final = re.compile(r"\s*(?P<n>\d{1,3})(?P<unit>)\s*(?:[,;].*)?", re.DOTALL)
_YOUNG_AGE: Final = re.compile(
    rf"{_NUMBER}{_UNIT}(?!['’]?[\s-](?:of\s)?(?:gestation|pregnan|post))", re.IGNORECASE
)
_YOUNG: Final = re.compile(r"\b(?:newborn|neonate|infant|baby|boy|girl|child|toddler)\b", re.IGNORECASE)
_DASHES: Final = str.maketrans("\u2010\u2011\u2012\u2013", "----")
_HALF: Final = re.compile(r"(?<=\d)\s?(?:½|[ -]1/2\b)")
_GESTATION: Final = re.compile(r"\bgestational age\b[^,;.]*", re.IGNORECASE)
_NEWBORN: Final = re.compile(r"\b(?:newborn|neonate)\b", re.IGNORECASE)
_INFANT: Final = re.compile(r"\b(?:infant|baby)\b", re.IGNORECASE)
_SEXES: Final = re.compile(
    r"\b(?:(?P<female>female|woman|girl|lady)|(?P<male>male|man|boy|gentleman))\b", re.IGNORECASE
)
_SEX_FIELD: Final = re.compile(r"\b(?:sex|gender)\s*[:=]\s*(?P<sex>[fm])\b", re.IGNORECASE)
_LONE_SEX: Final = re.compile(r"(?:^|[,;/\s])(?P<sex>[FM])(?=$|[,;/.\s])")
_PRONOUN: Final = re.compile(r"\b(?:(?P<her>she|hers?|herself)|he|him|his|himself)\b", re.IGNORECASE)
_TRANS: Final = re.compile(r"\b(?:trans|transgender|non-?binary|intersex)\b", re.IGNORECASE)
_PARENT: Final = r"(?:mother|father|mom|mum|dad|parents?|guardian)"
_PARENT_SPEAKS: Final = re.compile(
    rf"\b{_PARENT}\s(?:(?:has|have|also|first|is|are|who)\s)?"
    r"(?:brings?|brought|reports?|notes?|noticed|states?|says?|describes?|mentions?|concerned|worried|explains?)\b"
    rf"|\b(?:brought|presented|accompanied|taken)\b[^.;]{{0,60}}\bby\s(?:(?:his|her|their|the|a)\s)?(?:\w+\s)?{_PARENT}\b",
    re.IGNORECASE,
)
_ANY_PARENT: Final = re.compile(rf"\b{_PARENT}\b", re.IGNORECASE)
_GUARDIAN: Final = r"grandmother|grandfather|grandparents|aunt|uncle|teacher|babysitter|nanny|neighbou?r"
_BRINGS_CHILD: Final = re.compile(
    rf"\b(?P<who>{_GUARDIAN})\s(?:(?:who|has|also)\s)?(?:brings?|brought|reports?|notes?|noticed|says?|states?)\b"
    rf"|\b(?:brought|accompanied|taken)\b[^.;]{{0,60}}?\bby\s(?:(?:his|her|their|the|a)\s)?(?:[\w-]+\s){{0,2}}(?P<by>{_GUARDIAN})\b",
    re.IGNORECASE,
)
# Without an age: too young to tell a history.
_TOO_YOUNG: Final = re.compile(r"\b(?:newborn|neonate|infant|toddler|preschooler)\b(?!['’])", re.IGNORECASE)
PARENT_SPEAKS_UNDER_YEARS: Final = 12
FIRST_PERSON_FROM_YEARS: Final = 4
"""The age from which a child's own words are believed, where a source has them."""
OLDEST: Final = 130
_GROWN_UP: Final = 18


class Age(NamedTuple):
    """An age in years; `guessed` where the source has only a word such as "infant"."""

    years: float | None
    guessed: bool = False


def age_of(text: str) -> Age:
    """The age in a person's description: `35-year-old`, `8 months`, `newborn`, `Age: 40`, `35F`.

    A newborn without a number is 0; an "infant" without one counts as half a year and is marked as a guess.
    """
    text = _GESTATION.sub(" ", _HALF.sub(".5", text.translate(_DASHES)))
    for shape in (_OLD, _FIELD, _YEARS, _AGE_THEN_SEX):
        if match := shape.search(text):
            return _years(match)
    if match := _BARE.fullmatch(text):
        return _years(match)
    if _NEWBORN.search(text):
        return Age(0.0)
    if _YOUNG.search(text) and (match := _YOUNG_AGE.search(text)):
        return _years(match)
    return Age(0.5, guessed=True) if _INFANT.search(text) else Age(None)


def _years(match: re.Match[str]) -> Age:
    word, unit = match["n"].lower(), (match["unit"] or "y").lower()
    ones, tens = _ONES.split("|"), _TENS.split("|")
    number = float(ones.index(word)) if word in ones else float(word or 0)
    if ten := match.groupdict().get("tens"):
        number += 10 * (tens.index(ten.lower()) + 2)
    years = round(number * _YEARS_IN[unit[0]], 4)
    return Age(years) if years <= OLDEST else Age(None)


def sex_of(text: str) -> Sex | None:
    """The sex in a person's description; `None` where there is none, or where it is not that simple."""
    if _TRANS.search(text):
        return None
    if match := _SEXES.search(text):
        return "female" if match["female"] else "male"
    letter = _SEX_FIELD.search(text) or _AGE_THEN_SEX.search(text) or _LONE_SEX.search(text)
    if letter:
        return "female" if letter["sex"].lower() == "f" else "male"
    # "A 19-year-old student is brought by his roommate": use the pronouns if all agree on one sex.
    spoken_of = {"female" if match["her"] else "male" for match in _PRONOUN.finditer(text)}
    if len(spoken_of) != 1:
        return None
    return "female" if "female" in spoken_of else "male"


def person_of(text: str) -> tuple[Age, Sex | None]:
    """The patient's age and sex in a description, also where it tells of other people beside them."""
    described = patient_described(text)
    return age_of(described.age), sex_of(described.sex)


def voice(years: float | None, text: str) -> Voice:
    """The speaker of a record, and why the patient is not it.

    It is a parent, or whoever else brings them, for a child under twelve or a minor brought by a parent; a
    companion for one who cannot speak; else the patient."""
    if years is not None and years < PARENT_SPEAKS_UNDER_YEARS:
        return Voice(_brings_child(text))
    minor = years is None or years < _GROWN_UP
    if minor and _PARENT_SPEAKS.search(text):
        return Voice("parent")
    if years is not None and minor and patient_described(text).brought:
        return Voice(_brings_child(text))
    if years is None and _TOO_YOUNG.search(text):
        return Voice(_brings_child(text))
    return voice_of(text)


def _brings_child(text: str) -> str:
    """A child's parent, unless somebody else is named who brings it, and no parent is."""
    if _ANY_PARENT.search(text):
        return "parent"
    who = _BRINGS_CHILD.search(text)
    return (who["who"] or who["by"]).lower() if who else "parent"
