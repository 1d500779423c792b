"""Who the patient is: the identifying values of a Patient, and whether a text gives one of them away.

Values are matched as such, never word by word inside clinical terms: a patient called White does not make
every white cell count private, and a house number is no heart rate. A coded term is private only where a
whole value stands in it (a full name, a telephone number); a name alone counts in free text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from osler.cases.importers.fhir_values import Json, listed, mapping
from osler.cases.importers.json_paths import words_of

_TITLES: Final = r"(?:mr|mrs|ms|miss|mx|dr|prof|sir|master)\.?"
# Shorter numbers and codes are never matched without a label: 118 may be a pulse, and B12 a vitamin.
_SHORTEST_NUMBER: Final = 7
_SHORTEST_CODE: Final = 6
_SHORTEST_NAME: Final = 3
_AFTER_LABEL: Final = re.compile(
    r"\b(?:mrn|nhs|id|ssn|identifier|zip|post ?code|postal code|passport|licen[cs]e)(?: no| number)?\W{1,3}$",
    re.IGNORECASE,
)
_AFTER_FROM: Final = re.compile(r"\b(?:in|from|near|to)\s$")
_RELATIONS: Final = frozenset(
    "mother father parent parents brother sister sibling son daughter child wife husband spouse partner "
    "grandmother grandfather grandparent grandson granddaughter aunt uncle cousin niece nephew guardian "
    "carer caregiver neighbour neighbor friend next kin natural step foster adoptive maternal paternal "
    "mum mom dad emergency contact self unknown none patient family".split()
)
# Names that are words: they are names only after a word without a capital ("seen with May").
_ORDINARY: Final = frozenset(
    "white black brown gray grey green blue rose rosy violet may june april august young old long short "
    "small little red yellow low high strong sharp sweet cross hand foot head bone heart bell stone "
    "wood hill field day night summer winter spring frost snow rain love hope faith grace joy will mark "
    "pat sue rob bill art drew reading bath normal mobile orange mercury bright wise good best rich "
    "poor wild hardy savage moody walker parker carter baker cook mason smith miller fisher hunter page "
    "major minor king prince price pain payne rash bland clear dark light cold hot warm dry swift rapid "
    "stark fine early late first self lamb fox wolf bird crane finch pollock haddock bass pike berry "
    "cherry olive pepper ginger rice bean ash ivy iris lily daisy hazel jasmine heather poppy holly "
    "basil sage rosemary amber ruby pearl jade crystal sunny misty storm skye dawn eve star moon banks "
    "brooks rivers lakes waters marsh moss reed chance rush case cases weeks months bruise burns cutts "
    "weaver glass block blood nail nails".split()
)
# What follows a name in a clinical term: `White cell count`, `Bell's palsy`.
_TERM_GOES_ON: Final = re.compile(
    r"(?:['’]s)?\s+(?:disease|syndrome|sign|palsy|test|score|scale|criteria|cells?|count|blood|matter|body|"
    r"lines?|phenomenon|reflex|manoeuvre|maneuver|position|classification|stage|tumou?r|lymphoma|sarcoma|"
    r"nodes?|nodules?|\d+|fracture|ulcer|oesophagus|esophagus|law|index|catheter|tube|stain|agar|fever|rash)\b",
    re.IGNORECASE,
)
_AFTER_SMALL: Final = re.compile(r"\b[a-z]+,?\s$")


class Identity:
    """The identifying values of one patient, from the fields that hold them."""

    def __init__(self, patient: Json) -> None:
        people = [patient, *listed(patient.get("contact"))]
        own = list(_names(patient))
        self._lone = frozenset(
            word
            for names in (_names(person) for person in people)
            for family, given, _ in names
            for word in (*family.split(), *(one for name in given for one in name.split()))
            if len(word) >= _SHORTEST_NAME and word[:1].isupper() and word.lower() not in _RELATIONS
        )
        values = [
            *_full_names(name for person in people for name in _names(person)),
            *_contact_values(patient),
        ]
        values += [rf"{_TITLES}\s+{re.escape(family)}" for family, _, _ in own if family]
        self._whole = _alternatives(values)
        self._labelled = _alternatives(_short_numbers(patient))
        self._towns = _alternatives(
            re.escape(town) for one in listed(patient.get("address")) if (town := words_of(one.get("city")))
        )

    def is_in_term(self, text: str) -> bool:
        """Whether a whole identifying value stands in a text, be it a coded term or prose."""
        return self._whole is not None and self._whole.search(text) is not None

    def is_in_prose(self, text: str) -> bool:
        """Whether free text names the patient: by a whole value, a name alone, or a number with its label."""
        return self.is_in_term(text) or self._names_alone(text) or self._labels(text)

    def _names_alone(self, text: str) -> bool:
        return any(self._is_name(word, text) for word in self._lone if word.lower() in text.lower())

    @staticmethod
    def _is_name(word: str, text: str) -> bool:
        for match in re.finditer(rf"(?<!\w){re.escape(word)}(?!\w)", text, re.IGNORECASE):
            if not match[0][:1].isupper() or _TERM_GOES_ON.match(text, match.end()):
                continue
            if word.lower() in _ORDINARY and not _AFTER_SMALL.search(text[: match.start()]):
                continue
            return True
        return False

    def _labels(self, text: str) -> bool:
        """Whether a short number follows its label (`MRN 118`), or the town a word for living there."""
        return _follows(self._labelled, _AFTER_LABEL, text) or _follows(self._towns, _AFTER_FROM, text)


def _follows(pattern: re.Pattern[str] | None, before: re.Pattern[str], text: str) -> bool:
    """Whether one of the values, in its capitals, stands right after what `before` matches."""
    return pattern is not None and any(
        not match[0][:1].islower() and before.search(text[max(0, match.start() - 40) : match.start()])
        for match in pattern.finditer(text)
    )


def _alternatives(values: Iterable[str]) -> re.Pattern[str] | None:
    """A pattern of any of these patterns, as whole words; `None` where there are none."""
    held = sorted({value for value in values if value}, key=lambda value: (-len(value), value))
    return re.compile(rf"(?<!\w)(?:{'|'.join(held)})(?!\w)", re.IGNORECASE) if held else None


def _names(person: Json) -> Iterator[tuple[str, tuple[str, ...], str]]:
    """The names of a person: family name, given names, and the name as one text."""
    for name in listed(person.get("name")):
        family = name.get("family")
        families = [words_of(one) for one in (family if isinstance(family, list) else [family])]
        given = name.get("given")
        names = [words_of(one) for one in (given if isinstance(given, list) else [given])]
        text = words_of(name.get("text"))
        if text and not any((*families, *names)):
            *names, last = text.split()
            families = [last]
        yield " ".join(filter(None, families)), tuple(filter(None, names)), text


def _full_names(names: Iterable[tuple[str, tuple[str, ...], str]]) -> Iterator[str]:
    for family, given, text in names:
        if len(text.split()) > 1:
            yield re.escape(text)
        for one in given:
            if family and {one.lower(), family.lower()} - _RELATIONS:
                first, last = re.escape(one), re.escape(family)
                yield rf"{first}(?:\s+[\w.]+)?\s+{last}"
                yield rf"{last},?\s+{first}"


def _contact_values(patient: Json) -> Iterator[str]:
    """Telephone numbers, e-mail addresses, streets and long identifiers, and the day of birth."""
    for person in (patient, *listed(patient.get("contact"))):
        for held in (*listed(person.get("telecom")), *listed(person.get("identifier"))):
            value = words_of(held.get("value"))
            if _is_long(value):
                yield re.escape(value)
        for address in listed(person.get("address")):
            line = address.get("line")
            for one in (*(line if isinstance(line, list) else [line]), address.get("text")):
                if len(words_of(one).split()) > 1 and any(sign.isalpha() for sign in words_of(one)):
                    yield re.escape(words_of(one))
            code = words_of(address.get("postalCode"))
            if _is_long(code) and not code.isdigit():
                yield re.escape(code)
    birth = words_of(patient.get("birthDate"))
    if len(birth) > len("1961-07"):
        yield re.escape(birth)


def _is_long(value: str) -> bool:
    digits = sum(sign.isdigit() for sign in value)
    only_digits = not any(sign.isalpha() for sign in value)
    return digits >= _SHORTEST_NUMBER or (
        not only_digits and len(value) >= _SHORTEST_CODE and (digits > 0 or "@" in value)
    )


def _short_numbers(patient: Json) -> Iterator[str]:
    words = [
        words_of(one.get("value"))
        for one in (*listed(patient.get("identifier")), *listed(patient.get("telecom")))
    ]
    words += [words_of(mapping(one).get("postalCode")) for one in listed(patient.get("address"))]
    yield from (re.escape(value) for value in words if value and not _is_long(value))
