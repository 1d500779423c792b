"""Who is in a station: the patient with age, sex and name, and the person whom the actor plays."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from osler.authoring.scenarios.consistency import ages, sexes
from osler.authoring.stations.lines import SourceLine
from osler.knowledge.vocabulary import NOBODY
from osler.text.records.speech_ability import voice_in_brief

_NAME: Final = r"(?:(?:Mr|Mrs|Ms|Miss|Mx|Master|Baby|Dr)\.? )?[A-Z][a-z][\w'’-]*(?: (?:de |van |von |al-|el-)?[A-Z][\w'’-]+){0,2}"
_AGE: Final = (
    r"(?:,? (?:\(|is )?(?:aged? )?\d{1,3}\b|,? (?:who is |is )?(?:an? )\d{1,3}[- ](?:year|month|week|day))"
)
_PATIENT: Final = re.compile(rf"(?<![\w])({_NAME})(?={_AGE})")
_TITLED: Final = re.compile(r"\b((?:Mr|Mrs|Ms|Miss|Mx)\.? (?:[A-Z][\w'’-]+ ?){1,2})")
_SELF: Final = re.compile(
    rf"\b(?i:you are|you're|you play|your name is|name:|patient'?s? name:?|patient:)\s+(?i:the (?:role|part) of )?({_NAME})(?![\w])"
)
_NO_NAMES: Final = frozenset(
    "the a an this that you he she they it examination history age aged male female patient doctor time station opening vital test take ask please no "
    "blood heart temperature ecg give explain temp bp hr rr spo2 pulse scenario day week mother father mum dad his her on at in after before".split()
)
_RELATION: Final = r"mother|father|mum|dad|parent|wife|husband|partner|son|daughter|sister|brother|carer|caregiver|grandmother|grandfather|relative|friend|aunt|uncle"
_OF: Final = re.compile(
    rf"\b(?:you are|you're|you play|playing|role of)\b[^.]{{0,80}}?\b(?:the |a )?(?:worried |anxious )?({_RELATION})\b(?: of|,| to|'s|\b)",
    re.IGNORECASE,
)
_HEADED: Final = re.compile(rf"\b({_RELATION})(?:'?s?)\b", re.IGNORECASE)
_MALE: Final = re.compile(r"\b(?:he|his|him|mr|son|boy|man|gentleman|male)\b", re.IGNORECASE)
_FEMALE: Final = re.compile(r"\b(?:she|her|mrs|ms|miss|daughter|girl|woman|lady|female)\b", re.IGNORECASE)
_BROUGHT: Final = re.compile(
    rf"\b(?:her|his|their) (?:\w+[- ]){{0,4}}?(?:son|daughter|child|baby|boy|girl|infant|mother|father|wife|husband)\b,? ({_NAME})"
)
_YOUNG: Final = re.compile(
    rf"\bold (?:girl|boy|child|baby|infant|son|daughter),? (?:called |named )?({_NAME})"
)
_SILENT_BELOW: Final = 5.0


class Cast(NamedTuple):
    """The patient's name, age in years and sex, `None` where not told; the actor's id and name if they play
    someone else; and whether a nurse is there. `speaks` is whether the patient can answer."""

    name: str | None
    age_years: float | None
    sex: str | None
    actor: str
    actor_name: str
    nurse: bool
    speaks: bool


def cast(candidate: Sequence[SourceLine], actor: Sequence[SourceLine], others: Sequence[SourceLine]) -> Cast:
    """The people of the station, from what the candidate and the actor read. Pure."""
    read = _text(candidate)
    played = _text(actor)
    rest = _text(others)
    carer = _carer(actor, played)
    fact = (
        next(iter(ages(read)), None)
        or (None if carer else next(iter(ages(played)), None))
        or next(iter(ages(rest)), None)
    )
    age = _years(fact.value) if fact else _bare_age(read) or (None if carer else _bare_age(played))
    own = _self(played)
    name = _patient_name(read, carer) or (None if carer else own)
    sex_told = next(iter(sexes(read)), None) or (
        None if carer else next(iter(sexes(f"{played}\n{rest}")), None)
    )
    sex = sex_told.value if sex_told else _sex(read if carer else f"{read}\n{name or ''}", name)
    nurse = re.search(r"\bnurse\b(?! practitioner)", f"{read}\n{rest}", re.IGNORECASE) is not None
    silent = voice_in_brief(read, played, plays_another=bool(carer))
    if silent.because and not carer and silent.speaker != NOBODY:
        carer = silent.speaker
        nurse = nurse and carer != "nurse"
    actor_name = (
        (own if own and own != name else None) or (_brings(read) if carer else None) or f"The {carer}"
    )
    return Cast(
        name,
        age,
        sex,
        carer,
        actor_name if carer else "",
        nurse,
        not (silent.because or (carer and (age is None or age < _SILENT_BELOW))),
    )


def _text(lines: Sequence[SourceLine]) -> str:
    return "\n".join(line.text for line in lines)


def _carer(actor: Sequence[SourceLine], played: str) -> str:
    """The relation of the person whom the actor plays, or "" for the patient."""
    for line in actor[:1]:
        if (match := _HEADED.search(line.place.heading)) and "patient" not in line.place.heading.lower():
            return match[1].lower()
    first = "\n".join(played.splitlines()[:2])
    match = _OF.search(first)
    return (
        match[1].lower()
        if match and re.search(rf"\b{match[1]}\b(?: of\b|'s|,? (?:to|who has brought))", first, re.IGNORECASE)
        else ""
    )


def _self(played: str) -> str | None:
    for match in _SELF.finditer(played):
        if match[1].split()[0].lower() not in _NO_NAMES:
            return match[1].strip()
    return None


def _patient_name(read: str, carer: str) -> str | None:
    if match := (carer and _BROUGHT.search(read)) or _YOUNG.search(read):
        return match[1]
    result = [match[1] for match in _PATIENT.finditer(read) if match[1].split()[0].lower() not in _NO_NAMES]
    if result:
        return result[0]
    titled = _TITLED.search(read)
    return titled[1].strip() if titled and not carer else None


def _brings(read: str) -> str | None:
    match = re.search(
        rf"({_NAME})(?:,? (?:has|have) (?:brought|come)|,? (?:the|his|her) (?:{_RELATION})|,? brings)", read
    )
    return match[1] if match and match[1].split()[0].lower() not in _NO_NAMES else None


def _sex(read: str, name: str | None) -> str | None:
    """The sex that titles and pronouns tell, if only one is told."""
    title = (name or "").split(" ")[0].rstrip(".").lower()
    if title in ("mr", "master"):
        return "male"
    if title in ("mrs", "ms", "miss"):
        return "female"
    at = read.find(name) if name else -1
    near = read[max(0, at - 30) : at + 200] if at >= 0 else read
    male, female = len(_MALE.findall(near)), len(_FEMALE.findall(near))
    return "male" if male and not female else "female" if female and not male else None


def _bare_age(read: str) -> float | None:
    match = re.search(rf"{_NAME},? \(?(\d{{1,3}})\b(?! ?(?:mg|ml|%|min|/|cm|kg|am|pm|:))", read)
    return float(match[1]) if match and int(match[1]) <= 110 else None


def _years(told: str) -> float:
    number, unit = told.split()
    return round(int(number) * {"year": 1.0, "month": 1 / 12, "week": 7 / 365, "day": 1 / 365}[unit], 2)
