"""The identity of a case's patient: as written, else made up from the case's id, age and sex.

Names are dealt out evenly over the regions of the personas' names, so that a name tells nothing of the
answer; the numbers begin with SIM, which no hospital's do.
"""

from __future__ import annotations

import re
from datetime import date, timedelta
from random import Random
from typing import Final

from osler.cases.model import Case, Sex
from osler.cases.personas.traits import names, surnames
from osler.core.contract import rng
from osler.knowledge.vocabulary import NOBODY, Identity

_REFERENCE: Final = date(2026, 1, 1)
"""The day on which a case without a date is thought to happen."""
_YEAR: Final = 365.25
# A carer's sex, where the word tells it.
_FEMALE: Final = re.compile(
    r"\b(?:mrs|ms|miss|mother|mum|mom|daughter|wife|sister|aunt|grandmother|niece|woman)\b", re.I
)
_MALE: Final = re.compile(r"\b(?:mr|father|dad|son|husband|brother|uncle|grandfather|nephew|man)\b", re.I)
# Who does not share the patient's family name.
_NO_KIN: Final = re.compile(
    r"\b(?:friend|neighbou?r|teacher|colleague|nurse|carer|witness|paramedic|crew|police officer|roommate|"
    r"bystander)\b",
    re.I,
)


def identity_of(case: Case) -> Identity:
    """Return the identity that a case gives its patient, or one made up from the case's id, age and sex."""
    if case.identity:
        return case.identity
    return made_up(
        case.id, case.age_years, case.sex, speaker=case.speaker, on=_written_on(case.provenance.written)
    )


def made_up(
    key: str,
    age_years: float | None,
    sex: Sex | None,
    *,
    speaker: str = "patient",
    known_as: str = "",
    on: date = _REFERENCE,
) -> Identity:
    """Make up an identity from `key`, the same each time.

    The birth date agrees with the age on the day `on`, and is `None` without an age. `speaker` is who speaks
    for the patient; `known_as` a name that is known already ("Ms Rowe", "Milo", "Ruth Alder").
    """
    random = rng(key, "patient", "identity")
    place = random.choice(sorted(names()))
    own = _first(random, place, sex)
    family = random.choice(surnames()[place])
    others = _first(random, place, sex_told_by(speaker))
    elsewhere = random.choice(surnames()[place])
    born = None if age_years is None else _born(age_years, on, random)
    carer = None
    if speaker not in ("patient", NOBODY):
        carer = f"{others} {elsewhere if _NO_KIN.search(speaker) else family}"
    return Identity(
        name=_full(known_as, own, family),
        born=born,
        number=f"SIM-{random.randrange(100_000, 1_000_000)}",
        speaker=carer,
    )


def _first(random: Random, place: str, sex: Sex | None) -> str:
    lists = names()[place]
    return random.choice(lists[sex] if sex else lists["female"] + lists["male"])


def _full(known_as: str, first: str, family: str) -> str:
    """A first and a family name, keeping what is known of them."""
    title, _, rest = known_as.partition(" ")
    if title.rstrip(".") in ("Mr", "Mrs", "Ms", "Miss", "Dr", "Mx"):
        return f"{first} {rest}" if " " not in rest else rest
    return known_as if rest else f"{known_as or first} {family}"


def _born(age_years: float, on: date, random: Random) -> date:
    """A birth date at which somebody is `age_years` old on a day; a child under two to the nearest day."""
    if age_years < 2:
        return on - timedelta(days=round(age_years * _YEAR))
    birthday = on - timedelta(days=random.randrange(5, 360))
    # No birthday on the last days of a month: not every year has a 29th of February.
    return birthday.replace(year=birthday.year - int(age_years), day=min(birthday.day, 28))


def _written_on(written: str | None) -> date:
    """The day a case was written ("2026-11", "2026-11-03", "2026"), or the reference day."""
    match = re.fullmatch(r"(\d{4})(?:-(\d\d))?(?:-(\d\d))?", written or "")
    try:
        return date(int(match[1]), int(match[2] or 1), int(match[3] or 1)) if match else _REFERENCE
    except ValueError:
        return _REFERENCE


def sex_told_by(speaker: str) -> Sex | None:
    """The sex that a title or a word of kinship tells ("Mrs Hale, his mother"), if any."""
    return "female" if _FEMALE.search(speaker) else "male" if _MALE.search(speaker) else None
